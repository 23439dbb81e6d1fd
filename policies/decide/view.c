/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/decide/view.h"

uint32_t view_n_jobs(const struct view *view)
{
    return view->board->n_jobs;
}

uint64_t view_seed(const struct view *view)
{
    return view->seed;
}

sim_time view_zero(const struct view *view)
{
    return view->zero;
}

uint32_t view_n_pending(const struct view *view, uint16_t vc)
{
    return view->board->pending[vc].count;
}

const struct job *view_first_running(const struct view *view, uint16_t vc)
{
    return view_job(view, view->board->running[vc].first);
}

const struct job *view_next_running(const struct view *view,
                                    const struct job *job)
{
    return view_job(view, view->board->links[job->id].next);
}

sim_time view_started(const struct view *view, const struct job *job)
{
    return board_allocation(view->board, job)->started;
}

struct gpu_set view_where(const struct view *view, const struct job *job)
{
    return board_allocation(view->board, job)->where;
}

double view_rel_speed(const struct view *view, const struct job *job)
{
    return board_allocation(view->board, job)->rel_speed;
}

bool view_is_starting(const struct view *view, const struct job *job)
{
    return job->state == JOB_RUNNING &&
           view->board->now < board_allocation(view->board, job)->ready;
}

int64_t view_attained(const struct view *view, const struct job *job)
{
    int64_t attained = view->board->attained[job->id];
    if (job->state == JOB_RUNNING) {
        const struct allocation *alloc = board_allocation(view->board, job);
        attained += (view->board->now - alloc->started) * alloc->gpus;
    }
    return attained;
}

bool view_remaining(const struct view *view, const struct job *job,
                    struct belief *out)
{
    bool known =
        estimator_remaining(view->estimator, job, view->board->now, out);
    if (view->asked)
        view->asked[job->id] |= known ? VIEW_ASKED | VIEW_ANSWERED : VIEW_ASKED;
    return known;
}

bool view_demand(const struct view *view, const struct job *job,
                 struct demand *out)
{
    return estimator_demand(view->estimator, job, out);
}

bool view_demand_settled(const struct view *view, const struct job *job)
{
    struct demand demand;
    bool measures = false;
    for (const struct estimator *l = view->estimator; l; l = l->below) {
        if (!l->ops->demand)
            continue;
        if (l->ops->demand(l->self, l->below, job, &demand))
            return !demand.assumed || !measures;
        measures |= l->ops->basis == BASIS_PROFILED;
    }
    return false;
}

sim_time view_advice_due(const struct view *view, const struct job *job)
{
    return estimator_due(view->estimator, job, view->board->now);
}

double view_rate_if_shared(const struct view *view, const struct job *job,
                           const struct job *resident)
{
    const struct job *pair[2] = {resident, job}; /* in order of start */
    double rates[2];
    view->belief->ops->rates(view->belief, pair, 2, rates);
    return rates[1];
}

double view_throughput(const struct view *view, const struct job *job,
                       struct shape shape)
{
    return view->throughput->ops->rate(view->throughput, view->board->cluster,
                                       job, shape);
}

bool view_is_able(const struct view *view, const struct job *job,
                  uint8_t gpu_type, uint32_t gpus)
{
    struct shape shape = {.gpu_type = gpu_type, .gpus = gpus, .nodes = 1};
    return !throughput_knows(view->throughput, job) ||
           view_throughput(view, job, shape) > 0;
}

const struct learner *view_learner(const struct view *view,
                                   const struct job *job)
{
    return throughput_knows(view->throughput, job)
               ? view->throughput->ops->learner(view->throughput, job)
               : NULL;
}

/* Returns the time since the current round began. */
static sim_span past_round(const struct view *view, sim_span length)
{
    sim_span past = (view->board->now + view->zero) % length;
    return past < 0 ? past + length : past;
}

bool view_is_round(const struct view *view, sim_span length)
{
    return past_round(view, length) == 0;
}

sim_time view_next_round(const struct view *view, sim_span length)
{
    return view->board->now - past_round(view, length) + length;
}

bool view_outlook(const struct view *view, sim_time at, struct outlook *out)
{
    const struct forecast *f = view->forecast;
    *out = (struct outlook){.until = TIME_NEVER};
    return f && f->ops && f->ops->expect(f->self, at, out);
}
