/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/summary_table.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/out.h"
#include "commands/terminal.h"
#include "sim/results/statistics.h"

struct summary_table_pair {
    double predicted, actual, gpus, rank;
    uint32_t number;
};

static void line(FILE *to, const char *name, double value, const char *unit);
static double share(uint64_t part, uint64_t whole);

static int summary_table_by_value(double a, double b, uint32_t i, uint32_t k)
{
    if (a != b)
        return a < b ? -1 : 1;
    return i < k ? -1 : i > k;
}

static int by_predicted(const void *a, const void *b)
{
    const struct summary_table_pair *x = a, *y = b;
    return summary_table_by_value(x->predicted, y->predicted, x->number,
                                  y->number);
}

static int by_actual(const void *a, const void *b)
{
    const struct summary_table_pair *x = a, *y = b;
    return summary_table_by_value(x->actual, y->actual, x->number, y->number);
}

/* Returns Spearman's correlation: Pearson's correlation of mid-ranks; NaN if
 * all predictions or all true values are equal. Leaves the pairs sorted by
 * prediction, as bins_of needs them. */
static double spearman(struct summary_table_pair *pairs, size_t n)
{
    double sum_xy = 0, sum_xx = 0, sum_yy = 0, mean = ((double)n - 1) / 2;
    qsort(pairs, n, sizeof *pairs, by_actual);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && pairs[end].actual == pairs[i].actual;)
            end++;
        for (size_t k = i; k < end; k++)
            pairs[k].rank = (double)(i + end - 1) / 2 - mean;
    }
    qsort(pairs, n, sizeof *pairs, by_predicted);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && pairs[end].predicted == pairs[i].predicted;)
            end++;
        double rank = (double)(i + end - 1) / 2 - mean;
        for (size_t k = i; k < end; k++) {
            sum_xy += rank * pairs[k].rank;
            sum_xx += rank * rank;
            sum_yy += pairs[k].rank * pairs[k].rank;
        }
    }
    return sum_xx > 0 && sum_yy > 0 ? sum_xy / sqrt(sum_xx * sum_yy) : NAN;
}

/* Summarises the relative errors of n jobs. Changes the order of the array. */
static struct relative_errors relative_of(double *errors, size_t n)
{
    struct relative_errors r = {
        .n = (uint32_t)n, .mean = NAN, .below_100 = NAN};
    double percents[ACCURACY_SHARES];
    size_t below = 0;
    for (size_t i = 0; i < ACCURACY_SHARES; i++) {
        percents[i] = (double)(i + 1) * 100 / ACCURACY_SHARES;
        r.at[i] = NAN;
    }
    if (n == 0)
        return r;
    r.mean = 0;
    for (size_t i = 0; i < n; i++) {
        r.mean += errors[i] / (double)n;
        below += errors[i] < 1;
    }
    r.below_100 = (double)below / (double)n;
    stats_percentiles(errors, n, percents, ACCURACY_SHARES, r.at);
    return r;
}

static struct relative_errors utilisation_of(const struct jobset *w,
                                             const struct guess *guesses,
                                             uint32_t first)
{
    double *errors = mem_alloc((w->n_jobs + 1u) * sizeof *errors);
    size_t n = 0;
    for (uint32_t i = first; i < w->n_jobs; i++) {
        double known = w->jobs[i].gpu_util;
        if (guesses[i].knows_demand && w->jobs[i].gpu_util != GPU_UTIL_UNKNOWN)
            errors[n++] =
                fabs(100 * guesses[i].compute - known) / fmax(known, 1);
    }
    struct relative_errors r = relative_of(errors, n);
    free(errors);
    return r;
}

