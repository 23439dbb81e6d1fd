/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that begins from the present state of a cluster: its policy is wrapped
 * (policies/resumed.h). Unless the run repeats the past, the jobs of the state
 * become its trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policies/resumed.h"
#include "sim/present/beliefs.h"
#include "sim/run/describe.h"
#include "sim/run/run_internal.h"
#include "traces/shelf.h"
#include "traces/trace.h"

struct resume {
    const struct state *state; /* borrowed, or `own` */
    struct state own;
    const sim_span *runs, *plans; /* by job of the state */
    sim_span *own_runs, *own_plans;
    const char *trace; /* trace that gives the run times; NULL: none */
    bool repeats;      /* the state has the past of a run with the same trace */
    struct redo_log past;
    struct arena arena; /* options that are as in the run of the past */
    struct shelf *shelf;
    struct resumed policy;
};

static enum status resume_write(void *self, struct out *bytes,
                                struct error *err)
{
    const struct resume *r = self;
    (void)err;
    state_write_trace(r->state, r->runs, r->plans, bytes);
    return STATUS_OK;
}

/* Refuses options that a run cannot follow that begins from a state without a
 * past. */
static enum status resume_check(const struct run_config *c, struct error *err)
{
    if (c->trace && !c->state)
        return error_set(err, STATUS_USAGE,
                         "the jobs are those of the state; leave out the trace "
                         "%.200s",
                         c->trace);
    if (c->cluster)
        return error_set(err, STATUS_USAGE,
                         "--state: the cluster is that of the state; leave out "
                         "--cluster");
    return STATUS_OK;
}

/* Takes the run times of the jobs from a trace, by their identifiers, and adds
 * the jobs that the trace submits from the present on. */
struct resume_trace {
    struct state *state;
    struct interner ids; /* of the jobs of the state, in their order */
    sim_span *runs;      /* by job; -1: not known yet */
    size_t cap;
};

static void resume_take_row(struct resume_trace *t, const struct trace_row *row)
{
    struct state *state = t->state;
    struct arena *arena = &state->arena;
    const uint32_t symbol = interner_find(&t->ids, row->source_id);
    if (symbol != UINT32_MAX && symbol > 0) {
        t->runs[symbol - 1] = row->duration;
        return;
    }
    if (row->submitted < state->at || row->gpus == 0 ||
        row->duration == TRACE_NO_TIME || row->duration < 0)
        return; /* it had ended by the present, or no run takes it */
    struct state_job *job = state_add_job(state);
    job->id = arena_copy(arena, row->source_id.at, row->source_id.len);
    job->user = arena_copy(arena, row->user.at, row->user.len);
    job->name = arena_copy(arena, row->name.at, row->name.len);
    job->vc = arena_copy(arena, row->vc.at, row->vc.len);
    job->gpu_type = arena_copy(arena, row->gpu_type.at, row->gpu_type.len);
    job->gpus = row->gpus;
    job->submitted = row->submitted;
    job->limit = row->declared;
    t->runs = mem_grow(t->runs, &t->cap, state->n_jobs, sizeof *t->runs);
    t->runs[state->n_jobs - 1] = row->duration;
    interner_add(&t->ids, row->source_id);
}

static enum status resume_read_trace(struct run *run, struct error *err)
{
    struct resume *r = run->resume;
    struct resume_trace t = {.state = &r->own};
    struct trace_reader *reader;
    struct trace_row row;
    enum status st =
        trace_open(run->config.trace, run->config.format, &reader, err);
    if (st != STATUS_OK)
        return st;
    interner_init(&t.ids);
    t.runs = mem_grow(NULL, &t.cap, r->own.n_jobs + 1, sizeof *t.runs);
    for (size_t i = 0; i < r->own.n_jobs; i++) {
        interner_add(&t.ids, text_from(r->own.jobs[i].id));
        t.runs[i] = -1;
    }
    while ((st = trace_next(reader, &row, err)) == STATUS_OK)
        resume_take_row(&t, &row);
    trace_close(reader);
    st = st == STATUS_END ? STATUS_OK : st;
    for (size_t i = 0; i < r->own.n_jobs && st == STATUS_OK; i++) {
        if (t.runs[i] < 0 ||
            t.runs[i] < state_elapsed(&r->own, &r->own.jobs[i]))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: %.200s has no run time of job %.60s, or one "
                           "with which it would have ended",
                           r->own.path, run->config.trace, r->own.jobs[i].id);
    }
    interner_fini(&t.ids);
    r->runs = r->own_runs = t.runs;
    r->plans = r->own_plans =
        mem_zalloc(r->own.n_jobs + 1, sizeof *r->own_plans);
    for (size_t i = 0; i < r->own.n_jobs; i++)
        r->own_plans[i] = r->own.jobs[i].limit;
    return st;
}

