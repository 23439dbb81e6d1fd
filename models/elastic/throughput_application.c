/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that train a known application (models/elastic/applications.h) work as
 * fast as the tables of the application say, by GPU type, GPUs of each node,
 * batch size and epoch. While they run they measure their iterations. Jobs that
 * may change their batch size use the size that their learner finds best. They
 * choose the size at each start, at the end of each epoch, and every `tune_s`
 * while they can still measure something new. Other jobs keep their batch size.
 *
 * Work is the time of the nominal run
 * (models/elastic/elastic_internal.h), so work has the same unit for
 * these jobs as for all others. */

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/remarks.h"
#include "models/elastic/elastic_internal.h"
#include "models/elastic/learner.h"
#include "models/elastic/throughput.h"
#include "models/failures/overhead.h"

struct application_config {
    /* directory of tables; "": use the compiled-in coefficients */
    const char *tables;
    sim_span tune; /* time between two choices of a batch size, us, > 0 */
    bool pooled;   /* true: one model for all GPU types */
    /* true: a job that names an application is described by it even if its run
     * time is recorded; false: such a job is rigid and runs for that time */
    bool replace;
    unsigned constants; /* CONSTANTS_SIA or CONSTANTS_POLLUX */
};

enum { CONSTANTS_SIA, CONSTANTS_POLLUX };
static const char *const constants_names[] = {"sia", "pollux", NULL};

struct app_job {
    /* application of the job; NULL: this model does not describe the job */
    const struct application *app;
    const struct nominal_run *nominal_run;
    struct learner learner;
    /* The following fields describe the current attempt, or the last one. */
    uint8_t type;
    struct placement placement;
    uint32_t *per_node; /* GPUs by node, for `placement`; owned */
    uint32_t room;      /* capacity of per_node, elements */
    struct batch batch;
    struct training_speed speed; /* speed in the current phase */
};

struct application_state {
    struct applications *apps;
    struct fits *fits;
    struct app_job *jobs; /* state of each job, by job id */
    uint32_t n_jobs;
    struct nominal_runs nominal_runs;
    const struct cluster *cluster;
    sim_time zero; /* start of the run, us since 1970 UTC */
};

/* Overhead of starts, measured for each application. After a start, a restart
 * or a change of shape, a job holds its GPUs for the restart time of its
 * application before it works; if the application is unknown, for `start_s`.
 * After a failure, `restart_s` is added. A job writes a checkpoint before it
 * gives up its GPUs, so a preemption loses no work. */

struct overhead_application_application_config {
    sim_span start;
    struct checkpoint_config checkpoint;
    bool free_moves, profile_keeps;
};

static const struct option overhead_application_application_options[] = {
    OPT_SPAN(struct overhead_application_application_config, start, "start_s",
             0, 0, 86400,
             "time for which an attempt holds its GPUs before work begins if "
             "the application of the job is unknown",
             "assumed: 0, as in the simulators used for comparison"),
    CHECKPOINT_OPTIONS(struct overhead_application_application_config),
    OVERHEAD_OPTIONS(struct overhead_application_application_config, free_moves,
                     profile_keeps),
    {0},
};

static enum status overhead_application_init(void *self, const void *config,
                                             const struct run_env *env,
                                             struct error *err)
{
    const struct overhead_application_application_config *c = config;
    return checkpoint_init(self, &c->checkpoint, env, "overhead application",
                           err);
}

static sim_span application_start(const struct overhead *model,
                                  const struct job *job, enum start_kind kind,
                                  sim_span own)
{
    const struct overhead_application_application_config *c = model->config;
    (void)job;
    return (own >= 0 ? own : c->start) +
           (kind == START_RECOVERED ? c->checkpoint.restart : 0);
}

static sim_span application_stop(const struct overhead *model,
                                 const struct job *job)
{
    (void)model;
    (void)job;
    return 0;
}

static struct checkpoints application_checkpoints(const struct overhead *model,
                                                  const struct job *job,
                                                  uint32_t nodes, double rate)
{
    const struct overhead_application_application_config *c = model->config;
    (void)job;
    return checkpoint_of(model->self, &c->checkpoint, nodes, rate);
}

static bool application_moves_free(const void *config)
{
    return ((const struct overhead_application_application_config *)config)
        ->free_moves;
}

