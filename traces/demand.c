/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Few jobs hold nearly all GPU time, so shares of jobs and shares of GPU time
 * can be met at once: the light jobs go by the former, the heavy ones to where
 * GPUs are free, which corrects itself. */
#include "traces/demand.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Long jobs leave some nodes to wide ones, which else find none free together
 * and are missing from the trace. No source: two nodes keep the sizes of Venus
 * within their bound (test_synthetic_ks.c) and most of its GPU time. */
#define NODES_LEFT 2
#define MOST_LEFT 0.25

void demand_init(struct demand *out, const struct calibration *calibration,
                 double mean_gpus, double mean_gpu_s, struct arena *arena)
{
    *out = (struct demand){
        .vcs = ARENA_ARRAY(arena, struct demand_vc, calibration->n_vcs + 1),
        .n_vcs = calibration->n_vcs,
        .mean_gpus = mean_gpus,
        .node = calibration->gpus_per_node,
        .mean_gpu_s = mean_gpu_s,
    };
    for (size_t i = 0; i < out->n_vcs; i++) {
        struct demand_vc *v = &out->vcs[i];
        v->n_nodes = calibration->vcs[i].nodes;
        v->free = ARENA_ARRAY(arena, uint32_t, v->n_nodes);
        for (uint32_t n = 0; n < v->n_nodes; n++)
            v->free[n] = out->node;
    }
}

void demand_fini(struct demand *d)
{
    for (size_t v = 0; v < d->n_vcs; v++)
        free(d->vcs[v].ends);
    d->n_vcs = 0;
}

void demand_share(struct demand *d, size_t vc, double share)
{
    d->vcs[vc].jobs += share;
}

static void pop(struct demand_vc *v)
{
    v->free[v->ends[0].node] += v->ends[0].gpus;
    struct demand_end last = v->ends[--v->n];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < v->n) {
        if (child + 1 < v->n && v->ends[child + 1].at < v->ends[child].at)
            child++;
        if (last.at <= v->ends[child].at)
            break;
        v->ends[at] = v->ends[child];
        at = child;
    }
    v->ends[at] = last;
}

static void push(struct demand_vc *v, struct demand_end end)
{
    v->ends = mem_grow(v->ends, &v->room, v->n + 1, sizeof *v->ends);
    size_t at = v->n++;
    while (at && end.at < v->ends[(at - 1) / 2].at) {
        v->ends[at] = v->ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    v->ends[at] = end;
    v->free[end.node] -= end.gpus;
}

void demand_advance(struct demand *d, double seconds)
{
    d->now += seconds;
    for (size_t i = 0; i < d->n_vcs; i++) {
        struct demand_vc *v = &d->vcs[i];
        while (v->n && v->ends[0].at <= d->now)
            pop(v);
    }
}

/* GPUs on nodes that such a job could use; 0 if it does not fit. */
static uint32_t room_for(const struct demand *d, const struct demand_vc *v,
                         uint32_t gpus)
{
    uint32_t need = gpus < d->node ? gpus : d->node, sum = 0;
    for (uint32_t n = 0; n < v->n_nodes; n++)
        sum += v->free[n] >= need ? v->free[n] : 0;
    return sum >= gpus ? sum : 0;
}

/* The fullest node that has so many. */
static uint32_t best_node(const struct demand_vc *v, uint32_t gpus)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t n = 0; n < v->n_nodes; n++) {
        if (v->free[n] >= gpus &&
            (best == UINT32_MAX || v->free[n] < v->free[best]))
            best = n;
    }
    return best;
}

void demand_add(struct demand *d, size_t vc, uint32_t gpus, double seconds)
{
    if (!d->n_vcs)
        return;
    struct demand_vc *v = &d->vcs[vc];
    v->ready = fmax(v->ready, d->now);
    while (v->n && (v->ends[0].at <= v->ready || !room_for(d, v, gpus))) {
        v->ready = fmax(v->ready, v->ends[0].at);
        pop(v);
    }
    for (uint32_t left = gpus; left;) {
        uint32_t part = left < d->node ? left : d->node;
        push(v,
             (struct demand_end){v->ready + seconds, best_node(v, part), part});
        left -= part;
    }
}

static double room_now(const struct demand *d, size_t vc, uint32_t gpus)
{
    const struct demand_vc *v = &d->vcs[vc];
    return v->ready > d->now ? 0 : room_for(d, v, gpus);
}

bool demand_has_room(const struct demand *d, size_t vc, uint32_t gpus)
{
    return !d->n_vcs || room_now(d, vc, gpus) > 0;
}

/* The same now, less what is left to others: a share of the virtual cluster at
 * most, or none of a small one could be used. */
static double room_beyond(const struct demand *d, size_t vc, uint32_t gpus,
                          uint32_t left)
{
    const struct demand_vc *v = &d->vcs[vc];
    double most = v->n_nodes * (double)d->node * MOST_LEFT;
    return fmax(room_now(d, vc, gpus) - fmin(left, most), 0);
}

/* By shares of jobs if light, by shares of the room if heavy. */
static double factor(const struct demand *d, size_t vc, uint32_t gpus,
                     uint32_t left, double heavy)
{
    if (!d->n_vcs)
        return 1;
    double here = room_beyond(d, vc, gpus, left), all = 0;
    for (size_t i = 0; i < d->n_vcs && here > 0; i++)
        all += room_beyond(d, i, gpus, left);
    double share = here > 0 ? here / all : 0;
    return 1 - heavy + heavy * share / d->vcs[vc].jobs;
}

double demand_of_size(const struct demand *d, size_t vc, uint32_t gpus)
{
    double heavy = gpus >= d->node ? 1 : gpus / (gpus + d->mean_gpus);
    return factor(d, vc, gpus, 0, heavy);
}

double demand_of_time(const struct demand *d, size_t vc, uint32_t gpus,
                      double seconds)
{
    double gpu_s = gpus * seconds;
    return factor(d, vc, gpus, NODES_LEFT * d->node,
                  gpu_s / (gpu_s + d->mean_gpu_s));
}
