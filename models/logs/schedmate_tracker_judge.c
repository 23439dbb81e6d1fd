/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: decides whether printed times are the
 * time of a step of the training, and collects the evidence for it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/logs/log_lines.h"
#include "models/logs/schedmate_tracker_internal.h"
#include "sim/base/ascii.h"

/* Fewer values than FEW_VALUES may belong to a warm-up or an evaluation. */
#define FEW_VALUES 3
/* A bar that says nothing about its work has to show this many states over this
 * many seconds if no loss is near. */
#define BARE_STATES 10
#define LONG_S 600
/* Printed times and the clock agree if they differ by at most this factor. */
#define CLOCK_AGREES 1.5
/* Step times of other lines differ if they do so by more than this factor. */
#define RIVAL 1.5

static const struct line_facts *line_of(const struct tracker_reading *r,
                                        const struct number_group *g, size_t i)
{
    return &r->lines[g->lines[i]];
}

static bool has_word(const char *key, const char *word)
{
    const char *at = strstr(key, word);
    size_t len = strlen(word);
    return at && (at == key || at[-1] == ' ') &&
           (at[len] == 0 || at[len] == ' ');
}

static bool is_average(const struct number_group *g)
{
    const char *key = g->first->key;
    return has_word(key, "avg") || has_word(key, "average") ||
           has_word(key, "mean") || has_word(key, "running");
}

/* How a counter moves along the lines of a group. */
struct advance {
    size_t lines;    /* number of lines that have the counter */
    size_t up, down; /* number of steps from line to line */
    size_t ends;     /* number of lines whose counter is at its end */
    size_t starts;   /* number of lines whose counter is 0 or 1 */
};

static void count_step(struct advance *a, double was, double at, double of)
{
    a->up += a->lines > 0 && at > was;
    a->down += a->lines > 0 && at < was;
    a->ends += of > 0 && at == of;
    a->starts += at <= 1 && of > 1;
    a->lines++;
}

static struct advance advance_of(const struct tracker_reading *r,
                                 const struct number_group *g,
                                 enum number_kind kind)
{
    struct advance a = {0};
    const struct number_group *counter = tracker_counter_in(r, g, kind);
    double was = NAN;
    for (size_t i = 0; i < g->n; i++) {
        const struct line_facts *line = line_of(r, g, i);
        double at, of;
        if (line->has_bar && kind == NUMBER_STEP) {
            at = line->bar.at;
            of = line->bar.of;
        } else if (!counter ||
                   !tracker_step(&line->numbers, counter, &at, &of)) {
            continue;
        }
        count_step(&a, was, at, of);
        was = at;
    }
    return a;
}

/* True if a step counter goes up along the lines, or stands at its end while
 * the epochs go up. */
static bool advances(const struct tracker_reading *r,
                     const struct number_group *g, bool *stands)
{
    struct advance step = advance_of(r, g, NUMBER_STEP);
    struct advance epoch = advance_of(r, g, NUMBER_EPOCH);
    bool done = epoch.up >= 2 && epoch.up > epoch.down;
    *stands = step.lines > 0 && step.starts == step.lines;
    const struct line_facts *first = line_of(r, g, 0);
    done |= step.ends >= FEW_VALUES &&
            (!first->has_bar || first->bar.keras || first->bar.named);
    return (step.up >= 2 && step.up >= step.down) || done;
}

static size_t count(const struct tracker_reading *r,
                    const struct number_group *g, size_t offset)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += *(const bool *)((const char *)line_of(r, g, i) + offset);
    return n;
}
#define COUNT(r, g, field) count(r, g, offsetof(struct line_facts, field))

/* True if a line with a loss stands before a state of the bar and after another
 * one. */
static bool loss_between(const struct tracker_reading *r,
                         const struct number_group *g)
{
    if (r->found->loss_between)
        return true;
    for (size_t i = 0; i + 1 < g->n; i++) {
        for (size_t k = g->lines[i]; k < g->lines[i + 1]; k++) {
            if (r->lines[k].loss)
                return true;
        }
    }
    return false;
}

static double bar_seconds(const struct tracker_reading *r,
                          const struct number_group *g)
{
    double longest = 0;
    for (size_t i = 0; i < g->n; i++) {
        double s = line_of(r, g, i)->bar.elapsed_s;
        longest = s > longest ? s : longest;
    }
    return longest;
}

/* True if a line of the head that speaks of steps has the number `of`. */
static bool names_steps(struct text head, double of)
{
    char digits[24];
    struct text line;
    size_t len = (size_t)snprintf(digits, sizeof digits, "%.0f", of);
    while (of >= 10 && log_first_line(&head, &line)) {
        const char *at = memmem(line.at, line.len, digits, len);
        size_t i = at ? (size_t)(at - line.at) : 0;
        struct log_bar bar;
        if (at && !ascii_is_digit(text_char(line, i - 1)) &&
            !ascii_is_digit(text_char(line, i + len)) &&
            memmem(line.at, line.len, "step", 4) && !log_bar_read(line, &bar))
            return true;
    }
    return false;
}

