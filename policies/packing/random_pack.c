/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline for packing: first in, first out. A job that finds no free GPUs
 * joins a random job of the same size that runs alone. The policy looks only at
 * size and memory. A comparison with a policy that knows demands shows what
 * that knowledge is worth. Gavel's "gandiva" baseline pairs jobs in this way.
 */
#include "policies/packing/partner.h"
#include "sim/base/rng.h"

struct random_pack {
    gsl_rng *rng;
};

static enum status random_pack_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    const struct view *view = env->view;
    (void)config;
    (void)err;
    ((struct random_pack *)self)->rng =
        rng_open(view_seed(view), "policy random-pack");
    return STATUS_OK;
}

static void random_pack_fini(void *self)
{
    rng_free(((struct random_pack *)self)->rng);
}

/* Puts the job beside a random resident. Residents without enough free memory
 * are removed from the list. */
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

static void random_pack_decide(void *self, const struct view *view,
                               struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        partner_fill(plan, touched.at[i], join_any, self);
}

const struct policy_ops policy_random_pack = {
    .name = "random-pack",
    .summary = "fifo; if no GPU is free, a job joins a random one of its size",
    .state_size = sizeof(struct random_pack),
    .needs = POLICY_SHARES,
    .init = random_pack_init,
    .decide = random_pack_decide,
    .fini = random_pack_fini,
};
