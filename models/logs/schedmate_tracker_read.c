/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: interprets the numbers in progress
 * lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/log_lines.h"
#include "models/logs/schedmate_tracker_internal.h"

const char *const tracker_source_names[] = {
    "not found", "printed", "throughput", "elapsed", "clock", "model"};

static struct number_group *group_of(struct tracker_reading *r,
                                     const struct log_number *x)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        struct number_group *g = &r->groups[i];
        if (g->kind == x->kind && g->tier == x->tier &&
            strcmp(g->first->key, x->key) == 0)
            return g;
    }
    if (r->n_groups == GROUPS_MAX)
        return NULL;
    struct number_group *g = &r->groups[r->n_groups++];
    *g = (struct number_group){.kind = x->kind, .tier = x->tier, .first = x};
    g->last_line = SIZE_MAX;
    return g;
}

/* True if the line tells of an evaluation only: its speed is not that of the
 * training. */
static bool is_evaluation(struct text line)
{
    uint64_t marks = log_marks(line);
    return (marks & MARK_BIT(EVAL_WORD)) && !(marks & MARK_BIT(TRAIN_WORD));
}

/* Adds a line to the groups. A group takes only the first number of a line:
 * from "Time 0.177 (0.160)" it takes 0.177. */
static void group_line(struct tracker_reading *r, struct text text, size_t line)
{
    const struct log_numbers *numbers = &r->lines[line];
    bool loss = false, evaluation = is_evaluation(text);
    for (size_t i = 0; i < numbers->n; i++)
        loss |= numbers->at[i].kind == NUMBER_LOSS;
    for (size_t i = 0; i < numbers->n; i++) {
        const struct log_number *x = &numbers->at[i];
        bool speed =
            x->kind == NUMBER_STEP_TIME || x->kind == NUMBER_THROUGHPUT;
        if (speed && evaluation)
            continue;
        struct number_group *g = group_of(r, x);
        if (!g || g->last_line == line)
            continue;
        g->last_line = line;
        g->values[g->n] = x->value;
        g->printed[g->n++] = x->printed;
        g->with_loss += loss;
    }
}

/* Returns true if group `a` is the better source: it is surer, or else its
 * lines give a loss (an evaluation has a speed too), or else it has more
 * values. */
static bool is_better(const struct number_group *a,
                      const struct number_group *b)
{
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if ((a->with_loss > 0) != (b->with_loss > 0))
        return a->with_loss > 0;
    return a->n > b->n;
}

static const struct number_group *best_group(const struct tracker_reading *r,
                                             enum number_kind kind)
{
    const struct number_group *best = NULL;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *g = &r->groups[i];
        if (g->kind == kind && (!best || is_better(g, best)))
            best = g;
    }
    return best;
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

static void from_printed(const struct tracker_reading *r, struct track *out)
{
    const struct number_group *g = best_group(r, NUMBER_STEP_TIME);
    if (!g)
        return;
    double middle = tracker_median(g->values, g->n);
    out->value = tracker_median(g->printed, g->n);
    out->values = (uint32_t)g->n;
    memcpy(out->unit, g->first->unit, sizeof out->unit);
    memcpy(out->key, g->first->key, sizeof out->key);
    tracker_settle(out, TRACKER_PRINTED, middle,
                   tier_trust[g->tier] *
                       tracker_agreement(g->values, g->n, middle) *
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

static void from_throughput(const struct tracker_reading *r, struct text head,
                            struct track *out)
{
    const struct number_group *g = best_group(r, NUMBER_THROUGHPUT);
    if (!g || !counts_samples(g->first->unit) || !counts_samples(g->first->key))
        return;
    double rate = tracker_median(g->values, g->n);
    double batch = batch_size(r->lines, r->n_lines);
    if (!(batch > 0))
        batch = batch_size_in(head);
    if (!(batch > 0) || !(rate > 0))
        return;
    out->value = rate;
    out->values = (uint32_t)g->n;
    memcpy(out->unit, g->first->unit, sizeof out->unit);
    memcpy(out->key, g->first->key, sizeof out->key);
    tracker_settle(out, TRACKER_THROUGHPUT, batch / rate,
                   TRUST_THROUGHPUT * tracker_agreement(g->values, g->n, rate));
}

static void read_rest(const struct tracker_reading *r, struct track *out)
{
    const struct number_group *g = best_group(r, NUMBER_THROUGHPUT);
    if (g) {
        out->throughput = tracker_median(g->values, g->n);
        memcpy(out->throughput_unit, g->first->unit, sizeof g->first->unit);
    }
    g = best_group(r, NUMBER_LOSS);
    if (g)
        out->loss = g->values[g->n - 1];
    g = tracker_counter(r);
    for (size_t i = r->n_lines; g && i > 0; i--) {
        double step, of;
        if (tracker_step(&r->lines[i - 1], g, &step, &of)) {
            out->step = step;
            out->steps = of > 0 ? of : NAN;
            break;
        }
    }
}

void tracker_read(const struct tracker_lines *lines, struct text head,
                  struct track *out)
{
    struct tracker_reading r = {
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
        group_line(&r, lines->at[i], i);
        out->bytes_read += lines->at[i].len + 1;
    }
    read_rest(&r, out);
    from_printed(&r, out);
    if (out->source == TRACKER_NOT_FOUND)
        from_throughput(&r, head, out);
    if (out->source == TRACKER_NOT_FOUND)
        tracker_from_differences(&r, false, out);
    if (out->source == TRACKER_NOT_FOUND)
        tracker_from_differences(&r, true, out);
    free(r.lines);
    free(r.groups);
}
