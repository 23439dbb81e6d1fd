/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that train a known application (models/elastic/applications.h) work as
 * its tables say: by GPU type, GPUs of each node, batch size and epoch. While
 * they run they watch their iterations, and those that may choose their batch
 * size choose the one that they believe to be best (models/elastic/learner.h):
 * at a start, at the end of every epoch, and at every tick of a clock while
 * that tells them anything new. Other jobs are rigid.
 *
 * The work of such a job is measured like that of all jobs, in the time that it
 * would take on what the trace asks for (models/elastic/nominal_run.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/elastic/learner.h"
#include "models/elastic/nominal_run.h"
#include "models/elastic/throughput.h"
#include "sim/base/check.h"
#include "sim/base/remarks.h"

struct application_config {
    const char *tables;
    sim_span tune;
    bool pooled, replace;
};

static const struct option application_options[] = {
    OPT_PATH(struct application_config, tables, "tables", "",
             "directory of measured tables, one folder per application; empty: "
             "coefficients fitted to Sia's tables, compiled in. GPUs without a "
             "type are taken for T4",
             "Sia's artifact, sia-simulator/traces"),
    OPT_SPAN(struct application_config, tune, "tune_s", 60, 1, 86400,
             "period at which a running job chooses its batch size anew",
             "Sia's and Pollux's simulators: every round of 60 s"),
    OPT_BOOL(struct application_config, pooled, "pooled", false,
             "a job fits one model to its iterations on all GPU types",
             "Pollux: true, Sia: false"),
    OPT_BOOL(struct application_config, replace, "replace", false,
             "train jobs by the application that they name also if the trace "
             "recorded how long they ran; false: these are rigid and run for "
             "the recorded time. Sia's and Pollux's formats record none",
             "a recorded run time is a fact; that two traces share a name "
             "proves nothing"),
    {0},
};

struct app_job {
    const struct application *app; /* NULL: not described by this model */
    const struct nominal_run *nominal_run;
    struct learner learner;
    /* type of the present attempt */
    uint8_t type;
    struct placement placement;
    uint32_t *per_node, room;
    struct batch batch;
    struct training_speed speed;
};

struct application_state {
    struct applications *apps;
    struct fits *fits;
    struct app_job *jobs;
    uint32_t n_jobs;
    struct nominal_runs nominal_runs;
    const struct cluster *cluster;
    sim_time zero;
};

static const struct application_config *config_of(const struct throughput *m)
{
    return m->config;
}

static struct app_job *job_of(const struct throughput *m, const struct job *job)
{
    struct application_state *s = m->self;
    return &s->jobs[job->id];
}

static void place(struct app_job *j, const struct cluster *c,
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

static void choose(struct app_job *j)
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

static struct step_sample row_of(const struct app_job *j)
{
    return (struct step_sample){.nodes = j->placement.nodes,
                                .gpus = j->placement.gpus,
                                .local = j->batch.local,
                                .step = j->speed.step.step,
                                .sync = j->speed.step.sync};
}

/* True if watching the present phase would tell the job anything new. */
static bool is_news(const struct app_job *j)
{
    const struct learner *a = &j->learner;
    const struct step_samples *p =
        &a->types[a->pooled ? a->pool : j->type].samples;
    struct step_sample row = row_of(j);
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

static struct phase phase_of(const struct throughput *m, struct app_job *j,
                             sim_time now, sim_span left)
{
    const struct application_state *s = m->self;
    const struct nominal_run *y = j->nominal_run;
    uint32_t epochs = j->app->epochs;
    int64_t all = y->ends[epochs];
    uint32_t e = nominal_run_epoch(y, all - left);
    sim_span tune = config_of(m)->tune;
    double from = application_epoch_end(j->app, e);
    j->speed = application_speed(j->app, j->type, j->placement, j->batch, e);
    double work = (double)(y->ends[e + 1] - y->ends[e]) / (double)SPAN_SECOND;
    double share = work / (application_epoch_end(j->app, e + 1) - from);
    struct phase phase = {.rate = j->speed.rate * share,
                          .until = all - y->ends[e + 1],
                          .again = TIME_NEVER};
    if (is_news(j))
        phase.again = now - (now + s->zero) % tune + tune;
    return phase;
}

static struct phase application_begin(struct throughput *m,
                                      const struct job *job,
                                      struct gpu_set where, sim_time ready,
                                      sim_span left)
{
    const struct application_state *s = m->self;
    struct app_job *j = job_of(m, job);
    place(j, s->cluster, where);
    if (!application_runs_on(j->app, j->type))
        return (struct phase){.again = TIME_NEVER};
    choose(j);
    return phase_of(m, j, ready, left);
}

static struct phase application_next(struct throughput *m,
                                     const struct job *job, sim_time now,
                                     sim_span left)
{
    struct application_state *s = m->self;
    struct app_job *j = job_of(m, job);
    struct error err = {0};
    bool news;
    enum status st = learner_watch(&j->learner, s->fits, j->type, row_of(j),
                                   j->speed.gradient, &news, &err);
    /* Cannot fail: a fit was tried when the run began. */
    CHECK(st == STATUS_OK);
    choose(j);
    return phase_of(m, j, now, left);
}

static sim_span application_work(const struct throughput *m,
                                 const struct job *job)
{
    const struct app_job *j = job_of(m, job);
    return j->app ? j->nominal_run->ends[j->app->epochs] : 0;
}

static sim_span application_restart(const struct throughput *m,
                                    const struct job *job)
{
    return job_of(m, job)->app->restart;
}

static struct learner *application_learner(const struct throughput *m,
                                           const struct job *job)
{
    return &job_of(m, job)->learner;
}

static bool application_teach(struct throughput *m, const struct job *job,
                              const struct job *donor)
{
    struct app_job *j = job_of(m, job), *d = job_of(m, donor);
    if (!j->app || j->app != d->app || !learner_knows(&d->learner))
        return false;
    learner_copy(&j->learner, &d->learner,
                 application_gradient(j->app, j->app->initial_batch, 0));
    return true;
}

/* The rate at the batch size asked for, in the first epoch: what a user
 * measures before submitting. */
static double application_rate(const struct throughput *m,
                               const struct cluster *cluster,
                               const struct job *job, struct shape shape)
{
    const struct application_state *s = m->self;
    const struct app_job *j = job_of(m, job);
    uint8_t type = shape.gpu_type;
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

static void fill_learner(const struct application_state *s, struct app_job *j,
                         const struct job *job, bool pooled)
{
    struct learner *a = &j->learner;
    learner_init(a, j->app, s->cluster->n_types);
    a->batch = job->batch_size ? job->batch_size : j->app->initial_batch;
    a->pooled = pooled;
    a->scales = job->elasticity != JOB_RIGID;
    a->tunes = job->elasticity == JOB_ADAPTIVE;
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

static bool is_recorded(const struct run_env *env, const struct job *job)
{
    return env->recorded && env->recorded(env->recorded_self, job->id);
}

/* Remarks on the jobs that an application could train and that have a recorded
 * run time. */
static void remark_recorded(const struct run_env *env, uint32_t count,
                            bool replace)
{
    if (!count || !env->remarks)
        return;
    if (replace)
        remarks_add(env->remarks,
                    "application:replace=true: the recorded run times of %u "
                    "jobs are replaced by those of the applications that they "
                    "name",
                    count);
    else
        remarks_add(env->remarks,
                    "throughput application: %u jobs are elastic or name a "
                    "known application, but their run times are recorded: they "
                    "are rigid and run that long; --throughput "
                    "application:replace=true trains them instead",
                    count);
}

static enum status meet_jobs(struct application_state *s,
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
        bool recorded = is_recorded(env, job);
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

/* Tries one fit before the run, because a fit cannot fail in the middle of
 * one. */
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
    if (st == STATUS_OK)
        st = try_a_fit(s, err);
    if (st == STATUS_OK)
        st = meet_jobs(s, env, c, err);
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

const struct throughput_ops throughput_application = {
    .name = "application",
    .summary = "measured step times, epochs and batch sizes of what is trained",
    .options = application_options,
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