static bool application_loses_profiled(const void *config)
{
    return !((const struct overhead_application_application_config *)config)
                ->profile_keeps;
}

const struct overhead_ops overhead_application = {
    .name = "application",
    .summary = "the measured restart time of each application",
    .options = overhead_application_application_options,
    .config_size = sizeof(struct overhead_application_application_config),
    .state_size = sizeof(struct checkpoint_state),
    .init = overhead_application_init,
    .start = application_start,
    .stop = application_stop,
    .checkpoints = application_checkpoints,
    .moves_free = application_moves_free,
    .loses_profiled = application_loses_profiled,
};

static void nominal_runs_init(struct nominal_runs *s, const struct cluster *c)
{
    *s = (struct nominal_runs){
        .sizes = mem_zalloc(c->n_types, sizeof *s->sizes),
        .n_types = c->n_types,
    };
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        struct type_size *size = &s->sizes[pool->type];
        if (pool->profiler)
            continue;
        size->gpus += pool->n_gpus;
        if (pool->widest > size->node_gpus)
            size->node_gpus = pool->widest;
    }
}

static void nominal_runs_fini(struct nominal_runs *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->at[i]->ends);
        free(s->at[i]);
    }
    free(s->at);
    free(s->sizes);
    *s = (struct nominal_runs){0};
}

struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[])
{
    uint32_t wide = size.node_gpus, nodes = 0;
    for (uint32_t left = gpus; left; nodes++) {
        uint32_t here = left < wide ? left : wide;
        if (nodes < PLACEMENT_NODES_MAX)
            per_node[nodes] = here;
        left -= here;
    }
    return (struct placement){
        .per_node = per_node, .nodes = nodes, .gpus = gpus};
}

/* Returns a batch of about `total` samples: equally many on each GPU, rounded
 * up, at least local_min, and within the limits of the application in this
 * placement. An application of pipelines has only one batch. */
static struct batch nominal_batch(const struct application *app, uint8_t type,
                                  struct placement p, double total)
{
    struct batch_limits limits = application_limits(app, type, 0);
    double least = (double)limits.local_min * p.gpus;
    if (total < least)
        total = least;
    return application_batch(app, type, p, NULL, (struct gradient){0}, total);
}

/* Sets y->ends, the work up to the end of each epoch, for a run in this
 * placement. Returns false if the job cannot run there or its work rounds to 0
 * us; y->ends may then be partly set. */
static bool application_measure(struct nominal_run *y, uint8_t type,
                                struct placement p, struct batch batch)
{
    const struct application *app = y->app;
    double sum = 0, from = application_epoch_end(app, 0);
    for (uint32_t e = 0; e < app->epochs; e++) {
        struct training_speed speed = application_speed(app, type, p, batch, e);
        double end = application_epoch_end(app, e + 1);
        if (!(speed.rate > 0))
            return false;
        sum += (end - from) / speed.rate;
        y->ends[e + 1] = llrint(sum * (double)SPAN_SECOND);
        from = end;
    }
    return y->ends[app->epochs] > 0;
}

/* Computes the nominal run on the GPUs that the job asks for. Returns false if
 * this is possible on no GPU type. */
static bool measure_as_asked(const struct nominal_runs *s,
                             struct nominal_run *y)
{
    uint32_t room[PLACEMENT_NODES_MAX];
    for (uint8_t t = 0; t < s->n_types; t++) {
        if (!s->sizes[t].node_gpus || !application_runs_on(y->app, t) ||
            y->gpus > s->sizes[t].gpus)
            continue;
        struct placement p = placement_densest(s->sizes[t], y->gpus, room);
        if (p.nodes <= application_most_nodes(y->app, t) &&
            application_measure(y, t, p, nominal_batch(y->app, t, p, y->batch)))
            return true;
    }
    return false;
}

/* Computes the nominal run with the initial batch size on one GPU or, for a
 * pipeline, on one GPU per stage. Returns false if this is possible on no GPU
 * type. */
