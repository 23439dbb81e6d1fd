/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/advice.h"

#include "base/arena.h"
#include "base/check.h"
#include "models/estimators/elapsed.h"

struct state {
    const struct test_advice *rows; /* indexed by job */
    struct elapsed elapsed;
    /* by job: time at which the answer comes; 0: no question was asked */
    sim_time *due;
    bool *is_here; /* by job: true if the answer has come */
};

static enum status advice_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    struct state *s = self;
    (void)err;
    s->rows = config;
    elapsed_init(&s->elapsed, env);
    s->due = ARENA_ARRAY(env->arena, sim_time, env->n_jobs);
    s->is_here = ARENA_ARRAY(env->arena, bool, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->is_here[i] = s->rows[i].asks && s->rows[i].after == ADVICE_INSTANT;
    return STATUS_OK;
}

static void advice_observe(void *self, const struct event *event,
                           struct wakeups *wakeups)
{
    struct state *s = self;
    const struct job *job = event->job;
    elapsed_observe(&s->elapsed, event);
    if (!job || !s->rows[job->id].asks || s->is_here[job->id])
        return;
    sim_time *due = &s->due[job->id];
    if (event->kind == EVENT_SUBMITTED && job->attempts == 0) {
        CHECK(*due == 0);
        *due = event->at + s->rows[job->id].after;
        wakeups_add(wakeups, *due, job);
    } else if (event->kind == EVENT_BELIEF && event->at == *due) {
        s->is_here[job->id] = true;
    }
}

static sim_time advice_due(const void *self, const struct job *job,
                           sim_time now)
{
    const struct state *s = self;
    const struct test_advice *row = &s->rows[job->id];
    bool waits = row->asks && !row->secret && !s->is_here[job->id] &&
                 job->state != JOB_FUTURE;
    CHECK(!waits || s->due[job->id] >= now);
    return waits ? s->due[job->id] : TIME_NEVER;
}

static bool advice_remaining(void *self, const struct estimator *below,
                             const struct job *job, sim_time now,
                             struct belief *out)
{
    const struct state *s = self;
    const struct test_advice *row = &s->rows[job->id];
    (void)below;
    if (!s->is_here[job->id] || row->runs == 0)
        return false;
    *out = elapsed_belief(&s->elapsed, job, now, row->runs, SPAN_SECOND);
    out->source = "advice";
    return true;
}

static bool advice_demand(void *self, const struct estimator *below,
                          const struct job *job, struct demand *out)
{
    const struct state *s = self;
    const struct test_advice *row = &s->rows[job->id];
    (void)below;
    if (!s->is_here[job->id] || row->util < 0)
        return false;
    *out = (struct demand){.compute = row->util / 100,
                           .mem_mib = row->mem_mib,
                           .source = "advice"};
    return true;
}

static bool advice_donor(void *self, const struct estimator *below,
                         const struct job *job, job_id *out)
{
    const struct state *s = self;
    job_id donor = s->rows[job->id].donor;
    (void)below;
    if (!s->is_here[job->id] || donor == JOB_NONE)
        return false;
    *out = donor;
    return true;
}

const struct estimator_ops estimator_advice = {
    .name = "advice",
    .summary = "what a test says of a job, after a delay",
    .state_size = sizeof(struct state),
    .init = advice_init,
    .observe = advice_observe,
    .remaining = advice_remaining,
    .demand = advice_demand,
    .donor = advice_donor,
    .due = advice_due,
};

void advice_put(struct estimator *layer, const struct test_advice *rows,
                struct engine_parts *parts)
{
    *layer = (struct estimator){
        .ops = &estimator_advice, .config = rows, .below = parts->estimator};
    parts->estimator = layer;
}

void advice_draw(gsl_rng *rng, size_t n, struct test_advice *rows)
{
    for (size_t i = 0; i < n; i++) {
        sim_span runs = rng_below(rng, 4) ? 1 + rng_below(rng, 20) : 0;
        double util =
            rng_below(rng, 4) ? 1 + rng_below(rng, 100) : ADVICE_NO_DEMAND;
        rows[i] =
            (struct test_advice){.asks = rng_below(rng, 8) > 0,
                                 .secret = rng_below(rng, 8) == 0,
                                 .after = rng_below(rng, 10) * SPAN_SECOND,
                                 .runs = runs * SPAN_SECOND,
                                 .util = util,
                                 .donor = JOB_NONE};
    }
}