/* True if a line gives the run time of the whole training, and a state of the
 * bar at its end has run for that time, to SAME_RUN of it and to
 * SAME_RUN_S. */
#define SAME_RUN 0.01
#define SAME_RUN_S 2
static bool ran_as_training(const struct tracker_reading *r,
                            const struct number_group *g)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *run = &r->groups[i];
        if (run->kind != NUMBER_ELAPSED || !has_word(run->first->key, "train"))
            continue;
        for (size_t k = 0; k < g->n; k++) {
            const struct log_bar *bar = &line_of(r, g, k)->bar;
            double apart = fabs(bar->elapsed_s - run->values[run->n - 1]);
            if (bar->at == bar->of && apart <= SAME_RUN_S &&
                apart <= SAME_RUN * bar->elapsed_s)
                return true;
        }
    }
    return false;
}

/* A bar that neither names training nor shows a loss has to belong to lines
 * with a loss, or to run long. */
static bool is_bare_bar(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct log_bar *last = &line_of(r, g, g->n - 1)->bar;
    bool other = COUNT(r, g, other_work) > 0;
    bool ended = g->n < FEW_VALUES && last->at == last->of &&
                 r->found->loss_near && bar_seconds(r, g) >= LONG_S / 10.0;
    bool runs = g->n >= BARE_STATES && bar_seconds(r, g) >= LONG_S;
    return !names_steps(r->head, last->of) && !loss_between(r, g) &&
           !r->found->training_starts && !ran_as_training(r, g) &&
           (other || last->lettered || !(ended || runs));
}

/* A bar like "3/10 [==>...]" counts if it begins an epoch, else it is an
 * evaluation. */
static bool begins_epoch(const struct tracker_reading *r,
                         const struct number_group *g)
{
    for (size_t i = 0; i < r->n_lines; i++) {
        const struct line_facts *line = &r->lines[i];
        if (line->has_bar && line->bar.keras && line->begins_epoch &&
            line->bar.of == line_of(r, g, 0)->bar.of)
            return true;
    }
    return false;
}

static uint32_t against_bar(const struct tracker_reading *r,
                            const struct number_group *g)
{
    const struct log_bar *bar = &line_of(r, g, 0)->bar;
    uint32_t bits = 0;
    if (bar->work == BAR_OTHER ||
        (COUNT(r, g, other_work) == g->n && !bar->named))
        bits |= TRACKER_SEEN(OTHER_WORK);
    if (bar->work == BAR_EPOCHS)
        bits |= TRACKER_SEEN(EPOCH_BAR);
    if (bar->keras && !begins_epoch(r, g))
        bits |= TRACKER_SEEN(NO_EPOCH);
    if (!bar->keras && bar->work == BAR_UNLABELLED && is_bare_bar(r, g))
        bits |= TRACKER_SEEN(BARE_BAR);
    return bits;
}

/* Numbers with one significant digit that are turned over, as "0.02 steps per
 * second", are wrong by up to half. */
static bool is_coarse(const struct number_group *g)
{
    double printed = tracker_median(g->printed, g->n);
    double hundredths = printed * 100;
    return tracker_median(g->values, g->n) > 10 && hundredths < 10 &&
           fabs(hundredths - round(hundredths)) < 1e-9;
}

/* True if each line of the group stands below a heading of other work and has
 * no counter of steps or epochs. */
static bool is_headed(const struct tracker_reading *r,
                      const struct number_group *g)
{
    return COUNT(r, g, other_work) == g->n && COUNT(r, g, train) == 0 &&
           !tracker_counter_in(r, g, NUMBER_STEP) &&
           !tracker_counter_in(r, g, NUMBER_EPOCH);
}

/* Returns the evidence against the numbers of a group. */
static uint32_t against(const struct tracker_reading *r,
                        const struct number_group *g, uint32_t evidence)
{
    const uint32_t metric = TRACKER_SEEN(LOSS_LINE) | TRACKER_SEEN(METRIC);
    const struct line_facts *first = line_of(r, g, 0);
    bool few = g->n < FEW_VALUES, said = g->tier <= TIER_RUN, stands;
    bool goes = advances(r, g, &stands);
    bool says =
        said ? evidence & TRACKER_SEEN(LOSS_NEAR) || COUNT(r, g, train) == g->n
             : COUNT(r, g, part) == g->n && g->with_loss == g->n;
    const bool seen[N_TRACKER_EVIDENCE] = {
        [TRACKER_OTHER_WORK_SEEN] = is_headed(r, g) && !first->has_bar,
        [TRACKER_STANDS_SEEN] = stands && !first->has_bar,
        [TRACKER_COARSE_SEEN] = few && is_coarse(g),
        [TRACKER_UNSAID_SEEN] = few && !goes && !first->has_bar && !says,
        [TRACKER_NO_METRIC_SEEN] = !goes && !said && !(evidence & metric),
    };
    return tracker_bits(seen) | (first->has_bar ? against_bar(r, g) : 0);
}

