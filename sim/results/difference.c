/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/difference.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/out.h"
#include "base/rng.h"
#include "sim/results/report.h"
#include "sim/results/statistics.h"

static double minus(double value, double expected);

enum status baseline_open(const char *path, struct baseline *out,
                          struct error *err)
{
    struct stat is;
    size_t room = strlen(path) + sizeof "/summary.json";
    bool folder = stat(path, &is) == 0 && S_ISDIR(is.st_mode);
    *out = (struct baseline){.path = mem_alloc(room)};
    snprintf(out->path, room, "%s%s", path, folder ? "/summary.json" : "");
    out->root = json_read_file(out->path, err);
    if (!out->root)
        return STATUS_BAD_INPUT;
    if (json_is_object(json_object_get(out->root, "metrics")))
        return STATUS_OK;
    return error_set(
        err, STATUS_BAD_INPUT,
        "%s: is not a summary.json of a result: it has no 'metrics'",
        out->path);
}

void baseline_close(struct baseline *baseline)
{
    json_decref(baseline->root);
    free(baseline->path);
}

/* Returns an identity value of the baseline, or NULL if the baseline was
 * written by an older version that did not record it. A baseline without a
 * window of counted jobs counts all jobs, so that value is then "". */
static const char *held(const struct baseline *baseline, size_t i)
{
    const json_t *all = json_object_get(baseline->root, "identity");
    const char *value =
        json_string_value(json_object_get(all, identity_columns[i].name));
    return value || i != IDENTITY_COUNTED ? value : "";
}

static bool difference_differs(const struct baseline *baseline, size_t i,
                               const struct identity *identity)
{
    const char *value = held(baseline, i);
    return !value || strcmp(value, identity->values[i]) != 0;
}

size_t baseline_nearest(const struct baseline *all, size_t n,
                        const struct identity *identity)
{
    size_t best = 0, least = IDENTITY_N + 1;
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t k = 0; k < IDENTITY_N; k++)
            count += difference_differs(&all[i], k, identity);
        if (count < least) {
            best = i;
            least = count;
        }
    }
    return best;
}

/* Writes one difference, "another cluster (venus, not kalos)". Returns the
 * length that it has without a cut, as snprintf does. */
static size_t baseline_describe(const struct baseline *baseline, size_t i,
                                const struct identity *identity, char *at,
                                size_t room)
{
    static const char *const words[IDENTITY_N] = {
        "another trace",
        "another number of jobs",
        "another first submission",
        "another cluster",
        "another policy",
        "other conventions",
        "another warm-up or cool-down"};
    const char *there = held(baseline, i), *here = identity->values[i];
    const char *name =
        json_string_value(json_object_get(baseline->root, "cluster"));
    if (strcmp(identity_columns[i].name, "cluster") == 0 && name &&
        strcmp(name, identity->cluster_name) != 0) {
        there = name;
        here = identity->cluster_name;
    }
    bool digest = strlen(here) == 64;
    return (size_t)snprintf(at, room, "%s (%.*s, not %.*s)", words[i],
                            digest ? 12 : 60, there, digest ? 12 : 60, here);
}

enum status baseline_check(const struct baseline *baseline,
                           const struct identity *identity, struct error *err)
{
    char words[1024] = "";
    size_t len = 0;
    for (size_t i = 0; i < IDENTITY_N && len + 2 < sizeof words; i++) {
        if (!difference_differs(baseline, i, identity))
            continue;
        if (!held(baseline, i))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: does not have its %s (identity.%s); make it "
                             "again with this version",
                             baseline->path, identity_columns[i].name,
                             identity_columns[i].name);
        if (len)
            len += (size_t)snprintf(words + len, sizeof words - len, ", ");
        len += baseline_describe(baseline, i, identity, words + len,
                                 sizeof words - len);
    }
    if (!len)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%s: is of %s", baseline->path,
                     words);
}

