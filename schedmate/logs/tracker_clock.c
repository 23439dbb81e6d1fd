/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: computes the time of a step from
 * times and step counters. The result is used if no printed time of a step is
 * good enough. It also checks a printed time and may replace it. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* Fewer differences than this are too few to give the time of a step, except a
 * single large one (SINGLE_STEPS) or those of a bar. */
#define FEW_DIFFERENCES 2

/* All differences together must span at least this many seconds, because many
 * times show whole seconds; tracker_evidence_of exempts times that show parts
 * of a second. */
#define CLOCK_SPAN_S 6

static int clock_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tracker_median(const double *values, size_t n)
{
    double sorted[TRACKER_LINES_MAX];
    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, clock_by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double tracker_agreement(const double *values, size_t n, double middle)
{
    size_t near = 0;
    for (size_t i = 0; i < n; i++)
        near += fabs(values[i] - middle) <= 0.25 * middle;
    return (double)near / (double)n;
}

/* True if the counter `g`, which n lines have, is better than `best`, which
 * best_n lines have: a global counter, else the counter of more lines, else a
 * counter with words, else the counter with the larger end. */
static bool is_better_counter(const struct number_group *g, size_t n,
                              const struct number_group *best, size_t best_n)
{
    if (!best)
        return true;
    bool global = strstr(g->first->key, "global") != NULL;
    bool was = strstr(best->first->key, "global") != NULL;
    if (global != was)
        return global;
    if (n != best_n)
        return n > best_n;
    bool words = g->first->key[0], had = best->first->key[0];
    return words != had ? words : !words && g->first->of > best->first->of;
}

static const struct number_group *counter_of(const struct tracker_reading *r,
                                             enum number_kind kind)
{
    const struct number_group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *g = &r->groups[i];
        if (g->kind == kind &&
            is_better_counter(g, g->n, best, best ? best->n : 0))
            best = g;
    }
    return best;
}

const struct number_group *tracker_counter(const struct tracker_reading *r)
{
    return counter_of(r, NUMBER_STEP);
}

/* Returns the number of lines that have a number of both groups. */
static size_t lines_in_both(const struct number_group *a,
                            const struct number_group *b)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        n += a->lines[i] == b->lines[k];
        if (a->lines[i] < b->lines[k])
            i++;
        else
            k++;
    }
    return n;
}

const struct number_group *tracker_counter_in(const struct tracker_reading *r,
                                              const struct number_group *g,
                                              enum number_kind kind)
{
    const struct number_group *best = NULL;
    size_t best_n = 0;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *c = &r->groups[i];
        size_t n = c->kind == kind ? lines_in_both(g, c) : 0;
        if (n > 0 && is_better_counter(c, n, best, best_n)) {
            best = c;
            best_n = n;
        }
    }
    return best;
}

bool tracker_step(const struct log_numbers *line,
                  const struct number_group *counter, double *step, double *of)
{
    for (size_t i = 0; i < line->n; i++) {
        const char *key = line->at[i].key;
        if (line->at[i].kind == counter->kind &&
            strcmp(key, counter->first->key) == 0 &&
            (key[0] || line->at[i].of == counter->first->of)) {
            *step = line->at[i].value;
            *of = line->at[i].of;
            return true;
        }
    }
    return false;
}

static bool tracker_clock_elapsed_of(const struct log_numbers *line, double *at)
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
struct tracker_clock_differences {
    /* by pair of successive lines: seconds per step */
    double rates[TRACKER_LINES_MAX];
    size_t n;
    double time, steps;        /* sums over the pairs; time in seconds */
    double pause, pause_steps; /* time and steps of the slowest pair */
    size_t down;               /* number of lines whose time went back */
    double at, step;           /* time and step counter of the last line */
    bool clock, has_begun;     /* clock: true if `at` is a time of day */
    bool epochs;               /* true if `step` counts epochs */
    bool fine;                 /* true if times show parts of a second */
};

#define DAY_SECONDS 86400

static void clock_add_pair(struct tracker_clock_differences *d, double gone,
                           double steps)
{
    if (d->n < TRACKER_LINES_MAX) {
        if (d->n == 0 || gone * d->pause_steps > d->pause * steps) {
            d->pause = gone;
            d->pause_steps = steps;
        }
        d->rates[d->n++] = gone / steps;
        d->time += gone;
        d->steps += steps;
    }
}

