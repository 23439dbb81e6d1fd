/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `failures` of summary.json again, from the rows of
 * failures.csv, the attempts and the changes of nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify_failures.h"

enum { DETECT, PENDING, RESTART, SPANS };

/* Sums over the rows of failures.csv. */
struct counts {
    double faults, harmless, missed, failures, jobs, restarts, given_up;
    double lost, held, waiting; /* GPU-microseconds */
    double *spans[SPANS];       /* seconds */
    size_t n[SPANS];
};

static int failures_parts_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void failures_parts_add_failure(struct counts *c,
                                       const struct verify_failures *f,
                                       const struct verify_failure *row)
{
    sim_time end = f->data->end;
    double gpus = f->data->jobs[row->job].gpus;
    bool again = row->restarted >= 0;
    c->failures++;
    c->jobs += row->number == 1;
    c->lost += (double)row->lost * gpus;
    c->spans[DETECT][c->n[DETECT]++] = span_seconds(row->detected);
    if (strcmp(interner_string(&f->words, row->verdict), "give-up") == 0) {
        c->given_up++;
        return;
    }
    c->spans[PENDING][c->n[PENDING]++] = span_seconds(row->delay);
    double absent = (double)((again ? row->restarted : end) - row->at);
    double held = fmin((double)row->delay, absent);
    c->held += held * gpus;
    c->waiting += (absent - held) * gpus;
    if (!again)
        return;
    c->restarts++;
    c->spans[RESTART][c->n[RESTART]++] = span_seconds(row->restarted - row->at);
}