const char *const difference_words[] = {
    [DIFFERENCE_UNKNOWN] = "unknown",
    [DIFFERENCE_EQUAL] = "equal",
    [DIFFERENCE_LESS] = "less",
    [DIFFERENCE_MORE] = "more",
    [DIFFERENCE_NOISE] = "noise",
    [DIFFERENCE_INCOMPARABLE] = "not comparable",
};

enum { RESAMPLES = 1000 }; /* number of resamples of BCa */

/* quantiles of the normal distribution at 97.5 % and 80 % */
static const double z_95 = INTERVAL_Z, z_power = 0.8416212335729143;

/* Copies the values or differences that are not NaN to `to`, which has room for
 * n; returns their number. */
static size_t difference_copy(const double *values, const double *minus,
                              size_t n, double *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        to[kept] = values[i] - (minus ? minus[i] : 0);
        kept += isnan(to[kept]) ? 0 : 1;
    }
    return kept;
}

/* True if there are values and all are equal. Their mean is then taken from one
 * value, because rounding could make a computed mean differ from the values. */
static bool all_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[0])
            return false;
    }
    return n > 0;
}

static double difference_mean_of(const double *values, size_t n)
{
    double sum = 0;
    if (all_equal(values, n))
        return values[0];
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : NAN;
}

static double sd_of(const double *values, size_t n, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

/* Fills `means` with the means of RESAMPLES resamples of n values.
 * Returns the share of them that is below `mean`; a tie counts as half. */
static double resample(const double *values, size_t n, double mean,
                       double *means)
{
    uint32_t *draws = mem_alloc(n * sizeof *draws);
    uint64_t twice_below = 0;
    for (unsigned r = 0; r < RESAMPLES; r++) {
        double sum = 0;
        rng_fill(r, "replications", draws, n);
        for (size_t i = 0; i < n; i++)
            sum += values[(uint64_t)draws[i] * n >> 32];
        means[r] = sum / (double)n;
        twice_below += means[r] < mean ? 2 : means[r] == mean;
    }
    free(draws);
    return (double)twice_below / 2 / RESAMPLES;
}

/* Returns the rank, among the sorted means of the resamples, of the end of the
 * interval at the quantile `z` of the normal distribution, after the
 * corrections for bias and acceleration. */
static size_t difference_bound(double z, double bias, double acceleration)
{
    double moved = bias + (bias + z) / (1 - acceleration * (bias + z));
    double at = gsl_cdf_ugaussian_P(moved) * RESAMPLES;
    if (!(at >= 0))
        return 0;
    return at < RESAMPLES - 1 ? (size_t)at : RESAMPLES - 1;
}

/* Returns the BCa interval of a mean (Efron 1987; DiCiccio and Efron 1996,
 * equation 6.6 for the acceleration of a mean). */
static struct interval bca(const double *values, size_t n, double mean)
{
    double squares = 0, cubes = 0;
    double *means = mem_alloc(RESAMPLES * sizeof *means);
    double below = resample(values, n, mean, means);
    for (size_t i = 0; i < n; i++) {
        double d = values[i] - mean;
        squares += d * d;
        cubes += d * d * d;
    }
    /* At least half a resample on each side keeps the quantile finite. */
    below = fmin(fmax(below, 0.5 / RESAMPLES), 1 - 0.5 / RESAMPLES);
    double bias = gsl_cdf_ugaussian_Pinv(below);
    double acceleration = cubes / (6 * pow(squares, 1.5));
    size_t lo = difference_bound(-z_95, bias, acceleration);
    size_t hi = difference_bound(z_95, bias, acceleration);
    struct interval interval = {stats_rank(means, RESAMPLES, lo),
                                stats_rank(means, RESAMPLES, hi)};
    free(means);
    return interval;
}

static struct interval difference_interval_of(const double *values, size_t n,
                                              double mean, double sd)
{
    if (n < 2)
        return (struct interval){NAN, NAN};
    if (sd == 0)
        return (struct interval){mean, mean};
    if (n >= DIFFERENCE_BCA_FROM)
        return bca(values, n, mean);
    double wide =
        gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * sd / sqrt((double)n);
    return (struct interval){mean - wide, mean + wide};
}

struct estimate estimate_of(const double *values, const double *minus, size_t n)
{
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    struct estimate e = {.n = difference_copy(values, minus, n, kept)};
    e.mean = difference_mean_of(kept, e.n);
    e.sd = sd_of(kept, e.n, e.mean);
    e.interval = difference_interval_of(kept, e.n, e.mean, e.sd);
    free(kept);
    return e;
}

static int difference_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the spread of n values, 2 or more, on the scale of the values. */
static struct interval difference_spread(double *values, size_t n)
{
    const double mean = difference_mean_of(values, n),
                 sd = sd_of(values, n, mean);
    if (n >= DIFFERENCE_RANKS_FROM) {
        const size_t lo = (size_t)(0.025 * (double)(n + 1));
        qsort(values, n, sizeof *values, difference_by_value);
        return (struct interval){values[lo - 1], values[n - lo]};
    }
    const double t = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1));
    const double q = n >= DIFFERENCE_MIDDLE_FROM ? sqrt(t * z_95) : t;
    return (struct interval){mean - q * sd, mean + q * sd};
}

