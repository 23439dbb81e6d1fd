/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/failure_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/stats.h"

static struct cause_total *cause_of(struct failure_summary *s,
                                    const char *cause)
{
    for (size_t i = 0; i < s->n_causes; i++) {
        if (s->causes[i].cause == cause ||
            strcmp(s->causes[i].cause, cause) == 0)
            return &s->causes[i];
    }
    s->causes =
        mem_grow(s->causes, &s->cap_causes, s->n_causes + 1, sizeof *s->causes);
    s->causes[s->n_causes] = (struct cause_total){.cause = cause};
    return &s->causes[s->n_causes++];
}

/* By kind of span: its values in seconds, one for each failure that has such a
 * span. The distributions are computed from them. */
struct spans {
    double *values[FAILURE_SPANS];
    size_t n[FAILURE_SPANS];
};

static void add_span(struct spans *spans, enum failure_span which,
                     sim_span span)
{
    spans->values[which][spans->n[which]++] = span_seconds(span);
}

/* Splits the time from a failure to the next start, or to the end of the run,
 * into the time held back and the time pending, and adds both to the sums. */
static void add_absence(struct failure_summary *s,
                        const struct failure_line *line, sim_time end)
{
    sim_time until = line->restarted < end ? line->restarted : end;
    sim_span absent = until - line->at, held = line->failure->delay;
    gpu_time gpus = line->job->gpus;
    held = held < absent ? held : absent;
    s->held += gpus * held;
    s->waiting += gpus * (absent - held);
}

static void add_failure(struct failure_summary *s, struct spans *spans,
                        const struct failure_line *line, sim_time end)
{
    const struct failure_row *failure = line->failure;
    struct cause_total *cause = cause_of(s, failure->cause);
    gpu_time lost = (gpu_time)line->lost * line->job->gpus;
    s->failures++;
    s->jobs += failure->number == 1;
    s->by_kind[failure->kind]++;
    s->by_verdict[failure->verdict]++;
    s->lost += lost;
    cause->failures++;
    cause->lost += lost;
    add_span(spans, SPAN_DETECT, failure->detected);
    if (failure->verdict == VERDICT_GIVE_UP) {
        s->given_up++;
        return;
    }
    add_span(spans, SPAN_PENDING, failure->delay);
    add_absence(s, line, end);
    if (line->restarted == TIME_NEVER)
        return;
    s->restarts++;
    add_span(spans, SPAN_RESTART, line->restarted - line->at);
}

static void add_fault(struct failure_summary *s, const struct fault_row *fault)
{
    s->faults++;
    s->harmless += fault->harmless;
    s->missed += fault->missed;
    s->by_scope[fault->scope]++;
    cause_of(s, fault->cause)->faults++;
}

static struct failure_spread describe(double *values, size_t n)
{
    enum { N_PERCENTS = 4 };
    static const double percents[N_PERCENTS] = {50, 90, 95, 99};
    double at[N_PERCENTS], sum = 0, max = 0;
    if (n == 0)
        return (struct failure_spread){0};
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        max = fmax(max, values[i]);
    }
    stats_percentiles(values, n, percents, N_PERCENTS, at);
    return (struct failure_spread){n,     sum / (double)n, at[0], at[1],
                                   at[2], at[3],           max};
}

static void add_rows(struct failure_summary *s, const struct results *results)
{
    struct failure_rows rows;
    struct failure_line line;
    struct spans spans = {0};
    uint32_t last = 0; /* number of the last fault counted */
    for (unsigned i = 0; i < FAILURE_SPANS; i++)
        spans.values[i] = mem_alloc((results->run->ledger.n_failures + 1) *
                                    sizeof *spans.values[i]);
    failure_rows_init(&rows, results);
    while (failure_rows_next(&rows, &line)) {
        if (line.fault_number > last) {
            add_fault(s, line.fault);
            last = line.fault_number;
        }
        if (line.failure)
            add_failure(s, &spans, &line, results->end);
    }
    failure_rows_fini(&rows);
    for (unsigned i = 0; i < FAILURE_SPANS; i++) {
        s->spans[i] = describe(spans.values[i], spans.n[i]);
        free(spans.values[i]);
    }
}

/* Adds up the time for which nodes were out of service within the makespan, and
 * counts how often they were. */
static void add_outages(struct failure_summary *s,
                        const struct results *results)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    sim_time end = results->meter->last_end;
    uint32_t n = run->cluster.n_nodes;
    sim_time *since = mem_alloc((n + (size_t)1) * sizeof *since);
    for (uint32_t i = 0; i < n; i++)
        since[i] = TIME_NEVER;
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        sim_time *from = &since[change->node];
        if (change->at >= end)
            break;
        if (change->kind == LEDGER_NODE_DOWN && *from == TIME_NEVER) {
            *from = change->at;
            s->outages++;
        } else if (change->kind == LEDGER_NODE_UP && *from != TIME_NEVER) {
            s->repaired += change->at - *from;
            s->outages_over++;
            *from = TIME_NEVER;
        }
    }
    s->down = s->repaired;
    for (uint32_t i = 0; i < n; i++)
        s->down += since[i] == TIME_NEVER ? 0 : end - since[i];
    s->nodes = (gpu_time)n * end;
    free(since);
}

void failure_summary_init(struct failure_summary *summary,
                          const struct results *results,
                          const struct gpu_time_books *books)
{
    *summary =
        (struct failure_summary){.any = failure_rows_exist(results->run)};
    if (!summary->any)
        return;
    add_rows(summary, results);
    add_outages(summary, results);
    double absent = (double)(summary->held + summary->waiting);
    double whole = books->useful + books->lost + books->overhead + absent;
    summary->ettr = books->rigid && whole > 0 ? books->useful / whole : NAN;
}

void failure_summary_fini(struct failure_summary *summary)
{
    free(summary->causes);
}
