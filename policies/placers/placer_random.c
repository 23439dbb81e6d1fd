/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes free GPUs at random, each with equal probability: a baseline for the
 * other placers. This never fails while enough GPUs are free. */
#include "base/rng.h"
#include "policies/decide/placer.h"

struct random_placer {
    gsl_rng *rng;
};

static enum status random_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)config;
    (void)err;
    ((struct random_placer *)self)->rng = rng_open(env->seed, "placer random");
    return STATUS_OK;
}

static void random_fini(void *self)
{
    rng_free(((struct random_placer *)self)->rng);
}

/* Selection sampling (Knuth, vol. 2, algorithm S): one pass over the free GPUs
 * takes each with the probability that makes all sets equally likely. */
static uint32_t random_place(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    struct random_placer *s = self;
    uint32_t n = 0, rest = pool->n_free;
    (void)config;
    for (uint32_t i = 0; gpus > 0 && i < pool->n_nodes; i++) {
        uint64_t mask = 0;
        if (!pool_has(c, pool, pool->first_node + i))
            continue;
        for (struct gpu_walk w =
                 gpu_walk(0, c->nodes[pool->first_node + i].free);
             gpu_walk_next(&w);) {
            if (rng_below(s->rng, rest--) < gpus) {
                mask |= UINT64_C(1) << w.gpu;
                gpus--;
            }
        }
        if (mask)
            out[n++] = (struct gpu_slice){pool->first_node + i, mask};
    }
    return n;
}

const struct placer_ops placer_random = {
    .name = "random",
    .summary = "random free GPUs (seeded)",
    .state_size = sizeof(struct random_placer),
    .init = random_init,
    .fini = random_fini,
    .place = random_place,
};