struct estimate spread_of(const double *values, const double *minus, size_t n)
{
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    struct estimate e = {.n = difference_copy(values, minus, n, kept),
                         .interval = {NAN, NAN},
                         .is_spread = true};
    bool is_positive = !minus;
    e.mean = difference_mean_of(kept, e.n);
    e.sd = sd_of(kept, e.n, e.mean);
    for (size_t i = 0; i < e.n; i++)
        is_positive &= kept[i] > 0;
    for (size_t i = 0; i < e.n && is_positive; i++)
        kept[i] = log(kept[i]);
    if (e.sd == 0)
        e.interval = (struct interval){e.mean, e.mean};
    else if (e.n > 1)
        e.interval = difference_spread(kept, e.n);
    if (e.sd > 0 && is_positive)
        e.interval = (struct interval){exp(e.interval.lo), exp(e.interval.hi)};
    free(kept);
    return e;
}

bool estimate_is_of_one(const struct estimate *e)
{
    return e->n > 1 && e->sd == 0;
}

static enum difference_verdict difference_judge(const struct difference *d)
{
    struct interval i = d->estimate.interval;
    if (d->estimate.n && d->less == 0 && d->more == 0)
        return DIFFERENCE_EQUAL;
    if (isnan(i.lo))
        return DIFFERENCE_UNKNOWN;
    return i.hi < 0   ? DIFFERENCE_LESS
           : i.lo > 0 ? DIFFERENCE_MORE
                      : DIFFERENCE_NOISE;
}

/* Fills the fields that are computed from the pairs directly: first, less, more
 * and is_one_pair. */
static struct difference difference_describe(const double *first,
                                             const double *own, size_t n)
{
    struct difference d = {.needed = NAN, .is_one_pair = true};
    size_t less = 0, more = 0, pairs = 0, one = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(first[i]) || isnan(own[i]))
            continue;
        one = pairs++ ? one : i;
        d.is_one_pair &= first[i] == first[one] && own[i] == own[one];
        sum += first[i];
        less += own[i] < first[i];
        more += own[i] > first[i];
    }
    d.first = pairs ? sum / (double)pairs : NAN;
    d.is_one_pair &= pairs > 1;
    d.less = pairs ? (double)less / (double)pairs : NAN;
    d.more = pairs ? (double)more / (double)pairs : NAN;
    return d;
}

/* Returns the number of replications, at least `least`, at which the difference
 * would no longer count as noise: (q + 0.84)^2 sd^2 / mean^2, where q is 1.96,
 * or the quantile of Student's t for fewer than DIFFERENCE_BCA_FROM
 * replications. */
