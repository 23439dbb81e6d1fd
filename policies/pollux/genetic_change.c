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

/* Takes a job off some of its nodes. */
static void drop_nodes(const struct genetic_work *work, struct rng_inline *rng,
                       uint16_t *row)
{
    for (uint32_t n = next_used(work, row, 0); n < work->stride;
         n = next_used(work, row, n + 1)) {
        if (row[n] && rng_inline_get(rng) < work->drop)
            row[n] = 0;
    }
}

/* Lists the nodes that an allocation does not use up. Returns their number. */
static uint32_t change_list_free(const struct genetic_work *work,
                                 const uint16_t *gpus, uint32_t *nodes)
{
    uint32_t n_free = 0;
    genetic_eight *left = (genetic_eight *)(void *)work->left;
    const genetic_eight *row = (const genetic_eight *)(const void *)gpus;
    memcpy(work->left, work->capacity, work->stride * sizeof *work->left);
    for (uint32_t j = 0; j < work->problem->n_jobs; j++)
        for (uint32_t i = 0; i < work->blocks; i++, row++)
            left[i] -= *row;
    for (uint32_t n = 0; n < work->problem->n_nodes; n++) {
        if ((int16_t)work->left[n] > 0)
            nodes[n_free++] = n;
    }
    return n_free;
}

/* Gives a job 0 or more further GPUs on nodes that are not used up: each of
 * them is chosen with probability 1 / n_free and, if the job already has GPUs
 * there, with a probability that makes one of those on average as well. A draw
 * serves two nodes. */
static void grow_row(const struct genetic_work *work, struct rng_inline *rng,
                     uint32_t n_free, uint16_t *row)
{
    uint32_t own = 0, draw = 0, likely = 65536 / n_free, kept = 0;
    for (uint32_t i = 0; i < n_free; i++)
        own += row[work->free[i]] > 0;
    if (own)
        kept = likely + (65536 - likely) / own;
    for (uint32_t i = 0; i < n_free; i++) {
        uint32_t node = work->free[i];
        draw = i % 2 ? draw >> 16 : rng_inline_get(rng);
        if ((draw & UINT16_MAX) < (row[node] ? kept : likely))
            row[node] += (uint16_t)rng_inline_below(rng, work->capacity[node] -
                                                             row[node] + 1u);
    }
}

void genetic_mutate(const struct genetic_work *work, uint16_t *gpus)
{
    struct rng_inline rng = *work->rng;
    uint32_t stride = work->stride, n_jobs = work->problem->n_jobs;
    for (uint32_t j = 0; j < n_jobs; j++) {
        uint16_t *row = gpus + (size_t)j * stride;
        uint32_t draw = rng_inline_get(&rng);
        if (draw >> 16 < work->reset)
            memcpy(row, work->held + (size_t)j * stride, stride * sizeof *row);
        if ((draw & UINT16_MAX) < work->change)
            drop_nodes(work, &rng, row);
    }
    uint32_t n_free = change_list_free(work, gpus, work->free);
    for (uint32_t j = 0; j < n_jobs && n_free > 0; j++)
        grow_row(work, &rng, n_free, gpus + (size_t)j * stride);
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
    memcpy(work->left, work->capacity, stride * sizeof *work->left);
    memset(work->taken, 0, stride * sizeof *work->taken);
    for (uint32_t i = 0; i < p->n_jobs; i++) {
        uint32_t j = p->order[i], most = p->gpus_most[j];
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
