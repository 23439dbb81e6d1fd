/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: computes the time of a step from
 * times and step counters, where no line prints it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/schedmate_tracker_internal.h"

#define STEP_SECONDS_MAX 86400
#define TRUST_ELAPSED 0.7
#define TRUST_CLOCK 0.5

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tracker_median(const double *values, size_t n)
{
    double sorted[TRACKER_LINES_MAX];
    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double tracker_agreement(const double *values, size_t n, double middle)
{
    size_t near = 0;
    for (size_t i = 0; i < n; i++)
        near += fabs(values[i] - middle) <= 0.25 * middle;
    return 0.5 + 0.5 * (double)near / (double)n;
}

static bool is_step_time(double seconds)
{
    return seconds > 0 && seconds < STEP_SECONDS_MAX;
}

void tracker_settle(struct track *out, enum tracker_source source,
                    double seconds, double confidence)
{
    if (!is_step_time(seconds))
        return;
    out->source = source;
    out->seconds_per_step = seconds;
    out->confidence = confidence;
}

static const struct number_group *counter_of(const struct tracker_reading *r,
                                             enum number_kind kind)
{
    const struct number_group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *g = &r->groups[i];
        if (g->kind != kind)
            continue;
        bool global = strstr(g->first->key, "global") != NULL;
        bool was = best && strstr(best->first->key, "global") != NULL;
        if (!best || (global && !was) || (global == was && g->n > best->n))
            best = g;
    }
    return best;
}

const struct number_group *tracker_counter(const struct tracker_reading *r)
{
    return counter_of(r, NUMBER_STEP);
}

bool tracker_step(const struct log_numbers *line,
                  const struct number_group *counter, double *step, double *of)
{
    for (size_t i = 0; i < line->n; i++) {
        if (line->at[i].kind == counter->kind &&
            strcmp(line->at[i].key, counter->first->key) == 0) {
            *step = line->at[i].value;
            *of = line->at[i].of;
            return true;
        }
    }
    return false;
}

static bool elapsed_of(const struct log_numbers *line, double *at)
{
    for (size_t i = 0; i < line->n; i++) {
        if (line->at[i].kind == NUMBER_ELAPSED) {
            *at = line->at[i].value;
            return true;
        }
    }
    return false;
}

/* Differences between successive lines, from which the time of a step is
 * computed. */
struct differences {
    double rates[TRACKER_LINES_MAX]; /* by pair: seconds per step */
    size_t n;
    double time, steps;    /* sums over the pairs; time in seconds */
    double at, step;       /* time and step counter of the last line */
    bool clock, has_begun; /* clock: true if `at` is a time of day */
    bool epochs;           /* true if `step` counts epochs */
};

#define DAY_SECONDS 86400

/* Adds a line. A pair counts if the counter went up and the time did
 * not go back. Of the lines of one epoch only the first counts. */
static void add_difference(struct differences *d, double at, double step)
{
    if (d->epochs && d->has_begun && step <= d->step)
        return;
    double gone = at - d->at, steps = step - d->step;
    if (d->clock && gone < -DAY_SECONDS / 2.0)
        gone += DAY_SECONDS; /* the clock passed midnight */
    if (d->has_begun && steps > 0 && gone >= 0 && d->n < TRACKER_LINES_MAX) {
        d->rates[d->n++] = gone / steps;
        d->time += gone;
        d->steps += steps;
    }
    d->at = at;
    d->step = step;
    d->has_begun = true;
}

void tracker_from_differences(const struct tracker_reading *r, bool clock,
                              struct track *out)
{
    struct differences d = {.clock = clock};
    const struct number_group *counter = tracker_counter(r);
    if (!counter) {
        counter = counter_of(r, NUMBER_EPOCH);
        d.epochs = true;
    }
    for (size_t i = 0; counter && i < r->n_lines; i++) {
        const struct log_numbers *line = &r->lines[i];
        double at = line->clock, step, of;
        bool timed = clock ? line->has_clock : elapsed_of(line, &at);
        if (timed && tracker_step(line, counter, &step, &of))
            add_difference(&d, at, step);
    }
    if (d.n == 0)
        return;
    /* The clock shows whole seconds, too coarse for a single difference, so its
     * differences are summed. */
    double middle = clock ? d.time / d.steps : tracker_median(d.rates, d.n);
    if (!is_step_time(middle))
        return;
    out->value = middle;
    out->values = (uint32_t)d.n;
    memcpy(out->unit, d.epochs ? "s/epoch" : "s", d.epochs ? 8 : 2);
    tracker_settle(
        out, clock ? TRACKER_CLOCK : TRACKER_ELAPSED, middle,
        (clock ? TRUST_CLOCK : TRUST_ELAPSED) *
            (d.n > 1 ? tracker_agreement(d.rates, d.n, middle) : 0.5));
}