static double needed_for(double sd, double mean, double least)
{
    double n = fmax(ceil(pow((z_95 + z_power) * sd / mean, 2)), least);
    for (; n < DIFFERENCE_BCA_FROM; n++) {
        double q = gsl_cdf_tdist_Pinv(0.975, n - 1);
        if (n >= pow((q + z_power) * sd / mean, 2))
            break;
    }
    return n;
}

/* Sets change, cohen_d and verdict from the other fields, which must be set. */
static void difference_complete(struct difference *d)
{
    const struct estimate *e = &d->estimate;
    d->change = d->first != 0 ? e->mean / d->first : NAN;
    d->cohen_d = e->sd > 0 ? e->mean / e->sd : NAN;
    d->verdict = difference_judge(d);
}

struct difference difference_of_replications(const double *first,
                                             const double *own, size_t n)
{
    struct difference d = difference_describe(first, own, n);
    d.estimate = estimate_of(own, first, n);
    if (d.is_one_pair)
        d.estimate.interval = (struct interval){NAN, NAN};
    difference_complete(&d);
    if (d.verdict == DIFFERENCE_NOISE)
        d.needed = needed_for(d.estimate.sd, d.estimate.mean,
                              (double)d.estimate.n + 1);
    return d;
}

struct jobs_done jobs_done_of(const json_t *summary)
{
    const json_t *share = json_object_get(summary, "finished_share");
    return (struct jobs_done){
        .unfinished = json_number_value(json_object_get(summary, "unfinished")),
        .share = json_is_number(share) ? json_number_value(share) : NAN};
}

bool difference_same_jobs(const struct jobs_done *a, const struct jobs_done *b)
{
    const double rounding = 1e-12;
    const bool whole_a = isnan(a->unfinished) || a->unfinished == 0;
    const bool whole_b = isnan(b->unfinished) || b->unfinished == 0;
    if (whole_a || whole_b)
        return whole_a && whole_b;
    return a->unfinished == b->unfinished &&
           (isnan(a->share) || isnan(b->share) ||
            fabs(a->share - b->share) <= rounding);
}

struct difference difference_incomparable(void)
{
    return (struct difference){
        .estimate = {.mean = NAN, .sd = NAN, .interval = {NAN, NAN}},
        .first = NAN,
        .change = NAN,
        .less = NAN,
        .more = NAN,
        .cohen_d = NAN,
        .verdict = DIFFERENCE_INCOMPARABLE,
        .needed = NAN};
}

struct difference difference_of_resamples(const double *first,
                                          const double *own, size_t n)
{
    struct difference d = difference_describe(first, own, n);
    d.estimate = spread_of(own, first, n);
    if (d.is_one_pair)
        d.estimate.interval = (struct interval){NAN, NAN};
    difference_complete(&d);
    return d;
}

/* Gives a verdict by the parts of the jobs where the interval gives none. */
static void settle_by_parts(struct difference *d, const double *differences)
{
    const struct estimate *e = &d->estimate;
    const bool is_open =
        d->verdict == DIFFERENCE_NOISE || d->verdict == DIFFERENCE_UNKNOWN;
    const int side = is_open ? interval_side(differences, e->n) : 0;
    d->by_parts = side * e->mean > 0;
    if (d->by_parts)
        d->verdict = side < 0 ? DIFFERENCE_LESS : DIFFERENCE_MORE;
}

struct difference difference_of_two(double first, double own, bool comparable)
{
    struct difference d = difference_incomparable();
    if (!comparable)
        return d;
    d.first = first;
    d.estimate.n = 1;
    d.estimate.mean = own - first;
    d.change = first != 0 ? own / first - 1 : NAN;
    d.verdict = own < first   ? DIFFERENCE_LESS
                : own > first ? DIFFERENCE_MORE
                              : DIFFERENCE_EQUAL;
    return d;
}

