/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline for packing: first in, first out. A job that finds no free GPUs
 * joins a random job of the same size that runs alone. The policy looks only at
 * size, GPU type and memory. A comparison with a policy that knows demands
 * shows what that knowledge is worth. Gavel's "gandiva" baseline pairs jobs in
 * this way. */
#include "policies/packing/partner.h"

#include <stdlib.h>

#include "base/rng.h"

/* What happened in a virtual cluster since the last decision. */
struct changes {
    bool news;  /* true if a belief about a job is new */
    bool other; /* true if anything but a new belief happened */
};

struct random_pack {
    gsl_rng *rng;
    struct changes *changes; /* changes by virtual cluster */
    uint32_t n_vcs;
};

static enum status random_pack_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    const struct view *view = env->view;
    struct random_pack *s = self;
    (void)config;
    (void)err;
    s->rng = rng_open(view_seed(view), "policy random-pack");
    s->n_vcs = view_cluster(view)->n_vcs;
    s->changes = mem_zalloc(s->n_vcs, sizeof *s->changes);
    return STATUS_OK;
}

static void random_pack_fini(void *self)
{
    struct random_pack *s = self;
    rng_free(s->rng);
    free(s->changes);
}

static void random_pack_observe(void *self, const struct view *view,
                                const struct event *event)
{
    struct random_pack *s = self;
    (void)view;
    if (event->job && event->kind == EVENT_BELIEF)
        s->changes[event->job->vc].news = true;
    else if (event->job)
        s->changes[event->job->vc].other = true;
    for (uint32_t vc = 0; !event->job && vc < s->n_vcs; vc++)
        s->changes[vc].other = true;
}

/* Puts the job beside a random resident. A resident that plan_share refuses is
 * removed from the list. Returns false if none is left. */
static bool join_any(void *self, struct plan *plan, const struct job *job)
{
    struct random_pack *s = self;
    struct partner_walk walk = partner_walk(plan, job->vc);
    uint32_t n = 0;
    const struct job *resident;
    while ((resident = partner_next(&walk)))
        n += partner_suits(plan, job, resident);
    const struct job **residents =
        plan_scratch(plan, (n + 1) * sizeof *residents);
    walk = partner_walk(plan, job->vc);
    for (n = 0; (resident = partner_next(&walk));) {
        if (partner_suits(plan, job, resident))
            residents[n++] = resident;
    }
    while (n) {
        uint32_t i = rng_below(s->rng, n);
        if (plan_share(plan, job, residents[i]))
            return true;
        residents[i] = residents[--n];
    }
    return false;
}

/* Skips a virtual cluster in which only beliefs changed. A walk there would
 * start no job, but would draw numbers, so that later draws would depend on
 * when estimators answer. */
static void random_pack_decide(void *self, const struct view *view,
                               struct plan *plan)
{
    struct random_pack *s = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        struct changes *changes = &s->changes[touched.at[i]];
        if (!changes->news || changes->other)
            partner_fill(plan, touched.at[i], join_any, self);
        *changes = (struct changes){0};
    }
}

const struct policy_ops policy_random_pack = {
    .name = "random-pack",
    .summary = "fifo; if no GPU is free, a job joins a random one of its size",
    .state_size = sizeof(struct random_pack),
    .needs = POLICY_SHARES,
    .init = random_pack_init,
    .observe = random_pack_observe,
    .decide = random_pack_decide,
    .fini = random_pack_fini,
};
