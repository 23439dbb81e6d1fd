/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: interprets the numbers in progress
 * lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/log_lines.h"
#include "models/logs/schedmate_tracker.h"

const char *const tracker_source_names[] = {
    "not found", "printed", "throughput", "elapsed", "clock", "model"};

#define STEP_SECONDS_MAX 86400

/* The numbers of one kind, tier and key in all lines. */
struct group {
    enum number_kind kind;
    enum number_tier tier;
    const struct log_number *first;
    double values[TRACKER_LINES_MAX], printed[TRACKER_LINES_MAX];
    size_t n;         /* number of values */
    size_t with_loss; /* number of values from lines that also give a loss */
    size_t last_line; /* index of the line of the last value */
};

#define GROUPS_MAX 96
struct reading {
    struct log_numbers *lines;
    size_t n_lines;
    struct group *groups;
    size_t n_groups;
};

static struct group *group_of(struct reading *r, const struct log_number *x)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        struct group *g = &r->groups[i];
        if (g->kind == x->kind && g->tier == x->tier &&
            strcmp(g->first->key, x->key) == 0)
            return g;
    }
    if (r->n_groups == GROUPS_MAX)
        return NULL;
    struct group *g = &r->groups[r->n_groups++];
    *g = (struct group){.kind = x->kind, .tier = x->tier, .first = x};
    g->last_line = SIZE_MAX;
    return g;
}

/* Adds a line to the groups. A group takes only the first number of a line:
 * from "Time 0.177 (0.160)" it takes 0.177. */
static void group_line(struct reading *r, size_t line)
{
    const struct log_numbers *numbers = &r->lines[line];
    bool loss = false;
    for (size_t i = 0; i < numbers->n; i++)
        loss |= numbers->at[i].kind == NUMBER_LOSS;
    for (size_t i = 0; i < numbers->n; i++) {
        const struct log_number *x = &numbers->at[i];
        struct group *g = group_of(r, x);
        if (!g || g->last_line == line)
            continue;
        g->last_line = line;
        g->values[g->n] = x->value;
        g->printed[g->n++] = x->printed;
        g->with_loss += loss;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, size_t n)
{
    double sorted[TRACKER_LINES_MAX];
    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Returns how well the values agree, 0.5 to 1: 0.5 plus half the share of the
 * values that differ from the median by at most a quarter. */
static double agreement(const double *values, size_t n, double middle)
{
    size_t near = 0;
    for (size_t i = 0; i < n; i++)
        near += fabs(values[i] - middle) <= 0.25 * middle;
    return 0.5 + 0.5 * (double)near / (double)n;
}

/* Returns true if group `a` is the better source: it is surer, or else its
 * lines give a loss (an evaluation has a speed too), or else it has more
 * values. */
static bool is_better(const struct group *a, const struct group *b)
{
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if ((a->with_loss > 0) != (b->with_loss > 0))
        return a->with_loss > 0;
    return a->n > b->n;
}

static const struct group *best_group(const struct reading *r,
                                      enum number_kind kind)
{
    const struct group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct group *g = &r->groups[i];
        if (g->kind == kind && (!best || is_better(g, best)))
            best = g;
    }
    return best;
}

static bool is_step_time(double seconds)
{
    return seconds > 0 && seconds < STEP_SECONDS_MAX;
}

static void settle(struct track *out, enum tracker_source source,
                   double seconds, double confidence)
{
    if (!is_step_time(seconds))
        return;
    out->source = source;
    out->seconds_per_step = seconds;
    out->confidence = confidence;
}

/* Confidence by tier, before the agreement of the values is taken into account:
 * the share of labelled logs on which a number of the tier was right
 * (bench/README.md), rounded down. */
static const double tier_trust[N_TIERS] = {0.95, 0.85, 0.6};
#define TRUST_THROUGHPUT 0.7
/* If there are fewer values than FEW_VALUES, they may belong to an evaluation
 * or a warm-up, and the confidence is multiplied by FEW_TRUST. */
#define FEW_VALUES 3
#define FEW_TRUST 0.8
#define TRUST_ELAPSED 0.7
#define TRUST_CLOCK 0.5

static void from_printed(const struct reading *r, struct track *out)
{
    const struct group *g = best_group(r, NUMBER_STEP_TIME);
    if (!g)
        return;
    double middle = median(g->values, g->n);
    out->value = median(g->printed, g->n);
    out->values = (uint32_t)g->n;
    memcpy(out->unit, g->first->unit, sizeof out->unit);
    memcpy(out->key, g->first->key, sizeof out->key);
    settle(out, TRACKER_PRINTED, middle,
           tier_trust[g->tier] * agreement(g->values, g->n, middle) *
               (g->n < FEW_VALUES ? FEW_TRUST : 1));
}

/* Returns the batch size in the lines: the last number whose key has the word
 * that comes first in `telling`. Sizes of micro-batches, devices and
 * evaluations do not count. */
static double batch_size(const struct log_numbers *lines, size_t n)
{
    static const char *const telling[] = {"global", "total", "effective",
                                          "train"};
    double best = NAN;
    size_t best_rank = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < lines[i].n; k++) {
            const struct log_number *x = &lines[i].at[k];
            size_t rank = 0;
            if (x->kind != NUMBER_BATCH || x->value < 1 ||
                strstr(x->key, "micro") || strstr(x->key, "eval") ||
                strstr(x->key, "test") || strstr(x->key, "per device"))
                continue;
            while (rank < 4 && !strstr(x->key, telling[rank]))
                rank++;
            if (rank <= best_rank) {
                best = x->value;
                best_rank = rank;
            }
        }
    }
    return best;
}