struct difference difference_of_jobs(const double *first, const double *own,
                                     size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(first[i]) != isnan(own[i]))
            return difference_incomparable();
    }
    struct difference d = difference_describe(first, own, n);
    struct estimate *e = &d.estimate;
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    e->n = difference_copy(own, first, n, kept);
    e->mean = difference_mean_of(kept, e->n);
    e->sd = sd_of(kept, e->n, e->mean);
    e->interval = interval_of_jobs(kept, e->n, true).interval;
    difference_complete(&d);
    settle_by_parts(&d, kept);
    free(kept);
    return d;
}

const char *const gate_better_words[] = {[GATE_LOWER] = "lower",
                                         [GATE_HIGHER] = "higher",
                                         [GATE_EITHER] = "either",
                                         NULL};

/* Scalars, and whether less or more of each is better. For scalars that are not
 * listed, neither is better. For other metrics difference_find_metric and
 * find_extra decide. */
static const struct {
    const char *name;
    enum gate_better better;
} directions[] = {
    {"makespan_s", GATE_LOWER},     {"fragmentation", GATE_LOWER},
    {"preemptions", GATE_LOWER},    {"overhead_gpu_hours", GATE_LOWER},
    {"lost_gpu_hours", GATE_LOWER}, {"allocation", GATE_HIGHER},
    {"utilisation", GATE_HIGHER},   {"goodput", GATE_HIGHER},
};

static enum gate_better better_of(const char *name)
{
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        if (strcmp(directions[i].name, name) == 0)
            return directions[i].better;
    }
    return GATE_EITHER;
}

static const struct column *find_scalar(struct text name)
{
    const struct scalar *const tables[] = {run_scalars, scalars};
    for (size_t t = 0; t < 2; t++) {
        for (const struct scalar *row = tables[t]; row->column.name; row++) {
            if (text_is(name, row->column.name))
                return &row->column;
        }
    }
    return NULL;
}

/* Returns the name of a column of a distribution; NULL if there is no such
 * column. An empty name stands for the mean. */
static const char *difference_find_column(struct text name)
{
    if (!name.len)
        return "mean";
    for (size_t c = 0; distribution_columns[c].name; c++) {
        if (text_is(name, distribution_columns[c].name))
            return distribution_columns[c].name;
    }
    return NULL;
}

/* Finds a metric that has a distribution, by a name such as "jct_s" or
 * "jct_s.p99". Returns false if there is none of this name. */
static bool difference_find_metric(struct text name, struct gate *gate)
{
    struct text column, metric = text_split(name, '.', &column);
    size_t m = 0;
    while (metrics[m].column.name && !text_is(metric, metrics[m].column.name))
        m++;
    const char *known = difference_find_column(column);
    if (!metrics[m].column.name || !known)
        return false;
    bool count = strcmp(known, "count") == 0;
    gate->better = count ? GATE_EITHER : GATE_LOWER;
    gate->unit = count ? "jobs" : metrics[m].column.unit;
    snprintf(gate->name, sizeof gate->name, "%s.%s", metrics[m].column.name,
             known);
    return true;
}

/* Finds a metric that a run has on request: --wait-over or --by. Returns false
 * if there is none of this name. */
static bool find_extra(struct text name, struct gate *gate)
{
    bool share = text_starts(name, "share_waiting_over_"), jain = false;
    for (size_t i = 0; jain_columns[i].name; i++)
        jain |= text_is(name, jain_columns[i].name);
    if ((!share && !jain) || name.len >= sizeof gate->name)
        return false;
    *gate = (struct gate){.better = share ? GATE_LOWER : GATE_HIGHER,
                          .unit = "",
                          .is_path = true};
    snprintf(gate->name, sizeof gate->name, "%.*s", (int)name.len, name.at);
    return true;
}

/* Finds a path whose first key is an object of summary.json; false if it is
 * not. The last known part of the path decides the unit and which direction is
 * better. */
