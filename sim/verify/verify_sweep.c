/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks across jobs: replays submissions, starts, ends, delays after failures
 * and changes of nodes in order of time. Checks which jobs hold each GPU, that
 * its node is up, and makes each row of series.csv again; computes the
 * integrals that the summary reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/series.h"
#include "sim/verify/verify_failures.h"
#include "sim/verify/verify_replay.h"

/* Changes of a count, each by a job: when they are, and how many were made. */
struct sweep_list {
    struct verify_timed *at; /* `index`: the job */
    size_t n, cap, next;
};

struct verify_sweep {
    struct verify_data *data;
    struct verify_report *report;
    size_t next_job; /* the next to be submitted */
    /* ends of jobs that are no end of an attempt; delays after failures */
    struct sweep_list ends, holds, frees;
    /* numbers of jobs, and of the GPUs that they ask for, now */
    uint64_t submitted, running, held, ended;
    uint64_t gpus_submitted, gpus_running, gpus_held, gpus_ended;
    sim_time grid;                /* time of the next sample */
    uint64_t last[VERIFY_SERIES]; /* values of the row before */
    uint8_t *holders;             /* by GPU: number of holders */
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
    if (!a->shared)
        verify_say_attempt(s->data, s->report, a, "shared",
                           "shares GPU %u at %.6f s, but says it does not", gpu,
                           span_seconds(s->now));
}

