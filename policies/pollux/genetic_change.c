/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes allocations for the genetic search: by crossover, by mutation, and by
 * the repair after which an allocation is possible. */
#include <string.h>

#include "policies/pollux/pollux_internal.h"

void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second)
{
    const struct genetic_problem *p = work->problem;
    size_t all = (size_t)p->n_jobs * work->stride;
    size_t cut =
        (size_t)rng_inline_below(work->rng, p->n_jobs + 1) * work->stride;
    memcpy(first, a, cut * sizeof *a);
    memcpy(first + cut, b + cut, (all - cut) * sizeof *a);
    memcpy(second, b, cut * sizeof *a);
    memcpy(second + cut, a + cut, (all - cut) * sizeof *a);
}

/* Returns the first node, from `n` on, on which a row may have GPUs: nodes are
 * passed four at a time while it has none there. */
static uint32_t next_used(const struct genetic_work *work, const uint16_t *row,
                          uint32_t n)
{
    uint64_t four = 0;
    for (; n % 4 == 0 && n < work->stride; n += 4) {
        memcpy(&four, row + n, sizeof four);
        if (four)
            break;
    }
    return n;
}

/* Takes a job off some of its nodes, and gives it a random number of further
 * GPUs on one random node, unless it has all GPUs of that node. */
static void change_row(const struct genetic_work *work, struct rng_inline *rng,
                       uint16_t *row)
{
    uint32_t node = rng_inline_below(rng, work->problem->n_nodes);
    for (uint32_t n = next_used(work, row, 0); n < work->stride;
         n = next_used(work, row, n + 1)) {
        if (row[n] && rng_inline_get(rng) < work->drop)
            row[n] = 0;
    }
    uint32_t capacity = work->capacity[node];
    if (row[node] < capacity)
        row[node] = (uint16_t)(row[node] + 1 +
                               rng_inline_below(rng, capacity - row[node]));
}

void genetic_mutate(const struct genetic_work *work, uint16_t *gpus)
{
    struct rng_inline rng = *work->rng;
    uint32_t stride = work->stride, n_jobs = work->problem->n_jobs;
    for (uint32_t j = 0; j < n_jobs; j++) {
        uint16_t *row = gpus + (size_t)j * stride;
        if (rng_inline_get(&rng) < work->reset)
            memcpy(row, work->held + (size_t)j * stride, stride * sizeof *row);
        if (rng_inline_get(&rng) < work->change)
            change_row(work, &rng, row);
    }
    *work->rng = rng;
}

/* Draws a permutation of the jobs. A number below j is drawn as by
 * rng_inline_below. Adding a half to the dividend keeps the product from
 * falling short of a whole number, so that its floor is the quotient. */
static void shuffle(struct genetic_work *work)
{
    struct rng_inline rng = *work->rng;
    uint32_t n = work->problem->n_jobs, *order = work->order;
    for (uint32_t j = 0; j < n; j++)
        order[j] = j;
    for (uint32_t j = n; j > 1; j--) {
        double per = work->per_draw[j];
        uint32_t k, was;
        do
            k = (uint32_t)(int64_t)((rng_inline_get(&rng) + 0.5) * per);
        while (k >= j);
        was = order[k];
        order[k] = order[j - 1];
        order[j - 1] = was;
    }
    *work->rng = rng;
}

/* Reduces a job from `sum` GPUs to `most`. Takes GPUs first from the node where
 * the job has the fewest, so that it stays on few nodes. */
static void limit_row(const struct genetic_work *work, uint16_t *row,
                      uint32_t sum, uint32_t most)
{
    while (sum > most) {
        uint32_t fewest = work->stride;
        for (uint32_t n = next_used(work, row, 0); n < work->stride;
             n = next_used(work, row, n + 1)) {
            if (row[n] && (fewest == work->stride || row[n] < row[fewest]))
                fewest = n;
        }
        uint32_t cut = row[fewest] < sum - most ? row[fewest] : sum - most;
        row[fewest] = (uint16_t)(row[fewest] - cut);
        sum -= cut;
    }
}

/* Returns the sum of eight numbers, which is below 2^16. */
static uint32_t change_add_up(genetic_eight eight)
{
    uint64_t four[2];
    memcpy(four, &eight, sizeof four);
    return (uint32_t)((four[0] + four[1]) * 0x0001000100010001ull >> 48);
}

