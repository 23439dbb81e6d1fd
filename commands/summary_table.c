/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/summary_table.h"

#include <math.h>
#include <string.h>

#include "commands/row_remarks.h"

/* Formats a mean with its interval. The unit, which all three numbers share, is
 * shown only once, after the mean. */
const char *summary_mean(const struct distribution *d,
                         char buf[SUMMARY_MEAN_MAX])
{
    char mean[TABLE_SPAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    if (d->count == 0 || isnan(d->mean_lo)) {
        snprintf(buf, SUMMARY_MEAN_MAX, "%s%s",
                 d->count ? table_span(d->mean, mean) : "-",
                 d->lack == INTERVAL_FEW_STRETCHES ? " [-]" : "");
        return buf;
    }
    table_span_as(d->mean, d->mean, mean);
    table_span_as(d->mean_lo, d->mean, lo);
    table_span_as(d->mean_hi, d->mean, hi);
    *strchr(lo, ' ') = '\0';
    *strchr(hi, ' ') = '\0';
    snprintf(buf, SUMMARY_MEAN_MAX, "%s [%s, %s]", mean, lo, hi);
    return buf;
}

void summary_note_lack(bool any, FILE *to)
{
    if (any)
        say_prose(to,
                  "[-]: the mean has no interval, because neighbouring jobs "
                  "are so much alike that all of them amount to fewer than %d "
                  "independent ones; `compare --replications` has one",
                  INTERVAL_STRETCHES_MIN);
}

const char *const summary_cells_head[SUMMARY_CELLS] = {
    "JCT mean [95 %]", "p50",     "p99",         "queue mean", "p99",
    "makespan",        "alloc %", "preemptions", "done",
};

static void span_cell(struct table *table, const struct distribution *d,
                      double seconds)
{
    char buf[TABLE_SPAN_MAX];
    table_add(table, "%s", d->count ? table_span(seconds, buf) : "-");
}

struct summary_line summary_line_of(const struct summary *s)
{
    const struct failure_spread *restart = &s->failures.spans[SPAN_RESTART];
    struct summary_line line = {
        .jct = s->of[METRIC_JCT],
        .queue = s->of[METRIC_QUEUE_DELAY],
        .makespan_s = span_seconds(s->makespan),
        .allocation = s->integrals.up > 0
                          ? (double)s->integrals.busy / (double)s->integrals.up
                          : NAN,
        .preemptions = (double)s->totals.preemptions,
        .jobs = (double)s->totals.jobs,
        .share = summary_finished_share(&s->totals),
        .restart_s = restart->count ? restart->mean : NAN,
    };
    for (unsigned i = 0; i < OUTCOME_GIVEN_UP; i++)
        line.done += (double)s->totals.outcome[i];
    return line;
}

void summary_cells(struct table *table, const struct summary_line *line)
{
    const struct distribution *jct = &line->jct, *queue = &line->queue;
    char buf[SUMMARY_MEAN_MAX], span[TABLE_SPAN_MAX];
    table_add(table, "%s", summary_mean(jct, buf));
    span_cell(table, jct, jct->p50);
    span_cell(table, jct, jct->p99);
    span_cell(table, queue, queue->mean);
    span_cell(table, queue, queue->p99);
    table_add(table, "%s", table_span(line->makespan_s, span));
    if (isnan(line->allocation))
        table_add(table, "-");
    else
        table_add(table, "%.1f", 100 * line->allocation);
    table_add(table, "%.0f", line->preemptions);
    if (line->done < line->jobs && !isnan(line->share)) {
        table_add(table, "%.0f/%.0f (%.3g %% of GPU h)", line->done, line->jobs,
                  100 * line->share);
        table_tone(table, TONE_ERROR);
    } else {
        table_add(table, "%.0f/%.0f", line->done, line->jobs);
    }
}

void summary_restart_cell(struct table *table, const struct summary_line *line)
{
    char span[TABLE_SPAN_MAX];
    table_add(table, "%s", table_span(line->restart_s, span));
}

void summary_done_cell(struct table *table, const struct jobs_done *done)
{
    if (!(done->unfinished > 0)) {
        table_add(table, "all");
        return;
    }
    if (isnan(done->share))
        table_add(table, "not all");
    else
        table_add(table, "%.3g %% of GPU h", 100 * done->share);
    table_tone(table, TONE_ERROR);
}

static void distribution_rows(FILE *to, const struct summary *s)
{
    struct table table;
    char buf[SUMMARY_MEAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    table_init(&table, 7, 1);
    for (const char *const *head =
             (const char *const[]){"", "mean [95 %]", "p50", "p90", "p95",
                                   "p99", "max", NULL};
         *head; head++)
        table_add(&table, "%s", *head);
    for (size_t m = 0; metrics[m].column.name; m++) {
        const struct distribution *d = &s->of[m];
        const double values[] = {d->p50, d->p90, d->p95, d->p99, d->max};
        bool time = strcmp(metrics[m].column.unit, "s") == 0;
        const char *name = metrics[m].column.name;
        /* length without the final "_s" of a time */
        size_t len = strlen(name) - (time ? 2 : 0);
        if (d->count == 0)
            continue;
        table_add(&table, "%.*s", (int)len, name);
        if (time)
            table_add(&table, "%s", summary_mean(d, buf));
        else if (isnan(d->mean_lo))
            table_add(&table, "%s%s", table_figure(d->mean, buf),
                      d->lack == INTERVAL_FEW_STRETCHES ? " [-]" : "");
        else
            table_add(&table, "%s [%s, %s]", table_figure(d->mean, buf),
                      table_figure_as(d->mean_lo, d->mean, lo),
                      table_figure_as(d->mean_hi, d->mean, hi));
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            if (time)
                span_cell(&table, d, values[i]);
            else
                table_add(&table, "%s", table_figure(values[i], buf));
        }
    }
    table_print(&table, to);
    table_fini(&table);
}

static void line(FILE *to, const char *name, double value, const char *unit)
{
    char buf[TABLE_SPAN_MAX];
    if (!isnan(value) && fabs(value) < 1000)
        fprintf(to, "%s%.1f%s", name, value, unit);
    else if (!isnan(value))
        fprintf(to, "%s%s%s", name, table_figure(value, buf), unit);
}

static void profiling_line(FILE *to, const struct profiling *p)
{
    char span[TABLE_SPAN_MAX];
    double delay = (double)p->delay_sum / (double)SPAN_SECOND;
    fprintf(to, "profiling: %llu jobs, %llu ended in it",
            (unsigned long long)(p->profiled + p->finished),
            (unsigned long long)p->finished);
    line(to, ", ", (double)p->time / (double)SPAN_HOUR, " GPU h");
    if (p->profiled)
        fprintf(to, ", mean delay %s",
                table_span(delay / (double)p->profiled, span));
    fputc('\n', to);
}

static void packing_line(FILE *to, const struct packing *p)
{
    double shared_time = (double)coloc_time(p->coloc);
    fprintf(to, "packing: %llu of %llu attempts",
            (unsigned long long)p->shared_attempts,
            (unsigned long long)p->attempts);
    if (shared_time > 0)
        fprintf(to, ", %.1f %% of the busy GPU time, mean relative speed %.2f",
                100 * (double)p->coloc->crowded / (double)p->busy,
                p->coloc->work / shared_time);
    fputc('\n', to);
}

static void elastic_line(FILE *to, const struct elastic *e)
{
    double jobs = (double)e->jobs;
    fprintf(to, "elastic: restarts %llu", (unsigned long long)e->restarts);
    line(to, " (", (double)e->counted_restarts / jobs, " a job)");
    line(to, ", ", (double)e->held / (double)SPAN_HOUR / jobs, " GPU h a job");
    line(to, ", active jobs ", e->active_mean, " on average");
    fprintf(to, ", %u at most\n", e->active_max);
}

static void failures_line(FILE *to, const struct failure_summary *f)
{
    char span[TABLE_SPAN_MAX];
    const struct failure_spread *restart = &f->spans[SPAN_RESTART];
    fprintf(to, "failures: %llu of %llu jobs, %llu faults",
            (unsigned long long)f->failures, (unsigned long long)f->jobs,
            (unsigned long long)f->faults);
    line(to, ", lost ", (double)f->lost / (double)SPAN_HOUR, " GPU h");
    fprintf(to, ", restarts %llu", (unsigned long long)f->restarts);
    if (restart->count)
        fprintf(to, " after %s (mean)", table_span(restart->mean, span));
    fprintf(to, ", given up %llu", (unsigned long long)f->given_up);
    line(to, ", ETTR ", 100 * f->ettr, " %");
    if (f->nodes > 0)
        line(to, ", nodes up ", 100 * (1 - (double)f->down / (double)f->nodes),
             " %");
    fputc('\n', to);
}

/* Prints the two identities of GPU time (sim/results/gpu_time.h), as shares. */
static void gpu_time_line(FILE *to, const struct gpu_time_books *b)
{
    double held = (double)b->held, described = (double)b->described;
    fputs("GPU time:", to);
    if (b->rigid && held > 0) {
        line(to, " held = useful ", 100 * b->useful / held, " %");
        line(to, " + lost ", 100 * b->lost / held, " %");
        line(to, " + overhead ", 100 * b->overhead / held, " %");
        line(to, " + slowed ", 100 * b->slowed / held, " %;");
    }
    if (described > 0) {
        line(to, " cluster = busy ", 100 * (double)b->busy / described, " %");
        line(to, " + idle ", 100 * (double)b->idle / described, " %");
        line(to, " + down ", 100 * (double)b->down / described, " %");
        if (b->serves)
            line(to, " + language model ",
                 100 * (double)(b->llm_busy + b->llm_idle) / described, " %");
    }
    fputc('\n', to);
}

static void evictions_line(FILE *to, const struct evictions *e)
{
    fprintf(to, "evictions: %llu", (unsigned long long)e->evictions);
    if (e->evictions) {
        fprintf(to, " beside %llu jobs, at most %llu beside one",
                (unsigned long long)e->hosts, (unsigned long long)e->host_most);
        line(to, ", lost ", (double)e->lost / (double)SPAN_HOUR, " GPU h");
    }
    fputc('\n', to);
}

static void deadlines_line(FILE *to, const struct deadlines *d)
{
    char mean[TABLE_SPAN_MAX], most[TABLE_SPAN_MAX];
    fprintf(to, "deadlines: %llu of %llu missed", (unsigned long long)d->missed,
            (unsigned long long)d->jobs);
    if (d->finished)
        fprintf(to, ", late by %s on average, by %s at most",
                table_span(d->tardiness / (double)d->finished / 1e6, mean),
                table_span(span_seconds(d->tardiness_max), most));
    fputc('\n', to);
}

static double share(uint64_t part, uint64_t whole)
{
    return 100 * (double)part / (double)(whole ? whole : 1);
}

/* Prints what SchedMate's modules asked, and what the language model cost. */
static void advice_lines(FILE *to, const struct advice_summary *a)
{
    char span[TABLE_SPAN_MAX];
    uint64_t jobs = 0;
    double n = (double)a->questions;
    for (unsigned b = 0; b < ADVICE_BASES; b++)
        jobs += a->by_basis[b];
    fprintf(to, "advice: %llu questions (", (unsigned long long)a->questions);
    for (unsigned m = 0; m < ADVICE_MODULES; m++)
        fprintf(to, "%s%s %llu", m ? ", " : "",
                advice_module_name((enum advice_module)m),
                (unsigned long long)a->by_module[m]);
    fputc(')', to);
    const char *before = "; jobs:";
    for (unsigned b = 0; b < ADVICE_BASES; b++) {
        if (a->by_basis[b] == 0)
            continue;
        fprintf(to, "%s %s %.1f %%", before,
                advice_basis_name((enum advice_basis)b),
                share(a->by_basis[b], jobs));
        before = ",";
    }
    if (a->questions)
        fprintf(to, ", answered after %s on average",
                table_span(a->delay_sum / n / (double)SPAN_SECOND, span));
    fprintf(to, "\nlanguage model: %u %s %s", a->servers,
            a->servers == 1 ? "GPU" : "GPUs",
            a->gpus ? "of the cluster" : "outside the cluster");
    line(to, ", busy ", (double)a->busy / (double)SPAN_HOUR, " GPU h");
    if (a->end > 0)
        line(to, " (", 100 * (double)a->busy / a->servers / (double)a->end,
             " %)");
    fprintf(to, ", tokens: %llu read, %llu written",
            (unsigned long long)a->tokens_in,
            (unsigned long long)a->tokens_out);
    fputc('\n', to);
}

static void head_line(FILE *to, const struct run_result *run,
                      const struct summary *s)
{
    char outcomes[512];
    size_t len = 0;
    for (unsigned i = 0; i < OUTCOME_N && len < sizeof outcomes; i++) {
        if (s->totals.outcome[i])
            len += (size_t)snprintf(outcomes + len, sizeof outcomes - len,
                                    "%s%llu %s", len ? ", " : " (",
                                    (unsigned long long)s->totals.outcome[i],
                                    outcome_name((enum outcome)i));
    }
    say_prose(to, "%s on %s: %llu jobs%s%s", run->policy, run->cluster_name,
              (unsigned long long)s->totals.jobs, len ? outcomes : "",
              len ? ")" : "");
    if (run->knowledge.words)
        say_prose(to, "%s", run->knowledge.words);
    fputc('\n', to);
}

/* Prints the shares that --wait-over asks for, and Jain's index for --by
 * user. */
static void extras_line(FILE *to, const struct summary *s)
{
    const struct extras *e = &s->extras;
    char span[TABLE_SPAN_MAX];
    for (size_t i = 0; i < e->n_over && s->totals.counted; i++)
        fprintf(to, "%s%s: %.1f %% of jobs", i ? ", over " : "waiting over ",
                table_span(span_seconds(e->over[i]), span),
                100 * (double)s->totals.over[i] / (double)s->totals.counted);
    if (e->n_over && s->totals.counted)
        fputc('\n', to);
    if (e->by_user && !isnan(s->jain_users))
        fprintf(to, "Jain's index of %zu users: %.3f\n", s->users.n,
                s->jain_users);
}

/* Prints a line or two for each part of the summary that only some runs
 * have. */
static void part_lines(FILE *to, const struct summary *s)
{
    bool failed = s->failures.faults || s->failures.failures;
    if (failed)
        failures_line(to, &s->failures);
    if (failed || s->advice.gpus || s->evictions.evictions)
        gpu_time_line(to, &s->gpu_time);
    if (s->evictions.any)
        evictions_line(to, &s->evictions);
    if (s->deadlines.jobs)
        deadlines_line(to, &s->deadlines);
    if (s->advice.any)
        advice_lines(to, &s->advice);
    if (s->elastic.any && s->elastic.jobs)
        elastic_line(to, &s->elastic);
    if (s->profiling.any)
        profiling_line(to, &s->profiling);
    if (s->packing.coloc)
        packing_line(to, &s->packing);
}

static void print_remarks(FILE *to, const struct remarks *remarks, bool is_full)
{
    struct row_remarks rows;
    row_remarks_init(&rows);
    row_remarks_add_run(&rows, NULL, remarks);
    row_remarks_print(&rows, 1, is_full, to);
    row_remarks_fini(&rows);
}

void summary_table_print(FILE *to, struct results results,
                         const struct summary *s, bool all_remarks)
{
    const struct run_result *run = results.run;
    char span[TABLE_SPAN_MAX];
    head_line(to, run, s);
    distribution_rows(to, s);
    fprintf(to, "\nmakespan %s", table_span(span_seconds(s->makespan), span));
    double up = (double)s->integrals.up, busy = (double)s->integrals.busy;
    line(to, ", allocation ", up > 0 ? 100 * busy / up : NAN, " %");
    double held = (double)s->totals.held, useful = (double)s->totals.useful;
    line(to, ", utilisation ",
         up > 0 && held > 0 ? 100 * busy / up * useful / held : NAN, " %");
    line(to, ", goodput ", held > 0 ? 100 * useful / held : NAN, " %");
    line(to, ", fragmentation ",
         up > busy ? 100 * (double)s->integrals.stranded / (up - busy) : NAN,
         " %");
    fprintf(to, "\npreemptions %llu",
            (unsigned long long)s->totals.preemptions);
    line(to, ", overhead ", (double)s->totals.overhead / (double)SPAN_HOUR,
         " GPU h");
    line(to, ", lost ", (double)s->totals.lost / (double)SPAN_HOUR, " GPU h");
    fputc('\n', to);
    extras_line(to, s);
    part_lines(to, s);
    if (run->n_unfinished)
        say_prose(to, "incomplete: %u jobs did not finish: %s",
                  run->n_unfinished, run->unfinished ? run->unfinished : "");
    bool any = false;
    for (size_t m = 0; metrics[m].column.name; m++)
        any |= s->of[m].lack == INTERVAL_FEW_STRETCHES;
    summary_note_lack(any, to);
    print_remarks(to, &run->remarks, all_remarks);
}