/* Lets each job run for the median of what is believed of it. */
static void resume_believe(struct run *run)
{
    struct resume *r = run->resume;
    struct beliefs *beliefs = beliefs_new(&r->own);
    const size_t n = r->own.n_jobs;
    r->runs = r->own_runs = mem_zalloc(n + 1, sizeof *r->own_runs);
    r->plans = r->own_plans = mem_zalloc(n + 1, sizeof *r->own_plans);
    for (size_t i = 0; i < n; i++)
        r->own_runs[i] = beliefs_run(beliefs, i, 0.5);
    beliefs_plan(beliefs, r->own_plans);
    remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                "the run begins from a state and has no true run times: each "
                "job runs for the median of what is believed of it, from %s; "
                "`when` has the spread of the starts",
                beliefs_words(beliefs));
    beliefs_free(beliefs);
}

/* Makes the jobs of the state the trace of the run. */
static enum status resume_make_trace(struct run *run, struct error *err)
{
    struct run_config *c = &run->config;
    struct resume *r = run->resume;
    enum status st = resume_check(c, err);
    if (st != STATUS_OK)
        return st;
    if (!c->present.state && c->trace)
        st = resume_read_trace(run, err);
    else if (!c->present.state)
        resume_believe(run);
    if (st != STATUS_OK)
        return st;
    if (r->state->has_past && !c->present.state)
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "state: its past is repeated only in a run with the trace "
                    "of the run that wrote it");
    r->shelf = shelf_new(0);
    r->trace = c->trace;
    c->trace = r->state->path;
    c->shelf = r->shelf;
    c->format = "native";
    if (!c->estimators)
        c->estimators = "declared";
    shelf_add(r->shelf, c->trace, (struct shelf_maker){resume_write, r});
    return STATUS_OK;
}

enum status resume_open(struct run *run, struct error *err)
{
    struct run_config *c = &run->config;
    if (!c->state && !c->present.state)
        return STATUS_OK;
    struct resume *r = run->resume = mem_zalloc(1, sizeof *r);
    arena_init(&r->arena);
    r->state = c->present.state;
    r->runs = c->present.runs;
    r->plans = c->present.plans;
    if (!r->state) {
        enum status st = state_read(c->state, &r->own, err);
        if (st != STATUS_OK)
            return st;
        r->state = &r->own;
        r->repeats = r->own.has_past && c->trace;
    }
    return r->repeats ? STATUS_OK : resume_make_trace(run, err);
}

/* Returns the value of a setting of the run that wrote the state; NULL if it
 * had none. `key`: such as "overhead name". */
static const char *inherit_value(const struct state *state, const char *key)
{
    const size_t len = strlen(key);
    for (size_t i = 0; i < state->n_settings; i++) {
        if (strncmp(state->settings[i], key, len) == 0 &&
            state->settings[i][len] == '=')
            return state->settings[i] + len + 1;
    }
    return NULL;
}

/* A setting of the run that wrote the state: "OWNER NAME KEY=VALUE", or "OWNER
 * KEY=VALUE" for an owner that has no name. */
struct inherit_setting {
    const char *key; /* from KEY on */
    const char *value;
};

/* Splits a setting; false if it is another owner's. `name`: the last value of
 * "OWNER name=". */
static bool inherit_split(const char *setting, const char *owner,
                          const char *name, struct inherit_setting *out)
{
    const size_t n_owner = strlen(owner), n_name = strlen(name);
    if (strncmp(setting, owner, n_owner) != 0 || setting[n_owner] != ' ')
        return false;
    out->key = setting + n_owner + 1;
    if (n_name && strncmp(out->key, name, n_name) == 0 &&
        out->key[n_name] == ' ')
        out->key += n_name + 1;
    out->value = strchr(out->key, '=');
    return out->value++ != NULL;
}

/* Returns the settings of an owner as its option takes them, such as
 * "fixed:start_s=3" or, for an owner without a name, "spares=1"; NULL if the
 * owner had no settings, or one that cannot be given again, such as a file.
 * `without`: keys that are left out, "key=" each. */