static bool measure_alone(const struct nominal_runs *s, struct nominal_run *y)
{
    uint32_t room[PLACEMENT_NODES_MAX];
    for (uint8_t t = 0; t < s->n_types; t++) {
        if (!s->sizes[t].node_gpus || !application_runs_on(y->app, t))
            continue;
        uint32_t stages = application_pipeline(y->app, t).stages;
        struct placement p =
            placement_densest(s->sizes[t], stages ? stages : 1, room);
        if (p.nodes <= PLACEMENT_NODES_MAX &&
            application_measure(
                y, t, p, nominal_batch(y->app, t, p, y->app->initial_batch)))
            return true;
    }
    return false;
}

/* Returns the nominal run of a job that asks for `gpus` GPUs and a total batch
 * of `batch` samples; NULL if no GPU of the cluster can run the application or
 * its work rounds to 0 us. `s` owns the result and returns the same one for
 * equal arguments. */
static const struct nominal_run *nominal_run_of(struct nominal_runs *s,
                                                const struct application *app,
                                                uint32_t gpus, uint32_t batch)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct nominal_run *y = s->at[i];
        if (y->app == app && y->gpus == gpus && y->batch == batch)
            return y;
    }
    struct nominal_run *y = mem_zalloc(1, sizeof *y);
    *y = (struct nominal_run){.app = app,
                              .gpus = gpus,
                              .batch = batch,
                              .ends =
                                  mem_zalloc(app->epochs + 1, sizeof *y->ends)};
    if (!measure_as_asked(s, y) && !measure_alone(s, y)) {
        free(y->ends);
        free(y);
        return NULL;
    }
    s->at = mem_grow(s->at, &s->cap, s->n + 1, sizeof *s->at);
    s->at[s->n++] = y;
    return y;
}

/* Returns the epoch, counted from 0, in which the job is after `done` us of
 * work; the last epoch if all work is done. */
static uint32_t nominal_run_epoch(const struct nominal_run *y, int64_t done)
{
    uint32_t lo = 0, hi = y->app->epochs - 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi + 1) / 2;
        if (y->ends[mid] <= done)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

/* Sets up the jobs that train a known application, before a run, and frees what
 * they own. */

/* Sets up the learner with what is known when the job is submitted. */
static void fill_learner(const struct application_state *s, struct app_job *j,
                         const struct job *job, bool pooled)
{
    struct learner *a = &j->learner;
    learner_init(a, j->app, s->cluster->n_types);
    a->batch = job->batch_size ? job->batch_size : j->app->initial_batch;
    a->pooled = pooled;
    a->scales = job->elasticity != JOB_RIGID;
    a->tunes = job->elasticity == JOB_ADAPTIVE && !j->app->alone;
    a->alone = j->app->alone;
    if (a->alone)
        a->batch = j->app->largest_batch;
    for (uint8_t t = 0; t < a->n_types; t++) {
        struct learner_type *type = &a->types[t];
        struct type_size size = s->nominal_runs.sizes[t];
        type->node_gpus = size.node_gpus;
        type->gpus = size.gpus;
        type->runs = type->node_gpus && application_runs_on(j->app, t);
        if (!type->runs)
            continue;
        if (!a->types[a->pool].runs)
            a->pool = t;
        type->most_nodes = application_most_nodes(j->app, t);
        type->one_gpu = application_one_gpu(j->app, t);
        type->all = application_limits(j->app, t, 0);
        type->limits = application_limits(j->app, t, job->batch_size);
        type->pipeline = application_pipeline(j->app, t);
    }
}

/* True if the trace has a recorded run time for the job. */
static bool application_is_recorded(const struct run_env *env,
                                    const struct job *job)
{
    return env->recorded && env->recorded(env->recorded_self, job->id);
}

/* Adds a remark, if count > 0, that `count` jobs are elastic or name an
 * application but have recorded run times, and whether these times are replaced
 * or kept. */
static void remark_recorded(const struct run_env *env, uint32_t count,
                            bool replace)
{
    if (!count || !env->remarks)
        return;
    if (replace)
        remarks_add(env->remarks, REMARK_DETAIL,
                    "application:replace=true: the recorded run times of %u "
                    "jobs are replaced by those of the applications that they "
                    "name",
                    count);
    else
        remarks_add(env->remarks, REMARK_CONCLUSION,
                    "throughput application: %u jobs are elastic or name a "
                    "known application, but their run times are recorded: they "
                    "are rigid and run that long; --throughput "
                    "application:replace=true trains them instead",
                    count);
}

