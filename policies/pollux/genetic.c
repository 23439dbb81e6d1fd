/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generations of the genetic search. Parents are chosen by tournament; the
 * better half of parents and children together is kept. */
#include "policies/pollux/pollux_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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

void genetic_work_init(struct genetic_work *w,
                       const struct genetic_options *options,
                       const struct genetic_problem *p, struct rng_inline *rng)
{
    uint32_t jobs = p->n_jobs;
    uint32_t blocks = (p->n_nodes + GENETIC_LANES - 1) / GENETIC_LANES;
    size_t stride = (size_t)blocks * GENETIC_LANES, cells = 0;
    *w = (struct genetic_work){
        .options = options,
        .problem = p,
        .rng = rng,
        .stride = (uint32_t)stride,
        .blocks = blocks,
        .capacity = mem_zalloc(stride, sizeof *w->capacity),
        .held = mem_zalloc(jobs * stride, sizeof *w->held),
        .left = mem_alloc(stride * sizeof *w->left),
        .free = mem_alloc(stride * sizeof *w->free),
        .taken = mem_alloc(stride * sizeof *w->taken),
        .cell = mem_alloc(jobs * sizeof *w->cell),
        .at = mem_alloc(jobs * sizeof *w->at),
        .width = mem_alloc(jobs * sizeof *w->width),
        .reset = (uint64_t)ceil(options->reset * 0x1p16),
        .change = (uint64_t)ceil(options->change * 0x1p16),
        .drop = (uint64_t)ceil(options->drop * 0x1p32)};
    memcpy(w->capacity, p->capacity, p->n_nodes * sizeof *w->capacity);
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t most = p->gpus_most[j];
        memcpy(w->held + j * stride, p->held + (size_t)j * p->n_nodes,
               p->n_nodes * sizeof *w->held);
        w->at[j] = cells;
        w->width[j] = most < p->n_nodes ? most : p->n_nodes;
        cells += (size_t)most * w->width[j] + 1;
    }
    w->table = mem_alloc(cells * sizeof *w->table);
    for (size_t i = 0; i < cells; i++)
        w->table[i] = NAN;
    for (uint32_t j = 0; j < jobs; j++)
        w->table[w->at[j]] = 0;
}

void genetic_work_fini(struct genetic_work *w)
{
    free(w->capacity);
    free(w->held);
    free(w->left);
    free(w->free);
    free(w->taken);
    free(w->cell);
    free(w->at);
    free(w->width);
    free(w->table);
}

static size_t genetic_length(const struct genetic_work *work)
{
    return (size_t)work->problem->n_jobs * work->stride;
}

static bool is_harmonic(double power)
{
    return power < 0 && power > -1.0000001 && power < -0.9999999;
}

static double raised(double x, double power)
{
    return power < 0 || power > 0 ? pow(x, power) : log(x);
}

static double genetic_mean(double sum, uint32_t n, double power)
{
    double at = sum / n;
    if (is_harmonic(power))
        return 1 / at;
    return power < 0 || power > 0 ? pow(at, 1 / power) : exp(at);
}

/* Asks for the speed-up of a job on the GPUs of the last repair. */
static double genetic_ask(const struct genetic_work *work, uint32_t job)
{
    const struct genetic_problem *p = work->problem;
    uint32_t cell = work->cell[job] - 1, width = work->width[job];
    double found =
        p->speedup(p->context, job, cell % width + 1, cell / width + 1);
    work->table[work->at[job] + cell + 1] = found;
    return found;
}

static bool same_row(const uint16_t *a, const uint16_t *b, uint32_t blocks)
{
    const genetic_eight *x = (const genetic_eight *)(const void *)a;
    const genetic_eight *y = (const genetic_eight *)(const void *)b;
    genetic_eight differ = {0};
    uint64_t half[2];
    for (uint32_t i = 0; i < blocks; i++)
        differ |= x[i] ^ y[i];
    memcpy(half, &differ, sizeof half);
    return (half[0] | half[1]) == 0;
}

/* Returns the speed-up of a job on the GPUs of the last repair, which are in
 * `row`. */
static double genetic_speedup(const struct genetic_work *work,
                              const uint16_t *row, uint32_t job)
{
    double known = work->table[work->at[job] + work->cell[job]];
    if (isnan(known))
        known = genetic_ask(work, job);
    return same_row(row, work->held + (size_t)job * work->stride, work->blocks)
               ? known
               : known * work->problem->moved[job];
}

/* Returns the number of GPUs of all nodes on which the last repair left at
 * least one GPU in use. */
static double used_capacity(const struct genetic_work *work)
{
    double sum = 0;
    for (uint32_t n = 0; n < work->stride; n++)
        sum += work->left[n] < work->capacity[n] ? work->capacity[n] : 0;
    return sum;
}