static const char *inherit_spec(const struct run *run, const char *owner,
                                const char *without)
{
    const struct state *state = run->resume->state;
    struct out *spec = out_to_memory();
    struct inherit_setting s;
    const char *name = "", *before = "";
    bool is_whole = true;
    for (size_t i = 0; i < state->n_settings; i++) {
        if (!inherit_split(state->settings[i], owner, name, &s))
            continue;
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)(s.value - s.key), s.key);
        is_whole &= !strpbrk(s.value, " ,:");
        if (strcmp(key, "name=") == 0) {
            out_printf(spec, "%s%s", spec->len ? "," : "", s.value);
            name = s.value;
            before = ":";
        } else if (*s.value && !strstr(without, key)) {
            out_printf(spec, "%s%s", before, s.key);
            before = ",";
        }
    }
    const struct text all = out_memory(spec);
    const char *text = all.len && is_whole
                           ? arena_copy(&run->resume->arena, all.at, all.len)
                           : NULL;
    out_abandon(spec);
    return text;
}

/* Nodes that are set aside for profiling. */
static const char *inherit_profilers(const struct run *run)
{
    const struct state *state = run->resume->state;
    const char *asked = inherit_value(state, "profilers asked");
    for (size_t i = 0; i < state->n_plans; i++) {
        for (size_t k = 0; k < state->plans[i].n; k++) {
            if (strncmp(state->plans[i].does[k], "lend ", 5) == 0)
                return "0"; /* its plans set them aside */
        }
    }
    if (asked || inherit_value(state, "profilers nodes"))
        return asked;
    return run->parts.policy.ops->needs & POLICY_PROFILES ? "0" : NULL;
}

/* Adds the settings of the engine that the user does not give. */
static const char *inherit_engine(const struct run *run, bool shares_first)
{
    struct arena *arena = &run->resume->arena;
    const char *given = run->config.engine ? run->config.engine : "";
    char without[512];
    snprintf(without, sizeof without, "%s%s",
             shares_first ? "share_limit=" : "", given);
    const char *rest = inherit_spec(run, "engine", without);
    if (!*given || !rest)
        return *given ? given : rest;
    return compose_prefix(arena, compose_prefix(arena, given, ","), rest);
}

/* True if the past had this value, and the policy needs another one that made
 * no difference in the past. */
static bool inherit_is_first(const struct run *run, unsigned need,
                             const char *key, const char *value)
{
    const char *was = inherit_value(run->resume->state, key);
    return run->parts.policy.ops->needs & need && was &&
           strcmp(was, value) == 0;
}

static void inherit_parts(struct run *run)
{
    struct run_config *c = &run->config;
    const bool shares =
        inherit_is_first(run, POLICY_SHARES, "engine share_limit", "1");
    const bool scales =
        inherit_is_first(run, POLICY_ELASTIC, "throughput name", "rigid");
    const struct {
        const char *owner, **field;
        bool is_own; /* the policy has its own default */
    } kinds[] = {
        {"interference", &c->interference, shares},
        {"throughput", &c->throughput, scales},
        {"overhead", &c->overhead, scales},
        {"time-law", &c->time_law, false},
        {"workloads", &c->model_recipe, false},
        {"chains", &c->chains, false},
        {"faults", &c->faults, false},
        {"recovery", &c->recovery, false},
        {"monitor", &c->monitor, run->layers & LAYER_TRACKER},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!*kinds[i].field && !kinds[i].is_own)
            *kinds[i].field = inherit_spec(run, kinds[i].owner, "");
    }
    c->engine = inherit_engine(run, shares);
}

void resume_inherit(struct run *run)
{
    struct run_config *c = &run->config;
    if (!run->resume || !run->resume->repeats)
        return;
    const struct state *state = run->resume->state;
    const char *policy = inherit_value(state, "run policy");
    if (policy && strcmp(policy, run->result.policy) == 0)
        return;
    inherit_parts(run);
    if (!c->profilers)
        c->profilers = inherit_profilers(run);
    const char *seed = inherit_value(state, "run seed");
    if (c->seed == 0 && seed && text_to_u64(text_from(seed), &c->seed))
        run->result.seed = c->seed;
}

void resume_close(struct run *run)
{
    struct resume *r = run->resume;
    if (!r)
        return;
    shelf_free(r->shelf);
    redo_fini(&r->past);
    if (r->state == &r->own)
        state_fini(&r->own);
    free(r->own_runs);
    free(r->own_plans);
    arena_fini(&r->arena);
    free(r);
}

const struct state *resume_state(const struct run *run)
{
    const struct resume *r = run->resume;
    const char *what_if = run->config.what_if;
    if (r && r->repeats && what_if) {
        const char *was = inherit_value(r->state, "what-if clauses");
        if (was && strcmp(was, what_if) == 0)
            return NULL; /* the past has had it from its first submission on */
    }
    return r ? r->state : NULL;
}