/* Adds a line. A pair counts if the counter went up and the time did not go
 * back. If epochs are counted, only the first line of each epoch counts. */
static void add_difference(struct tracker_clock_differences *d, double at,
                           double step)
{
    if (d->epochs && d->has_begun && step <= d->step)
        return;
    double gone = at - d->at, steps = step - d->step;
    if (d->clock && gone < -DAY_SECONDS / 2.0)
        gone += DAY_SECONDS; /* the clock passed midnight */
    d->down += d->has_begun && gone < 0;
    if (d->has_begun && steps > 0 && gone >= 0)
        clock_add_pair(d, gone, steps);
    d->fine |= at != floor(at);
    d->at = at;
    d->step = step;
    d->has_begun = true;
}

/* Returns the seconds per step: the median of the pairs or, if `sum` is true
 * because the times are too coarse for single pairs, the sum of the times
 * divided by the sum of the steps. Of more than FEW_DIFFERENCES pairs, the
 * slowest is not summed if it is slower than the others by more than the factor
 * PAUSE. */
#define PAUSE 3

static double middle_of(const struct tracker_clock_differences *d, bool sum)
{
    if (!sum)
        return tracker_median(d->rates, d->n);
    double rest = (d->time - d->pause) / (d->steps - d->pause_steps);
    return d->n > FEW_DIFFERENCES && rest > 0 &&
                   d->pause > PAUSE * rest * d->pause_steps
               ? rest
               : d->time / d->steps;
}

/* Adds a state of a bar. A state that follows no earlier one and whose counter
 * is at its end is compared with the start of the bar. */
static void add_bar(struct tracker_clock_differences *d,
                    const struct log_bar *bar)
{
    bool same = d->has_begun && bar->at > d->step && bar->elapsed_s >= d->at;
    if (isnan(bar->elapsed_s) || !(bar->at > 0))
        return;
    if (same)
        clock_add_pair(d, bar->elapsed_s - d->at, bar->at - d->step);
    else if (bar->at == bar->of && bar->elapsed_s > 0)
        clock_add_pair(d, bar->elapsed_s, bar->at);
    d->at = bar->elapsed_s;
    d->step = bar->at;
    d->has_begun = true;
}

double tracker_clock_of(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct number_group *counter = tracker_counter_in(r, g, NUMBER_STEP);
    struct tracker_clock_differences d = {.clock = true};
    bool bar = r->lines[g->lines[0]].has_bar;
    for (size_t i = 0; i < g->n; i++) {
        const struct line_facts *line = &r->lines[g->lines[i]];
        double step, of;
        if (bar)
            add_bar(&d, &line->bar);
        else if (counter && line->numbers.has_clock &&
                 tracker_step(&line->numbers, counter, &step, &of))
            add_difference(&d, line->numbers.clock, step);
    }
    if (d.n == 0 || d.time < CLOCK_SPAN_S || (!bar && d.n < FEW_DIFFERENCES))
        return NAN;
    /* Bars, and many loggers, show whole seconds. If the differences are short,
     * or there are only one or two, the sum is more accurate than the
     * median. */
    double pairs = (double)d.n;
    bool coarse = d.time < CLOCK_SPAN_S * pairs || d.n <= FEW_DIFFERENCES;
    if (bar)
        coarse |= tracker_median(d.rates, d.n) * d.steps < CLOCK_SPAN_S * pairs;
    return middle_of(&d, coarse);
}

/* Numbers of lines from which the differences were computed: all, those with a
 * loss, those with a metric or a speed. */
struct used_lines {
    size_t n, with_loss, with_metric;
};

/* If there are fewer differences than this and at least half of them are far
 * from the result, they may span pauses or restarts. */
#define UNEVEN 6

/* A single difference must span at least this many steps and seconds to give
 * the time of a step. */
#define SINGLE_STEPS 20

#define SINGLE_S 20

static bool is_telling(const struct tracker_clock_differences *d)
{
    return d->n == 1 && d->steps >= SINGLE_STEPS && d->time >= SINGLE_S;
}

