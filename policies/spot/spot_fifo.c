/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First in, first out with preemption of spot jobs: the baseline YARN-CS of GFS
 * (ASPLOS'26). A guaranteed job goes to the node
 * with the fewest GPUs that no guaranteed job holds, and stops the spot jobs on
 * the lowest of these, although other nodes may be idle. The first guaranteed
 * job without a place blocks those after it. Spot jobs start in the order in
 * which they began to wait, on the fullest node and within the quota, which as
 * coded is that of GFS; one that exceeds it is passed over. */
#include "policies/spot/spot_internal.h"

static uint32_t fifo_victims(const struct spot_room *room, node_id node,
                             uint32_t gpus, const struct job **out)
{
    const struct view *view = room->plan->view;
    const struct cluster *c = view_cluster(view);
    const struct node *n = &c->nodes[node];
    uint32_t count = 0, taken = 0;
    for (uint32_t g = 0; g < n->gpus && taken < gpus; g++) {
        const gpu_id gpu = n->first_gpu + g;
        if (!c->n_holders[gpu]) {
            taken++;
            continue;
        }
        const struct job *job =
            view_job(view, c->holders[(size_t)gpu * c->share_limit]);
        if (!view_is_spot(view, job) || job->vc != room->vc)
            continue;
        taken++;
        if (!count || out[count - 1] != job) {
            bool known = false;
            for (uint32_t i = 0; i < count; i++)
                known |= out[i] == job;
            if (!known)
                out[count++] = job;
        }
    }
    return count;
}

static const struct spot_rules fifo_rules = {.victims = fifo_victims};

static const struct option spot_fifo_options[] = {SPOT_OPTIONS, {0}};

static enum status spot_fifo_init(void *self, const void *config,
                                  const struct run_env *env, struct error *err)
{
    (void)err;
    return spot_begin(self, &fifo_rules, config, env);
}

const struct policy_ops policy_spot_fifo = {
    SPOT_HOOKS,
    .name = "spot-fifo",
    .summary = "fifo; guaranteed jobs stop spot jobs (YARN-CS of GFS)",
    .options = spot_fifo_options,
    .init = spot_fifo_init,
};