/* Sets the objectives of a member that was just repaired. */
static void genetic_evaluate(const struct genetic_work *work,
                             struct genetic_member *m)
{
    double power = work->options->power, powers = 0, sum = 0;
    bool harmonic = is_harmonic(power);
    uint32_t n = work->problem->n_jobs;
    for (uint32_t j = 0; j < n; j++) {
        double s = genetic_speedup(work, m->gpus + (size_t)j * work->stride, j);
        double least = s > GENETIC_NOTHING ? s : GENETIC_NOTHING;
        sum += s;
        powers += harmonic ? 1 / least : raised(least, power);
    }
    double capacity = used_capacity(work);
    m->has_digest = false;
    m->value = genetic_mean(powers, n, power);
    m->use = capacity > 0 ? sum / capacity : 0;
}

/* Copies a member of the last search into this search: jobs that took part in
 * both keep their rows, new jobs get no GPUs. If the number of nodes has
 * changed, no job gets any. The keys of both searches ascend. */
static void carry_over(const struct genetic *g, const struct genetic_work *work,
                       const uint16_t *was, uint16_t *now)
{
    const struct genetic_problem *p = work->problem;
    size_t stride = work->stride;
    memset(now, 0, genetic_length(work) * sizeof *now);
    if (g->n_nodes != p->n_nodes)
        return;
    for (uint32_t j = 0, k = 0; j < p->n_jobs; j++) {
        while (k < g->n_keys && g->keys[k] < p->key[j])
            k++;
        if (k < g->n_keys && g->keys[k] == p->key[j])
            memcpy(now + j * stride, was + k * stride, stride * sizeof *now);
    }
}

static void genetic_remember(struct genetic *g, const struct genetic_problem *p)
{
    g->keys = mem_grow(g->keys, &g->keys_cap, p->n_jobs, sizeof *g->keys);
    memcpy(g->keys, p->key, p->n_jobs * sizeof *g->keys);
    g->n_keys = p->n_jobs;
    g->n_nodes = p->n_nodes;
}

static void genetic_judge(struct genetic_work *work, struct genetic_member *m)
{
    genetic_repair(work, m->gpus);
    genetic_evaluate(work, m);
}

static void survive(struct genetic *g, const struct genetic_work *work,
                    uint32_t n)
{
    uint32_t distinct = genetic_rank(work, g->members, n);
    uint32_t population = g->options->population;
    g->n = distinct < population ? distinct : population;
}

/* Makes the first members: the last population, the current allocation, and
 * mutations of these. The last population is in one buffer; the new one goes to
 * the other. */
static void genetic_begin(struct genetic *g, struct genetic_work *work)
{
    uint32_t all = 2 * g->options->population, known = g->n;
    size_t size = genetic_length(work), cap = g->spare_cap;
    uint16_t *genes = mem_grow(g->spare, &cap, all * size, sizeof *genes);
    for (uint32_t i = 0; i < all; i++) {
        const uint16_t *was = g->members[i].gpus;
        uint16_t *now = genes + i * size;
        if (i < known) {
            carry_over(g, work, was, now);
        } else if (i == known) {
            memcpy(now, work->held, size * sizeof *now);
        } else {
            memcpy(now, genes + rng_inline_below(work->rng, known + 1) * size,
                   size * sizeof *now);
            genetic_mutate(work, now);
        }
        g->members[i].gpus = now;
        genetic_judge(work, &g->members[i]);
    }
    g->spare = g->genes;
    g->spare_cap = g->genes_cap;
    g->genes = genes;
    g->genes_cap = cap;
    survive(g, work, all);
}

/* Returns the allocation of the better of two random members. Members are
 * sorted, best first, so the better one has the lower index. */
static const uint16_t *parent(const struct genetic *g,
                              const struct genetic_work *work)
{
    uint32_t a = rng_inline_below(work->rng, g->n);
    uint32_t b = rng_inline_below(work->rng, g->n);
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
            genetic_judge(work, &g->members[k]);
        }
    }
    survive(g, work, n);
}

void genetic_search(struct genetic *g, const struct genetic_problem *problem,
                    struct rng_inline *rng, uint16_t *out)
{
    if (problem->n_jobs == 0) {
        g->n = 0;
        return;
    }
    struct genetic_work work;
    genetic_work_init(&work, g->options, problem, rng);
    genetic_begin(g, &work);
    double best = g->members[0].value;
    for (uint32_t i = 0, vain = 0;
         i < g->options->generations && vain < g->options->patience; i++) {
        breed(g, &work);
        vain = g->members[0].value > best ? 0 : vain + 1;
        best = g->members[0].value;
    }
    for (uint32_t j = 0; j < problem->n_jobs; j++)
        memcpy(out + (size_t)j * problem->n_nodes,
               g->members[0].gpus + (size_t)j * work.stride,
               problem->n_nodes * sizeof *out);
    genetic_remember(g, problem);
    genetic_work_fini(&work);
}