static uint32_t clock_evidence_of(const struct tracker_reading *r,
                                  const struct tracker_clock_differences *d,
                                  double seconds,
                                  const struct used_lines *lines)
{
    bool coarse = d->clock && !d->fine && d->time < CLOCK_SPAN_S;
    double agree = tracker_agreement(d->rates, d->n, seconds);
    bool few =
        d->n < FEW_DIFFERENCES ? !is_telling(d) : d->n < UNEVEN && agree <= 0.5;
    const bool seen[N_TRACKER_EVIDENCE] = {
        [TRACKER_CLOCK_SEEN] = d->clock,
        [TRACKER_ELAPSED_SEEN] = !d->clock,
        [TRACKER_EPOCHS_SEEN] = d->epochs,
        [TRACKER_ADVANCES_SEEN] = d->n >= FEW_DIFFERENCES,
        [TRACKER_FEW_SEEN] = d->n < FEW_DIFFERENCES,
        [TRACKER_LOSS_LINE_SEEN] = 2 * lines->with_loss >= lines->n,
        [TRACKER_METRIC_SEEN] = 2 * lines->with_metric >= lines->n,
        [TRACKER_LOSS_NEAR_SEEN] = r->found->loss_near,
        [TRACKER_AGREES_SEEN] = agree >= 0.75,
        [TRACKER_NO_METRIC_SEEN] =
            lines->with_metric == 0 && !r->found->loss_near,
        [TRACKER_TOO_CLOSE_SEEN] = few || coarse,
        [TRACKER_CONTRADICTED_SEEN] =
            d->clock && tracker_has_rival(r, NULL, seconds),
    };
    return tracker_bits(seen);
}

static struct candidate candidate_of(const struct tracker_reading *r,
                                     const struct tracker_clock_differences *d,
                                     const struct used_lines *lines)
{
    struct candidate c = {.source = TRACKER_NOT_FOUND, .values = d->n};
    if (d->n == 0)
        return c;
    c.seconds = middle_of(d, d->clock);
    c.source = d->clock ? TRACKER_CLOCK : TRACKER_ELAPSED;
    c.basis = d->clock ? "clock" : "elapsed";
    c.value = c.seconds;
    c.unit = d->epochs ? "s/epoch" : "s";
    c.evidence = clock_evidence_of(r, d, c.seconds, lines);
    return c;
}

static bool tells_speed(const struct log_numbers *numbers)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->at[i].kind == NUMBER_THROUGHPUT)
            return true;
    }
    return false;
}

struct candidate tracker_from_differences(const struct tracker_reading *r,
                                          bool clock)
{
    struct tracker_clock_differences d = {.clock = clock};
    const struct number_group *counter = tracker_counter(r);
    struct used_lines used = {0};
    if (!counter) {
        counter = counter_of(r, NUMBER_EPOCH);
        d.epochs = true;
    }
    for (size_t i = 0; counter && i < r->n_lines; i++) {
        const struct line_facts *line = &r->lines[i];
        double at = line->numbers.clock, step, of;
        bool timed = clock ? line->numbers.has_clock
                           : tracker_clock_elapsed_of(&line->numbers, &at);
        if (!timed || line->evaluation ||
            !tracker_step(&line->numbers, counter, &step, &of))
            continue;
        add_difference(&d, at, step);
        used.with_loss += line->loss;
        used.with_metric += line->metric || tells_speed(&line->numbers);
        used.n++;
    }
    /* Times that often go back are those of parts of the run, not since a
     * start. */
    if (!clock && 4 * d.down > used.n)
        d.n = 0;
    return candidate_of(r, &d, &used);
}

struct candidate tracker_from_pairs(const struct tracker_reading *r,
                                    const struct step_times *pairs)
{
    struct tracker_clock_differences d = {.clock = pairs->clock};
    struct used_lines used = {pairs->n, pairs->n, pairs->n};
    for (size_t i = 0; i < pairs->n; i++)
        add_difference(&d, pairs->at[i], pairs->step[i]);
    d.fine |= pairs->fine;
    return candidate_of(r, &d, &used);
}

/* Stage 2 of the Metric Tracker by rules: computes the time of a step from the
 * samples per second and the samples of a step. */

