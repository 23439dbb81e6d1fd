/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that train a known application (models/elastic/applications.h) work as
 * fast as the tables of the application say, by GPU type, GPUs of each node,
 * batch size and epoch. While they run they measure their iterations. Jobs that
 * may change their batch size use the size that their learner finds best. They
 * choose the size at each start, at the end of each epoch, and every `tune_s`
 * while they can still measure something new. Other jobs keep their batch size.
 *
 * Work is the time of the nominal run (models/elastic/nominal_run.h), so work
 * has the same unit for these jobs as for all others. */
#include "base/arena.h"
#include "base/check.h"
#include "models/elastic/throughput_application_internal.h"

static const struct option application_options[] = {
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
    {0},
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

/* Stores the GPU type and the placement of a new attempt. */
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

/* Chooses the batch size for the next phase: the best by the model of the
 * learner or, if the job may not change its batch size, its own. */
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

/* Returns the measurement of an iteration that the job makes in this phase. */
static struct step_sample row_of(const struct app_job *j)
{
    return (struct step_sample){.nodes = j->placement.nodes,
                                .gpus = j->placement.gpus,
                                .local = j->batch.local,
                                .step = j->speed.step.step,
                                .sync = j->speed.step.sync};
}

/* True if the learner does not have the measurement or the gradient of this
 * phase yet. */
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
    /* The fit cannot fail here: application_init has made a fit, so the library
     * is there. */
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
    const struct app_job *j = job_of(m, job);
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