static void expect_spread(const struct verify_part *part, const char *name,
                          double *values, size_t n)
{
    static const struct {
        const char *name;
        unsigned percent;
    } ranks[] = {
        {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    const struct verify_part inner = verify_part_inner(part, name);
    double sum = 0;
    verify_part_expect(&inner, "count", (double)n);
    if (n == 0)
        return;
    qsort(values, n, sizeof *values, failures_parts_by_value);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    verify_part_expect(&inner, "mean", sum / (double)n);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        size_t rank = (n * ranks[i].percent + 99) / 100;
        verify_part_expect(&inner, ranks[i].name, values[rank - 1]);
    }
}

/* Gives the counts by word: of faults if `of_faults`, otherwise of failures.
 * Each known word has a count. `words` ends with NULL. */
static void expect_words(const struct verify_failures *f,
                         const struct verify_part *part, const char *name,
                         const char *const *words, bool of_faults)
{
    const struct verify_part inner = verify_part_inner(part, name);
    for (; *words; words++) {
        uint32_t last = 0;
        double n = 0;
        for (size_t i = 0; i < f->n_rows; i++) {
            const struct verify_failure *row = &f->rows[i];
            bool begins = row->fault > last;
            uint32_t symbol = of_faults                      ? row->scope
                              : strcmp(name, "by_kind") == 0 ? row->kind
                                                             : row->verdict;
            last = begins ? row->fault : last;
            if (of_faults ? begins : row->job != VERIFY_NO_JOB)
                n += strcmp(interner_string(&f->words, symbol), *words) == 0;
        }
        verify_part_expect(&inner, *words, n);
    }
}

/* Gives the numbers of each cause that a row names. */
static void expect_causes(const struct verify_failures *f,
                          const struct verify_part *part)
{
    const struct verify_part all = verify_part_inner(part, "by_cause");
    for (uint32_t symbol = 0; symbol < f->words.n_strings; symbol++) {
        uint32_t last = 0, rows = 0;
        double faults = 0, failures = 0, lost = 0;
        for (size_t i = 0; i < f->n_rows; i++) {
            const struct verify_failure *row = &f->rows[i];
            bool begins = row->fault > last;
            last = begins ? row->fault : last;
            if (row->cause != symbol)
                continue;
            rows++;
            faults += begins;
            if (row->job == VERIFY_NO_JOB)
                continue;
            failures++;
            lost += (double)row->lost * f->data->jobs[row->job].gpus;
        }
        if (!rows)
            continue;
        const struct verify_part inner =
            verify_part_inner(&all, interner_string(&f->words, symbol));
        verify_part_expect(&inner, "faults", faults);
        verify_part_expect(&inner, "failures", failures);
        verify_part_expect(&inner, "lost_gpu_hours", lost / 3600e6);
    }
}

static void expect_nodes(const struct verify_failures *f,
                         const struct verify_part *part)
{
    const struct verify_data *d = f->data;
    sim_time end = d->last_end;
    sim_time *since = mem_zalloc(d->n_nodes + 1, sizeof *since);
    double down = 0, repaired = 0, outages = 0, over = 0;
    for (size_t i = 0; i < d->n_nodes; i++)
        since[i] = -1;
    for (size_t i = 0; i < d->n_changes && d->changes[i].at < end; i++) {
        const struct verify_change *c = &d->changes[i];
        if (c->kind == NODE_GOES && since[c->node] < 0) {
            outages++;
            since[c->node] = c->at;
        } else if (c->kind == NODE_COMES && since[c->node] >= 0) {
            over++;
            repaired += (double)(c->at - since[c->node]);
            since[c->node] = -1;
        }
    }
    down = repaired;
    for (size_t i = 0; i < d->n_nodes; i++)
        down += since[i] < 0 ? 0 : (double)(end - since[i]);
    double all = (double)d->n_nodes * (double)end;
    verify_part_expect(part, "availability",
                       all > 0 ? (all - down) / all : NAN);
    verify_part_expect(part, "outages", outages);
    verify_part_expect(part, "node_mtbf_s",
                       outages > 0 ? (all - down) / 1e6 / outages : NAN);
    verify_part_expect(part, "node_mttr_s",
                       over > 0 ? repaired / 1e6 / over : NAN);
    free(since);
}

static void check_failures(const struct verify_failures *f,
                           const struct verify_part *part,
                           const struct verify_part *time)
{
    struct counts c = {0};
    uint32_t last = 0;
    for (unsigned i = 0; i < SPANS; i++)
        c.spans[i] = mem_zalloc(f->n_rows + 1, sizeof *c.spans[i]);
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct verify_failure *row = &f->rows[i];
        if (row->fault > last) {
            last = row->fault;
            c.faults++;
            c.harmless += row->harmless;
            c.missed += row->missed;
        }
        if (row->job != VERIFY_NO_JOB)
            failures_parts_add_failure(&c, f, row);
    }
    verify_part_expect(part, "faults", c.faults);
    verify_part_expect(part, "harmless", c.harmless);
    verify_part_expect(part, "missed", c.missed);
    verify_part_expect(part, "failures", c.failures);
    verify_part_expect(part, "jobs", c.jobs);
    verify_part_expect(part, "restarts", c.restarts);
    verify_part_expect(part, "given_up", c.given_up);
    verify_part_expect(part, "lost_gpu_hours", c.lost / 3600e6);
    verify_part_expect(part, "held_gpu_hours", c.held / 3600e6);
    verify_part_expect(part, "waiting_gpu_hours", c.waiting / 3600e6);
    double useful = verify_part_number(time, "useful_gpu_hours");
    double whole = useful + verify_part_number(time, "lost_gpu_hours") +
                   verify_part_number(time, "overhead_gpu_hours") +
                   (c.held + c.waiting) / 3600e6;
    bool skipped = json_object_get(time->object, "jobs_skipped") != NULL;
    verify_part_expect(part, "ettr",
                       skipped || !(whole > 0) ? NAN : useful / whole);
    expect_spread(part, "detect_s", c.spans[DETECT], c.n[DETECT]);
    expect_spread(part, "pending_s", c.spans[PENDING], c.n[PENDING]);
    expect_spread(part, "restart_s", c.spans[RESTART], c.n[RESTART]);
    for (unsigned i = 0; i < SPANS; i++)
        free(c.spans[i]);
}

void verify_failures_parts(const struct verify_failures *f)
{
    static const char *const scopes[] = {"node", "gpu",     "nvlink",
                                         "nic",  "storage", NULL};
    static const char *const kinds[] = {"infrastructure", "framework", "script",
                                        NULL};
    static const char *const verdicts[] = {"give-up", "restart", "resume",
                                           NULL};
    struct verify_part part, time = {.name = "gpu_time"};
    if (!verify_part_find(f->data, "failures", f->exists, f->report, &part))
        return;
    time.object = json_object_get(f->data->summary, "gpu_time");
    check_failures(f, &part, &time);
    expect_words(f, &part, "by_scope", scopes, true);
    expect_words(f, &part, "by_kind", kinds, false);
    expect_words(f, &part, "by_verdict", verdicts, false);
    expect_causes(f, &part);
    expect_nodes(f, &part);
}