bool resume_has_trace(const struct run *run)
{
    return run->resume && (run->resume->repeats || run->resume->trace);
}

enum status resume_describe(struct run *run, struct error *err)
{
    const struct state *state = run->resume->state;
    struct arena *arena = &run->result.arena;
    enum status st = json_is_string(state->cluster)
                         ? describe_cluster(json_string_value(state->cluster),
                                            arena, &run->spec, err)
                         : describe_json(state->cluster, state->path, arena,
                                         &run->spec, err);
    if (st != STATUS_OK)
        return st;
    compose_quota_name_vcs(run);
    if (run->resume->trace)
        compose_file(run, "state", run->config.state, NULL);
    if (run->config.state && !run->resume->repeats)
        compose_file(
            run, "trace",
            run->resume->trace ? run->resume->trace : run->config.state, NULL);
    else
        compose_file(run, "trace", run->config.trace,
                     run->result.jobset.digest);
    return STATUS_OK;
}

json_t *run_cluster_text(const struct run *run)
{
    struct error err;
    json_t *file = NULL;
    if (!run->cluster)
        return json_incref(run->resume->state->cluster);
    if (describe_is_file(run->cluster))
        file = json_read_file(run->cluster, &err);
    return file ? file : json_text(run->cluster);
}

/* A group of nodes and its place in the description of the cluster. */
struct resume_group {
    uint32_t row;
    uint32_t group;
};

static int resume_by_row(const void *a, const void *b)
{
    const struct resume_group *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Lists the nodes of the run in the order of the description of the cluster,
 * in which the layer quota does not leave them. Returns their number; the
 * caller frees *out. */
static size_t resume_order(const struct run *run, node_id **out)
{
    const struct cluster_spec *spec = &run->spec;
    struct resume_group *groups =
        mem_alloc((spec->n_groups + 1) * sizeof *groups);
    size_t n = 0, n_nodes = 0;
    for (uint32_t g = 0; g < spec->n_groups; g++) {
        groups[g] = (struct resume_group){spec->groups[g].row, g};
        n_nodes += spec->groups[g].count;
    }
    qsort(groups, spec->n_groups, sizeof *groups, resume_by_row);
    *out = mem_alloc((n_nodes + 1) * sizeof **out);
    for (size_t i = 0; i < spec->n_groups; i++) {
        const node_id first = cluster_spec_number(spec, groups[i].group);
        for (uint32_t k = 0; k < spec->groups[groups[i].group].count; k++)
            (*out)[n++] = first + k;
    }
    free(groups);
    return n;
}

void run_node_numbers(const struct run *run, uint32_t *numbers)
{
    node_id *order;
    const size_t n = resume_order(run, &order);
    for (uint32_t i = 0; i < n; i++)
        numbers[order[i]] = i;
    free(order);
}

size_t run_setting_texts(const struct run_result *result, size_t n_settings,
                         struct arena *arena, const char ***out)
{
    struct out *text = out_to_memory();
    size_t n = 0;
    *out = ARENA_ARRAY(arena, const char *, n_settings + 4);
    for (size_t i = 0; i < n_settings + 4; i++) {
        text->len = 0;
        if (i == 0) {
            out_printf(text, "trace sha256=%s", result->jobset.digest);
        } else if (i == 1) {
            out_printf(text, "run seed=%" PRIu64, result->seed);
        } else if (i == 2) {
            out_printf(text, "run conventions=%s", result->conventions);
        } else if (i == 3) {
            out_printf(text, "run policy=%s", result->policy);
        } else {
            const struct run_setting *s = &result->settings[i - 4];
            if (strcmp(s->owner, "results") == 0 || s->idle)
                continue;
            out_printf(text, "%s %s=%s", s->owner, s->key, s->value);
        }
        const struct text all = out_memory(text);
        (*out)[n++] = arena_copy(arena, all.at, all.len);
    }
    out_abandon(text);
    return n;
}

/* The nodes of the run by the names of the state. */
struct resume_nodes {
    struct interner names;
    node_id *number;         /* by symbol */
    uint64_t *used;          /* by node: GPUs that jobs of the state hold */
    struct gpu_slice *where; /* scratch, a slice per node */
};

static enum status resume_names(const struct run *run, struct resume_nodes *n,
                                struct error *err)
{
    const struct state *state = run->resume->state;
    const size_t n_nodes = run->result.cluster.n_nodes;
    enum status st = STATUS_OK;
    node_id *order;
    interner_init(&n->names);
    n->number = mem_zalloc(n_nodes + 1, sizeof *n->number);
    n->used = mem_zalloc(n_nodes, sizeof *n->used);
    n->where = mem_zalloc(n_nodes, sizeof *n->where);
    const size_t n_order = resume_order(run, &order);
    for (size_t i = 0; i < n_order && st == STATUS_OK; i++) {
        char number[24];
        /* nodes that come by --what-if are not in the list of names */
        snprintf(number, sizeof number, state->n_names ? "+%zu" : "%zu", i);
        const char *name = i < state->n_names ? state->names[i] : number;
        const uint32_t symbol = interner_add(&n->names, text_from(name));
        if (symbol == i + 1)
            n->number[symbol] = order[i];
        else
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: two nodes have the name %.60s", state->path,
                           name);
    }
    free(order);
    if (st == STATUS_OK && n_order < state->n_names)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: names has %zu names, and the cluster %zu nodes",
                       state->path, state->n_names, n_order);
    return st;
}

