/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes allocations for the genetic search: by crossover, by mutation, and by
 * the repair after which an allocation is possible. */
#include <string.h>

#include "base/rng.h"
#include "policies/pollux/genetic_internal.h"

static uint16_t *row_of(const struct genetic_work *work, uint16_t *gpus,
                        uint32_t job)
{
    return gpus + (size_t)job * work->problem->n_nodes;
}

void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second)
{
    const struct genetic_problem *p = work->problem;
    size_t all = (size_t)p->n_jobs * p->n_nodes;
    size_t cut = (size_t)rng_below(work->rng, p->n_jobs + 1) * p->n_nodes;
    memcpy(first, a, cut * sizeof *a);
    memcpy(first + cut, b + cut, (all - cut) * sizeof *a);
    memcpy(second, b, cut * sizeof *a);
    memcpy(second + cut, a + cut, (all - cut) * sizeof *a);
}

static bool happens(const struct genetic_work *work, double probability)
{
    return gsl_rng_uniform(work->rng) < probability;
}

/* Takes a job off some of its nodes, and gives it a random number of further
 * GPUs on one random node, unless it has all GPUs of that node. */
static void change_row(const struct genetic_work *work, uint16_t *row)
{
    const struct genetic_problem *p = work->problem;
    uint32_t node = rng_below(work->rng, p->n_nodes);
    for (uint32_t n = 0; n < p->n_nodes; n++) {
        if (row[n] && happens(work, work->options->drop))
            row[n] = 0;
    }
    if (row[node] < p->capacity[node])
        row[node] = (uint16_t)(row[node] + 1 +
                               rng_below(work->rng, p->capacity[node] -
                                                        (uint32_t)row[node]));
}

void genetic_mutate(const struct genetic_work *work, uint16_t *gpus)
{
    const struct genetic_problem *p = work->problem;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        uint16_t *row = row_of(work, gpus, j);
        if (happens(work, work->options->reset))
            memcpy(row, p->held + (size_t)j * p->n_nodes,
                   p->n_nodes * sizeof *row);
        if (happens(work, work->options->change))
            change_row(work, row);
    }
}

static void shuffle(struct genetic_work *work)
{
    uint32_t n = work->problem->n_jobs;
    for (uint32_t j = 0; j < n; j++)
        work->order[j] = j;
    for (uint32_t j = n; j > 1; j--) {
        uint32_t k = rng_below(work->rng, j), was = work->order[k];
        work->order[k] = work->order[j - 1];
        work->order[j - 1] = was;
    }
}

/* Reduces a job to its limit. Takes GPUs first from the node where the job has
 * the fewest, so that it stays on few nodes. */
static void limit_row(uint16_t *row, uint32_t n_nodes, uint32_t most)
{
    uint32_t sum = 0, fewest;
    for (uint32_t n = 0; n < n_nodes; n++)
        sum += row[n];
    while (sum > most) {
        fewest = n_nodes;
        for (uint32_t n = 0; n < n_nodes; n++) {
            if (row[n] && (fewest == n_nodes || row[n] < row[fewest]))
                fewest = n;
        }
        uint32_t cut = row[fewest] < sum - most ? row[fewest] : sum - most;
        row[fewest] = (uint16_t)(row[fewest] - cut);
        sum -= cut;
    }
}

/* Takes a job that spans several nodes off each node that another such job
 * uses. If no node is left, the job keeps the node on which it has the most
 * GPUs. Returns the number of its nodes. */
static uint32_t draw_in(const struct genetic_work *work, uint16_t *row)
{
    uint32_t n_nodes = work->problem->n_nodes, nodes = 0, most = n_nodes;
    for (uint32_t n = 0; n < n_nodes; n++) {
        nodes += row[n] && !work->taken[n];
        if (row[n] && (most == n_nodes || row[n] > row[most]))
            most = n;
    }
    for (uint32_t n = 0; n < n_nodes; n++) {
        if (work->taken[n] && (nodes > 0 || n != most))
            row[n] = 0;
    }
    return nodes > 0 ? nodes : 1;
}

/* Reduces a job to what earlier jobs have left on its nodes; if it still spans
 * several nodes, draw_in may take it off some. Then takes its GPUs off what is
 * left. */
static void settle_row(struct genetic_work *work, uint16_t *row)
{
    uint32_t n_nodes = work->problem->n_nodes, nodes = 0;
    for (uint32_t n = 0; n < n_nodes; n++) {
        if (row[n] > work->left[n])
            row[n] = work->left[n];
        nodes += row[n] > 0;
    }
    if (nodes > 1)
        nodes = draw_in(work, row);
    for (uint32_t n = 0; n < n_nodes; n++) {
        work->left[n] = (uint16_t)(work->left[n] - row[n]);
        work->taken[n] |= row[n] > 0 && nodes > 1;
    }
}

void genetic_repair(struct genetic_work *work, uint16_t *gpus)
{
    const struct genetic_problem *p = work->problem;
    shuffle(work);
    memcpy(work->left, p->capacity, p->n_nodes * sizeof *work->left);
    memset(work->taken, 0, p->n_nodes * sizeof *work->taken);
    for (uint32_t i = 0; i < p->n_jobs; i++) {
        uint32_t j = work->order[i];
        uint16_t *row = row_of(work, gpus, j);
        limit_row(row, p->n_nodes, p->gpus_most[j]);
        settle_row(work, row);
    }
}