static void errors_of(const struct summary_table_pair *pairs, size_t n,
                      struct accuracy *out)
{
    double *absolute = mem_alloc(n * sizeof *absolute);
    double *relative = mem_alloc(n * sizeof *relative);
    double squares = 0, variance = 0;
    const double half = 50;
    size_t within = 0;
    for (size_t i = 0; i < n; i++) {
        out->mean_s += pairs[i].actual / (double)n;
        out->mean_predicted_s += pairs[i].predicted / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double p = fmax(pairs[i].predicted, 1), a = fmax(pairs[i].actual, 1);
        absolute[i] = fabs(pairs[i].predicted - pairs[i].actual);
        relative[i] = absolute[i] / a;
        within += p <= 2 * a && a <= 2 * p;
        out->mae_s += absolute[i] / (double)n;
        squares += absolute[i] * absolute[i];
        variance +=
            (pairs[i].actual - out->mean_s) * (pairs[i].actual - out->mean_s);
    }
    out->within_factor_2 = (double)within / (double)n;
    out->r2 = variance > 0 ? 1 - squares / variance : NAN;
    stats_percentiles(absolute, n, &half, 1, &out->medae_s);
    out->run_time = relative_of(relative, n);
    free(absolute);
    free(relative);
}

/* Fills the calibration bins. The pairs must be sorted by prediction. */
static void summary_table_bins_of(const struct summary_table_pair *pairs,
                                  size_t n, struct accuracy *out)
{
    for (size_t b = 0; b < ACCURACY_BINS; b++) {
        size_t from = b * n / ACCURACY_BINS, to = (b + 1) * n / ACCURACY_BINS;
        for (size_t i = from; i < to; i++) {
            out->bins[b].predicted_s += pairs[i].predicted;
            out->bins[b].true_s += pairs[i].actual;
        }
        double count = to > from ? (double)(to - from) : 1;
        out->bins[b].predicted_s /= count;
        out->bins[b].true_s /= count;
    }
}

static size_t summary_table_collect(const struct jobset *w,
                                    const struct guess *guesses, uint32_t first,
                                    struct summary_table_pair *pairs,
                                    struct accuracy *out)
{
    size_t n = 0;
    uint32_t inside = 0;
    for (uint32_t i = first; i < w->n_jobs; i++) {
        const struct guess *guess = &guesses[i];
        sim_span actual = jobset_duration(w, i);
        if (!guess->known)
            continue;
        pairs[n] =
            (struct summary_table_pair){.predicted = span_seconds(guess->mean),
                                        .actual = span_seconds(actual),
                                        .gpus = w->jobs[i].gpus,
                                        .number = (uint32_t)n};
        n++;
        if (guess->spread < 0)
            continue;
        out->with_spread++;
        inside += llabs(actual - guess->mean) <= guess->spread;
    }
    out->within_spread =
        out->with_spread ? (double)inside / out->with_spread : NAN;
    return n;
}

bool accuracy_of(const struct jobset *w, const struct guess *guesses,
                 uint32_t first, struct accuracy *out)
{
    *out = (struct accuracy){.jobs = w->n_jobs - first};
    struct summary_table_pair *pairs =
        mem_alloc((w->n_jobs + 1u) * sizeof *pairs);
    size_t n = summary_table_collect(w, guesses, first, pairs, out);
    out->answered = (uint32_t)n;
    out->utilisation = utilisation_of(w, guesses, first);
    if (n) {
        errors_of(pairs, n, out);
        out->rank = spearman(pairs, n);
        summary_table_bins_of(pairs, n, out);
        for (size_t i = 0; i < n; i++) {
            pairs[i].predicted *= pairs[i].gpus;
            pairs[i].actual *= pairs[i].gpus;
        }
        out->rank_service = spearman(pairs, n);
    }
    free(pairs);
    return n > 0;
}

#define AT_PERCENT(errors, percent) \
    ((errors)->at[(percent)*ACCURACY_SHARES / 100 - 1])

static json_t *json_of_utilisation(const struct relative_errors *r)
{
    if (r->n == 0)
        return json_null();
    return json_pack("{sI sf sf sf}", "answered", (json_int_t)r->n,
                     "relative_mean", r->mean, "relative_p50",
                     AT_PERCENT(r, 50), "below_100", r->below_100);
}