static bool find_path(struct text name, struct gate *gate)
{
    static const char *const objects[] = {
        "advice",    "by_gpus",  "by_outcome", "by_type",
        "by_user",   "by_vc",    "classes",    "counts",
        "deadlines", "elastic",  "evictions",  "failures",
        "gpu_time",  "outcomes", "packing",    "profiling"};
    struct text rest, head = text_split(name, '.', &rest);
    size_t i = 0, n = sizeof objects / sizeof *objects;
    while (i < n && !text_is(head, objects[i]))
        i++;
    if (i == n || !rest.len || name.len >= sizeof gate->name)
        return false;
    *gate = (struct gate){.better = GATE_EITHER, .unit = ""};
    snprintf(gate->name, sizeof gate->name, "%.*s", (int)name.len, name.at);
    for (struct text tail = rest; tail.len; text_split(tail, '.', &tail)) {
        const struct column *scalar = find_scalar(tail);
        struct gate inner;
        if (difference_find_metric(tail, &inner)) {
            /* inner.name has the column, the mean if none was named */
            size_t at = name.len - tail.len;
            gate->better = inner.better;
            gate->unit = inner.unit;
            snprintf(gate->name + at, sizeof gate->name - at, "%s", inner.name);
            break;
        }
        if (scalar) {
            gate->better = better_of(scalar->name);
            gate->unit = scalar->unit;
        }
    }
    gate->is_path = true;
    return true;
}

static enum status difference_unknown(struct text name, struct error *err)
{
    const char *names[64];
    struct text column;
    size_t n = 0;
    for (size_t i = 0; metrics[i].column.name && n < 64; i++)
        names[n++] = metrics[i].column.name;
    for (size_t i = 0; run_scalars[i].column.name && n < 64; i++)
        names[n++] = run_scalars[i].column.name;
    for (size_t i = 0; scalars[i].column.name && n < 64; i++)
        names[n++] = scalars[i].column.name;
    const char *near = text_nearest(text_split(name, '.', &column), names, n);
    return error_set(err, STATUS_USAGE, "no metric '%.*s'; %s%s%s",
                     TEXT_ARGS(name), near ? "did you mean '" : "",
                     near ? near : "'schedsim list columns' names them",
                     near ? "'?" : "");
}

enum status gate_find(struct text name, struct gate *out, struct error *err)
{
    *out = (struct gate){.tolerance = NAN, .unit = ""};
    if (difference_find_metric(name, out))
        return STATUS_OK;
    if (find_extra(name, out) || find_path(name, out)) {
        out->tolerance = NAN;
        return STATUS_OK;
    }
    const struct column *scalar = find_scalar(name);
    if (!scalar)
        return difference_unknown(name, err);
    snprintf(out->name, sizeof out->name, "%s", scalar->name);
    out->better = better_of(scalar->name);
    out->unit = scalar->unit;
    return STATUS_OK;
}

enum status gate_parse(const char *spec, struct gate *out, struct error *err)
{
    struct text tolerance, name = text_split(text_from(spec), ':', &tolerance);
    double percent = NAN;
    if (tolerance.len && (!text_to_double(tolerance, &percent) || percent < 0))
        return error_set(err, STATUS_USAGE,
                         "--metric: '%.*s' is not a percentage",
                         TEXT_ARGS(tolerance));
    enum status st = gate_find(name, out, err);
    if (st != STATUS_OK)
        return error_prefix(err, "--metric: ");
    out->tolerance = percent;
    out->own = tolerance.len > 0;
    return STATUS_OK;
}

/* Follows a path of keys, joined by dots; NULL if it leads nowhere. A key may
 * itself contain dots, as a name of a virtual cluster may. */
static const json_t *difference_follow(const json_t *at, const char *path)
{
    char key[GATE_NAME_MAX];
    const json_t *found = json_object_get(at, path);
    for (const char *dot = strchr(path, '.'); dot && !found;
         dot = strchr(dot + 1, '.')) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        const json_t *inner = json_object_get(at, key);
        if (inner)
            found = difference_follow(inner, dot + 1);
    }
    return found;
}