static bool find_node(const struct resume_nodes *n, struct text name,
                      node_id *out)
{
    uint32_t symbol = interner_find(&n->names, name);
    if (symbol == UINT32_MAX || symbol == 0)
        return false;
    *out = n->number[symbol];
    return true;
}

static uint64_t lowest_bits(uint64_t mask, uint32_t n)
{
    uint64_t out = 0;
    for (; n > 0 && mask; n--) {
        out |= mask & -mask;
        mask &= mask - 1;
    }
    return out;
}

/* Reads "NODE:MASK,NODE:MASK,...". */
static bool past_read_where(const struct run *run, const struct resume_nodes *n,
                            struct text text, struct gpu_set *out)
{
    const struct cluster *c = &run->result.cluster;
    out->at = n->where;
    out->count = 0;
    while (text.len && out->count < c->n_nodes) {
        struct text mask, one = text_split(text, ',', &text);
        struct text node = text_split(one, ':', &mask);
        struct gpu_slice *slice = &n->where[out->count++];
        char *end = NULL, buf[20];
        snprintf(buf, sizeof buf, "%.*s", (int)(mask.len < 17 ? mask.len : 17),
                 mask.at);
        slice->mask = strtoull(buf, &end, 16);
        if (!find_node(n, node, &slice->node) || *end || mask.len > 16 ||
            slice->mask == 0 ||
            (slice->mask >> (c->nodes[slice->node].gpus - 1)) > 1)
            return false;
    }
    return out->count > 0 && text.len == 0;
}

/* Reads one action of a plan (struct state_plan). */
static bool past_read_action(const struct run *run,
                             const struct resume_nodes *n,
                             const struct job_ids *ids, struct text text,
                             struct redo_action *out)
{
    const struct text word = text_split(text, ' ', &text);
    int kind = PLAN_START;
    *out = (struct redo_action){.job = JOB_NONE, .node = NODE_NONE};
    while (kind <= PLAN_TAKE_BACK &&
           !text_is(word, plan_kind_name((enum plan_kind)kind)))
        kind++;
    if (kind > PLAN_TAKE_BACK || kind == PLAN_IMAGINE || kind == PLAN_BAR)
        return false;
    out->kind = (enum plan_kind)kind;
    if (kind >= PLAN_CLOSE)
        return find_node(n, text, &out->node);
    if (kind == PLAN_PROFILE &&
        (!text_to_any_span(text_split(text, ' ', &text), &out->limit) ||
         out->limit <= 0))
        return false;
    if (kind != PLAN_STOP &&
        !past_read_where(run, n, text_split(text, ' ', &text), &out->where))
        return false;
    out->job = job_ids_find(ids, text);
    return out->job != JOB_NONE;
}

static enum status past_read_plans(struct run *run,
                                   const struct resume_nodes *n,
                                   const struct job_ids *ids, struct error *err)
{
    struct resume *r = run->resume;
    const struct state *state = r->state;
    struct redo_action action;
    for (size_t i = 0; i < state->n_plans; i++) {
        const struct state_plan *plan = &state->plans[i];
        redo_begin_plan(&r->past, plan->at - run->result.jobset.zero);
        for (size_t k = 0; k < plan->n; k++) {
            if (!past_read_action(run, n, ids, text_from(plan->does[k]),
                                  &action))
                return error_set(err, STATUS_BAD_INPUT,
                                 "%s: plans[%zu]: '%.100s' is no action with "
                                 "nodes of the cluster and jobs of the trace",
                                 state->path, i, plan->does[k]);
            redo_add_action(&r->past, &action);
        }
    }
    for (size_t i = 0; i < state->n_refusals; i++) {
        const struct state_refusal *refusal = &state->refusals[i];
        const job_id job = job_ids_find(ids, text_from(refusal->job));
        if (job != JOB_NONE)
            redo_add_refusal(&r->past, job, refusal->why);
    }
    return STATUS_OK;
}

