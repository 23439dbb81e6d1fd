/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks failures.csv against attempts.csv, jobs.csv and the changes of nodes:
 * each failed attempt has its row, no attempt begins before the delay of a
 * ruling is over, the work lost is the work since the last checkpoint or all of
 * it, and a fault that takes a node out of service has done so. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify_failures.h"

static bool verdict_is(const struct verify_failures *f,
                       const struct verify_failure *row, const char *word)
{
    return strcmp(interner_string(&f->words, row->verdict), word) == 0;
}

/* Returns the work that the job had done up to the end of the failed attempt,
 * less the work that the ends of earlier attempts undid. */
static sim_span work_until(const struct verify_failures *f,
                           const struct verify_failure *row)
{
    const struct verify_job *job = &f->data->jobs[row->job];
    sim_span work = 0;
    for (uint32_t i = 0; i < row->attempt; i++) {
        const struct verify_attempt_more *m = verify_more_of_attempt(
            f->data, &f->data->attempts[job->first_attempt + i]);
        work = verify_span_sum(work, m->work - m->resume);
        if (i + 1 < row->attempt)
            work = verify_span_sum(work, -m->lost);
    }
    return work > 0 ? work : 0;
}

/* Checks the work lost against attempts.csv and, unless jobs may change their
 * size or the law of time has a grid, against all work of the job or the work
 * of the attempt, up to 1 us per attempt for the rounding of times and 1 us
 * more. Work lost since a checkpoint, at fixed intervals, is compared
 * exactly. */
static void failures_check_lost(const struct verify_failures *f,
                                const struct verify_failure *row,
                                const struct verify_attempt *a)
{
    const struct verify_data *d = f->data;
    const struct verify_attempt_more *m = verify_more_of_attempt(d, a);
    sim_span slack = (sim_span)row->attempt + 1;
    if (row->lost != m->lost)
        verify_failures_say(f, row, "lost: differs from attempts.csv");
    if ((uint64_t)row->lost_gpu != (uint64_t)row->lost * d->jobs[row->job].gpus)
        verify_failures_say(f, row, "lost_gpu_s: is not lost x GPUs");
    if (d->elastic || d->grid)
        return;
    if (!verdict_is(f, row, "resume")) {
        sim_span off = row->lost - work_until(f, row);
        if (off > slack || off < -slack)
            verify_failures_say(f, row, "lost: is not all work of the job");
    } else if (row->lost > m->work + slack) {
        verify_failures_say(f, row, "lost: is more than the attempt did");
    } else if (row->fault && d->unit_rates && d->checkpoint > 0 &&
               row->lost != m->work % d->checkpoint) {
        verify_failures_say(f, row,
                            "lost: is not the work since the last checkpoint");
    }
}

static void check_ruling(const struct verify_failures *f,
                         const struct verify_failure *row,
                         const struct verify_attempt *a)
{
    const struct verify_job *job = &f->data->jobs[row->job];
    bool last = row->attempt == job->n_attempts;
    sim_time next = last ? -1 : a[1].start;
    if (row->restarted != next)
        verify_failures_say(f, row, "restarted: is not the job's next start");
    if (verdict_is(f, row, "give-up")) {
        if (!last || strcmp(verify_outcomes[job->outcome], "given-up") != 0)
            verify_failures_say(f, row, "verdict: the job was not given up");
        if (row->delay >= 0)
            verify_failures_say(f, row,
                                "delay: must be empty, because the "
                                "job was given up");
        return;
    }
    if (!verdict_is(f, row, "resume") && !verdict_is(f, row, "restart"))
        verify_failures_say(f, row, "verdict: is not a known word");
    if (row->delay < row->detected)
        verify_failures_say(f, row, "delay: is shorter than detected");
    if (!last && next < row->at + row->delay)
        verify_failures_say(f, row,
                            "delay: the next attempt began before its end");
}

/* Checks the failure in a row, if it has one. `count`, by job: number of
 * failures so far. */
