/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generations of the genetic search. Parents are chosen by tournament; the
 * better half of parents and children together is kept. */
#include "policies/pollux/genetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "policies/pollux/genetic_internal.h"

struct genetic {
    const struct genetic_options *options;
    /* members, with room for twice the population */
    struct genetic_member *members;
    uint32_t n; /* number of members in use */
    /* genes: allocations of all members. spare: a second buffer, to which the
     * next search copies them. */
    uint16_t *genes, *spare;
    size_t genes_cap, spare_cap;
    uint64_t *keys; /* keys of the jobs of the last search, ascending */
    size_t keys_cap;
    uint32_t n_keys, n_nodes;
};

struct genetic *genetic_new(const struct genetic_options *options)
{
    struct genetic *g = mem_zalloc(1, sizeof *g);
    g->options = options;
    g->members =
        mem_zalloc(2 * (size_t)options->population, sizeof *g->members);
    return g;
}

void genetic_free(struct genetic *g)
{
    if (!g)
        return;
    free(g->members);
    free(g->genes);
    free(g->spare);
    free(g->keys);
    free(g);
}

static size_t length(const struct genetic_problem *p)
{
    return (size_t)p->n_jobs * p->n_nodes;
}

static double raised(double x, double power)
{
    if (power < 0 && power > -1.0000001 && power < -0.9999999)
        return 1 / x;
    return power < 0 || power > 0 ? pow(x, power) : log(x);
}

static double mean(double sum, uint32_t n, double power)
{
    double at = sum / n;
    return power < 0 || power > 0 ? pow(at, 1 / power) : exp(at);
}

/* Returns the speed-up of a job on the GPUs in `row`. */
static double speedup(const struct genetic_problem *p, const uint16_t *row,
                      uint32_t job)
{
    uint32_t gpus = 0, nodes = 0;
    for (uint32_t n = 0; n < p->n_nodes; n++) {
        gpus += row[n];
        nodes += row[n] > 0;
    }
    if (gpus == 0)
        return 0;
    double speedup = p->speedup(p->context, job, nodes, gpus);
    if (memcmp(row, p->held + (size_t)job * p->n_nodes,
               p->n_nodes * sizeof *row) != 0)
        speedup *= p->moved[job];
    return speedup;
}

/* Returns the number of GPUs of all nodes on which the last repair left at
 * least one GPU in use. */
static double used_capacity(const struct genetic_work *work)
{
    const struct genetic_problem *p = work->problem;
    double sum = 0;
    for (uint32_t n = 0; n < p->n_nodes; n++)
        sum += work->left[n] < p->capacity[n] ? p->capacity[n] : 0;
    return sum;
}

/* Returns the FNV-1a digest (Fowler, Noll, Vo) of an allocation. */
static uint64_t digest(const uint16_t *gpus, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ gpus[i]) * 0x100000001b3ull;
    return hash;
}

/* Sets the objectives and the digest of a member that was just repaired. */
static void evaluate(const struct genetic_work *work, struct genetic_member *m)
{
    const struct genetic_problem *p = work->problem;
    double power = work->options->power, powers = 0, sum = 0;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        double s = speedup(p, m->gpus + (size_t)j * p->n_nodes, j);
        sum += s;
        powers += raised(fmax(s, GENETIC_NOTHING), power);
    }
    double capacity = used_capacity(work);
    m->value = mean(powers, p->n_jobs, power);
    m->use = capacity > 0 ? sum / capacity : 0;
    m->digest = digest(m->gpus, length(p));
}

/* Copies a member of the last search into this search: jobs that took part in
 * both keep their rows, new jobs get no GPUs. If the number of nodes has
 * changed, no job gets any. The keys of both searches ascend. */