/* Reads the past of the state. */
static enum status resume_past(struct run *run, const struct resume_nodes *n,
                               struct error *err)
{
    struct resume *r = run->resume;
    const struct run_env env = compose_env(run);
    struct job_ids ids;
    if (!r->repeats)
        return STATUS_OK;
    r->past.arena = &run->result.arena;
    r->policy.past = &r->past;
    job_ids_init(&ids, &env);
    enum status st = past_read_plans(run, n, &ids, err);
    const job_id **waiting = &r->policy.waiting;
    job_id *list = ARENA_ARRAY(&run->result.arena, job_id, r->state->n_jobs);
    *waiting = list;
    for (size_t i = 0; i < r->state->n_jobs && st == STATUS_OK; i++) {
        const struct state_job *job = &r->state->jobs[i];
        const job_id id = job_ids_find(&ids, text_from(job->id));
        if (id == JOB_NONE)
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: the trace has no job '%.60s'", r->state->path,
                           job->id);
        else if (job->started == TIME_NEVER)
            list[r->policy.n_waiting++] = id;
    }
    job_ids_fini(&ids);
    return st;
}

/* Gives a job its GPUs on one node. Called first for slices whose GPUs are
 * known. */
static enum status resume_slice(struct run *run, struct resume_nodes *n,
                                const struct state_job *job,
                                const struct state_slice *slice,
                                struct gpu_slice *out, struct error *err)
{
    const struct cluster *c = &run->result.cluster;
    const char *path = run->resume->state->path;
    node_id id;
    if (!find_node(n, text_from(slice->node), &id))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: job %.60s: the cluster has no node '%.60s'", path,
                         job->id, slice->node);
    const uint32_t gpus = c->nodes[id].gpus;
    const uint64_t all = gpus == 64 ? ~UINT64_C(0) : (UINT64_C(1) << gpus) - 1;
    const uint64_t mask = slice->mask
                              ? slice->mask
                              : lowest_bits(all & ~n->used[id], slice->count);
    if (mask & ~all || mask_count(mask) < slice->count)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: job %.60s: node %.60s has %u GPUs, and not the "
                         "%u that the job holds besides those of other jobs",
                         path, job->id, slice->node, gpus, slice->count);
    if (mask & n->used[id] && c->share_limit == 1)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: job %.60s: another job holds one of its GPUs on "
                         "node %.60s",
                         path, job->id, slice->node);
    if (c->pools[c->nodes[id].pool].profiler)
        return error_set(err, STATUS_USAGE,
                         "%s: job %.60s runs on node %.60s, which is set aside "
                         "for profiling (--profilers)",
                         path, job->id, slice->node);
    n->used[id] |= mask;
    *out = (struct gpu_slice){.node = id, .mask = mask};
    return STATUS_OK;
}

static enum status resume_place(struct run *run, struct resume_nodes *n,
                                struct resumed_start *starts, bool known,
                                struct error *err)
{
    const struct state *state = run->resume->state;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        if (job->started == TIME_NEVER)
            continue;
        struct gpu_slice *where =
            (struct gpu_slice *)(uintptr_t)starts->where.at;
        for (uint32_t k = 0; k < job->n_where && st == STATUS_OK; k++) {
            if ((job->where[k].mask != 0) == known)
                st = resume_slice(run, n, job, &job->where[k], &where[k], err);
        }
        starts++;
    }
    return st;
}

static int resume_by_node(const void *a, const void *b)
{
    const struct gpu_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static enum status resume_starts(struct run *run, struct resume_nodes *n,
                                 struct error *err)
{
    struct resume *r = run->resume;
    const struct state *state = r->state;
    struct arena *arena = &run->result.arena;
    struct resumed_start *starts =
        ARENA_ARRAY(arena, struct resumed_start, state->n_jobs + 1);
    size_t n_starts = 0;
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        if (job->started == TIME_NEVER)
            continue;
        starts[n_starts++] = (struct resumed_start){
            .id = job->id,
            .at = job->started,
            .where = {ARENA_ARRAY(arena, struct gpu_slice, job->n_where),
                      job->n_where},
        };
    }
    enum status st = resume_place(run, n, starts, true, err);
    if (st == STATUS_OK)
        st = resume_place(run, n, starts, false, err);
    for (size_t i = 0; i < n_starts && st == STATUS_OK; i++)
        qsort((struct gpu_slice *)(uintptr_t)starts[i].where.at,
              starts[i].where.count, sizeof *starts[i].where.at,
              resume_by_node);
    r->policy.starts = starts;
    r->policy.n_starts = n_starts;
    return st;
}

