/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a timeline: the jobs that wait and the GPUs that are busy or out
 * of service in each virtual cluster, read from the moves of the run. A value
 * is kept once per instant, after all moves of the instant, and only if it
 * differs from the one before. */
#include <stdlib.h>

#include "sim/results/timeline_event.h"

static void keep(struct timeline *tl, uint16_t vc, unsigned kind, sim_time at)
{
    tl->counts = mem_grow(tl->counts, &tl->cap_counts, tl->n_counts + 1,
                          sizeof *tl->counts);
    tl->counts[tl->n_counts++] = (struct timeline_count){
        .at = at,
        .value = tl->values[vc][kind],
        .vc = vc,
        .kind = (uint8_t)kind,
    };
    tl->kept[vc][kind] = tl->values[vc][kind];
}

/* Keeps the counters that changed at `now`, and all counters at the start of
 * the crop. `next`: time of the next move. */
static void keep_instant(struct timeline *tl, sim_time next)
{
    bool first = !tl->begun && next > tl->from;
    if (tl->now >= tl->to || (!tl->begun && !first))
        return;
    sim_time at = tl->now > tl->from ? tl->now : tl->from;
    uint32_t vc = first ? 0 : tl->changed_from;
    uint32_t end = first ? tl->cluster->n_vcs : tl->changed_to;
    tl->begun = true;
    for (; vc < end; vc++) {
        for (unsigned kind = 0; kind < TIMELINE_COUNTERS && tl->vcs[vc]; kind++)
            if (first || tl->values[vc][kind] != tl->kept[vc][kind])
                keep(tl, (uint16_t)vc, kind, at);
    }
    tl->changed_from = UINT32_MAX;
    tl->changed_to = 0;
}

/* Marks a virtual cluster as changed and returns its counters, which the caller
 * changes. */
static uint32_t *change(struct timeline *tl, uint32_t vc)
{
    if (vc < tl->changed_from)
        tl->changed_from = vc;
    if (vc + 1 > tl->changed_to)
        tl->changed_to = vc + 1;
    return tl->values[vc];
}

static uint16_t vc_of(const struct timeline *tl, node_id node)
{
    const struct cluster *c = tl->cluster;
    return c->pools[c->nodes[node].pool].vc;
}

/* Counts GPUs that get their first holder or lose their last one. */
static void count_gpus(struct timeline *tl, struct gpu_set set, bool taken)
{
    for (uint32_t i = 0; i < set.count; i++) {
        struct gpu_slice slice = set.at[i];
        uint32_t *busy = &change(tl, vc_of(tl, slice.node))[TIMELINE_BUSY];
        gpu_id first = tl->cluster->nodes[slice.node].first_gpu;
        for (struct gpu_walk w = gpu_walk(first, slice.mask);
             gpu_walk_next(&w);) {
            uint8_t *holders = &tl->holders[w.gpu];
            if (taken)
                *busy += (*holders)++ == 0;
            else
                *busy -= --*holders == 0;
        }
    }
}

static void count_node(struct timeline *tl, const struct ledger_move *move)
{
    bool closed = move->kind == LEDGER_NODE_DOWN;
    if (!closed && move->kind != LEDGER_NODE_UP)
        return;
    uint32_t *sum = &change(tl, vc_of(tl, move->node))[TIMELINE_CLOSED];
    uint32_t gpus = tl->cluster->nodes[move->node].gpus;
    if (closed && !tl->closed[move->node])
        *sum += gpus;
    if (!closed && tl->closed[move->node])
        *sum -= gpus;
    tl->closed[move->node] = closed;
}

/* True if a move of this kind leaves its job waiting for GPUs. job.state is not
 * used, because it changes before some moves are reported and after others. The
 * state after a failure comes with the next move of its instant. */
static bool waits_after(enum ledger_kind kind)
{
    return kind == LEDGER_SUBMITTED || kind == LEDGER_STOPPED ||
           kind == LEDGER_PROFILED || kind == LEDGER_EVICTED ||
           kind == LEDGER_FAILED || kind == LEDGER_RETRIED;
}

static void read_move(void *self, const struct ledger_move *move)
{
    struct timeline *tl = self;
    if (move->at > tl->now) {
        keep_instant(tl, move->at);
        tl->now = move->at;
    }
    if (!move->job) {
        count_node(tl, move);
        return;
    }
    const struct job *job = move->job;
    bool pending = waits_after(move->kind);
    if (pending != tl->pending[job->id]) {
        uint32_t *sum = &change(tl, job->vc)[TIMELINE_PENDING];
        *sum = pending ? *sum + 1 : *sum - 1;
        tl->pending[job->id] = pending;
    }
    if (move->kind == LEDGER_STARTED)
        count_gpus(tl, move->where, true);
    else if (ledger_ends_attempt(move->kind))
        count_gpus(tl, move->where, false);
}

enum status timeline_open(struct timeline *tl, const struct timeline_wish *wish,
                          struct run_result *run, struct error *err)
{
    const struct cluster *c = &run->cluster;
    *tl = (struct timeline){.wish = *wish, .cluster = c, .now = -1};
    enum status st = timeline_crop(tl, run, err);
    if (st != STATUS_OK) {
        timeline_fini(tl);
        return st;
    }
    tl->holders = mem_zalloc(c->n_gpus + (size_t)1, sizeof *tl->holders);
    tl->pending =
        mem_zalloc(run->jobset.n_jobs + (size_t)1, sizeof *tl->pending);
    tl->closed = mem_zalloc(c->n_nodes + (size_t)1, sizeof *tl->closed);
    tl->values = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->values);
    tl->kept = mem_zalloc(c->n_vcs + (size_t)1, sizeof *tl->kept);
    ledger_read_by(&run->ledger, (struct ledger_reader){read_move, tl});
    return STATUS_OK;
}

void timeline_close(struct timeline *tl)
{
    keep_instant(tl, TIME_NEVER);
}

void timeline_fini(struct timeline *tl)
{
    free(tl->vcs);
    free(tl->holders);
    free(tl->pending);
    free(tl->closed);
    free(tl->values);
    free(tl->kept);
    free(tl->counts);
    *tl = (struct timeline){0};
}

void timeline_counters(struct timeline_writer *w)
{
    static const struct {
        const char *name, *unit;
    } counters[TIMELINE_COUNTERS] = {
        [TIMELINE_PENDING] = {"pending jobs", "jobs"},
        [TIMELINE_BUSY] = {"busy GPUs", "GPUs"},
        [TIMELINE_CLOSED] = {"GPUs out of service", "GPUs"},
    };
    const struct timeline *tl = w->timeline;
    bool closes = w->run->ledger.n_node_changes > 0;
    for (size_t i = 0; i < tl->n_counts; i++) {
        const struct timeline_count *count = &tl->counts[i];
        if (count->kind == TIMELINE_CLOSED && !closes)
            continue;
        timeline_count(w, timeline_vc(count->vc), counters[count->kind].name,
                       counters[count->kind].unit, count->at, count->value);
    }
}