static void check_failure(const struct verify_failures *f,
                          const struct verify_failure *row, uint32_t *count)
{
    const struct verify_attempt *a = verify_failed_attempt(f, row);
    if (row->job == VERIFY_NO_JOB)
        return;
    if (++count[row->job] != row->number)
        verify_failures_say(f, row, "failures: are not counted from 1");
    if (!a || a->how != 'x' || a->end != row->at) {
        verify_failures_say(f, row, "attempt: did not fail at this time");
        return;
    }
    if (row->harmless || row->missed)
        verify_failures_say(f, row, "a fault without effect hit a job");
    failures_check_lost(f, row, a);
    check_ruling(f, row, a);
}

/* Checks that each failed attempt has a row. An attempt with number 65,535, the
 * highest that a job can have, needs no row. */
static void failures_check_counts(const struct verify_failures *f,
                                  const uint32_t *count)
{
    const struct verify_data *d = f->data;
    for (size_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *job = &d->jobs[i];
        uint32_t failed = 0;
        for (uint32_t k = 0; k < job->n_attempts; k++) {
            size_t a = (size_t)job->first_attempt + k;
            failed += d->attempts[a].how == 'x' && k + 1 < UINT16_MAX;
        }
        if (failed > count[i])
            verify_say(f->report,
                       "failures.csv: job %s failed %u times, has %u rows",
                       job->id, failed, count[i]);
    }
}

static void check_place_of_fault(const struct verify_failures *f,
                                 const struct verify_failure *row)
{
    if (row->node >= f->data->n_nodes)
        return; /* failures_check_nodes says so, or it is a fault of storage */
    const struct verify_node *node = &f->data->nodes[row->node];
    if (!f->data->merged && node->vc != row->vc)
        verify_failures_say(f, row, "vc: is not that of the node");
    if (row->has_gpu != row->hits_gpu ||
        (row->has_gpu && row->gpu >= node->gpus))
        verify_failures_say(f, row, "gpu: is not one of the node");
}

/* Checks that the rows of one fault agree, and that faults are numbered from 1
 * in the order of their first rows. `first`, by fault: its first row. `last`:
 * highest number so far. */
static void check_fault(const struct verify_failures *f,
                        const struct verify_failure *row,
                        const struct verify_failure **first, uint32_t *last)
{
    if (row->fault > f->n_rows || row->fault > *last + 1) {
        verify_failures_say(f, row, "fault: is not counted from 1");
        return;
    }
    const struct verify_failure *one = first[row->fault];
    check_place_of_fault(f, row);
    if (row->fault == *last + 1) {
        first[row->fault] = row;
        *last = row->fault;
    } else if (one->scope != row->scope || one->goes != row->goes ||
               one->node != row->node || one->repair != row->repair ||
               one->cause != row->cause) {
        verify_failures_say(f, row, "fault: differs from its first row");
    } else if (row->job == VERIFY_NO_JOB) {
        verify_failures_say(f, row,
                            "job_id: is empty, but the fault has a row");
    }
}

/* State of a node at the time of the current row. */
struct node_state {
    sim_time went;       /* last time it went out of service; -1: never */
    sim_time came;       /* last time it returned; -1: never */
    sim_time not_before; /* end of the repairs of all its faults so far */
    bool down;
};

static void apply_changes(const struct verify_failures *f,
                          struct node_state *nodes, size_t *next, sim_time to)
{
    const struct verify_data *d = f->data;
    for (; *next < d->n_changes && d->changes[*next].at <= to; ++*next) {
        const struct verify_change *c = &d->changes[*next];
        struct node_state *node = &nodes[c->node];
        if (c->kind == NODE_GOES) {
            node->down = true;
            node->went = c->at;
        } else if (c->kind == NODE_COMES) {
            node->down = false;
            node->came = c->at;
            if (c->at < node->not_before)
                verify_say(f->report,
                           "failures.csv: node %u returns at %.6f s, before "
                           "its repair is over",
                           c->node, span_seconds(c->at));
        }
    }
}

/* True if the node, whose changes up to `at` were applied, was out of service
 * at some moment of that instant: it may have left and be back at once, and a
 * fault comes before a return. */