/* Returns the batch size in the head of the log; NaN if there is none. */
static double batch_size_in(struct text head)
{
    double best = NAN;
    size_t found = 0;
    struct text line;
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
    best = batch_size(kept, found);
    free(kept);
    return best;
}

static bool counts_samples(const char *unit)
{
    return !strstr(unit, "tok") && !strstr(unit, "word") &&
           !strstr(unit, "frame");
}

static void from_throughput(const struct reading *r, struct text head,
                            struct track *out)
{
    const struct group *g = best_group(r, NUMBER_THROUGHPUT);
    if (!g || !counts_samples(g->first->unit) || !counts_samples(g->first->key))
        return;
    double rate = median(g->values, g->n);
    double batch = batch_size(r->lines, r->n_lines);
    if (!(batch > 0))
        batch = batch_size_in(head);
    if (!(batch > 0) || !(rate > 0))
        return;
    out->value = rate;
    out->values = (uint32_t)g->n;
    memcpy(out->unit, g->first->unit, sizeof out->unit);
    memcpy(out->key, g->first->key, sizeof out->key);
    settle(out, TRACKER_THROUGHPUT, batch / rate,
           TRUST_THROUGHPUT * agreement(g->values, g->n, rate));
}

/* Returns the step counter by which lines are compared: one with "global" in
 * its key if there is one, else the one that is printed most often. */
static const struct group *counter_of(const struct reading *r)
{
    const struct group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct group *g = &r->groups[i];
        if (g->kind != NUMBER_STEP)
            continue;
        bool global = strstr(g->first->key, "global") != NULL;
        bool was = best && strstr(best->first->key, "global") != NULL;
        if (!best || (global && !was) || (global == was && g->n > best->n))
            best = g;
    }
    return best;
}

static bool step_of(const struct log_numbers *line, const struct group *counter,
                    double *step, double *of)
{
    for (size_t i = 0; i < line->n; i++) {
        if (line->at[i].kind == NUMBER_STEP &&
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
};

#define DAY_SECONDS 86400

/* Adds a line. A pair counts if the counter went up and the time did
 * not go back. */
static void add_difference(struct differences *d, double at, double step)
{
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

/* Computes the time of a step from the time and the steps between lines. The
 * time is the time of day at the start of a line if `clock` is true, else the
 * elapsed time that the line prints. */
static void from_differences(const struct reading *r, bool clock,
                             struct track *out)
{
    struct differences d = {.clock = clock};
    const struct group *counter = counter_of(r);
    for (size_t i = 0; counter && i < r->n_lines; i++) {
        const struct log_numbers *line = &r->lines[i];
        double at = line->clock, step, of;
        bool timed = clock ? line->has_clock : elapsed_of(line, &at);
        if (timed && step_of(line, counter, &step, &of))
            add_difference(&d, at, step);
    }
    if (d.n == 0)
        return;
    /* The clock shows whole seconds, too coarse for a single difference, so its
     * differences are summed. */
    double middle = clock ? d.time / d.steps : median(d.rates, d.n);
    if (!is_step_time(middle))
        return;
    out->value = middle;
    out->values = (uint32_t)d.n;
    memcpy(out->unit, "s", 2);
    settle(out, clock ? TRACKER_CLOCK : TRACKER_ELAPSED, middle,
           (clock ? TRUST_CLOCK : TRUST_ELAPSED) *
               (d.n > 1 ? agreement(d.rates, d.n, middle) : 0.5));
}

static void read_rest(const struct reading *r, struct track *out)
{
    const struct group *g = best_group(r, NUMBER_THROUGHPUT);
    if (g) {
        out->throughput = median(g->values, g->n);
        memcpy(out->throughput_unit, g->first->unit, sizeof g->first->unit);
    }
    g = best_group(r, NUMBER_LOSS);
    if (g)
        out->loss = g->values[g->n - 1];
    g = counter_of(r);
    for (size_t i = r->n_lines; g && i > 0; i--) {
        double step, of;
        if (step_of(&r->lines[i - 1], g, &step, &of)) {
            out->step = step;
            out->steps = of > 0 ? of : NAN;
            break;
        }
    }
}

void tracker_read(const struct tracker_lines *lines, struct text head,
                  struct track *out)
{
    struct reading r = {
        .lines = mem_zalloc(TRACKER_LINES_MAX, sizeof *r.lines),
        .groups = mem_zalloc(GROUPS_MAX, sizeof *r.groups),
        .n_lines = lines->n,
    };
    *out = (struct track){.seconds_per_step = NAN,
                          .value = NAN,
                          .loss = NAN,
                          .throughput = NAN,
                          .step = NAN,
                          .steps = NAN,
                          .lines_walked = lines->walked,
                          .progress_lines = (uint32_t)lines->n};
    for (size_t i = 0; i < lines->n; i++) {
        log_numbers_read(lines->at[i], &r.lines[i]);
        group_line(&r, i);
        out->bytes_read += lines->at[i].len + 1;
    }
    read_rest(&r, out);
    from_printed(&r, out);
    if (out->source == TRACKER_NOT_FOUND)
        from_throughput(&r, head, out);
    if (out->source == TRACKER_NOT_FOUND)
        from_differences(&r, false, out);
    if (out->source == TRACKER_NOT_FOUND)
        from_differences(&r, true, out);
    free(r.lines);
    free(r.groups);
}