double gate_value(const struct gate *gate, const json_t *summary)
{
    const json_t *at =
        difference_follow(json_object_get(summary, "metrics"), gate->name);
    if (!at)
        at = difference_follow(summary, gate->name);
    return json_is_number(at) ? json_number_value(at) : NAN;
}

json_t *gate_summary(struct results results, const struct summary *summary)
{
    struct out *out = out_to_memory();
    report_summary(out, results, summary);
    struct text text = out_memory(out);
    json_t *root = json_loadb(text.at, text.len, 0, NULL);
    out_abandon(out);
    return root;
}

/* Returns value - expected, or 0 if the two differ by no more than the rounding
 * of a value that was written with 15 digits. */
static double minus(double value, double expected)
{
    const double rounding = 1e-14;
    double difference = value - expected;
    return fabs(difference) <= rounding * fabs(expected) ? 0 : difference;
}

double gate_difference(double value, double expected)
{
    double difference = minus(value, expected);
    return difference != 0 ? 100 * difference / fabs(expected) : 0;
}

bool gate_holds(const struct gate *gate, double difference)
{
    if (isnan(gate->tolerance))
        return true;
    if (gate->better == GATE_LOWER)
        return difference <= gate->tolerance;
    if (gate->better == GATE_HIGHER)
        return difference >= -gate->tolerance;
    return fabs(difference) <= gate->tolerance;
}

/* Returns the verdict on a difference, in the unit of the tolerance, that is
 * not 0. With GATE_INTERVAL it is 0 if the interval lets it pass. */
static enum gate_verdict verdict_on(const struct gate *gate, double difference)
{
    struct gate in = *gate;
    if (gate->scale == GATE_INTERVAL)
        in.tolerance = 0;
    if (!gate_holds(&in, difference))
        return GATE_OUTSIDE;
    in.better = GATE_EITHER;
    return gate_holds(&in, difference) ? GATE_WITHIN : GATE_IMPROVED;
}

enum gate_verdict gate_judge(const struct gate *gate, double value,
                             const struct gate_expected *expected)
{
    double difference = minus(value, expected->mean);
    if (isnan(value) || isnan(expected->mean))
        return isnan(value) && isnan(expected->mean) ? GATE_EQUAL
                                                     : GATE_UNKNOWN;
    if (difference == 0)
        return GATE_EQUAL;
    if (gate->scale == GATE_PERCENT)
        difference = gate_difference(value, expected->mean);
    if (gate->scale == GATE_INTERVAL && value >= expected->lo &&
        value <= expected->hi)
        difference = 0;
    return verdict_on(gate, difference);
}

enum gate_verdict gate_judge_pairs(const struct gate *gate,
                                   const double *values, const double *expected,
                                   size_t n, struct estimate *difference)
{
    /* differences without the rounding of values that were written */
    double *differences = mem_alloc((n + 1) * sizeof *differences), sum = 0;
    bool is_unknown = false, moved = false;
    for (size_t i = 0; i < n; i++) {
        differences[i] = minus(values[i], expected[i]);
        is_unknown |= isnan(values[i]) != isnan(expected[i]);
        moved |= fabs(differences[i]) > 0;
        sum += isnan(differences[i]) ? 0 : expected[i];
    }
    *difference = estimate_of(differences, NULL, n);
    free(differences);
    if (is_unknown)
        return GATE_UNKNOWN;
    if (!moved)
        return GATE_EQUAL;
    const struct interval *in = &difference->interval;
    double change = difference->mean;
    if (gate->scale == GATE_PERCENT && change != 0)
        change = 100 * change / fabs(sum / (double)difference->n);
    if (gate->scale == GATE_INTERVAL && in->lo <= 0 && in->hi >= 0)
        change = 0;
    return verdict_on(gate, change);
}
