/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/rehearse.h"

#include <stdlib.h>

#include "sim/run/compose_internal.h"

struct stage {
    struct run *run;
    struct guess *guesses;
    struct evq queue; /* ends of jobs, and wakes of estimator layers */
    struct wakeups wakeups;
};

static void show(struct stage *s, enum event_kind kind, struct job *job,
                 sim_time at)
{
    const struct truth *truths = s->run->result.jobset.truths;
    const struct event event = {
        .at = at,
        .kind = kind,
        .job = job,
        .node = NODE_NONE,
        .aborted = kind == EVENT_FINISHED && truths[job->id].aborts,
    };
    for (const struct estimator *l = s->run->parts.estimator; l; l = l->below) {
        if (l->ops->observe)
            l->ops->observe(l->self, &event, &s->wakeups);
    }
    for (size_t i = 0; i < s->wakeups.count; i++)
        evq_add(&s->queue, s->wakeups.at[i].at, EVENT_BELIEF,
                s->wakeups.at[i].job->id);
    s->wakeups.count = 0;
}

/* Records a move in the ledger, from which layers read how long jobs ran. The
 * job holds no GPU. */
static void record(struct stage *s, enum ledger_kind kind,
                   const struct job *job, sim_time at)
{
    struct ledger *ledger = &s->run->result.ledger;
    struct ledger_move move = {.at = at, .kind = kind, .job = job};
    if (kind == LEDGER_FINISHED)
        move.work =
            (double)(at -
                     ledger->attempts[ledger->last_attempt[job->id]].start);
    ledger_add(ledger, &move);
}

static struct guess ask(const struct estimator *top, const struct job *job,
                        sim_time now)
{
    struct guess guess = {0};
    struct belief belief;
    struct demand demand;
    if (estimator_remaining(top, job, now, &belief)) {
        guess.known = true;
        guess.mean = belief.mean;
        guess.spread = belief.spread;
    }
    if (estimator_demand(top, job, &demand) && !demand.assumed) {
        guess.knows_demand = true;
        guess.compute = demand.compute;
    }
    return guess;
}

/* Asks the chain about a job that has waited for all answers on their way, and
 * starts the job. */
static void start(struct stage *s, struct job *job, sim_time now)
{
    const struct jobset *jobs = &s->run->result.jobset;
    struct guess *guess = &s->guesses[job->id];
    *guess = ask(s->run->parts.estimator, job, now);
    job->state = JOB_RUNNING;
    job->attempts = 1;
    record(s, LEDGER_STARTED, job, now);
    show(s, EVENT_STARTED, job, now);
    evq_add(&s->queue, now + jobset_duration(jobs, job->id), EVENT_FINISHED,
            job->id);
}

static void start_if_told(struct stage *s, struct job *job, sim_time now)
{
    if (job->state == JOB_PENDING &&
        estimator_due(s->run->parts.estimator, job, now) == TIME_NEVER)
        start(s, job, now);
}

/* Processes the ends of jobs and the wakes of layers up to and including `now`.
 * Called before the job that is submitted at `now`, so that ends come first, as
 * in the engine. */
static void end_until(struct stage *s, sim_time now)
{
    struct run_result *r = &s->run->result;
    const struct evq_entry *entry;
    while ((entry = evq_peek(&s->queue)) && entry->at <= now) {
        struct evq_entry taken = *entry;
        evq_pop(&s->queue);
        struct job *job = &r->jobset.jobs[taken.payload];
        if (evq_rank(&taken) == EVENT_FINISHED) {
            job->state = JOB_FINISHED;
            record(s, LEDGER_FINISHED, job, taken.at);
        }
        show(s, (enum event_kind)evq_rank(&taken), job, taken.at);
        start_if_told(s, job, taken.at);
    }
}

enum status rehearse(struct run *run, struct guess *guesses, struct error *err)
{
    enum status st = run_start(run, err);
    if (st != STATUS_OK)
        return st;
    struct jobset *w = &run->result.jobset;
    struct stage s = {.run = run, .guesses = guesses};
    evq_init(&s.queue);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        end_until(&s, job->submitted);
        job->state = JOB_PENDING;
        show(&s, EVENT_SUBMITTED, job, job->submitted);
        start_if_told(&s, job, job->submitted);
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
