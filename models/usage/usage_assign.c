/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which model each job trains. The recipe `trace` keeps the models that
 * the trace names; the recipes of SchedMate (by size of job) and of Lucid (any
 * model) draw one for every job. */
#include <stdlib.h>
#include <string.h>

#include "base/find.h"
#include "base/rng.h"
#include "models/usage/usage.h"
#include "traces/load.h"

struct recipe_config {
    const char *file, *family;
    uint32_t large, medium;
};

struct assigner {
    const struct recipe_config *config;
    struct jobset *jobs;
    struct usage_table *out;
    struct arena *arena;
    gsl_rng *rng;
};

#define FILE_ROW \
    OPT_PATH(struct recipe_config, file, "file", "", \
             "file of profiles: JSON like models/usage/usage.json, or CSV " \
             "like Lucid's " \
             "single_data.csv; empty: the profiles compiled in", \
             NULL)

static const struct option trace_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "",
             "family of the profiles that are searched; empty: all profiles, "
             "in their order",
             NULL),
    {0},
};

static const struct option lucid_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "lucid",
             "family of the profiles from which the model of a job is drawn; "
             "empty: all profiles",
             "assumed: every model is equally likely, then every batch size "
             "and precision; the released simulator's join is not published"),
    {0},
};

static const struct option schedmate_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "schedmate",
             "family of the profiles from which the model of a job is drawn; "
             "empty: all profiles",
             "SchedMate, Table 1; assumed: every model of a class is equally "
             "likely, then every batch size"),
    OPT_U32(struct recipe_config, large, "large_gpus", 9, 1, 1000000,
            "jobs of at least this many GPUs are large",
            "SchedMate, 5.2: more than 8"),
    OPT_U32(struct recipe_config, medium, "medium_gpus", 4, 1, 1000000,
            "jobs of at least this many GPUs, but below large_gpus, are medium",
            "SchedMate, 5.2: 4-8"),
    {0},
};

static const struct model_recipe recipe_trace = {
    .name = "trace",
    .summary = "the model that the trace names",
    .options = trace_options,
    .config_size = sizeof(struct recipe_config),
};
static const struct model_recipe recipe_lucid = {
    .name = "lucid",
    .summary = "any of Lucid's models, drawn for every job",
    .options = lucid_options,
    .config_size = sizeof(struct recipe_config),
};
static const struct model_recipe recipe_schedmate = {
    .name = "schedmate",
    .summary = "a model of SchedMate's Table 1 drawn by the size of the job",
    .options = schedmate_options,
    .config_size = sizeof(struct recipe_config),
};

const struct model_recipe *const model_recipes[] = {
    &recipe_trace,
    &recipe_schedmate,
    &recipe_lucid,
    NULL,
};
FIND_IN(model_recipes, model_recipe, model_recipe_find, "recipe of workloads")

static bool in_family(const struct assigner *a, const struct usage *usage)
{
    return !a->config->family[0] ||
           strcmp(a->config->family, usage->family) == 0;
}

/* Returns a usage row with the model, data set, batch size and precision that
 * the trace gives the job; the figures are unknown. */
static struct usage identity(const struct assigner *a, const struct job *job)
{
    const struct job_names *names = &a->jobs->names[job->id];
    struct usage p = a->out->rows[0];
    p.family = "trace";
    p.n_jobs = 0;
    p.model = jobset_string(a->jobs, job->model);
    p.batch_size = job->batch_size;
    p.dataset = interner_string(&a->jobs->datasets, names->dataset);
    /* a trace without data sets has no precisions either: its 0 means that the
     * precision is unknown */
    p.amp = p.dataset[0] || names->amp ? names->amp : -1;
    return p;
}

/* Returns the number of the nearest listed row of the same model, the first one
 * if several are equally near; 0 if there is none. If the option `family` is
 * set, only rows of that family count. *distance becomes its distance, 1 if
 * there is none. */
static size_t nearest(const struct assigner *a, const struct usage *wanted,
                      double *distance)
{
    size_t best = 0;
    *distance = 1;
    for (size_t i = 1; i < a->out->n_listed; i++) {
        const struct usage *row = &a->out->rows[i];
        double far = in_family(a, row) ? usage_distance(wanted, row) : 2;
        if (far < *distance) {
            *distance = far;
            best = i;
        }
    }
    return best;
}

/* Adds the row `wanted`, with the figures, size class and sharing class of the
 * nearest listed row if there is one. Returns the number of the new row. */
static uint16_t add_named(struct assigner *a, const struct usage *wanted)
{
    double distance;
    struct usage usage = *wanted;
    size_t row = nearest(a, wanted, &distance);
    if (row) {
        memcpy(usage.figures, a->out->rows[row].figures, sizeof usage.figures);
        usage.class = a->out->rows[row].class;
        usage.sharing = a->out->rows[row].sharing;
        usage.inherited = distance > 0;
    }
    usage_add(a->out, &usage);
    return (uint16_t)(a->out->n - 1);
}

static uint32_t pair_symbol(struct interner *pairs, uint32_t a, uint32_t b)
{
    const uint32_t pair[] = {a, b};
    return interner_add(pairs, (struct text){(const char *)pair, sizeof pair});
}

/* Counts the job in n_jobs of its row. Fills in memory and utilisation if the
 * job has none and the row has them. */