/* Finds the applications of the jobs and their nominal runs, and sets up their
 * learners. Skips rigid jobs of unknown applications and, unless
 * config->replace is set, jobs with recorded run times. Fails if the
 * application of any other job is unknown or runs on no GPU of the cluster. */
static enum status find_applications(struct application_state *s,
                                     const struct run_env *env,
                                     const struct application_config *config,
                                     struct error *err)
{
    uint32_t n_recorded = 0;
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        const struct job *job = &env->jobs[i];
        struct app_job *j = &s->jobs[i];
        const struct application *app;
        const char *name = env->string(env->strings, job->model);
        if (job->elasticity == JOB_RIGID &&
            !application_is_known(s->apps, name))
            continue;
        bool recorded = application_is_recorded(env, job);
        n_recorded += recorded;
        if (recorded && !config->replace)
            continue;
        enum status st = application_find(s->apps, name, &app, err);
        if (st != STATUS_OK)
            return st;
        j->nominal_run =
            nominal_run_of(&s->nominal_runs, app, job->gpus, job->batch_size);
        if (!j->nominal_run)
            return error_set(err, STATUS_BAD_INPUT,
                             "throughput application: no GPU of the cluster "
                             "runs %s",
                             name);
        j->app = app;
        fill_learner(s, j, job, config->pooled);
    }
    remark_recorded(env, n_recorded, config->replace);
    return STATUS_OK;
}

/* Makes one fit, so that a missing library is an error before the run and not
 * in the middle of it. */
static enum status try_a_fit(struct application_state *s, struct error *err)
{
    struct step_samples samples = {0};
    struct step_model model;
    step_samples_add(&samples, (struct step_sample){1, 1, 1, 1.0, 0.0});
    enum status st = fits_get(s->fits, &samples, &model, err);
    step_samples_fini(&samples);
    return st;
}

static enum status open_tables(struct application_state *s, const char *path,
                               struct error *err)
{
    const char *types[CLUSTER_TYPES_MAX];
    for (uint32_t t = 0; t < s->cluster->n_types; t++)
        types[t] = s->cluster->types[t].name;
    return applications_open(path[0] ? path : NULL, types, s->cluster->n_types,
                             &s->apps, err);
}

static void note_sources(const struct application_state *s,
                         const struct run_env *env)
{
    env_note(env, "source", applications_source(s->apps), NULL, NULL);
    for (size_t i = 0; i < applications_files(s->apps); i++) {
        const char *digest, *file = applications_file(s->apps, i, &digest);
        env_note(env, file, digest, "SHA-256", NULL);
    }
}

static enum status application_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    const struct application_config *c = config;
    struct application_state *s = self;
    s->cluster = env->cluster;
    s->zero = env->zero;
    s->n_jobs = env->n_jobs;
    s->jobs = mem_zalloc(env->n_jobs + 1u, sizeof *s->jobs);
    s->fits = fits_new();
    nominal_runs_init(&s->nominal_runs, s->cluster);
    enum status st = open_tables(s, c->tables, err);
    if (st == STATUS_OK && c->constants == CONSTANTS_POLLUX)
        applications_follow_pollux(s->apps);
    if (st == STATUS_OK)
        st = try_a_fit(s, err);
    if (st == STATUS_OK)
        st = find_applications(s, env, c, err);
    if (st == STATUS_OK)
        note_sources(s, env);
    return st;
}

static void application_fini(void *self)
{
    struct application_state *s = self;
    for (uint32_t i = 0; s->jobs && i < s->n_jobs; i++) {
        if (s->jobs[i].app)
            learner_fini(&s->jobs[i].learner);
        free(s->jobs[i].per_node);
    }
    nominal_runs_fini(&s->nominal_runs);
    free(s->jobs);
    fits_free(s->fits);
    applications_close(s->apps);
    *s = (struct application_state){0};
}

