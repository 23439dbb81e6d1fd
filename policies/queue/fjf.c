/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First job that fits: like fifo, but a job that does not fit does not block
 * the jobs after it. This is backfilling without a reservation, so large jobs
 * can starve (Tiresias' simulator, where it has this name). */
#include "policies/queue/order.h"

static int64_t fjf_key(uint32_t gpus, sim_span remaining)
{
    (void)gpus;
    (void)remaining;
    return 0; /* all keys are equal, so the tie rule decides: by submission */
}

static enum status fjf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    (void)config;
    (void)err;
    struct order *order = self;
    order_init(order, view, fjf_key);
    order->blind = true;
    return STATUS_OK;
}

static void fjf_observe(void *self, const struct view *view,
                        const struct event *event)
{
    order_observe(self, view, event);
}

static void fjf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        order_fill_around(self, plan, touched.at[i]);
}

static void fjf_fini(void *self)
{
    order_fini(self);
}

const struct policy_ops policy_fjf = {
    .name = "fjf",
    .summary = "first job that fits: fifo that passes over blocked jobs",
    .state_size = sizeof(struct order),
    .job_size = sizeof(struct order_mine),
    .init = fjf_init,
    .observe = fjf_observe,
    .decide = fjf_decide,
    .fini = fjf_fini,
};
