/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes for each node how long its GPUs were in each state over time. */
#include "commands/report/report_internal.h"

#include <stdlib.h>

#include "sim/verify/verify_replay.h"

/* The state of a GPU since the jobs that hold it last changed. */
struct gpu {
    sim_time since;
    uint32_t holders, profiling;
};

struct occupancy_replay {
    const struct verify_data *d;
    struct occupancy *out;
    struct gpu *gpus;
};

static struct axis_sum *sum_of(const struct occupancy *o, size_t node,
                               enum occupancy_state state)
{
    return &o->sums[node * OCCUPANCY_STATES + state];
}

/* Adds the time from gpu->since to `now` to the sums of the GPU's node. */
static void occupancy_settle(struct occupancy_replay *r, uint32_t number,
                             sim_time now)
{
    struct gpu *gpu = &r->gpus[number];
    const struct occupancy *o = r->out;
    size_t node = r->d->node_of[number];
    if (gpu->holders)
        axis_add(&o->axis, sum_of(o, node, OCCUPANCY_BUSY), gpu->since, now, 1);
    if (gpu->holders > 1)
        axis_add(&o->axis, sum_of(o, node, OCCUPANCY_SHARED), gpu->since, now,
                 1);
    if (gpu->profiling)
        axis_add(&o->axis, sum_of(o, node, OCCUPANCY_PROFILING), gpu->since,
                 now, 1);
    gpu->since = now;
}

static void occupancy_apply(struct occupancy_replay *r,
                            const struct verify_edge *edge)
{
    const struct verify_attempt *a = &r->d->attempts[edge->index];
    uint32_t step = edge->kind == VERIFY_EDGE_START
                        ? 1
                        : UINT32_MAX; /* adds or takes away 1 */
    for (uint32_t i = 0; i < a->n_ranges; i++) {
        struct verify_range range = r->d->ranges[a->first_gpu_range + i];
        for (uint32_t g = range.first; g <= range.last; g++) {
            occupancy_settle(r, g, edge->at);
            r->gpus[g].holders += step;
            if (a->profiling)
                r->gpus[g].profiling += step;
        }
    }
}

static void replay_attempts(const struct verify_data *d, struct occupancy *o)
{
    struct occupancy_replay r = {d, o,
                                 mem_zalloc(d->n_gpus + 1, sizeof *r.gpus)};
    struct verify_replay replay;
    struct verify_edge edge;
    verify_replay_init(&replay, d, true, true);
    while (verify_replay_peek(&replay, &edge)) {
        if (edge.kind != VERIFY_EDGE_NODE)
            occupancy_apply(&r, &edge);
        verify_replay_pass(&replay, &edge);
    }
    verify_replay_fini(&replay);
    free(r.gpus);
}

/* Adds the times for which nodes were out of service. The changes of the
 * cluster are in order of time. */
static void replay_changes(const struct verify_data *d, struct occupancy *o)
{
    sim_time *gone = mem_alloc((d->n_nodes + 1) * sizeof *gone);
    for (size_t n = 0; n < d->n_nodes; n++)
        gone[n] = -1;
    for (size_t i = 0; i <= d->n_changes + d->n_nodes; i++) {
        /* After the changes, each node has a turn: it may still be out of
         * service at the end. */
        bool left = i >= d->n_changes;
        size_t n = left ? i - d->n_changes : d->changes[i].node;
        if (n == d->n_nodes)
            break;
        if (!left && d->changes[i].kind == NODE_GOES && gone[n] < 0)
            gone[n] = d->changes[i].at;
        if ((left || d->changes[i].kind == NODE_COMES) && gone[n] >= 0) {
            axis_add(&o->axis, sum_of(o, n, OCCUPANCY_DOWN), gone[n],
                     left ? d->end : d->changes[i].at, d->nodes[n].gpus);
            gone[n] = -1;
        }
    }
    free(gone);
}

struct occupancy occupancy_of(const struct report_runs *runs,
                              const struct report_run *run)
{
    const struct verify_data *d = &run->data;
    size_t n = d->n_nodes * OCCUPANCY_STATES;
    struct occupancy o = {axis_over(runs->end),
                          mem_zalloc(n + 1, sizeof *o.sums), d->n_nodes};
    replay_attempts(d, &o);
    replay_changes(d, &o);
    for (size_t i = 0; i < n; i++)
        axis_finish(&o.axis, &o.sums[i]);
    return o;
}

void occupancy_fini(struct occupancy *occupancy)
{
    free(occupancy->sums);
}

uint64_t occupancy_at(const struct occupancy *o, size_t node,
                      enum occupancy_state state, unsigned bin)
{
    return sum_of(o, node, state)->at[bin];
}
