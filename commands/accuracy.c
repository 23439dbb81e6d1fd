/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/accuracy.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "commands/table.h"
#include "sim/results/stats.h"

struct pair {
    double predicted, actual, gpus, rank;
    uint32_t number;
};

static int by_value(double a, double b, uint32_t i, uint32_t k)
{
    if (a != b)
        return a < b ? -1 : 1;
    return i < k ? -1 : i > k;
}

static int by_predicted(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return by_value(x->predicted, y->predicted, x->number, y->number);
}

static int by_actual(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return by_value(x->actual, y->actual, x->number, y->number);
}

/* Returns Spearman's correlation: Pearson's correlation of mid-ranks; NaN if
 * all predictions or all true values are equal. Leaves the pairs sorted by
 * prediction, as bins_of needs them. */
static double spearman(struct pair *pairs, size_t n)
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

static void errors_of(const struct pair *pairs, size_t n, struct accuracy *out)
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
static void bins_of(const struct pair *pairs, size_t n, struct accuracy *out)
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

static size_t collect(const struct jobset *w, const struct guess *guesses,
                      uint32_t first, struct pair *pairs, struct accuracy *out)
{
    size_t n = 0;
    uint32_t inside = 0;
    for (uint32_t i = first; i < w->n_jobs; i++) {
        const struct guess *guess = &guesses[i];
        sim_span actual = jobset_duration(w, i);
        if (!guess->known)
            continue;
        pairs[n] = (struct pair){.predicted = span_seconds(guess->mean),
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
    struct pair *pairs = mem_alloc((w->n_jobs + 1u) * sizeof *pairs);
    size_t n = collect(w, guesses, first, pairs, out);
    out->answered = (uint32_t)n;
    out->utilisation = utilisation_of(w, guesses, first);
    if (n) {
        errors_of(pairs, n, out);
        out->rank = spearman(pairs, n);
        bins_of(pairs, n, out);
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

static void print_json(const struct accuracy *a, struct out *out)
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
        print_json(a, out);
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