static void settle(struct assigner *a, struct job *job)
{
    struct usage *p = &a->out->rows[job->usage];
    double mem = p->figures[FIGURE_MEM_MIB].value;
    double util = p->figures[FIGURE_GPU_UTIL].value;
    p->n_jobs++;
    if (!(job->mem_mib > 0) && mem > 0)
        job->mem_mib = (float)mem;
    if (job->gpu_util == GPU_UTIL_UNKNOWN && util >= 0)
        job->gpu_util = (uint8_t)(util * 100 + 0.5);
}

/* Makes a row for each combination of model, batch size, data set and
 * precision. Jobs without a model get row 0, and so do jobs with combinations
 * whose numbers do not fit into the 16 bits of job.usage. */
static void assign_named(struct assigner *a)
{
    struct interner variants, keys;
    uint16_t *number = NULL; /* by key: number of its row; 0: none yet */
    size_t cap = 0, n_known = 0;
    interner_init(&variants);
    interner_init(&keys);
    for (uint32_t i = 0; i < a->jobs->n_jobs; i++) {
        struct job *job = &a->jobs->jobs[i];
        uint32_t key = 0;
        if (job->model) {
            const struct job_names *names = &a->jobs->names[i];
            key = pair_symbol(&variants, job->batch_size,
                              (uint32_t)names->dataset << 1 | names->amp);
            key = pair_symbol(&keys, job->model, key);
        }
        number = mem_grow(number, &cap, keys.n_strings, sizeof *number);
        while (n_known < keys.n_strings)
            number[n_known++] = 0;
        if (key && key <= UINT16_MAX && !number[key] &&
            a->out->n <= UINT16_MAX) {
            struct usage wanted = identity(a, job);
            number[key] = add_named(a, &wanted);
        }
        job->usage = key <= UINT16_MAX ? number[key] : 0;
        settle(a, job);
    }
    interner_fini(&variants);
    interner_fini(&keys);
    free(number);
}

static enum model_class class_of(const struct assigner *a, uint32_t gpus)
{
    if (gpus >= a->config->large)
        return CLASS_LARGE;
    return gpus >= a->config->medium ? CLASS_MEDIUM : CLASS_SMALL;
}

static bool may_draw(const struct assigner *a, size_t row, uint8_t class)
{
    const struct usage *p = &a->out->rows[row];
    return in_family(a, p) && (class == CLASS_ANY || p->class == class);
}

static bool same_model(const struct assigner *a, size_t x, size_t y)
{
    return model_name_equal(a->out->rows[x].model, a->out->rows[y].model);
}

/* The rows that may be drawn for a size class, grouped by model. */
struct candidates {
    uint16_t *rows; /* row numbers in the usage table */
    /* by model: index of its first row in `rows`; the last element is n */
    uint32_t *models;
    uint32_t n, n_models;
};

static struct candidates candidates_of(const struct assigner *a, uint8_t class)
{
    size_t n = a->out->n_listed;
    struct candidates c = {.rows = ARENA_ARRAY(a->arena, uint16_t, n),
                           .models = ARENA_ARRAY(a->arena, uint32_t, n + 1)};
    for (size_t i = 1; i < n; i++) {
        if (!may_draw(a, i, class))
            continue;
        if (c.n == 0 || !same_model(a, c.rows[c.n - 1], i))
            c.models[c.n_models++] = c.n;
        c.rows[c.n++] = (uint16_t)i;
    }
    c.models[c.n_models] = c.n;
    return c;
}

/* Draws a model, then a row of that model, both uniformly. */
static uint16_t draw(struct assigner *a, const struct candidates *c)
{
    uint32_t model = rng_below(a->rng, c->n_models);
    uint32_t from = c->models[model], n = c->models[model + 1] - from;
    return c->rows[from + rng_below(a->rng, n)];
}

static enum status assign_drawn(struct assigner *a, bool by_size,
                                struct error *err)
{
    struct candidates by_class[CLASS_LARGE + 1];
    for (uint8_t class = CLASS_ANY; class <= CLASS_LARGE; class ++)
        by_class[class] = candidates_of(a, class);
    for (uint32_t i = 0; i < a->jobs->n_jobs; i++) {
        struct job *job = &a->jobs->jobs[i];
        unsigned class = by_size ? class_of(a, job->gpus) : CLASS_ANY;
        if (!by_class[class].n)
            return error_set(err, STATUS_USAGE,
                             "workloads: family '%.60s' has no workload for a "
                             "job of %u GPUs",
                             a->config->family, job->gpus);
        job->usage = draw(a, &by_class[class]);
        const struct usage *p = &a->out->rows[job->usage];
        job->model = interner_add(&a->jobs->strings, text_from(p->model));
        job->batch_size = p->batch_size;
        /* memory and utilisation in the trace were those of another model */
        job->mem_mib = 0;
        job->gpu_util = GPU_UTIL_UNKNOWN;
        settle(a, job);
    }
    return STATUS_OK;
}

enum status usage_assign(const struct model_recipe *recipe, const void *config,
                         uint64_t seed, struct jobset *jobs,
                         struct arena *arena, struct usage_table *out,
                         struct error *err)
{
    struct assigner a = {
        .config = config, .jobs = jobs, .out = out, .arena = arena};
    const char *file = a.config->file[0] ? a.config->file : NULL;
    enum status st = usage_read(file, arena, out, err);
    if (st != STATUS_OK)
        return st;
    out->recipe = recipe->name;
    if (recipe == &recipe_trace) {
        assign_named(&a);
    } else {
        a.rng = rng_open(seed, "workloads");
        st = assign_drawn(&a, recipe == &recipe_schedmate, err);
        rng_free(a.rng);
    }
    if (st != STATUS_OK)
        usage_fini(out);
    return st;
}
