/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: decides whether printed times are the
 * time of a step of the training, and collects the evidence for it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* Printed times and the clock agree if they differ by less than this factor. */
#define CLOCK_AGREES 1.5
/* Step times of two groups differ if one is more than this factor times the
 * other. */
#define RIVAL 1.5

static bool is_average(const struct number_group *g)
{
    const char *key = g->first->key;
    return tracker_has_word(key, "avg") || tracker_has_word(key, "average") ||
           tracker_has_word(key, "mean") || tracker_has_word(key, "running");
}

/* How a counter moves along the lines of a group. */
struct advance {
    size_t lines; /* number of lines that have the counter */
    /* number of these lines whose counter is higher, and number of those whose
     * counter is lower, than in the one before */
    size_t up, down;
    size_t ends; /* number of lines whose counter is at its end */
    /* number of lines whose counter is 0 or 1 and ends above 1 */
    size_t starts;
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
        const struct line_facts *line = tracker_line_of(r, g, i);
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

/* True if a step counter goes up at least twice along the lines and no less
 * often than down, if an epoch counter goes up at least twice and more often
 * than down, or if the step counter is at its end in FEW_VALUES lines or more
 * (which does not count for a bar with a percentage whose label names neither
 * training nor steps or epochs). Sets *stands to whether the step counter is 0
 * or 1, of more than one step, in all lines that have it. */
static bool advances(const struct tracker_reading *r,
                     const struct number_group *g, bool *stands)
{
    struct advance step = advance_of(r, g, NUMBER_STEP);
    struct advance epoch = advance_of(r, g, NUMBER_EPOCH);
    bool done = epoch.up >= 2 && epoch.up > epoch.down;
    *stands = step.lines > 0 && step.starts == step.lines;
    const struct line_facts *first = tracker_line_of(r, g, 0);
    done |= step.ends >= FEW_VALUES &&
            (!first->has_bar || first->bar.keras || first->bar.named);
    return (step.up >= 2 && step.up >= step.down) || done;
}

/* True if the numbers are the inverse of printed numbers with one significant
 * digit, such as "0.02 steps per second". They are wrong by up to a half. */
static bool is_coarse(const struct number_group *g)
{
    double printed = tracker_median(g->printed, g->n);
    double hundredths = printed * 100;
    return tracker_median(g->values, g->n) > 10 && hundredths < 10 &&
           fabs(hundredths - round(hundredths)) < 1e-9;
}

/* True if each line of the group stands below a heading of other work, and none
 * names training or has a counter of steps or epochs. */
static bool is_headed(const struct tracker_reading *r,
                      const struct number_group *g)
{
    return TRACKER_COUNT(r, g, other_work) == g->n &&
           TRACKER_COUNT(r, g, train) == 0 &&
           !tracker_counter_in(r, g, NUMBER_STEP) &&
           !tracker_counter_in(r, g, NUMBER_EPOCH);
}

/* True if the last of a few lines stands before a line of an evaluation, and
 * the lines have no bar and name neither training nor an epoch: the lines may
 * belong to the evaluation. */
static bool is_evaluated(const struct tracker_reading *r,
                         const struct number_group *g)
{
    return g->n < FEW_VALUES && tracker_line_of(r, g, g->n - 1)->before_eval &&
           !tracker_line_of(r, g, 0)->has_bar &&
           TRACKER_COUNT(r, g, train) == 0 &&
           !tracker_counter_in(r, g, NUMBER_EPOCH);
}

/* True if the times are surely those of steps (TIER_SAID or TIER_RUN), and a
 * bar shows them or the log speaks of training. */
static bool is_named(const struct tracker_reading *r,
                     const struct number_group *g)
{
    return g->tier <= TIER_RUN &&
           (tracker_line_of(r, g, 0)->has_bar || tracker_speaks_of_training(r));
}

/* Returns the evidence against the numbers of a group, as bits TRACKER_SEEN.
 * `evidence`: that of evidence_of. */
static uint32_t against(const struct tracker_reading *r,
                        const struct number_group *g, uint32_t evidence)
{
    const uint32_t metric = TRACKER_SEEN(LOSS_LINE) | TRACKER_SEEN(METRIC);
    const struct line_facts *first = tracker_line_of(r, g, 0);
    bool few = g->n < FEW_VALUES, said = g->tier <= TIER_RUN, stands;
    bool goes = advances(r, g, &stands);
    bool says = said
                    ? evidence & TRACKER_SEEN(LOSS_NEAR) ||
                          TRACKER_COUNT(r, g, train) == g->n
                    : TRACKER_COUNT(r, g, part) == g->n && g->with_loss == g->n;
    const bool seen[N_TRACKER_EVIDENCE] = {
        [TRACKER_OTHER_WORK_SEEN] = is_headed(r, g) && !first->has_bar,
        [TRACKER_STANDS_SEEN] = stands && !first->has_bar,
        [TRACKER_COARSE_SEEN] = few && is_coarse(g),
        [TRACKER_UNSAID_SEEN] =
            (few && !goes && !first->has_bar && !says) || is_evaluated(r, g),
        [TRACKER_NO_METRIC_SEEN] =
            !goes && !(evidence & metric) && !is_named(r, g),
    };
    return tracker_bits(seen) |
           (first->has_bar ? tracker_against_bar(r, g) : 0);
}

bool tracker_has_rival(const struct tracker_reading *r,
                       const struct number_group *g, double middle)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *o = &r->groups[i];
        if (o == g || o->kind != NUMBER_STEP_TIME || (g && o->tier > g->tier) ||
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
    const struct line_facts *first = tracker_line_of(r, g, 0);
    bool stands;
    const bool seen[N_TRACKER_EVIDENCE] = {
        [TRACKER_SAID_SEEN] = g->tier == TIER_SAID,
        [TRACKER_BARE_SEEN] = g->tier == TIER_BARE,
        [TRACKER_BAR_SEEN] = first->has_bar,
        [TRACKER_BAR_NAMED_SEEN] = first->has_bar && first->bar.named,
        [TRACKER_LOSS_LINE_SEEN] = 2 * g->with_loss >= g->n,
        [TRACKER_LOSS_NEAR_SEEN] = r->found->loss_near,
        [TRACKER_METRIC_SEEN] = 2 * TRACKER_COUNT(r, g, metric) >= g->n,
        [TRACKER_ADVANCES_SEEN] = advances(r, g, &stands),
        [TRACKER_FEW_SEEN] = g->n < FEW_VALUES,
        [TRACKER_AGREES_SEEN] =
            tracker_agreement(g->values, g->n, middle) >= 0.75,
        [TRACKER_AVERAGE_SEEN] =
            is_average(g) || TRACKER_COUNT(r, g, summary) > 0,
        [TRACKER_RIVAL_SEEN] = tracker_has_rival(r, g, middle),
        [TRACKER_LONG_SEEN] =
            first->has_bar && tracker_bar_seconds(r, g) >= LONG_S,
    };
    return tracker_bits(seen);
}

/* Returns the time of a step if the printed times are times since the start of
 * the training: they go up with the step counter from line to line, each by at
 * most a third of its value, in more than FEW_VALUES lines. NaN otherwise, and
 * if the words say that the times are those of steps (TIER_SAID). */
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
        if (!tracker_step(&tracker_line_of(r, g, i)->numbers, counter, &at,
                          &of))
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
        bool bar = tracker_line_of(r, g, 0)->has_bar;
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