/* Adds a planned change, in the order of time. */
static void resume_add_change(struct capacity_change *changes, size_t *n,
                              struct capacity_change change)
{
    size_t i = (*n)++;
    for (; i > 0 && changes[i - 1].at > change.at; i--)
        changes[i] = changes[i - 1];
    changes[i] = change;
}

/* Drains the nodes that are out: jobs that the state leaves on them run on. */
static enum status resume_outs(struct run *run, const struct resume_nodes *n,
                               struct error *err)
{
    const struct state *state = run->resume->state;
    const sim_time zero = run->result.jobset.zero;
    struct cluster_spec *spec = &run->spec;
    struct capacity_change *changes =
        ARENA_ARRAY(&run->result.arena, struct capacity_change,
                    spec->n_changes + 2 * state->n_outs + 1);
    if (spec->n_changes)
        memcpy(changes, spec->changes, spec->n_changes * sizeof *changes);
    for (size_t i = 0; i < state->n_outs; i++) {
        const struct state_out *out = &state->outs[i];
        struct capacity_change change = {
            .at = state->at - zero, .plan = PLAN_OF_STATE, .drains = true};
        if (!find_node(n, text_from(out->node), &change.node))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: out[%zu]: the cluster has no node '%.60s'",
                             state->path, i, out->node);
        if (out->until <= state->at)
            continue;
        resume_add_change(changes, &spec->n_changes, change);
        change.at = out->until - zero;
        change.up = true;
        if (out->until != TIME_NEVER)
            resume_add_change(changes, &spec->n_changes, change);
    }
    spec->changes = changes;
    return STATUS_OK;
}

static enum status resume_booking(struct run *run, const struct resume_nodes *n,
                                  const struct state_reservation *from,
                                  struct booking *out, struct error *err)
{
    const sim_time zero = run->result.jobset.zero;
    node_id *nodes = ARENA_ARRAY(&run->result.arena, node_id, from->n_nodes);
    *out = (struct booking){.from = from->from - zero,
                            .until = from->until - zero,
                            .nodes = nodes,
                            .n_nodes = (uint32_t)from->n_nodes};
    for (size_t i = 0; i < from->n_nodes; i++) {
        if (!find_node(n, text_from(from->nodes[i]), &nodes[i]))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: reservation %.60s: the cluster has no node "
                             "'%.60s'",
                             run->resume->state->path, from->name,
                             from->nodes[i]);
    }
    return STATUS_OK;
}

/* Makes the reservations of the state bookings of the plan. */
static enum status resume_bookings(struct run *run,
                                   const struct resume_nodes *n,
                                   struct error *err)
{
    const struct state *state = run->resume->state;
    const struct run_result *result = &run->result;
    struct arena *arena = &run->result.arena;
    enum status st = STATUS_OK;
    if (!state->n_reservations)
        return STATUS_OK;
    struct booking *at =
        ARENA_ARRAY(arena, struct booking, state->n_reservations);
    uint32_t *own = ARENA_ARRAY(arena, uint32_t, result->jobset.n_jobs);
    for (size_t i = 0; i < state->n_reservations && st == STATUS_OK; i++)
        st = resume_booking(run, n, &state->reservations[i], &at[i], err);
    const struct run_env env = compose_env(run);
    struct job_ids ids;
    job_ids_init(&ids, &env);
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        const job_id id = *job->reservation
                              ? job_ids_find(&ids, text_from(job->id))
                              : JOB_NONE;
        if (id != JOB_NONE)
            own[id] = (uint32_t)state_find_reservation(
                state, text_from(job->reservation));
    }
    job_ids_fini(&ids);
    run->resume->policy.bookings = (struct bookings){
        .at = at,
        .n = (uint32_t)state->n_reservations,
        .own = own,
        .kept = ARENA_ARRAY(arena, uint32_t, result->jobset.n_jobs),
        .barred = ARENA_ARRAY(arena, struct gpu_slice, result->cluster.n_nodes),
    };
    return st;
}

uint32_t run_kept_by(const struct run *run, job_id job)
{
    const uint32_t *kept =
        run->resume ? run->resume->policy.bookings.kept : NULL;
    return kept ? kept[job] : 0;
}

/* Refuses layers under which the nodes are others than they were in the past.
 */
