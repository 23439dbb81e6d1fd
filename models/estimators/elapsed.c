/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/elapsed.h"

void elapsed_init(struct elapsed *elapsed, const struct run_env *env)
{
    elapsed->started = ARENA_ARRAY(env->arena, sim_time, env->n_jobs);
    elapsed->ran = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        elapsed->started[i] = -1;
}

void elapsed_observe(struct elapsed *elapsed, const struct event *event)
{
    if (!event->job)
        return;
    sim_time *started = &elapsed->started[event->job->id];
    sim_span *ran = &elapsed->ran[event->job->id];
    if (event->kind == EVENT_STARTED) {
        *started = event->at;
    } else if (*started >= 0 && event->job->state != JOB_RUNNING) {
        *ran += event->at - *started;
        *started = -1;
    }
    if (event->from_start || event->lost > *ran)
        *ran = 0;
    else
        *ran -= event->lost;
}

sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now)
{
    sim_time started = elapsed->started[job->id];
    return elapsed->ran[job->id] + (started >= 0 ? now - started : 0);
}

struct belief elapsed_belief_of(sim_span ran, bool waits, sim_time now,
                                sim_span total, sim_span overrun)
{
    sim_span rest = total - ran;
    struct belief belief = {.mean = rest, .spread = -1};
    /* a job that has not run keeps its estimate, even one of 0 or less */
    if (ran == 0 && waits)
        belief.steady_until = TIME_NEVER;
    else if (rest > 0)
        belief.steady_until = now + rest;
    else if (ran > 0)
        belief.mean = overrun;
    return belief;
}

struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun)
{
    return elapsed_belief_of(elapsed_of(elapsed, job, now),
                             elapsed->started[job->id] < 0, now, total,
                             overrun);
}