static void carry_over(const struct genetic *g, const struct genetic_problem *p,
                       const uint16_t *was, uint16_t *now)
{
    memset(now, 0, length(p) * sizeof *now);
    if (g->n_nodes != p->n_nodes)
        return;
    for (uint32_t j = 0, k = 0; j < p->n_jobs; j++) {
        while (k < g->n_keys && g->keys[k] < p->key[j])
            k++;
        if (k < g->n_keys && g->keys[k] == p->key[j])
            memcpy(now + (size_t)j * p->n_nodes, was + (size_t)k * p->n_nodes,
                   p->n_nodes * sizeof *now);
    }
}

static void remember(struct genetic *g, const struct genetic_problem *p)
{
    g->keys = mem_grow(g->keys, &g->keys_cap, p->n_jobs, sizeof *g->keys);
    memcpy(g->keys, p->key, p->n_jobs * sizeof *g->keys);
    g->n_keys = p->n_jobs;
    g->n_nodes = p->n_nodes;
}

static void judge(struct genetic_work *work, struct genetic_member *m)
{
    genetic_repair(work, m->gpus);
    evaluate(work, m);
}

static void survive(struct genetic *g, uint32_t n)
{
    uint32_t distinct = genetic_rank(g->members, n);
    uint32_t population = g->options->population;
    g->n = distinct < population ? distinct : population;
}

/* Makes the first members: the last population, the current allocation, and
 * mutations of these. The last population is in one buffer; the new one goes to
 * the other. */
static void begin(struct genetic *g, struct genetic_work *work)
{
    const struct genetic_problem *p = work->problem;
    uint32_t all = 2 * g->options->population, known = g->n;
    size_t size = length(p), cap = g->spare_cap;
    uint16_t *genes = mem_grow(g->spare, &cap, all * size, sizeof *genes);
    for (uint32_t i = 0; i < all; i++) {
        const uint16_t *was = g->members[i].gpus;
        uint16_t *now = genes + i * size;
        if (i < known) {
            carry_over(g, p, was, now);
        } else if (i == known) {
            memcpy(now, p->held, size * sizeof *now);
        } else {
            memcpy(now, genes + rng_below(work->rng, known + 1) * size,
                   size * sizeof *now);
            genetic_mutate(work, now);
        }
        g->members[i].gpus = now;
        judge(work, &g->members[i]);
    }
    g->spare = g->genes;
    g->spare_cap = g->genes_cap;
    g->genes = genes;
    g->genes_cap = cap;
    survive(g, all);
}

/* Returns the allocation of the better of two random members. Members are
 * sorted, best first, so the better one has the lower index. */
static const uint16_t *parent(const struct genetic *g,
                              const struct genetic_work *work)
{
    uint32_t a = rng_below(work->rng, g->n), b = rng_below(work->rng, g->n);
    return g->members[a < b ? a : b].gpus;
}

static void breed(struct genetic *g, struct genetic_work *work)
{
    uint32_t n = g->n;
    for (uint32_t i = 0; i < g->options->population / 2; i++, n += 2) {
        const uint16_t *a = parent(g, work), *b = parent(g, work);
        genetic_cross(work, a, b, g->members[n].gpus, g->members[n + 1].gpus);
        for (uint32_t k = n; k < n + 2; k++) {
            genetic_mutate(work, g->members[k].gpus);
            judge(work, &g->members[k]);
        }
    }
    survive(g, n);
}

void genetic_search(struct genetic *g, const struct genetic_problem *problem,
                    gsl_rng *rng, uint16_t *out)
{
    if (problem->n_jobs == 0) {
        g->n = 0;
        return;
    }
    struct genetic_work work = {
        .options = g->options,
        .problem = problem,
        .rng = rng,
        .order = mem_alloc(problem->n_jobs * sizeof *work.order),
        .left = mem_alloc(problem->n_nodes * sizeof *work.left),
        .taken = mem_alloc(problem->n_nodes * sizeof *work.taken)};
    begin(g, &work);
    for (uint32_t i = 0; i < g->options->generations; i++)
        breed(g, &work);
    memcpy(out, g->members[0].gpus, length(problem) * sizeof *out);
    remember(g, problem);
    free(work.order);
    free(work.left);
    free(work.taken);
}