static enum status resume_check_layers(const struct run *run, struct error *err)
{
    const struct resume *r = run->resume;
    const struct run_result *result = &run->result;
    const char *was, *is = "0";
    if (!r->repeats)
        return STATUS_OK;
    if (!run->lends && result->cluster.n_vcs > 1 &&
        inherit_value(r->state, "quota victims"))
        return error_set(err, STATUS_USAGE,
                         "--state: under the layer quota, virtual clusters "
                         "shared all nodes in the past; try --policy %s+quota",
                         result->policy);
    for (size_t i = 0; i < result->n_settings; i++) {
        if (strcmp(result->settings[i].owner, "schedmate") == 0 &&
            strcmp(result->settings[i].key, "llm_gpus") == 0)
            is = result->settings[i].value;
    }
    was = inherit_value(r->state, "schedmate llm_gpus");
    if (strcmp(was ? was : "0", is) == 0)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "--state: in the past, %s GPUs served the language model "
                     "of SchedMate (llm_gpus), and now %s do",
                     was ? was : "0", is);
}

/* Gives the run the jobs, nodes and plans of the state. */
static enum status resume_read(struct run *run, struct error *err)
{
    const struct resume *r = run->resume;
    struct resume_nodes nodes = {0};
    enum status st = resume_check_layers(run, err);
    if (st == STATUS_OK)
        st = resume_names(run, &nodes, err);
    if (st == STATUS_OK)
        st = resume_starts(run, &nodes, err);
    if (st == STATUS_OK && !r->repeats)
        st = resume_outs(run, &nodes, err);
    if (st == STATUS_OK)
        st = resume_bookings(run, &nodes, err);
    if (st == STATUS_OK)
        st = resume_past(run, &nodes, err);
    interner_fini(&nodes.names);
    free(nodes.number);
    free(nodes.used);
    free(nodes.where);
    return st;
}

enum status resume_bind(struct run *run, struct error *err)
{
    struct resume *r = run->resume;
    struct policy *policy = &run->parts.policy;
    if (!r)
        return STATUS_OK;
    enum status st = resume_read(run, err);
    if (st != STATUS_OK)
        return st;
    r->policy.present = r->state->at;
    resumed_wrap(&r->policy, policy->ops, policy->config);
    policy->ops = &r->policy.ops;
    policy->config = &r->policy;
    if (r->repeats)
        compose_file(run, "state", run->config.state, NULL);
    else
        run->parts.faults_from = r->state->at - run->result.jobset.zero;
    size_t n_held = 0;
    for (size_t i = 0; i < r->state->n_jobs; i++)
        n_held += r->state->jobs[i].held || r->state->jobs[i].n_after;
    if (n_held)
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "state: %zu job%s may not start yet (\"held\") and stay%s "
                    "out of the run",
                    n_held, n_held == 1 ? "" : "s", n_held == 1 ? "s" : "");
    for (size_t i = 0; i < r->state->n_notes && !r->repeats; i++)
        remarks_add(&run->result.remarks, REMARK_NUMBERS, "state: %s",
                    r->state->notes[i]);
    return STATUS_OK;
}

/* Adds the owner of a setting to a list of the form "a, b, c". */
static void compare_note(struct out *list, const char *setting)
{
    const char *end = strchr(setting, '=');
    const size_t len = end ? (size_t)(end - setting) : strlen(setting);
    if (list->len < 300)
        out_printf(list, "%s%.*s", list->len ? ", " : "", (int)len, setting);
}

static bool compare_has(const char *const *all, size_t n, const char *one)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i], one) == 0)
            return true;
    }
    return false;
}

void resume_compare(struct run *run)
{
    struct resume *r = run->resume;
    struct arena *arena = &run->result.arena;
    const char **own;
    if (!r || !r->repeats)
        return;
    const struct state *state = r->state;
    const size_t n =
        run_setting_texts(&run->result, run->result.n_settings, arena, &own);
    struct out *list = out_to_memory();
    for (size_t i = 0; i < n; i++) {
        if (!compare_has(state->settings, state->n_settings, own[i]))
            compare_note(list, own[i]);
    }
    for (size_t i = 0; i < state->n_settings && list->len == 0; i++) {
        if (!compare_has(own, n, state->settings[i]))
            compare_note(list, state->settings[i]);
    }
    const struct text all = out_memory(list);
    r->policy.differs = all.len ? arena_copy(arena, all.at, all.len) : NULL;
    out_abandon(list);
    if (r->policy.differs)
        remarks_add(
            &run->result.remarks, REMARK_NUMBERS,
            "state: the past is repeated as it was, and the run goes on "
            "with other settings: %s",
            r->policy.differs);
}