static void summary_table_print_json(const struct accuracy *a, struct out *out)
{
    json_t *bins = json_array();
    for (size_t b = 0; b < ACCURACY_BINS; b++)
        json_array_append_new(bins, json_pack("{sf sf}", "predicted_s",
                                              a->bins[b].predicted_s, "true_s",
                                              a->bins[b].true_s));
    json_t *root = json_pack(
        "{sI sI sf sf sf sf sf sf sf sf so so}", "jobs", (json_int_t)a->jobs,
        "answered", (json_int_t)a->answered, "mean_s", a->mean_s,
        "mean_predicted_s", a->mean_predicted_s, "mae_s", a->mae_s,
        "median_error_s", a->medae_s, "relative_p50",
        AT_PERCENT(&a->run_time, 50), "relative_p90",
        AT_PERCENT(&a->run_time, 90), "below_100", a->run_time.below_100,
        "within_factor_2", a->within_factor_2, "bins", bins, "utilisation",
        json_of_utilisation(&a->utilisation));
    const struct {
        const char *name;
        double value;
    } maybe[] = {{"r2", a->r2},
                 {"rank_correlation", a->rank},
                 {"rank_correlation_gpu_time", a->rank_service},
                 {"within_spread", a->within_spread}};
    for (size_t i = 0; i < sizeof maybe / sizeof *maybe; i++)
        json_object_set_new(root, maybe[i].name,
                            isnan(maybe[i].value) ? json_null()
                                                  : json_real(maybe[i].value));
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    out_text(out, text);
    out_char(out, '\n');
    free(text);
    json_decref(root);
}

/* Writes a comma and a relative error; only the comma if the error is NaN. */
static void write_error(double error, struct out *out)
{
    out_char(out, ',');
    if (!isnan(error))
        out_printf(out, "%.6f", error);
}

void accuracy_write_errors(const struct accuracy *a, struct out *out)
{
    out_text(out, "share,run_time_error,utilisation_error\n");
    for (size_t i = 0; i < ACCURACY_SHARES; i++) {
        out_printf(out, "%.2f", (double)(i + 1) / ACCURACY_SHARES);
        write_error(a->run_time.at[i], out);
        write_error(a->utilisation.at[i], out);
        out_char(out, '\n');
    }
}

void accuracy_print(const struct accuracy *a, bool json, struct out *out)
{
    if (json) {
        summary_table_print_json(a, out);
        return;
    }
    char first[TABLE_SPAN_MAX], second[TABLE_SPAN_MAX];
    out_printf(out, "jobs after the split   %u, answered %u\n", a->jobs,
               a->answered);
    out_printf(out, "mean run time          %s, predicted %s\n",
               table_span(a->mean_s, first),
               table_span(a->mean_predicted_s, second));
    out_printf(out, "absolute error         mean %s, median %s\n",
               table_span(a->mae_s, first), table_span(a->medae_s, second));
    out_printf(out, "relative error         median %.3f, 90 %% %.3f\n",
               AT_PERCENT(&a->run_time, 50), AT_PERCENT(&a->run_time, 90));
    out_printf(out, "  below 100 %%          %.1f %%\n",
               100 * a->run_time.below_100);
    out_printf(out, "within a factor of 2   %.1f %%\n",
               100 * a->within_factor_2);
    out_printf(out, "rank correlation       run time %.4f, GPU time %.4f\n",
               a->rank, a->rank_service);
    out_printf(out, "R2 of run times        %.4f\n", a->r2);
    if (a->with_spread)
        out_printf(out, "truth within spread    %.1f %% of %u\n",
                   100 * a->within_spread, a->with_spread);
    if (a->utilisation.n)
        out_printf(out,
                   "error of utilisation   mean %.3f, median %.3f of its true "
                   "value, of %u\n",
                   a->utilisation.mean, AT_PERCENT(&a->utilisation, 50),
                   a->utilisation.n);
    out_text(out,
             "calibration            predicted    true, mean of a fifth\n");
    for (size_t b = 0; b < ACCURACY_BINS; b++)
        out_printf(out, "  %29s %9s\n",
                   table_span(a->bins[b].predicted_s, first),
                   table_span(a->bins[b].true_s, second));
}

struct row_remark {
    enum remark_rank rank;
    size_t n_rows; /* SIZE_MAX: the remark is about the whole table */
    const char *rows[ROW_REMARKS_NAMES];
};

void row_remarks_init(struct row_remarks *all)
{
    *all = (struct row_remarks){0};
    interner_init(&all->texts);
}

void row_remarks_fini(struct row_remarks *all)
{
    free(all->at);
    interner_fini(&all->texts);
}