static void sweep_take(struct verify_sweep *s, uint32_t attempt, uint32_t gpu)
{
    uint32_t node = s->data->node_of[gpu];
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
        verify_say_attempt(s->data, s->report, &s->data->attempts[attempt],
                           "allocated_resources",
                           "takes GPU %u at %.6f s, which %u jobs hold "
                           "already (limit %u)",
                           gpu, span_seconds(s->now), s->holders[gpu] - 1,
                           s->data->share_limit);
    if (s->down[node])
        verify_say_attempt(s->data, s->report, &s->data->attempts[attempt],
                           "allocated_resources",
                           "takes GPU %u at %.6f s, but node %u is down", gpu,
                           span_seconds(s->now), node);
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

/* Compares the next row of series.csv with the row for this time. */
static void sweep_expect_row(struct verify_sweep *s,
                             const uint64_t values[VERIFY_SERIES])
{
    const struct verify_data *d = s->data;
    while (s->next_sample < d->n_samples &&
           d->samples[s->next_sample].at < s->grid) {
        verify_say(s->report,
                   "series.csv:%zu: time: is %.6f, but no sample is due then, "
                   "or nothing changed",
                   s->next_sample + 2,
                   span_seconds(d->samples[s->next_sample].at));
        s->next_sample++;
    }
    if (s->next_sample == d->n_samples ||
        d->samples[s->next_sample].at != s->grid) {
        /* a run that waits in vain may go on after the last move of a job */
        if (s->grid > d->end)
            return;
        verify_say(s->report, "series.csv: time: no row for %.6f s",
                   span_seconds(s->grid));
        return;
    }
    const uint64_t *have = d->samples[s->next_sample++].values;
    for (size_t i = 0; i < VERIFY_SERIES; i++) {
        if (have[i] != values[i])
            verify_say(s->report,
                       "series.csv:%zu: %s: is %llu, jobs.csv, attempts.csv "
                       "and the nodes give %llu",
                       s->next_sample + 1, series_columns[i + 1].name,
                       (unsigned long long)have[i],
                       (unsigned long long)values[i]);
    }
}

/* Makes the row of the first sample before `until`; the later ones would repeat
 * it, because nothing changes before then. */
static void sweep_sample(struct verify_sweep *s, sim_time until)
{
    if (s->grid >= until)
        return;
    const uint64_t values[VERIFY_SERIES] = {
        s->up,
        s->busy,
        s->stranded,
        s->submitted - s->ended - s->running - s->held,
        s->gpus_submitted - s->gpus_ended - s->gpus_running - s->gpus_held,
        s->running,
        s->held,
        s->ended};
    if (s->grid == 0 || memcmp(values, s->last, sizeof values) != 0)
        sweep_expect_row(s, values);
    memcpy(s->last, values, sizeof values);
    s->grid +=
        ((until - 1 - s->grid) / s->data->interval + 1) * s->data->interval;
}

static void sweep_advance(struct verify_sweep *s, sim_time to)
{
    struct verify_data *d = s->data;
    sim_time end = to < d->last_end ? to : d->last_end;
    sweep_sample(s, to);
    if (end > s->now) {
        double span = (double)(end - s->now);
        d->up += (double)s->up * span;
        d->busy += (double)s->busy * span;
        d->stranded += (double)s->stranded * span;
        d->crowded += (double)s->crowded * span;
    }
    s->now = to;
}

/* True if the end of this attempt is the end of its job. */
static bool sweep_ends_job(const struct verify_data *d, size_t attempt)
{
    const struct verify_attempt *a = &d->attempts[attempt];
    const struct verify_job *job = &d->jobs[a->job];
    return job->ended && a->end == job->finish && a->end > a->start &&
           attempt + 1 == (size_t)job->first_attempt + job->n_attempts;
}

static void sweep_apply(struct verify_sweep *s, const struct verify_edge *edge)
{
    const struct verify_data *d = s->data;
    if (edge->kind == VERIFY_EDGE_NODE) {
        change_node(s, &d->changes[edge->index]);
        return;
    }
    const struct verify_attempt *a = &d->attempts[edge->index];
    const uint64_t by = edge->kind == VERIFY_EDGE_START ? 1 : UINT64_MAX;
    s->running += by;
    s->gpus_running += by * d->jobs[a->job].gpus;
    if (by != 1 && sweep_ends_job(d, edge->index)) {
        s->ended++;
        s->gpus_ended += d->jobs[a->job].gpus;
    }
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

static void sweep_list_add(struct sweep_list *list, sim_time at, uint32_t job)
{
    list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof *list->at);
    list->at[list->n++] = (struct verify_timed){at, job};
}

/* Lists what no edge of the replay tells. */
static void sweep_list_jobs(struct verify_sweep *s,
                            const struct verify_failures *failures)
{
    const struct verify_data *d = s->data;
    for (uint32_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *job = &d->jobs[i];
        if (job->ended &&
            (!job->n_attempts ||
             !sweep_ends_job(d, job->first_attempt + job->n_attempts - 1)))
            sweep_list_add(&s->ends, job->finish, i);
    }
    for (size_t i = 0; i < failures->n_rows; i++) {
        const struct verify_failure *row = &failures->rows[i];
        if (row->job == VERIFY_NO_JOB || row->delay <= 0)
            continue;
        sweep_list_add(&s->holds, row->at, row->job);
        sweep_list_add(&s->frees, row->at + row->delay, row->job);
    }
    verify_sort_timed(s->ends.at, s->ends.n);
    verify_sort_timed(s->holds.at, s->holds.n);
    verify_sort_timed(s->frees.at, s->frees.n);
}

/* Counts the jobs of a list whose time has come. */
static void sweep_count(const struct verify_sweep *s, struct sweep_list *list,
                        uint64_t by, uint64_t *jobs, uint64_t *gpus)
{
    for (; list->next < list->n && list->at[list->next].at <= s->now;
         list->next++) {
        *jobs += by;
        *gpus += by * s->data->jobs[list->at[list->next].index].gpus;
    }
}

static sim_time sweep_first(const struct sweep_list *list, sim_time than)
{
    return list->next < list->n && list->at[list->next].at < than
               ? list->at[list->next].at
               : than;
}

/* Makes everything happen that happens at the next time. Returns false if
 * nothing is left. */
static bool sweep_step(struct verify_sweep *s, struct verify_replay *replay)
{
    const struct verify_data *d = s->data;
    struct verify_edge edge;
    sim_time next = verify_replay_peek(replay, &edge) ? edge.at : TIME_NEVER;
    if (s->next_job < d->n_jobs && d->jobs[s->next_job].submitted < next)
        next = d->jobs[s->next_job].submitted;
    next = sweep_first(&s->ends, next);
    next = sweep_first(&s->holds, next);
    next = sweep_first(&s->frees, next);
    if (next == TIME_NEVER)
        return false;
    sweep_advance(s, next > s->now ? next : s->now);
    for (; s->next_job < d->n_jobs && d->jobs[s->next_job].submitted <= s->now;
         s->next_job++) {
        s->submitted++;
        s->gpus_submitted += d->jobs[s->next_job].gpus;
    }
    for (; verify_replay_peek(replay, &edge) && edge.at <= s->now;
         verify_replay_pass(replay, &edge))
        sweep_apply(s, &edge);
    sweep_count(s, &s->ends, 1, &s->ended, &s->gpus_ended);
    sweep_count(s, &s->holds, 1, &s->held, &s->gpus_held);
    sweep_count(s, &s->frees, UINT64_MAX, &s->held, &s->gpus_held);
    return true;
}

void verify_sweep(struct verify_data *data,
                  const struct verify_failures *failures,
                  struct verify_report *report)
{
    struct verify_replay replay;
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
    sweep_list_jobs(&s, failures);
    /* an open attempt lasts until the end of the run */
    verify_replay_init(&replay, data, true, false);
    while (sweep_step(&s, &replay)) {
    }
    verify_replay_fini(&replay);
    /* The last attempt to end has no edge if its length is 0. */
    sweep_advance(&s,
                  (s.now > data->end ? s.now : data->end) + data->interval + 1);
    if (s.next_sample < data->n_samples)
        verify_say(report, "series.csv:%zu: time: is after the last change",
                   s.next_sample + 2);
    free(s.ends.at);
    free(s.holds.at);
    free(s.frees.at);
    free(s.holders);
    free(s.holder);
    free(s.n_busy);
    free(s.down);
}