static bool is_out_at(const struct node_state *node, sim_time at)
{
    return node->down || node->went == at || node->came == at;
}

static void failures_check_nodes(const struct verify_failures *f)
{
    const struct verify_data *d = f->data;
    struct node_state *nodes = mem_zalloc(d->n_nodes + 1, sizeof *nodes);
    size_t next = 0;
    for (size_t i = 0; i < d->n_nodes; i++)
        nodes[i].went = nodes[i].came = -1;
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct verify_failure *row = &f->rows[i];
        if (row->node != VERIFY_NO_NODE && row->node >= d->n_nodes) {
            verify_failures_say(f, row, "node: is not in the cluster");
            continue;
        }
        apply_changes(f, nodes, &next, row->at);
        if (!row->fault || row->node == VERIFY_NO_NODE)
            continue;
        struct node_state *node = &nodes[row->node];
        if (row->missed && !is_out_at(node, row->at))
            verify_failures_say(f, row, "missed: the node was in service");
        if (row->missed || !row->goes)
            continue;
        if (node->went != row->at)
            verify_failures_say(f, row, "after: the node did not go down");
        if (row->at + row->repair > node->not_before)
            node->not_before = row->at + row->repair;
    }
    apply_changes(f, nodes, &next, TIME_NEVER);
    free(nodes);
}

struct isolation {
    sim_time at; /* when the ruling takes effect */
    const struct verify_failure *row;
};

static int by_effect(const void *a, const void *b)
{
    const struct isolation *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Lists the rulings that take a node out of service within the run, in the
 * order in which they take effect. The caller frees the list. */
static struct isolation *isolations_of(const struct verify_failures *f,
                                       size_t *n)
{
    struct isolation *all = mem_alloc((f->n_rows + 1) * sizeof *all);
    *n = 0;
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct verify_failure *row = &f->rows[i];
        if (row->suspect == VERIFY_NO_NODE || row->delay < 0)
            continue;
        if (row->suspect >= f->data->n_nodes)
            verify_failures_say(f, row, "suspect: is not in the cluster");
        else if (row->at + row->delay < f->data->end)
            all[(*n)++] = (struct isolation){row->at + row->delay, row};
    }
    qsort(all, *n, sizeof *all, by_effect);
    return all;
}

/* Checks that each suspected node is out of service when its ruling takes
 * effect, or was so at some time since the job failed. */
static void check_suspects(const struct verify_failures *f)
{
    const struct verify_data *d = f->data;
    struct node_state *nodes = mem_zalloc(d->n_nodes + 1, sizeof *nodes);
    size_t next = 0, n;
    struct isolation *all = isolations_of(f, &n);
    for (size_t i = 0; i < d->n_nodes; i++)
        nodes[i].went = nodes[i].came = -1;
    for (size_t i = 0; i < n; i++) {
        const struct verify_failure *row = all[i].row;
        apply_changes(f, nodes, &next, all[i].at);
        const struct node_state *node = &nodes[row->suspect];
        if (!node->down && node->went < row->at && node->came <= row->at)
            verify_failures_say(f, row, "suspect: stayed in service");
    }
    free(nodes);
    free(all);
}

static void failures_check_rows(const struct verify_failures *f)
{
    uint32_t *count = mem_zalloc(f->data->n_jobs + 1, sizeof *count), last = 0;
    const struct verify_failure **first =
        mem_zalloc(f->n_rows + 2, sizeof(const struct verify_failure *));
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct verify_failure *row = &f->rows[i];
        if (row->at > f->data->end)
            verify_failures_say(f, row, "time: is after the end of the run");
        if (row->fault)
            check_fault(f, row, first, &last);
        else if (row->job == VERIFY_NO_JOB)
            verify_failures_say(f, row, "has neither a fault nor a job");
        check_failure(f, row, count);
    }
    failures_check_counts(f, count);
    failures_check_nodes(f);
    check_suspects(f);
    free(first);
    free(count);
}

void verify_failures(const struct verify_failures *failures)
{
    failures_check_rows(failures);
    verify_failures_parts(failures);
}
