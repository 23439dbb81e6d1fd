/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays the faults of a recorded trace (fault_internal.h): the same nodes,
 * times and repairs, mapped to the nodes of the cluster, and stretched or
 * repeated over a longer run.
 *
 * The instant 0 of a run is the instant from_s of the trace. A fault that is
 * not repaired by then strikes at 0, for the rest of its repair. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "models/failures/fault_internal.h"

/* Names of the nodes that fail in a trace; the texts belong to the trace. */
struct trace_nodes {
    const char **at; /* names, sorted, each once; the caller frees the array */
    size_t n;
    bool numbers; /* true if all names are whole numbers, and sorted as such */
};

/* Sorts and draws the nodes of a fault trace. */

static int trace_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = 0, y = 0;
    (void)(text_to_u32(text_from(*(const char *const *)a), &x) &&
           text_to_u32(text_from(*(const char *const *)b), &y));
    if (x != y)
        return x < y ? -1 : 1;
    return trace_by_name(a, b);
}

static void trace_nodes_init(struct trace_nodes *names,
                             const struct fault_file *file)
{
    size_t n = 0;
    uint32_t number;
    names->at = mem_zalloc(file->n + 1, sizeof *names->at);
    names->numbers = true;
    for (size_t i = 0; i < file->n; i++) {
        names->at[i] = file->at[i].node;
        names->numbers &= text_to_u32(text_from(names->at[i]), &number);
    }
    qsort(names->at, file->n, sizeof *names->at,
          names->numbers ? by_number : trace_by_name);
    for (size_t i = 0; i < file->n; i++) {
        if (n == 0 || strcmp(names->at[n - 1], names->at[i]) != 0)
            names->at[n++] = names->at[i];
    }
    names->n = n;
}

/* Returns the index of a name among the sorted names, from 0. The trace must
 * have the name. */
static uint32_t trace_nodes_rank(const struct trace_nodes *names,
                                 const char *name)
{
    const char **found = bsearch(&name, names->at, names->n, sizeof *names->at,
                                 names->numbers ? by_number : trace_by_name);
    return (uint32_t)(found - names->at);
}

/* A node of the trace and the random number, 0..1, by which the nodes are
 * sorted. */
struct lot {
    double draw;
    uint32_t rank;
};

