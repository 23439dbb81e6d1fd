/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks across jobs: replays all starts, ends and changes of nodes in
 * order of time. Checks which jobs hold each GPU, that its node is up, and the
 * rows of series.csv; computes the integrals that the summary reports. */
#include <math.h>
#include <stdlib.h>

#include "sim/verify/verify_replay.h"

struct verify_sweep {
    struct verify_data *data;
    struct verify_report *report;
    uint8_t *holders; /* by GPU: number of holders */
    /* by GPU: index of the attempt that took it last */
    uint32_t *holder;
    uint32_t *n_busy; /* by node: number of busy GPUs */
    /* by node: true if the node is down */
    bool *down;
    uint64_t up, busy, stranded, crowded; /* current numbers of GPUs */
    sim_time now;
    size_t next_sample;
};

static uint64_t sweep_stranded(const struct verify_sweep *s, uint32_t node)
{
    if (s->down[node] || s->n_busy[node] == 0)
        return 0;
    return s->data->nodes[node].gpus - s->n_busy[node];
}

static void expect_shared(struct verify_sweep *s, uint32_t attempt,
                          uint32_t gpu)
{
    const struct verify_attempt *a = &s->data->attempts[attempt];
    const struct verify_job *job = &s->data->jobs[a->job];
    if (!a->shared)
        verify_say(s->report,
                   "job %s: shares GPU %u at %.6f s, but says it does not",
                   job->id, gpu, span_seconds(s->now));
}

static void sweep_take(struct verify_sweep *s, uint32_t attempt, uint32_t gpu)
{
    uint32_t node = s->data->node_of[gpu];
    const char *id = s->data->jobs[s->data->attempts[attempt].job].id;
    s->stranded -= sweep_stranded(s, node);
    if (s->holders[gpu]++ == 0) {
        s->busy++;
        s->n_busy[node]++;
    } else {
        s->crowded += s->holders[gpu] == 2;
        expect_shared(s, attempt, gpu);
        expect_shared(s, s->holder[gpu], gpu);
    }
    s->holder[gpu] = attempt;
    s->stranded += sweep_stranded(s, node);
    if (s->holders[gpu] > s->data->share_limit)
        verify_say(s->report,
                   "job %s: takes GPU %u at %.6f s, which %u jobs hold "
                   "already (limit %u)",
                   id, gpu, span_seconds(s->now), s->holders[gpu] - 1,
                   s->data->share_limit);
    if (s->down[node])
        verify_say(s->report,
                   "job %s: takes GPU %u at %.6f s, but node %u is down", id,
                   gpu, span_seconds(s->now), node);
}

static void sweep_give(struct verify_sweep *s, uint32_t gpu)
{
    uint32_t node = s->data->node_of[gpu];
    s->stranded -= sweep_stranded(s, node);
    s->crowded -= s->holders[gpu] == 2;
    if (--s->holders[gpu] == 0) {
        s->busy--;
        s->n_busy[node]--;
    }
    s->stranded += sweep_stranded(s, node);
}

static void change_node(struct verify_sweep *s,
                        const struct verify_change *change)
{
    const struct verify_node *node = &s->data->nodes[change->node];
    bool up = change->kind == NODE_COMES || change->kind == NODE_BACK;
    if (!up && s->n_busy[change->node])
        verify_say(s->report, "node %u %s at %.6f s under running jobs",
                   change->node,
                   change->kind == NODE_LENT ? "is lent" : "goes down",
                   span_seconds(s->now));
    if (change->kind == NODE_LENT || change->kind == NODE_BACK ||
        s->down[change->node] != up)
        return; /* the node stays up, or the change repeats its state */
    s->stranded -= sweep_stranded(s, change->node);
    s->down[change->node] = !up;
    s->up += up ? node->gpus : 0 - (uint64_t)node->gpus;
    s->stranded += sweep_stranded(s, change->node);
}

static void check_samples(struct verify_sweep *s, sim_time until)
{
    const struct verify_data *d = s->data;
    for (;
         s->next_sample < d->n_samples && d->samples[s->next_sample].at < until;
         s->next_sample++) {
        const struct verify_sample *row = &d->samples[s->next_sample];
        if (row->up != s->up || row->busy != s->busy ||
            row->stranded != s->stranded)
            verify_say(s->report,
                       "series.csv at %.6f s: %llu up, %llu busy, %llu "
                       "stranded; expected %llu, %llu, %llu",
                       span_seconds(row->at), (unsigned long long)row->up,
                       (unsigned long long)row->busy,
                       (unsigned long long)row->stranded,
                       (unsigned long long)s->up, (unsigned long long)s->busy,
                       (unsigned long long)s->stranded);
    }
}

static void sweep_advance(struct verify_sweep *s, sim_time to)
{
    struct verify_data *d = s->data;
    sim_time end = to < d->last_end ? to : d->last_end;
    if (to > s->now)
        check_samples(s, to);
    if (end > s->now) {
        double span = (double)(end - s->now);
        d->up += (double)s->up * span;
        d->busy += (double)s->busy * span;
        d->stranded += (double)s->stranded * span;
        d->crowded += (double)s->crowded * span;
    }
    s->now = to;
}

static void sweep_apply(struct verify_sweep *s, const struct verify_edge *edge)
{
    const struct verify_data *d = s->data;
    if (edge->kind == VERIFY_EDGE_NODE) {
        change_node(s, &d->changes[edge->index]);
        return;
    }
    const struct verify_attempt *a = &d->attempts[edge->index];
    for (uint32_t i = 0; i < a->n_ranges; i++) {
        struct verify_range r = d->ranges[a->first_gpu_range + i];
        for (uint32_t gpu = r.first; gpu <= r.last; gpu++) {
            if (edge->kind == VERIFY_EDGE_START)
                sweep_take(s, edge->index, gpu);
            else
                sweep_give(s, gpu);
        }
    }
}

void verify_sweep(struct verify_data *data, struct verify_report *report)
{
    struct verify_replay replay;
    struct verify_edge edge;
    struct verify_sweep s = {
        .data = data,
        .report = report,
        .holders = mem_zalloc(data->n_gpus + 1, 1),
        .holder = mem_zalloc(data->n_gpus + 1, sizeof *s.holder),
        .n_busy = mem_zalloc(data->n_nodes + 1, sizeof *s.n_busy),
        .down = mem_zalloc(data->n_nodes + 1, sizeof *s.down),
        .up = data->n_gpus,
    };
    for (size_t i = 0; i < data->n_attempts; i++) {
        if (data->attempts[i].end > data->last_end)
            data->last_end = data->attempts[i].end;
    }
    /* an open attempt lasts until the end of the run */
    verify_replay_init(&replay, data, true, false);
    while (verify_replay_peek(&replay, &edge)) {
        sweep_advance(&s, edge.at);
        sweep_apply(&s, &edge);
        verify_replay_pass(&replay, &edge);
    }
    verify_replay_fini(&replay);
    /* The last attempt to end has no edge if its length is 0. */
    sweep_advance(&s, s.now > data->last_end ? s.now : data->last_end);
    check_samples(&s, TIME_NEVER);
    free(s.holders);
    free(s.holder);
    free(s.n_busy);
    free(s.down);
}