static const struct option throughput_application_application_options[] = {
    OPT_PATH(struct application_config, tables, "tables", "",
             "directory of measured tables, one folder per application; empty: "
             "the compiled-in coefficients, fitted to Sia's tables. GPUs "
             "without a type count as T4",
             "Sia's artifact, sia-simulator/traces"),
    OPT_SPAN(struct application_config, tune, "tune_s", 60, 1, 86400,
             "time after which a running job chooses its batch size again",
             "Sia's and Pollux' simulators: every round of 60 s"),
    OPT_BOOL(
        struct application_config, pooled, "pooled", false,
        "a job fits one model to its iterations on all GPU types, instead of "
        "one for each type",
        "true in Pollux' simulator, false in Sia's"),
    OPT_BOOL(struct application_config, replace, "replace", false,
             "train a job by the application that it names even if the trace "
             "recorded its run time; false: such a job is rigid and runs for "
             "the recorded time. Sia's and Pollux' formats record none",
             "assumed: a recorded run time is a fact, a shared name is not"),
    OPT_CHOICE(struct application_config, constants, "constants", CONSTANTS_SIA,
               constants_names,
               "what the tables do not say. sia: restarts and slowdowns of "
               "Sia's simulator, or of applications.csv; pollux: 30 s a "
               "restart, no slowdown, yolov3 at most 8 samples a GPU, ncf on "
               "one GPU at its largest batch",
               "Sia's artifact; Pollux' simulator (osdi21-artifact)"),
    {0},
};

static const struct application_config *application_config_of(
    const struct throughput *m)
{
    return m->config;
}

static struct app_job *application_job_of(const struct throughput *m,
                                          const struct job *job)
{
    struct application_state *s = m->self;
    return &s->jobs[job->id];
}

/* Stores the GPU type and the placement of a new attempt. */
static void application_place(struct app_job *j, const struct cluster *c,
                              struct gpu_set where)
{
    if (where.count > j->room) {
        j->per_node = mem_resize(j->per_node, where.count * sizeof(uint32_t));
        j->room = where.count;
    }
    for (uint32_t i = 0; i < where.count; i++)
        j->per_node[i] = mask_count(where.at[i].mask);
    j->type = (uint8_t)c->pools[c->nodes[where.at[0].node].pool].type;
    j->placement =
        (struct placement){j->per_node, where.count, gpu_set_size(where)};
}

/* Chooses the batch size for the next phase: the best by the model of the
 * learner or, if the job may not change its batch size, its own. */
static void application_choose(struct app_job *j)
{
    const struct learner *a = &j->learner;
    const struct step_model *model =
        a->has_gradient ? learner_model(a, j->type) : NULL;
    if (a->tunes)
        j->batch = application_batch(j->app, j->type, j->placement, model,
                                     a->gradient, 0);
    else
        j->batch = nominal_batch(j->app, j->type, j->placement, a->batch);
}

/* Returns the measurement of an iteration that the job makes in this phase. */
static struct step_sample application_row_of(const struct app_job *j)
{
    return (struct step_sample){.nodes = j->placement.nodes,
                                .gpus = j->placement.gpus,
                                .local = j->batch.local,
                                .step = j->speed.step.step,
                                .sync = j->speed.step.sync};
}

/* True if the learner does not have the measurement or the gradient of this
 * phase yet. */
static bool application_is_news(const struct app_job *j)
{
    const struct learner *a = &j->learner;
    const struct step_samples *p =
        &a->types[a->pooled ? a->pool : j->type].samples;
    struct step_sample row = application_row_of(j);
    if (!a->has_gradient || a->gradient.sqr != j->speed.gradient.sqr ||
        a->gradient.var != j->speed.gradient.var)
        return true;
    for (size_t i = 0; i < p->n; i++) {
        if (p->rows[i].nodes == row.nodes && p->rows[i].gpus == row.gpus &&
            p->rows[i].local == row.local)
            return false;
    }
    return true;
}

/* Returns the phase that begins at `now` with `left` work remaining. Sets
 * j->speed. */
static struct phase phase_of(const struct throughput *m, struct app_job *j,
                             sim_time now, sim_span left)
{
    const struct application_state *s = m->self;
    const struct nominal_run *y = j->nominal_run;
    uint32_t epochs = j->app->epochs;
    int64_t all = y->ends[epochs];
    uint32_t e = nominal_run_epoch(y, all - left);
    sim_span tune = application_config_of(m)->tune;
    double from = application_epoch_end(j->app, e);
    j->speed = application_speed(j->app, j->type, j->placement, j->batch, e);
    double work = (double)(y->ends[e + 1] - y->ends[e]) / (double)SPAN_SECOND;
    double share = work / (application_epoch_end(j->app, e + 1) - from);
    struct phase phase = {.rate = j->speed.rate * share,
                          .until = all - y->ends[e + 1],
                          .again = TIME_NEVER};
    if (application_is_news(j))
        phase.again = now - (now + s->zero) % tune + tune;
    return phase;
}

