/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How Slurm chooses nodes (_eval_nodes in select/cons_tres, 22.05, without
 * topology): not by free GPUs. Nodes that can hold the share of one node and
 * stand next to each other form a run; the job gets the first nodes of the
 * shortest run that is long enough, or of the longest, and then the next ones
 * until it has all. Each node holds equally many GPUs, as with sbatch
 * --gres=gpu:N; if the number cannot be divided, the last holds fewer. */
#include "policies/decide/placer.h"

/* Nodes first .. first + n - 1 of the cluster. */
struct run_of_nodes {
    node_id first;
    uint32_t n;
};

static bool runs_can_hold(const struct cluster *c, const struct pool *pool,
                          node_id node, uint32_t share)
{
    return pool_has(c, pool, node) && c->nodes[node].n_free >= share;
}

static bool runs_is_taken(const struct gpu_slice *out, uint32_t n, node_id node)
{
    for (uint32_t i = 0; i < n; i++) {
        if (out[i].node == node)
            return true;
    }
    return false;
}

/* Returns the best run for `nodes` more nodes besides those of `out`; its
 * length is 0 if there is none. */
static struct run_of_nodes runs_best(const struct cluster *c,
                                     const struct pool *pool, uint32_t share,
                                     uint32_t nodes,
                                     const struct gpu_slice *out, uint32_t n)
{
    struct run_of_nodes best = {0}, run = {0};
    node_id end = pool->first_node + pool->n_nodes;
    for (node_id node = pool->first_node; node <= end; node++) {
        if (node < end && runs_can_hold(c, pool, node, share) &&
            !runs_is_taken(out, n, node)) {
            if (run.n++ == 0)
                run.first = node;
            continue;
        }
        bool suffices = run.n >= nodes;
        if (suffices ? best.n < nodes || run.n < best.n
                     : best.n < nodes && run.n > best.n)
            best = run;
        run.n = 0;
    }
    return best;
}

static uint32_t runs_place(void *self, const void *config,
                           const struct cluster *c, const struct pool *pool,
                           uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0, nodes = (gpus + pool->widest - 1) / pool->widest;
    uint32_t share = (gpus + nodes - 1) / nodes;
    (void)self;
    (void)config;
    while (n < nodes) {
        struct run_of_nodes run = runs_best(c, pool, share, nodes - n, out, n);
        if (run.n == 0)
            return 0;
        for (uint32_t i = 0; i < run.n && n < nodes; i++) {
            uint32_t take = gpus < share ? gpus : share;
            node_id node = run.first + i;
            out[n++] =
                (struct gpu_slice){node, node_lowest(&c->nodes[node], take)};
            gpus -= take;
        }
    }
    return n;
}

const struct placer_ops placer_runs = {
    .name = "runs",
    .summary = "the first nodes of the shortest run that suffices, as Slurm",
    .place = runs_place,
};