/* Returns the samples of a step that the lines name: the last number that is
 * named as the batch size of the whole job; NaN if there is none. Any other
 * batch size may be that of one process, of an evaluation or of a part of a
 * step. `micro` is true if the log names the size of a micro batch; the "train
 * batch size" is then that of the whole job. */
static double batch_size(const struct log_numbers *lines, size_t n, bool micro)
{
    static const char *const telling[] = {"global", "total", "effective"};
    static const char *const not [] = {"micro", "eval",       "test",
                                       "valid", "per device", "per gpu"};
    double best = NAN;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < lines[i].n; k++) {
            const struct log_number *x = &lines[i].at[k];
            bool whole = false;
            for (size_t w = 0; w < 3; w++)
                whole |= strstr(x->key, telling[w]) != NULL;
            for (size_t w = 0; w < 6; w++)
                whole &= strstr(x->key, not [w]) == NULL;
            whole |= micro && strcmp(x->key, "train batch size") == 0;
            if (x->kind == NUMBER_BATCH && x->value >= 1 && whole)
                best = x->value;
        }
    }
    return best;
}

/* Returns the number of samples of a step according to the progress lines; NaN
 * if they do not tell it. */
static double batch_size_of(const struct tracker_reading *r)
{
    struct log_numbers *numbers =
        mem_alloc(TRACKER_LINES_MAX * sizeof(struct log_numbers));
    for (size_t i = 0; i < r->n_lines; i++)
        numbers[i] = r->lines[i].numbers;
    double size = batch_size(numbers, r->n_lines, false);
    free(numbers);
    return size;
}

/* Returns the number of samples of a step according to the head of the log; NaN
 * if it does not tell it. */
static double batch_size_in(struct text head)
{
    double best = NAN;
    size_t found = 0;
    struct text line, whole = head;
    struct log_numbers *kept =
        mem_alloc(TRACKER_LINES_MAX * sizeof(struct log_numbers));
    while (found < TRACKER_LINES_MAX && log_first_line(&head, &line)) {
        if (!memmem(line.at, line.len, "batch", 5) &&
            !memmem(line.at, line.len, "Batch", 5))
            continue;
        log_numbers_read(line, &kept[found]);
        bool useful = false;
        for (size_t i = 0; i < kept[found].n; i++)
            useful |= kept[found].at[i].kind == NUMBER_BATCH;
        found += useful;
    }
    best = batch_size(kept, found,
                      memmem(whole.at, whole.len, "micro_batch", 11) != NULL);
    free(kept);
    return best;
}

static bool clock_counts_samples(const char *unit)
{
    return !strstr(unit, "tok") && !strstr(unit, "word") &&
           !strstr(unit, "frame");
}

static bool is_per_part(const char *key)
{
    return strstr(key, "gpu") || strstr(key, "device") || strstr(key, "rank");
}

static const char no_batch[] =
    "samples per second, and no line names the samples of a step of the whole "
    "job";

struct candidate tracker_from_throughput(const struct tracker_reading *r,
                                         const char **why)
{
    struct candidate c = {.source = TRACKER_NOT_FOUND};
    const struct number_group *g = tracker_best(r, NUMBER_THROUGHPUT);
    if (!g || !clock_counts_samples(g->first->unit) ||
        !clock_counts_samples(g->first->key))
        return c;
    double rate = tracker_median(g->values, g->n);
    double batch = batch_size_of(r);
    if (!(batch > 0))
        batch = batch_size_in(r->head);
    if (!(rate > 0) || !(batch > 0) || is_per_part(g->first->key)) {
        *why = no_batch;
        return c;
    }
    struct candidate judged = tracker_judge(r, g);
    c = (struct candidate){
        .source = TRACKER_THROUGHPUT,
        .basis = "throughput",
        .seconds = batch / rate,
        .group = g,
        .evidence =
            TRACKER_SEEN(THROUGHPUT) |
            (judged.evidence & ~(TRACKER_SEEN(SAID) | TRACKER_SEEN(CLOCK_WINS) |
                                 TRACKER_SEEN(CLOCK_AGREES))),
    };
    double clock = tracker_clock_of(r, g), most = r->config->clock_factor;
    if (clock > 0 && (c.seconds > clock * most || c.seconds * most < clock))
        c.evidence |= TRACKER_SEEN(CONTRADICTED);
    return c;
}
