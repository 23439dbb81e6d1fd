/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/rehearse.h"

#include <stdlib.h>

#include "sim/run/compose_internal.h"

struct stage {
    struct run *run;
    struct evq queue; /* ends of jobs, and wakes that layers asked for */
    struct wakeups wakeups;
};

static void show(struct stage *s, enum event_kind kind, struct job *job,
                 sim_time at)
{
    const struct event event = {
        .at = at, .kind = kind, .job = job, .node = NODE_NONE};
    for (const struct estimator *l = s->run->parts.estimator; l; l = l->below) {
        if (l->ops->observe)
            l->ops->observe(l->self, &event, &s->wakeups);
    }
    for (size_t i = 0; i < s->wakeups.count; i++)
        evq_add(&s->queue, s->wakeups.at[i].at, EVENT_BELIEF,
                s->wakeups.at[i].job->id);
    s->wakeups.count = 0;
}

/* Processes the ends up to and including `now`. Called before the arrivals at
 * `now`, so that ends come first, as in the engine. */
static void end_until(struct stage *s, sim_time now)
{
    struct run_result *r = &s->run->result;
    const struct evq_entry *entry;
    while ((entry = evq_peek(&s->queue)) && entry->at <= now) {
        struct evq_entry taken = evq_pop(&s->queue);
        struct job *job = &r->jobset.jobs[taken.payload];
        if (evq_rank(&taken) == EVENT_FINISHED)
            job->state = JOB_FINISHED;
        show(s, (enum event_kind)evq_rank(&taken), job, taken.at);
    }
}

enum status rehearse(struct run *run, struct guess *guesses, struct error *err)
{
    enum status st = run_start(run, err);
    if (st != STATUS_OK)
        return st;
    struct jobset *w = &run->result.jobset;
    struct stage s = {.run = run};
    evq_init(&s.queue);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        struct belief belief;
        end_until(&s, job->submitted);
        job->state = JOB_PENDING;
        show(&s, EVENT_SUBMITTED, job, job->submitted);
        if (estimator_remaining(run->parts.estimator, job, job->submitted,
                                &belief))
            guesses[i] = (struct guess){true, belief.mean, belief.spread};
        job->state = JOB_RUNNING;
        job->attempts = 1;
        show(&s, EVENT_STARTED, job, job->submitted);
        evq_add(&s.queue, job->submitted + jobset_duration(w, i),
                EVENT_FINISHED, i);
    }
    end_until(&s, TIME_NEVER);
    evq_fini(&s.queue);
    free(s.wakeups.at);
    return compose_model_error(run, err);
}

bool rehearse_explain(struct run *run, struct out *out)
{
    bool any = false;
    for (const struct estimator *l = run->parts.estimator; l; l = l->below) {
        if (!l->ops->explain)
            continue;
        l->ops->explain(l->self, out);
        any = true;
    }
    return any;
}