void row_remarks_add(struct row_remarks *all, const char *row,
                     enum remark_rank rank, const char *text)
{
    const size_t before = all->texts.n_strings;
    const uint32_t i = interner_add(&all->texts, text_from(text));
    all->at =
        mem_grow(all->at, &all->cap, all->texts.n_strings, sizeof *all->at);
    struct row_remark *r = &all->at[i];
    if (all->texts.n_strings > before)
        *r = (struct row_remark){.rank = rank};
    r->rank = rank < r->rank ? rank : r->rank;
    if (row && r->n_rows < ROW_REMARKS_NAMES)
        r->rows[r->n_rows] = row;
    r->n_rows = row ? r->n_rows + 1 : SIZE_MAX;
}

void row_remarks_say(struct row_remarks *all, enum remark_rank rank,
                     const char *format, ...)
{
    char buf[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    row_remarks_add(all, NULL, rank, buf);
}

void row_remarks_add_run(struct row_remarks *all, const char *row,
                         const struct remarks *remarks)
{
    for (size_t i = 0; i < remarks->count; i++)
        row_remarks_add(all, row, remarks->at[i].rank, remarks->at[i].text);
}

/* Prints the remark with symbol `i`. */
static void print_one(const struct row_remarks *all, uint32_t i, size_t n_rows,
                      FILE *to)
{
    const struct row_remark *r = &all->at[i];
    struct out *rows = out_to_memory();
    const bool is_named = r->n_rows <= ROW_REMARKS_NAMES && *r->rows[0];
    for (size_t k = 0; r->n_rows < n_rows && is_named && k < r->n_rows; k++)
        out_printf(rows, "%s%s", k ? ", " : " (", r->rows[k]);
    if (r->n_rows < n_rows && !is_named)
        out_printf(rows, " (%zu of %zu runs", r->n_rows, n_rows);
    out_text(rows, r->n_rows < n_rows ? ")" : "");
    out_char(rows, '\0');
    say_prose(to, "note%s: %s", out_memory(rows).at,
              interner_string(&all->texts, i));
    out_abandon(rows);
}

/* Prints the remarks of a rank, of which `n` graver ones precede. Returns how
 * many there are up to this rank. */
static size_t print_rank(const struct row_remarks *all, enum remark_rank rank,
                         size_t n, size_t n_rows, bool is_full, FILE *to)
{
    for (uint32_t i = 1; i < all->texts.n_strings; i++) {
        if (all->at[i].rank == rank && (n++ < ROW_REMARKS_SHOWN || is_full))
            print_one(all, i, n_rows, to);
    }
    return n;
}

static void print_more(size_t n, bool is_full, FILE *to)
{
    if (n > ROW_REMARKS_SHOWN && !is_full)
        fprintf(to, "%zu more remark%s: --remarks\n", n - ROW_REMARKS_SHOWN,
                n == ROW_REMARKS_SHOWN + 1 ? "" : "s");
}

void row_remarks_print(const struct row_remarks *all, size_t n_rows,
                       bool is_full, FILE *to)
{
    size_t n = 0;
    for (unsigned rank = 0; rank < REMARK_RANKS; rank++)
        n = print_rank(all, (enum remark_rank)rank, n, n_rows, is_full, to);
    print_more(n, is_full, to);
}

static bool summary_table_equal(const struct row_words *a,
                                const struct row_words *b)
{
    return a->words && b->words && strcmp(a->words, b->words) == 0;
}

void row_words_print(const struct row_words *rows, size_t n, FILE *to)
{
    struct out *line = out_to_memory();
    for (size_t i = 0; i < n; i++) {
        bool said = !rows[i].words;
        for (size_t k = 0; k < i && !said; k++)
            said = summary_table_equal(&rows[k], &rows[i]);
        if (said)
            continue;
        out_clear(line);
        out_text(line, rows[i].row);
        for (size_t k = i + 1; k < n; k++) {
            if (summary_table_equal(&rows[k], &rows[i]))
                out_printf(line, ", %s", rows[k].row);
        }
        out_char(line, '\0');
        say_prose(to, "%s: %s", out_memory(line).at, rows[i].words);
    }
    out_abandon(line);
}

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

/* Widens the range of the values that a column shows; zeros have any unit. */
static void units_see(double seconds, double *least, double *most)
{
    if (!(seconds > 0))
        return;
    *least = fmin(*least, seconds);
    *most = fmax(*most, seconds);
}

struct summary_unit summary_unit_between(double least, double most)
{
    static const struct summary_unit units[] = {
        {86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t u = 0;
    while (u < 3 &&
           (most < 2 * units[u].seconds || least < units[u].seconds / 2))
        u++;
    return units[u];
}

double summary_rank(const struct summary_line *line)
{
    return line->done < line->jobs ? NAN : line->jct.mean;
}

void rows_by_jct(const double *jct, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && (jct[i] < jct[order[at - 1]] ||
                          (isnan(jct[order[at - 1]]) && !isnan(jct[i])));
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

struct summary_units summary_units_of(const struct summary_line *lines,
                                      size_t n)
{
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {0};
    for (size_t i = 0; i < n; i++) {
        units_see(lines[i].jct.mean, &least[0], &most[0]);
        units_see(lines[i].queue.mean, &least[1], &most[1]);
        units_see(lines[i].makespan_s, &least[2], &most[2]);
    }
    return (struct summary_units){
        .jct = summary_unit_between(least[0], most[0]),
        .queue = summary_unit_between(least[1], most[1]),
        .makespan = summary_unit_between(least[2], most[2])};
}

void summary_cells_heads(struct table *table, const struct summary_units *u)
{
    table_add(table, "JCT %s [95 %%]", u->jct.name);
    table_add(table, "p99");
    table_add(table, "queue %s", u->queue.name);
    table_add(table, "p99");
    table_add(table, "makespan %s", u->makespan.name);
    table_add(table, "preempts");
    table_add(table, "done");
}

const char *summary_unit_text(double seconds, const struct summary_unit *unit,
                              char buf[TABLE_SPAN_MAX])
{
    double value = seconds / unit->seconds, size = fabs(value);
    int digits = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : 2;
    if (isnan(seconds))
        snprintf(buf, TABLE_SPAN_MAX, "-");
    else
        snprintf(buf, TABLE_SPAN_MAX, "%.*f", digits, value);
    return buf;
}

static void unit_cell(struct table *table, const struct distribution *d,
                      double seconds, const struct summary_unit *unit)
{
    char buf[TABLE_SPAN_MAX];
    table_add(table, "%s",
              d->count ? summary_unit_text(seconds, unit, buf) : "-");
}

static void mean_cell(struct table *table, const struct distribution *d,
                      const struct summary_unit *unit)
{
    char mean[TABLE_SPAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    if (d->count == 0 || isnan(d->mean_lo))
        table_add(table, "%s%s",
                  d->count ? summary_unit_text(d->mean, unit, mean) : "-",
                  d->lack == INTERVAL_FEW_STRETCHES ? " [-]" : "");
    else
        table_add(table, "%s [%s, %s]", summary_unit_text(d->mean, unit, mean),
                  summary_unit_text(d->mean_lo, unit, lo),
                  summary_unit_text(d->mean_hi, unit, hi));
}

struct summary_line summary_line_of(const struct summary *s)
{
    const struct failure_spread *restart = &s->failures.spans[SPAN_RESTART];
    struct summary_line line = {
        .jct = s->of[METRIC_JCT],
        .queue = s->of[METRIC_QUEUE_DELAY],
        .makespan_s = span_seconds(s->makespan),
        .preemptions = (double)s->totals.preemptions,
        .jobs = (double)s->totals.jobs,
        .share = summary_finished_share(&s->totals),
        .restart_s = restart->count ? restart->mean : NAN,
    };
    for (unsigned i = 0; i < OUTCOME_GIVEN_UP; i++)
        line.done += (double)s->totals.outcome[i];
    return line;
}

void summary_cells(struct table *table, const struct summary_line *line,
                   const struct summary_units *u)
{
    char span[TABLE_SPAN_MAX];
    mean_cell(table, &line->jct, &u->jct);
    unit_cell(table, &line->jct, line->jct.p99, &u->jct);
    unit_cell(table, &line->queue, line->queue.mean, &u->queue);
    unit_cell(table, &line->queue, line->queue.p99, &u->queue);
    table_add(table, "%s",
              summary_unit_text(line->makespan_s, &u->makespan, span));
    table_add(table, "%.0f", line->preemptions);
    if (!(line->done < line->jobs)) {
        table_add(table, "all");
        return;
    }
    if (isnan(line->share))
        table_add(table, "%.0f/%.0f", line->done, line->jobs);
    else
        table_add(table, "%.0f/%.0f (%.3g %% of GPU h)", line->done, line->jobs,
                  100 * line->share);
    table_tone(table, TONE_ERROR);
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

/* The metrics that the table of a run shows; --json has all. `wait`, up to the
 * first start, is shown where it is not the queueing delay. */
static bool is_shown(size_t m, const struct summary *s)
{
    return m == METRIC_JCT || m == METRIC_QUEUE_DELAY || m == METRIC_SLOWDOWN ||
           (m == METRIC_WAIT &&
            s->of[m].mean != s->of[METRIC_QUEUE_DELAY].mean);
}

static void figure_cells(struct table *table, const struct distribution *d)
{
    const double values[] = {d->p50, d->p90, d->p95, d->p99, d->max};
    char mean[TABLE_SPAN_MAX], lo[TABLE_SPAN_MAX], hi[TABLE_SPAN_MAX];
    if (isnan(d->mean_lo))
        table_add(table, "%s%s", table_figure(d->mean, mean),
                  d->lack == INTERVAL_FEW_STRETCHES ? " [-]" : "");
    else
        table_add(table, "%s [%s, %s]", table_figure(d->mean, mean),
                  table_figure_as(d->mean_lo, d->mean, lo),
                  table_figure_as(d->mean_hi, d->mean, hi));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        table_add(table, "%s", table_figure(values[i], mean));
}

/* Each row has one unit. The times of jobs, which are compared with each other,
 * have that of the mean JCT. */
static void distribution_rows(FILE *to, const struct summary *s)
{
    const struct summary_unit unit =
        summary_unit_between(s->of[METRIC_JCT].mean, s->of[METRIC_JCT].mean);
    struct table table;
    table_init(&table, 7, 1);
    for (const char *const *head =
             (const char *const[]){"", "mean [95 %]", "p50", "p90", "p95",
                                   "p99", "max", NULL};
         *head; head++)
        table_add(&table, "%s", *head);
    for (size_t m = 0; metrics[m].column.name; m++) {
        const struct distribution *d = &s->of[m];
        const char *name = metrics[m].column.name;
        if (d->count == 0 || !is_shown(m, s))
            continue;
        if (strcmp(metrics[m].column.unit, "s") != 0) {
            table_add(&table, "%s", name);
            figure_cells(&table, d);
            continue;
        }
        /* the unit in place of the final "_s" */
        table_add(&table, "%.*s %s", (int)strlen(name) - 2, name, unit.name);
        mean_cell(&table, d, &unit);
        const double values[] = {d->p50, d->p90, d->p95, d->p99, d->max};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            unit_cell(&table, d, values[i], &unit);
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

/* Prints the two identities of GPU time (sim/results/failures.h), as shares. */
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

/* Writes how the jobs ended, such as ", all completed". */
static void head_outcomes(const struct summary *s, char *out, size_t room)
{
    size_t len = 0, n = 0, last = 0;
    for (unsigned i = 0; i < OUTCOME_N; i++) {
        if (s->totals.outcome[i])
            n++, last = i;
    }
    if (n <= 1) {
        snprintf(out, room, "%s%s", n ? ", all " : "",
                 !n                        ? ""
                 : last == OUTCOME_UNKNOWN ? "done"
                                           : outcome_name((enum outcome)last));
        return;
    }
    for (unsigned i = 0; i <= last && len < room; i++) {
        if (s->totals.outcome[i])
            len += (size_t)snprintf(out + len, room - len, "%s%llu %s",
                                    len ? ", " : " (",
                                    (unsigned long long)s->totals.outcome[i],
                                    outcome_name((enum outcome)i));
    }
    if (len < room)
        snprintf(out + len, room - len, ")");
}

/* True if all jobs that did not finish were rejected, which a remark says. */
static bool is_remarked(const struct run_result *run, const struct summary *s)
{
    bool said = false;
    for (size_t i = 0; i < run->remarks.count; i++)
        said |= strstr(run->remarks.at[i].text, " jobs rejected: ") != NULL;
    return said && run->n_unfinished == s->totals.outcome[OUTCOME_REJECTED];
}

static void head_line(FILE *to, const struct run_result *run,
                      const struct summary *s)
{
    char outcomes[512];
    head_outcomes(s, outcomes, sizeof outcomes);
    say_prose(to, "%s on %s: %llu jobs%s", run->policy, run->cluster_name,
              (unsigned long long)s->totals.jobs, outcomes);
    if (run->n_unfinished && !is_remarked(run, s))
        say_prose(to, "incomplete: %u jobs did not finish: %s",
                  run->n_unfinished, run->unfinished ? run->unfinished : "");
    if (run->knowledge.words)
        say_prose(to, "%s", run->knowledge.words);
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

/* Leaves out what follows from the others: utilisation is allocation times
 * goodput, and most policies stop no job. */
static void whole_lines(FILE *to, const struct summary *s)
{
    char span[TABLE_SPAN_MAX];
    const double up = (double)s->integrals.up, busy = (double)s->integrals.busy;
    const double held = (double)s->totals.held,
                 useful = (double)s->totals.useful;
    fprintf(to, "makespan %s", table_span(span_seconds(s->makespan), span));
    line(to, ", allocation ", up > 0 ? 100 * busy / up : NAN, " %");
    if (useful < held) {
        line(to, ", utilisation ",
             up > 0 && held > 0 ? 100 * busy / up * useful / held : NAN, " %");
        line(to, ", goodput ", held > 0 ? 100 * useful / held : NAN, " %");
    }
    const bool more =
        s->totals.preemptions || s->totals.overhead || s->totals.lost;
    line(to, more ? "\nfragmentation " : ", fragmentation ",
         up > busy ? 100 * (double)s->integrals.stranded / (up - busy) : NAN,
         " %");
    if (s->totals.preemptions)
        fprintf(to, ", preemptions %llu",
                (unsigned long long)s->totals.preemptions);
    if (s->totals.overhead)
        line(to, ", overhead ", (double)s->totals.overhead / (double)SPAN_HOUR,
             " GPU h");
    if (s->totals.lost)
        line(to, ", lost ", (double)s->totals.lost / (double)SPAN_HOUR,
             " GPU h");
    fputc('\n', to);
}

/* Prints the lines below the table, which are put together piece by piece, so
 * that none is wider than a terminal. */
static void lines_below(FILE *to, const struct summary *s)
{
    char *text = NULL;
    size_t len = 0;
    FILE *pieces = open_memstream(&text, &len);
    CHECK(pieces);
    whole_lines(pieces, s);
    extras_line(pieces, s);
    part_lines(pieces, s);
    fclose(pieces);
    struct text rest = {text, len};
    while (rest.len) {
        struct text one = text_split(rest, '\n', &rest);
        say_prose(to, "%.*s", (int)one.len, one.at);
    }
    free(text);
}

/* What changes the conclusion comes first: how many jobs did not finish, and
 * the gravest remarks. */
void summary_table_print(FILE *to, struct results results,
                         const struct summary *s, bool all_remarks)
{
    const struct run_result *run = results.run;
    struct row_remarks remarks;
    row_remarks_init(&remarks);
    row_remarks_add_run(&remarks, NULL, &run->remarks);
    head_line(to, run, s);
    size_t n = print_rank(&remarks, REMARK_CONCLUSION, 0, 1, all_remarks, to);
    fputc('\n', to);
    distribution_rows(to, s);
    fputc('\n', to);
    lines_below(to, s);
    summary_note_lack(s->of[METRIC_JCT].lack == INTERVAL_FEW_STRETCHES ||
                          s->of[METRIC_SLOWDOWN].lack == INTERVAL_FEW_STRETCHES,
                      to);
    n = print_rank(&remarks, REMARK_NUMBERS, n, 1, all_remarks, to);
    n = print_rank(&remarks, REMARK_DETAIL, n, 1, all_remarks, to);
    print_more(n, all_remarks, to);
    row_remarks_fini(&remarks);
}
