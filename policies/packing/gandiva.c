/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packing by trial (Gandiva, Xiao et al., OSDI 2018, section 4.2): first in,
 * first out. A job that finds no free GPUs joins the job of the same size that
 * uses its GPUs least. After a while the policy measures the speeds of both,
 * each relative to the job's speed alone. If the two speeds add up to less than
 * `keep`, the newcomer leaves, and from then on waits for GPUs of its own. The
 * policy predicts nothing.
 *
 * Gandiva's other mechanisms (time slices, migration and growing) are not
 * implemented. */
#include "policies/packing/partner.h"

#include <stdlib.h>

struct gandiva_config {
    sim_span trial;
    double keep;
};

static const struct option gandiva_options[] = {
    OPT_SPAN(struct gandiva_config, trial, "trial_s", 60, 0.000001, 86400,
             "time after which the speeds of a new pair are measured",
             "assumed: Gandiva's time slice is about a minute"),
    OPT_DOUBLE(struct gandiva_config, keep, "keep", 1, 0, 2,
               "least sum of the relative speeds of a pair that stays together",
               "Gavel's rule for Gandiva"),
    {0},
};

/* A trial of a newcomer beside a resident. */
struct gandiva_trial {
    const struct job *job, *resident;
    sim_time started; /* start of the newcomer's attempt */
    sim_time due;     /* time at which the speeds are measured */
};

struct gandiva {
    const struct gandiva_config *config;
    struct gandiva_trial
        *trials; /* trials in the order in which they are due */
    /* Newcomers that this plan stopped, because their trials failed. */
    const struct job **left;
    size_t n_trials, cap_trials, n_left, cap_left;
};

struct gandiva_mine {
    /* true after a failed trial: the job never joins a resident again */
    bool barred;
};

static enum status gandiva_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct gandiva *)self)->config = config;
    return STATUS_OK;
}

static void gandiva_fini(void *self)
{
    struct gandiva *s = self;
    free(s->trials);
    free(s->left);
}

static void gandiva_add_trial(struct gandiva *s, const struct view *view,
                              const struct job *job, const struct job *resident)
{
    sim_time now = view_now(view);
    s->trials =
        mem_grow(s->trials, &s->cap_trials, s->n_trials + 1, sizeof *s->trials);
    s->trials[s->n_trials++] =
        (struct gandiva_trial){job, resident, now, now + s->config->trial};
}

/* Puts the job beside the resident that uses its GPUs least, among those that
 * can take the job; if several use them equally, the first one. Adds their
 * trial. Returns false if none can, or if the job is barred. */
static bool join_idlest(void *self, struct plan *plan, const struct job *job)
{
    struct gandiva *s = self;
    const struct gandiva_mine *mine = view_mine(plan->view, job);
    struct partner_walk walk = partner_walk(plan, job->vc);
    const struct job *resident, *best = NULL;
    double least = 0;
    while (!mine->barred && (resident = partner_next(&walk))) {
        struct demand demand;
        if (!partner_suits(plan, job, resident))
            continue;
        if (!view_demand(plan->view, resident, &demand))
            /* unknown demand counts as full use */
            demand = (struct demand){.compute = 1};
        if (best && demand.compute >= least)
            continue;
        size_t mark = plan_mark(plan);
        if (!plan_share(plan, job, resident))
            continue;
        plan_undo_to(plan, mark);
        best = resident;
        least = demand.compute;
    }
    if (!best || !plan_share(plan, job, best))
        return false;
    gandiva_add_trial(s, plan->view, job, best);
    return true;
}

static bool still_together(const struct view *view,
                           const struct gandiva_trial *t)
{
    return t->job->state == JOB_RUNNING && t->resident->state == JOB_RUNNING &&
           view_started(view, t->job) == t->started &&
           gpu_set_equal(view_where(view, t->job),
                         view_where(view, t->resident));
}

/* Decides the trials that are due: if the pair is too slow, stops the newcomer
 * and bars it from later pairs. */
static void gandiva_judge(struct gandiva *s, const struct view *view,
                          struct plan *plan)
{
    size_t n = 0;
    s->n_left = 0;
    for (; n < s->n_trials && s->trials[n].due <= view_now(view); n++) {
        const struct gandiva_trial *t = &s->trials[n];
        if (!still_together(view, t) ||
            view_rel_speed(view, t->job) + view_rel_speed(view, t->resident) >=
                s->config->keep)
            continue;
        ((struct gandiva_mine *)view_mine(view, t->job))->barred = true;
        plan_stop(plan, t->job);
        s->left =
            mem_grow(s->left, &s->cap_left, s->n_left + 1, sizeof *s->left);
        s->left[s->n_left++] = t->job;
    }
    s->n_trials -= n;
    for (size_t i = 0; n && i < s->n_trials; i++)
        s->trials[i] = s->trials[i + n];
}

/* Starts pending jobs, and then the newcomers that were just stopped. */
static void gandiva_fill(struct gandiva *s, struct plan *plan, uint16_t vc)
{
    if (!partner_fill(plan, vc, join_idlest, s))
        return;
    for (size_t i = 0; i < s->n_left; i++) {
        if (s->left[i]->vc == vc &&
            !partner_start(plan, s->left[i], join_idlest, s))
            return;
    }
}

static void gandiva_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct gandiva *s = self;
    struct vc_list touched = view_touched(view);
    gandiva_judge(s, view, plan);
    for (uint32_t i = 0; i < touched.count; i++)
        gandiva_fill(s, plan, touched.at[i]);
    if (s->n_trials)
        plan_wake_at(plan, s->trials[0].due);
}

const struct policy_ops policy_gandiva = {
    .name = "gandiva",
    .summary =
        "fifo; if no GPU is free, a pair is tried and its speeds measured",
    .options = gandiva_options,
    .config_size = sizeof(struct gandiva_config),
    .state_size = sizeof(struct gandiva),
    .job_size = sizeof(struct gandiva_mine),
    .needs = POLICY_NEEDS_DEMAND | POLICY_SHARES | POLICY_PREEMPTS,
    .init = gandiva_init,
    .decide = gandiva_decide,
    .fini = gandiva_fini,
};
