/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extends measured pairs to all pairs of a run. The nearest measured pair is
 * the one with the smallest sum of two distances, one for each job. Two usage
 * rows of the same model are always nearer than two rows of different models.
 * Rows of different models are compared by GPU utilisation, memory bandwidth
 * and memory. Of equally near pairs, the one that comes first in the file is
 * used. */
#include "models/interference/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 1e9
/* memory of the GPU on which Lucid measured its pairs (RTX 3090) */
#define MEMORY_SCALE_MIB 24576.0

uint32_t pairs_key(struct pairs *pairs, const struct usage *key)
{
    for (uint32_t i = 0; i < pairs->n_keys; i++) {
        const struct usage *k = &pairs->keys[i];
        if (strcmp(k->model, key->model) == 0 &&
            strcmp(k->dataset, key->dataset) == 0 &&
            k->batch_size == key->batch_size && k->amp == key->amp)
            return i;
    }
    pairs->keys = mem_grow(pairs->keys, &pairs->cap_keys, pairs->n_keys + 1,
                           sizeof *pairs->keys);
    pairs->keys[pairs->n_keys] = *key;
    return (uint32_t)pairs->n_keys++;
}

void pairs_add(struct pairs *pairs, uint32_t a, uint32_t b, double speed_a,
               double speed_b)
{
    pairs->pairs = mem_grow(pairs->pairs, &pairs->cap_pairs, pairs->n_pairs + 1,
                            sizeof *pairs->pairs);
    pairs->pairs[pairs->n_pairs++] = (struct pair){a, b, speed_a, speed_b};
}

void pairs_fini(struct pairs *pairs)
{
    free(pairs->keys);
    free(pairs->pairs);
    *pairs = (struct pairs){0};
}

/* Returns the distance of two rows by their figures; FAR if the GPU utilisation
 * of either row is unknown. Leaves out any other figure that is unknown in
 * either row. */
static double demand_distance(const struct usage *a, const struct usage *b)
{
    const struct figure *x = a->figures, *y = b->figures;
    double du = x[FIGURE_GPU_UTIL].value - y[FIGURE_GPU_UTIL].value, sum;
    if (x[FIGURE_GPU_UTIL].value < 0 || y[FIGURE_GPU_UTIL].value < 0)
        return FAR;
    sum = du * du;
    if (x[FIGURE_MEM_BW_UTIL].value >= 0 && y[FIGURE_MEM_BW_UTIL].value >= 0) {
        double d = x[FIGURE_MEM_BW_UTIL].value - y[FIGURE_MEM_BW_UTIL].value;
        sum += d * d;
    }
    if (x[FIGURE_MEM_MIB].value >= 0 && y[FIGURE_MEM_MIB].value >= 0) {
        double d = (x[FIGURE_MEM_MIB].value - y[FIGURE_MEM_MIB].value) /
                   MEMORY_SCALE_MIB;
        sum += d * d;
    }
    return sqrt(sum);
}

/* Returns 0 for rows that agree, a value below 1 for other rows of the same
 * model, 1 or more for rows of different models, and FAR if these cannot be
 * compared. */
static double distance(const struct usage *a, const struct usage *b)
{
    double same = usage_distance(a, b);
    if (same < 2)
        return same;
    double demand = demand_distance(a, b);
    return demand < FAR ? 1 + demand : FAR;
}

/* Copies the figures of the nearest row of the same model with a known
 * utilisation in the usage table of the run, if there is one. */
static void learn_figures(struct usage *key, const struct usage_table *usage)
{
    double best = 1;
    for (size_t i = 1; i < usage->n; i++) {
        const struct usage *row = &usage->rows[i];
        double far = usage_distance(key, row);
        if (far < best && row->figures[FIGURE_GPU_UTIL].value >= 0) {
            best = far;
            memcpy(key->figures, row->figures, sizeof key->figures);
        }
    }
}

struct resolver {
    const struct pairs *pairs;
    struct pair_matrix *m;
    /* distances: by usage row of the run, then by key of `pairs` */
    double *far;
    /* Arguments `nearest`, `none` and `self` of pairs_resolve. */
    bool nearest;
    double none;
    enum pair_self self;
};