/* How many GPUs a row has, and on how many nodes. */
struct extent {
    uint32_t gpus, nodes;
};

static inline struct extent extent_of(const genetic_eight *row, uint32_t blocks)
{
    /* The numbers of MANY blocks add up to less than 2^16, because none is
     * above NODE_GPUS_MAX. */
    enum { MANY = 100 };
    struct extent extent = {0};
    for (uint32_t i = 0, end; i < blocks; i = end) {
        genetic_eight gpus = {0}, nodes = {0};
        end = blocks - i < MANY ? blocks : i + MANY;
        for (uint32_t k = i; k < end; k++) {
            gpus += row[k];
            nodes -= row[k] > 0;
        }
        extent.gpus += change_add_up(gpus);
        extent.nodes += change_add_up(nodes);
    }
    return extent;
}

/* Keeps, of the nodes of a job, the one on which it has the most GPUs. */
static void keep_one_node(const struct genetic_work *work, uint16_t *row)
{
    uint32_t most = 0;
    for (uint32_t n = 1; n < work->stride; n++)
        most = row[n] > row[most] ? n : most;
    uint16_t gpus = row[most];
    memset(row, 0, work->stride * sizeof *row);
    row[most] = gpus;
}

/* Takes a job that spans several nodes off each node that another such job
 * uses. If no node is left, the job keeps the node on which it has the most
 * GPUs. */
static inline void draw_in(const struct genetic_work *work, uint16_t *row,
                           uint32_t blocks)
{
    genetic_eight *r = (genetic_eight *)(void *)row, others = {0};
    const genetic_eight *taken = (const genetic_eight *)(void *)work->taken;
    for (uint32_t i = 0; i < blocks; i++)
        others |= r[i] & ~taken[i];
    if (change_add_up(others) == 0) {
        keep_one_node(work, row);
        return;
    }
    for (uint32_t i = 0; i < blocks; i++)
        r[i] &= ~taken[i];
}

/* Reduces a job to its limit and to what earlier jobs have left on its nodes;
 * if it still spans several nodes, draw_in may take it off some. Then takes its
 * GPUs off what is left. */
static inline struct extent settle_row(struct genetic_work *work, uint16_t *row,
                                       uint32_t most, uint32_t blocks)
{
    genetic_eight *r = (genetic_eight *)(void *)row;
    genetic_eight *left = (genetic_eight *)(void *)work->left;
    genetic_eight *taken = (genetic_eight *)(void *)work->taken;
    struct extent extent = extent_of(r, blocks);
    if (extent.gpus == 0)
        return extent;
    if (extent.gpus > most)
        limit_row(work, row, extent.gpus, most);
    for (uint32_t i = 0; i < blocks; i++) {
        genetic_eight over = r[i] > left[i];
        r[i] = (r[i] & ~over) | (left[i] & over);
    }
    extent = extent_of(r, blocks);
    if (extent.nodes > 1) {
        draw_in(work, row, blocks);
        extent = extent_of(r, blocks);
    }
    for (uint32_t i = 0; i < blocks; i++)
        left[i] -= r[i];
    for (uint32_t i = 0; i < blocks && extent.nodes > 1; i++)
        taken[i] |= r[i] > 0;
    return extent;
}

void genetic_repair(struct genetic_work *work, uint16_t *gpus)
{
    const struct genetic_problem *p = work->problem;
    uint32_t stride = work->stride;
    shuffle(work);
    memcpy(work->left, work->capacity, stride * sizeof *work->left);
    memset(work->taken, 0, stride * sizeof *work->taken);
    for (uint32_t i = 0; i < p->n_jobs; i++) {
        uint32_t j = work->order[i], most = p->gpus_most[j];
        uint16_t *row = gpus + (size_t)j * stride;
        /* Pollux' own cluster has 16 nodes. With the number of blocks known,
         * the compiler keeps a row in registers. */
        struct extent extent = work->blocks == 2
                                   ? settle_row(work, row, most, 2)
                                   : settle_row(work, row, most, work->blocks);
        work->cell[j] =
            extent.gpus ? (extent.gpus - 1) * work->width[j] + extent.nodes : 0;
    }
}
