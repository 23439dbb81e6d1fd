/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finish-time fairness as Gavel states it; Themis (NSDI'20) auctions GPUs by
 * this quantity. The rho of a job is the time from its submission to its end,
 * divided by the time that the job would take with an equal share of the
 * cluster. The policy minimises the largest rho, by bisection over linear
 * programs. Many shares reach it. The policy takes those that do the most work,
 * each job's measured by its fair time, because work that shortens no largest
 * rho still shortens the mean; of equal jobs the first comes first. */
#include "policies/gavel/gavel_internal.h"

#include <stdlib.h>

/* Returns the believed rate of a job with an equal share of all pools. */
static double isolated_rate(const struct share_lp *lp, uint32_t j)
{
    double time = 0, rate = 0;
    for (uint32_t p = 0; p < lp->n_pools; p++) {
        double x = lp->capacity[p] / (lp->n_jobs * lp->gpus[j]);
        if (!(lp->rate[j * lp->n_pools + p] > 0))
            continue;
        time += x;
        rate += x * lp->rate[j * lp->n_pools + p];
    }
    return time > 1 ? rate / time : rate;
}

/* The two times whose ratio is the rho of a job. */
struct themis_target {
    double elapsed; /* time since the submission of the job, seconds */
    /* time from submission to end with an equal share, seconds */
    double fair;
};

/* Returns the times of a job. Also adds to isolated_span the time that the work
 * done since the last call would have taken with an equal share. */
static struct themis_target themis_look_at(struct gavel *gavel,
                                           const struct view *view,
                                           const struct job *job,
                                           double isolated)
{
    struct gavel_job *mine = view_mine(view, job);
    bool guessed = mine->guessed;
    double left = gavel_left(gavel, view, job);
    /* A difference that involves a guess of the time left is not work done. */
    guessed |= mine->guessed;
    if (!guessed && mine->isolated > 0 && mine->left > left)
        mine->isolated_span += (mine->left - left) / mine->isolated;
    mine->left = left;
    mine->isolated = isolated;
    return (struct themis_target){
        .elapsed = span_seconds(view_now(view) - job->submitted),
        .fair = mine->isolated_span + left / isolated,
    };
}

/* Sets the needs to the rates with which each job would reach this rho. Returns
 * false if some job cannot reach it any more. */
static bool themis_set_needs(const struct view *view,
                             const struct gavel_jobs *jobs,
                             const struct themis_target *targets, double rho,
                             struct share_lp *lp)
{
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        const struct gavel_job *mine = view_mine(view, jobs->at[j]);
        double rest = rho * targets[j].fair - targets[j].elapsed;
        if (!(rest > 0))
            return false;
        lp->need[j] = mine->left / rest;
    }
    return true;
}

/* Sets x to the shares of the most work, measured by fair times, with which the
 * jobs meet their needs. The first of equal jobs weighs more than the others by
 * less than a millionth, so that the shares are unique. */
static void themis_share(const struct themis_target *targets,
                         struct share_lp *lp)
{
    double *weight = mem_alloc(lp->n_jobs * sizeof *weight);
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        weight[j] = (1 - 1e-6 * j / lp->n_jobs) / targets[j].fair;
    lp->weight = weight;
    share_lp_spend(lp);
    lp->weight = NULL;
    free(weight);
}

static void themis_allocate(struct gavel *gavel, const struct view *view,
                            const struct gavel_jobs *jobs, struct share_lp *lp)
{
    struct themis_target *targets = mem_alloc(lp->n_jobs * sizeof *targets);
    double low = 0, high = 1;
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        targets[j] =
            themis_look_at(gavel, view, jobs->at[j], isolated_rate(lp, j));
    while (high < 1e12 && !(themis_set_needs(view, jobs, targets, high, lp) &&
                            share_lp_reaches(lp, 1))) {
        low = high;
        high *= 2;
    }
    while (high - low > 1e-3 * high) {
        double middle = (low + high) / 2;
        if (themis_set_needs(view, jobs, targets, middle, lp) &&
            share_lp_reaches(lp, 1))
            high = middle;
        else
            low = middle;
    }
    if (themis_set_needs(view, jobs, targets, high, lp))
        themis_share(targets, lp);
    free(targets);
}

static enum status themis_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    return gavel_init(self, config, view, themis_allocate, err);
}

const struct policy_ops policy_themis = {
    GAVEL_HOOKS,
    .name = "themis",
    .summary = "least worst finish-time fairness, by linear program, in rounds",
    .options = gavel_left_options,
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS | POLICY_OWNS_NODES,
    .init = themis_init,
};