static int by_draw(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Draws a random permutation of 0 .. n-1: element `rank` is the node of the
 * cluster on which the trace's node of this rank fails. The caller frees the
 * array. */
static uint32_t *trace_nodes_draw(uint32_t n, uint64_t seed)
{
    uint64_t stream = rng_stream(seed, "fault trace nodes");
    struct lot *lots = mem_zalloc(n + 1, sizeof *lots);
    uint32_t *place = mem_zalloc(n + 1, sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        lots[i] = (struct lot){keyed_uniform(stream, i, 0), i};
    qsort(lots, n, sizeof *lots, by_draw);
    for (uint32_t i = 0; i < n; i++)
        place[lots[i].rank] = i;
    free(lots);
    return place;
}

enum { MAP_RANK, MAP_NUMBER, MAP_DRAW };

enum { OPERATORS_KILL, OPERATORS_HARMLESS, OPERATORS_DROP };

struct trace_config {
    const char *file, *skip;
    unsigned map, operators, after, scope;
    uint32_t nodes;
    double stretch, repair_factor;
    bool repeat;
    sim_span from, length, relapse;
};

static const char *const maps[] = {"rank", "number", "draw", NULL};

static const char *const operators[] = {"kill", "harmless", "drop", NULL};

static const char *const fault_trace_afters[] = {"passes", "down", "hidden",
                                                 NULL};

static const char *const fault_trace_scopes[] = {"class", "node", NULL};

static const struct option fault_trace_options[] = {
    OPT_PATH(
        struct trace_config, file, "file", "",
        "fault trace: CSV with start_s,end_s,node,class[,scope,gpu,cause], or "
        "JSON in InfiniteHBD's form",
        NULL),
    OPT_TEXT(struct trace_config, skip, "skip", "",
             "other columns that a CSV file may have, separated by '+'; *: any",
             NULL),
    OPT_CHOICE(struct trace_config, map, "map", MAP_RANK, maps,
               "how nodes of the trace are assigned to nodes of the cluster. "
               "rank: by the place, from 0, in the sorted names (sorted as "
               "numbers if all names are numbers); number: by the name, which "
               "is the number of the node; draw: at random by the seed, each "
               "to a node of its own",
               NULL),
    OPT_U32(struct trace_config, nodes, "nodes", 0, 0, CLUSTER_NODES_MAX,
            "number of nodes that the trace covers, including those that never "
            "failed; 0: the number of nodes that fail in it",
            NULL),
    OPT_DOUBLE(struct trace_config, stretch, "stretch", 1, 1e-6, 1e6,
               "factor on the times at which faults start", NULL),
    OPT_DOUBLE(struct trace_config, repair_factor, "repair_factor", 1, 0, 1e6,
               "factor on the times of repair", NULL),
    OPT_BOOL(struct trace_config, repeat, "repeat", false,
             "begin the trace again when its last fault is over", NULL),
    OPT_SPAN(struct trace_config, from, "from_s", 0, 0, SECONDS_MAX,
             "time of the trace at which the run begins", NULL),
    OPT_SPAN(struct trace_config, length, "length_s", 0, 0, SECONDS_MAX,
             "length of the trace, for repeat and for the mean rate; 0: up to "
             "its last time",
             NULL),
    OPT_CHOICE(
        struct trace_config, operators, "operators", OPERATORS_KILL, operators,
        "effect of faults that operators caused (classes Stress Test Failure, "
        "Change and Test). kill: they kill jobs; harmless: the node is "
        "drained and jobs keep their work; drop: they are left out",
        NULL),
    OPT_CHOICE(
        struct trace_config, scope, "scope", 0, fault_trace_scopes,
        "which jobs a fault hits. class: a GPU fault those on one GPU, a NIC "
        "or cable fault those that span nodes, an NVLink fault those on "
        "several GPUs, any other fault all on the node; node: all on the node. "
        "The scope column of a CSV file takes precedence",
        "assumed: the trace names the part, not the jobs"),
    OPT_CHOICE(struct trace_config, after, "after", FAULT_DOWN,
               fault_trace_afters,
               "what happens to the node until its repair. passes: it is "
               "healthy at once; down: it is out of service; hidden: it stays "
               "in service with a hidden fault",
               NULL),
    OPT_SPAN(struct trace_config, relapse, "relapse_s", 458, 1e-6, SECONDS_MAX,
             "after=hidden: mean time after which a job that starts on the "
             "node fails",
             "458 s: 73 % of failing tasks die within ten minutes (Aegis, "
             "NSDI'25)",
             OPT_WHEN("after=hidden")),
    {0},
};

struct trace {
    const struct trace_config *config;
    struct fault_file file;
    node_id *nodes; /* by record: node of the cluster; NODE_NONE: not played */
    const struct cluster *cluster; /* cluster of the run; borrowed */
    /* stream of random numbers for the draws of a GPU */
    uint64_t gpus;
    size_t at;      /* index of the next record */
    uint64_t round; /* number of times that the trace was played to its end */
    /* length of the trace on its own clock, us; `repeat` begins the trace again
     * after it */
    sim_span length;
    size_t n_played; /* number of records that are played in each round */
};

static enum status trace_check_names(const struct trace_config *c,
                                     const struct trace_nodes *names,
                                     struct error *err)
{
    if (c->map == MAP_NUMBER && !names->numbers)
        return error_set(
            err, STATUS_USAGE,
            "faults trace: map=number needs numbers as names of nodes, but "
            "not all names in %s are numbers",
            c->file);
    if (c->map != MAP_NUMBER && c->nodes && c->nodes < names->n)
        return error_set(err, STATUS_USAGE,
                         "faults trace: nodes=%u, but %zu nodes fail in %s",
                         c->nodes, names->n, c->file);
    return STATUS_OK;
}

/* Maps each record to a node of the cluster, or to NODE_NONE if it is not
 * played. Counts those that are played. */
static void map_records(struct trace *s, const struct trace_nodes *names,
                        const struct run_env *env)
{
    const struct trace_config *c = s->config;
    uint32_t n_trace = c->nodes ? c->nodes : (uint32_t)names->n;
    uint32_t *place =
        c->map == MAP_DRAW ? trace_nodes_draw(n_trace, env->seed) : NULL;
    s->nodes = mem_zalloc(s->file.n + 1, sizeof *s->nodes);
    for (size_t i = 0; i < s->file.n; i++) {
        const struct fault_record *r = &s->file.at[i];
        uint32_t node = trace_nodes_rank(names, r->node);
        if (c->map == MAP_DRAW)
            node = place[node];
        else if (c->map == MAP_NUMBER &&
                 !text_to_u32(text_from(r->node), &node))
            node = NODE_NONE;
        s->nodes[i] = node < env->cluster->n_nodes ? node : NODE_NONE;
        if (r->by_operator && c->operators == OPERATORS_DROP)
            s->nodes[i] = NODE_NONE;
        s->n_played += s->nodes[i] != NODE_NONE;
    }
    free(place);
}

static void trace_remark(const struct trace *s, const struct trace_nodes *names,
                         const struct run_env *env)
{
    const struct trace_config *c = s->config;
    uint32_t n_nodes = env->cluster->n_nodes;
    size_t n_acts = 0, n_lost;
    for (size_t i = 0; i < s->file.n; i++)
        n_acts += s->file.at[i].by_operator;
    n_acts = c->operators == OPERATORS_DROP ? n_acts : 0;
    n_lost = s->file.n - s->n_played;
    if (n_lost > n_acts)
        remarks_add(env->remarks, remark_rank_of(n_lost, s->file.n),
                    "faults: %zu of %zu faults of the trace are left out, "
                    "because the cluster of %u nodes lacks their node or "
                    "because operators made them (--faults trace:map, nodes, "
                    "operators)",
                    n_lost, s->file.n, n_nodes);
    else if (n_acts)
        remarks_add(env->remarks, REMARK_DETAIL,
                    "faults: %zu of %zu faults of the trace are acts of "
                    "operators and are left out (--faults trace:operators)",
                    n_acts, s->file.n);
    uint32_t n_trace = c->nodes ? c->nodes : (uint32_t)names->n;
    if (c->map != MAP_NUMBER && n_trace < n_nodes)
        remarks_add(env->remarks, REMARK_NUMBERS,
                    "faults: %u of %u nodes never fail, because the trace "
                    "records %u nodes (--faults trace:nodes)",
                    n_nodes - n_trace, n_nodes, n_trace);
    if (s->file.n_open)
        remarks_add(env->remarks, REMARK_NUMBERS,
                    "faults: %zu faults of the trace have no end; they last "
                    "until its last time",
                    s->file.n_open);
}

static void fault_trace_note(const struct trace *s,
                             const struct trace_nodes *names,
                             const struct run_env *env)
{
    char value[32];
    snprintf(value, sizeof value, "%zu", s->file.n);
    env_note(env, "faults", value, "faults of the trace", NULL);
    snprintf(value, sizeof value, "%zu", s->n_played);
    env_note(env, "faults_played", value,
             "faults of the trace on nodes of the cluster", NULL);
    snprintf(value, sizeof value, "%zu", names->n);
    env_note(env, "nodes_that_fail", value,
             "nodes of the trace that fail at least once", NULL);
}

static enum status trace_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    struct trace *s = self;
    struct trace_nodes names;
    s->config = config;
    s->cluster = env->cluster;
    s->gpus = rng_stream(env->seed, "fault trace gpu");
    if (!s->config->file[0])
        return error_set(err, STATUS_USAGE,
                         "faults trace: no file is named; write "
                         "trace:file=FILE");
    enum status st = fault_file_read(s->config->file, s->config->skip,
                                     env->arena, &s->file, err);
    if (st != STATUS_OK)
        return st;
    s->length = s->config->length ? s->config->length : s->file.length;
    if (s->length < s->file.length || (s->config->repeat && s->length <= 0))
        return error_set(err, STATUS_USAGE,
                         "faults trace: length_s: %g, but the last time of %s "
                         "is %g s",
                         span_seconds(s->length), s->config->file,
                         span_seconds(s->file.length));
    if (s->config->from > s->length)
        return error_set(err, STATUS_USAGE,
                         "faults trace: from_s: %g, but the trace is %g s long",
                         span_seconds(s->config->from),
                         span_seconds(s->length));
    trace_nodes_init(&names, &s->file);
    st = trace_check_names(s->config, &names, err);
    if (st == STATUS_OK) {
        map_records(s, &names, env);
        trace_remark(s, &names, env);
        fault_trace_note(s, &names, env);
    }
    free(names.at);
    return st;
}

/* Returns the GPU that the record names, modulo the GPUs of the node; if the
 * record names none, draws one. */
static uint8_t gpu_of(const struct trace *s, size_t i, uint64_t key)
{
    uint8_t gpus = s->cluster->nodes[s->nodes[i]].gpus;
    if (s->file.at[i].gpu != FAULT_GPU_UNKNOWN)
        return s->file.at[i].gpu % gpus;
    return (uint8_t)(keyed_uniform(s->gpus, key, 0) * gpus);
}

/* Fills in the fault of a record in this round; false if it was repaired before
 * the run begins. Its time is TIME_NEVER if it is beyond SECONDS_MAX. */
static bool play(const struct trace *s, size_t i, struct fault *out)
{
    const struct trace_config *c = s->config;
    const struct fault_record *r = &s->file.at[i];
    double start =
        (double)(r->start - c->from) + (double)s->round * (double)s->length;
    double at = start * c->stretch;
    double repair = (double)(r->end - r->start) * c->repair_factor;
    if (at < 0) {
        repair += at;
        at = 0;
        if (repair <= 0)
            return false;
    }
    uint64_t key = s->round * s->file.n + r->order + 1;
    double most = SECONDS_MAX * (double)SPAN_SECOND;
    *out = (struct fault){
        .at = at > most ? TIME_NEVER : (sim_time)llround(at),
        .repair = (sim_span)llround(repair < most ? repair : most),
        .relapse = c->relapse,
        .cause = r->cause,
        .key = key,
        .node = s->nodes[i],
        .scope = c->scope ? FAULT_NODE : r->scope,
        .after = (uint8_t)c->after,
        .gpu = gpu_of(s, i, key),
        .harmless = r->by_operator && c->operators == OPERATORS_HARMLESS};
    return true;
}

static bool fault_trace_next(void *self, struct fault *out)
{
    struct trace *s = self;
    while (s->n_played) {
        if (s->at == s->file.n) {
            if (!s->config->repeat)
                return false;
            s->at = 0;
            s->round++;
        }
        size_t i = s->at++;
        struct fault fault;
        if (s->nodes[i] == NODE_NONE || !play(s, i, &fault))
            continue;
        if (fault.at >= TIME_NEVER)
            return false;
        *out = fault;
        return true;
    }
    return false;
}

/* Returns the faults of the file that make jobs fail, per node of the trace and
 * second. The rate is needed before trace_init reads the file, so this function
 * reads it too. Returns 0 for a file that cannot be read, which trace_init
 * reports, for standard input, which can be read only once, and for a trace
 * without faults or of length 0. */
static double trace_rate(const void *config, const struct cluster *cluster)
{
    const struct trace_config *c = config;
    struct fault_file file;
    struct arena arena;
    struct trace_nodes names = {0};
    double n = 0, rate = 0;
    (void)cluster;
    if (!c->file[0] || strcmp(c->file, "-") == 0)
        return 0;
    arena_init(&arena);
    if (fault_file_read(c->file, c->skip, &arena, &file, NULL) == STATUS_OK) {
        trace_nodes_init(&names, &file);
        for (size_t i = 0; i < file.n; i++)
            n += !file.at[i].by_operator || c->operators == OPERATORS_KILL;
        double length = span_seconds(c->length ? c->length : file.length);
        double n_nodes = (double)(c->nodes ? c->nodes : names.n);
        rate = n / (n_nodes * length * c->stretch);
        free(names.at);
    }
    fault_file_fini(&file);
    arena_fini(&arena);
    return isfinite(rate) ? rate : 0;
}

static void trace_fini(void *self)
{
    struct trace *s = self;
    fault_file_fini(&s->file);
    free(s->nodes);
}

const struct fault_ops fault_trace = {
    .name = "trace",
    .summary = "the faults of a recorded trace, on the nodes of the cluster",
    .options = fault_trace_options,
    .config_size = sizeof(struct trace_config),
    .state_size = sizeof(struct trace),
    .init = trace_init,
    .next = fault_trace_next,
    .rate = trace_rate,
    .fini = trace_fini,
};