static struct phase application_begin(struct throughput *m,
                                      const struct job *job,
                                      struct gpu_set where, sim_time ready,
                                      sim_span left)
{
    const struct application_state *s = m->self;
    struct app_job *j = application_job_of(m, job);
    application_place(j, s->cluster, where);
    if (!application_runs_on(j->app, j->type))
        return (struct phase){.again = TIME_NEVER};
    application_choose(j);
    return phase_of(m, j, ready, left);
}

static struct phase application_next(struct throughput *m,
                                     const struct job *job, sim_time now,
                                     sim_span left)
{
    struct application_state *s = m->self;
    struct app_job *j = application_job_of(m, job);
    struct error err = {0};
    bool news;
    enum status st =
        learner_watch(&j->learner, s->fits, j->type, application_row_of(j),
                      j->speed.gradient, &news, &err);
    /* The fit cannot fail here: application_init has made a fit, so the library
     * is there. */
    CHECK(st == STATUS_OK);
    application_choose(j);
    return phase_of(m, j, now, left);
}

static sim_span application_work(const struct throughput *m,
                                 const struct job *job)
{
    const struct app_job *j = application_job_of(m, job);
    return j->app ? j->nominal_run->ends[j->app->epochs] : 0;
}

static sim_span application_restart(const struct throughput *m,
                                    const struct job *job)
{
    return application_job_of(m, job)->app->restart;
}

static struct learner *application_learner(const struct throughput *m,
                                           const struct job *job)
{
    return &application_job_of(m, job)->learner;
}

static bool application_teach(struct throughput *m, const struct job *job,
                              const struct job *donor)
{
    struct app_job *j = application_job_of(m, job),
                   *d = application_job_of(m, donor);
    if (!j->app || j->app != d->app || !learner_knows(&d->learner))
        return false;
    learner_copy(&j->learner, &d->learner,
                 application_gradient(j->app, j->app->initial_batch, 0));
    return true;
}

/* Returns the rate in the first epoch at the batch size that the job asks for,
 * on as few nodes as possible whatever shape.nodes is. Policies may see this
 * rate, because a user can measure it before submitting the job. A job without
 * an application runs at the speed of the GPU type, on exactly as many GPUs as
 * it asks for. */
static double application_rate(const struct throughput *m,
                               const struct cluster *cluster,
                               const struct job *job, struct shape shape)
{
    const struct application_state *s = m->self;
    const struct app_job *j = application_job_of(m, job);
    uint8_t type = (uint8_t)shape.gpu_type;
    uint32_t room[PLACEMENT_NODES_MAX];
    if (!j->app)
        return shape.gpus == job->gpus ? cluster->types[type].speed : 0;
    struct type_size size = s->nominal_runs.sizes[type];
    if (!application_runs_on(j->app, type) || size.gpus < shape.gpus)
        return 0;
    struct placement p = placement_densest(size, shape.gpus, room);
    if (p.nodes > application_most_nodes(j->app, type))
        return 0;
    struct training_speed speed = application_speed(
        j->app, type, p, nominal_batch(j->app, type, p, j->learner.batch), 0);
    return speed.rate * (double)j->nominal_run->ends[1] / (double)SPAN_SECOND /
           (application_epoch_end(j->app, 1) -
            application_epoch_end(j->app, 0));
}

const struct throughput_ops throughput_application = {
    .name = "application",
    .summary =
        "jobs train applications of measured step times, epochs and batch "
        "sizes",
    .options = throughput_application_application_options,
    .config_size = sizeof(struct application_config),
    .state_size = sizeof(struct application_state),
    .rate = application_rate,
    .init = application_init,
    .fini = application_fini,
    .work = application_work,
    .restart = application_restart,
    .begin = application_begin,
    .next = application_next,
    .teach = application_teach,
    .learner = application_learner,
};
