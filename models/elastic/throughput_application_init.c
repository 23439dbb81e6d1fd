/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets up the jobs that train a known application, before a run, and frees what
 * they own. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/remarks.h"
#include "models/elastic/throughput_application_internal.h"

/* Sets up the learner with what is known when the job is submitted. */
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

/* True if the trace has a recorded run time for the job. */
static bool is_recorded(const struct run_env *env, const struct job *job)
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

enum status application_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
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
        st = find_applications(s, env, c, err);
    if (st == STATUS_OK)
        note_sources(s, env);
    return st;
}

void application_fini(void *self)
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