static bool has_rival(const struct tracker_reading *r,
                      const struct number_group *g, double middle)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *o = &r->groups[i];
        if (o == g || o->kind != NUMBER_STEP_TIME || o->tier > g->tier ||
            o->n < FEW_VALUES)
            continue;
        double other = tracker_median(o->values, o->n);
        if (other > middle * RIVAL || other * RIVAL < middle)
            return true;
    }
    return false;
}

static uint32_t evidence_of(const struct tracker_reading *r,
                            const struct number_group *g, double middle)
{
    const struct line_facts *first = line_of(r, g, 0);
    bool stands;
    const bool seen[N_TRACKER_EVIDENCE] = {
        [TRACKER_SAID_SEEN] = g->tier == TIER_SAID,
        [TRACKER_BARE_SEEN] = g->tier == TIER_BARE,
        [TRACKER_BAR_SEEN] = first->has_bar,
        [TRACKER_BAR_NAMED_SEEN] = first->has_bar && first->bar.named,
        [TRACKER_LOSS_LINE_SEEN] = 2 * g->with_loss >= g->n,
        [TRACKER_LOSS_NEAR_SEEN] = r->found->loss_near,
        [TRACKER_METRIC_SEEN] = 2 * COUNT(r, g, metric) >= g->n,
        [TRACKER_ADVANCES_SEEN] = advances(r, g, &stands),
        [TRACKER_FEW_SEEN] = g->n < FEW_VALUES,
        [TRACKER_AGREES_SEEN] =
            tracker_agreement(g->values, g->n, middle) >= 0.75,
        [TRACKER_AVERAGE_SEEN] = is_average(g) || COUNT(r, g, summary) > 0,
        [TRACKER_RIVAL_SEEN] = has_rival(r, g, middle),
        [TRACKER_LONG_SEEN] = first->has_bar && bar_seconds(r, g) >= LONG_S,
    };
    return tracker_bits(seen);
}

/* Returns the time of a step if the printed times are times since the start of
 * the training: they go up with the step counter from line to line, each by
 * less than a third of its value. NaN otherwise. */
#define SINCE_START 3
static double since_start(const struct tracker_reading *r,
                          const struct number_group *g)
{
    const struct number_group *counter = tracker_counter_in(r, g, NUMBER_STEP);
    double first = NAN, was = NAN, at = NAN, of;
    size_t up = 0;
    if (!counter || g->n <= FEW_VALUES || g->tier == TIER_SAID)
        return NAN;
    for (size_t i = 0; i < g->n; i++, was = at) {
        if (!tracker_step(&line_of(r, g, i)->numbers, counter, &at, &of))
            return NAN;
        if (i == 0) {
            first = at;
            continue;
        }
        double gone = g->values[i] - g->values[i - 1];
        if (!(at > was) || !(gone > 0) || gone * SINCE_START > g->values[i])
            return NAN;
        up++;
    }
    return up >= FEW_VALUES
               ? (g->values[g->n - 1] - g->values[0]) / (at - first)
               : NAN;
}

struct candidate tracker_judge(const struct tracker_reading *r,
                               const struct number_group *g)
{
    struct candidate c = {
        .source = TRACKER_PRINTED,
        .basis = "printed",
        .seconds = tracker_median(g->values, g->n),
        .group = g,
    };
    double since = since_start(r, g);
    if (since > 0) {
        c.source = TRACKER_ELAPSED;
        c.basis = "elapsed";
        c.seconds = since;
        c.evidence = evidence_of(r, g, tracker_median(g->values, g->n));
        c.evidence |= TRACKER_SEEN(ELAPSED);
        return c;
    }
    double clock = g->tier == TIER_RUN ? NAN : tracker_clock_of(r, g);
    double most = r->config->clock_factor;
    c.evidence = evidence_of(r, g, c.seconds);
    c.evidence |= against(r, g, c.evidence);
    if (g->tier == TIER_RUN) {
        c.source = TRACKER_ELAPSED;
        c.basis = "elapsed";
        c.evidence |= TRACKER_SEEN(ELAPSED);
    }
    if (!(clock > 0))
        return c;
    if (c.seconds > clock * most || c.seconds * most < clock) {
        bool bar = line_of(r, g, 0)->has_bar;
        c.source = bar ? TRACKER_ELAPSED : TRACKER_CLOCK;
        c.basis = bar ? "elapsed" : "clock";
        c.seconds = clock;
        c.evidence |= TRACKER_SEEN(CLOCK_WINS);
    } else if (c.seconds < clock * CLOCK_AGREES &&
               clock < c.seconds * CLOCK_AGREES) {
        c.basis = "printed, clock agrees";
        c.evidence |= TRACKER_SEEN(CLOCK_AGREES);
    }
    return c;
}