/* The speeds found for a pair of rows. */
struct found {
    double x, y;
    double distance; /* distance of the measured pair that gave the speeds */
    /* true if the two jobs of the measured pair are interchangeable */
    bool alike;
};

/* Finds the measured pair that is nearest to rows x and y, and nearer than
 * `limit`. If there is none, `distance` is `limit` and both speeds are
 * `none`. */
static struct found find_nearest(const struct resolver *r, size_t x, size_t y,
                                 double limit)
{
    const struct pairs *p = r->pairs;
    const double *fx = r->far + x * p->n_keys, *fy = r->far + y * p->n_keys;
    struct found out = {
        .x = r->none, .y = r->none, .distance = limit, .alike = x == y};
    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct pair *pair = &p->pairs[i];
        double forth = fx[pair->a] + fy[pair->b];
        double back = fx[pair->b] + fy[pair->a];
        if (forth >= out.distance && back >= out.distance)
            continue;
        out.distance = forth <= back ? forth : back;
        out.x = forth <= back ? pair->speed_a : pair->speed_b;
        out.y = forth <= back ? pair->speed_b : pair->speed_a;
        out.alike = x == y || pair->a == pair->b;
    }
    return out;
}

static void count_answer(struct pair_matrix *m, double distance, double limit)
{
    enum pair_answer answer = distance >= limit ? PAIR_NONE
                              : distance > 0    ? PAIR_NEAREST
                                                : PAIR_MEASURED;
    m->answers[answer]++;
    if (answer == PAIR_NEAREST && distance > m->farthest)
        m->farthest = distance;
}

/* Sets the speeds of rows x and y beside each other. */
static void resolve(struct resolver *r, size_t x, size_t y)
{
    /* Without `nearest`, only a measured pair at distance 0 is accepted. */
    double limit = r->nearest ? FAR : 1e-12;
    struct found found = find_nearest(r, x, y, limit);
    count_answer(r->m, found.distance, limit);
    if (x == y && r->self == PAIR_SELF_LISTED) {
        r->m->later[x] = found.x;
        found.x = found.y;
    } else if (found.alike) {
        found.x = found.y = (found.x + found.y) / 2;
        if (x == y)
            r->m->later[x] = found.x;
    }
    r->m->speed[x * r->m->n + y] = found.x;
    r->m->speed[y * r->m->n + x] = found.y;
}

/* Numbers the usage rows that jobs have, in m->dense, and lists them in `used`.
 * Returns how many there are. */
static size_t number_used(const struct usage_table *usage,
                          struct pair_matrix *m, const struct usage **used)
{
    size_t n = 0;
    for (size_t i = 0; i < usage->n; i++) {
        if (!usage->rows[i].n_jobs)
            continue;
        m->dense[i] = (uint16_t)n;
        used[n++] = &usage->rows[i];
    }
    return n;
}

struct pair_matrix *pairs_resolve(const struct pairs *pairs,
                                  const struct usage_table *usage, bool nearest,
                                  double none, enum pair_self self,
                                  struct arena *arena)
{
    struct pair_matrix *m = ARENA_NEW(arena, struct pair_matrix);
    const struct usage **used = mem_zalloc(usage->n, sizeof *used);
    m->dense = ARENA_ARRAY(arena, uint16_t, usage->n);
    m->n = number_used(usage, m, used);
    m->later = ARENA_ARRAY(arena, double, m->n + 1);
    m->speed = ARENA_ARRAY(arena, double, m->n * m->n + 1);
    for (size_t k = 0; k < pairs->n_keys; k++)
        learn_figures(&pairs->keys[k], usage);
    struct resolver r = {
        .pairs = pairs, .m = m, .nearest = nearest, .none = none, .self = self};
    r.far = mem_zalloc(m->n * pairs->n_keys + 1, sizeof *r.far);
    for (size_t x = 0; x < m->n; x++) {
        for (size_t k = 0; k < pairs->n_keys; k++)
            r.far[x * pairs->n_keys + k] =
                used[x]->model[0] ? distance(used[x], &pairs->keys[k]) : FAR;
    }
    for (size_t x = 0; x < m->n; x++) {
        for (size_t y = x; y < m->n; y++)
            resolve(&r, x, y);
    }
    free(r.far);
    free(used);
    return m;
}
