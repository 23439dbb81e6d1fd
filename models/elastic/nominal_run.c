/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elastic/nominal_run.h"

#include <math.h>
#include <stdlib.h>

void nominal_runs_init(struct nominal_runs *s, const struct cluster *c)
{
    *s = (struct nominal_runs){
        .sizes = mem_zalloc(c->n_types, sizeof *s->sizes),
        .n_types = c->n_types,
    };
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        struct type_size *size = &s->sizes[pool->type];
        if (pool->profiler)
            continue;
        size->gpus += pool->n_gpus;
        if (pool->widest > size->node_gpus)
            size->node_gpus = pool->widest;
    }
}

void nominal_runs_fini(struct nominal_runs *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->at[i]->ends);
        free(s->at[i]);
    }
    free(s->at);
    free(s->sizes);
    *s = (struct nominal_runs){0};
}

struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[])
{
    uint32_t wide = size.node_gpus, nodes = 0;
    for (uint32_t left = gpus; left; nodes++) {
        uint32_t here = left < wide ? left : wide;
        if (nodes < PLACEMENT_NODES_MAX)
            per_node[nodes] = here;
        left -= here;
    }
    return (struct placement){
        .per_node = per_node, .nodes = nodes, .gpus = gpus};
}

struct batch nominal_batch(const struct application *app, uint8_t type,
                           struct placement p, double total)
{
    struct batch_limits limits = application_limits(app, type, 0);
    double least = (double)limits.local_min * p.gpus;
    if (total < least)
        total = least;
    return application_batch(app, type, p, NULL, (struct gradient){0}, total);
}

/* Sets y->ends, the work up to the end of each epoch, for a run in this
 * placement. Returns false if the job cannot run there or its work rounds to 0
 * us; y->ends may then be partly set. */
static bool measure(struct nominal_run *y, uint8_t type, struct placement p,
                    struct batch batch)
{
    const struct application *app = y->app;
    double sum = 0, from = application_epoch_end(app, 0);
    for (uint32_t e = 0; e < app->epochs; e++) {
        struct training_speed speed = application_speed(app, type, p, batch, e);
        double end = application_epoch_end(app, e + 1);
        if (!(speed.rate > 0))
            return false;
        sum += (end - from) / speed.rate;
        y->ends[e + 1] = llrint(sum * (double)SPAN_SECOND);
        from = end;
    }
    return y->ends[app->epochs] > 0;
}

/* Computes the nominal run on the GPUs that the job asks for. Returns false if
 * this is possible on no GPU type. */
static bool measure_as_asked(const struct nominal_runs *s,
                             struct nominal_run *y)
{
    uint32_t room[PLACEMENT_NODES_MAX];
    for (uint8_t t = 0; t < s->n_types; t++) {
        if (!s->sizes[t].node_gpus || !application_runs_on(y->app, t) ||
            y->gpus > s->sizes[t].gpus)
            continue;
        struct placement p = placement_densest(s->sizes[t], y->gpus, room);
        if (p.nodes <= application_most_nodes(y->app, t) &&
            measure(y, t, p, nominal_batch(y->app, t, p, y->batch)))
            return true;
    }
    return false;
}

/* Computes the nominal run with the initial batch size on one GPU or, for a
 * pipeline, on one GPU per stage. Returns false if this is possible on no GPU
 * type. */
static bool measure_alone(const struct nominal_runs *s, struct nominal_run *y)
{
    uint32_t room[PLACEMENT_NODES_MAX];
    for (uint8_t t = 0; t < s->n_types; t++) {
        if (!s->sizes[t].node_gpus || !application_runs_on(y->app, t))
            continue;
        uint32_t stages = application_pipeline(y->app, t).stages;
        struct placement p =
            placement_densest(s->sizes[t], stages ? stages : 1, room);
        if (p.nodes <= PLACEMENT_NODES_MAX &&
            measure(y, t, p,
                    nominal_batch(y->app, t, p, y->app->initial_batch)))
            return true;
    }
    return false;
}

const struct nominal_run *nominal_run_of(struct nominal_runs *s,
                                         const struct application *app,
                                         uint32_t gpus, uint32_t batch)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct nominal_run *y = s->at[i];
        if (y->app == app && y->gpus == gpus && y->batch == batch)
            return y;
    }
    struct nominal_run *y = mem_zalloc(1, sizeof *y);
    *y = (struct nominal_run){.app = app,
                              .gpus = gpus,
                              .batch = batch,
                              .ends =
                                  mem_zalloc(app->epochs + 1, sizeof *y->ends)};
    if (!measure_as_asked(s, y) && !measure_alone(s, y)) {
        free(y->ends);
        free(y);
        return NULL;
    }
    s->at = mem_grow(s->at, &s->cap, s->n + 1, sizeof *s->at);
    s->at[s->n++] = y;
    return y;
}

uint32_t nominal_run_epoch(const struct nominal_run *y, int64_t done)
{
    uint32_t lo = 0, hi = y->app->epochs - 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi + 1) / 2;
        if (y->ends[mid] <= done)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}
