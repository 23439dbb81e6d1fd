/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Metric Tracker: chooses the numbers of the training among those of the
 * log, and says how far a step time can be trusted.
 *
 * How far a step time can be trusted: a logistic regression over named evidence
 * whose weights bench/track_fit.py fits to labelled logs. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_marks.h"
#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/logs/schedmate_tracker_internal.h"
#include "schedmate/logs/schedmate_tracker_weights.h"

#define TRACKER_NAME(id, name, what) #name,

const char *const tracker_evidence_names[N_TRACKER_EVIDENCE] = {
    TRACKER_EVIDENCE(TRACKER_NAME)};

#define WHAT(id, name, what) what,

const char *const tracker_evidence_meanings[N_TRACKER_EVIDENCE] = {
    TRACKER_EVIDENCE(WHAT)};

#define WEIGHT(id, weight) [TRACKER_##id##_SEEN] = weight,

static const double weights[N_TRACKER_EVIDENCE] = {TRACKER_WEIGHTS(WEIGHT)};

uint32_t tracker_bits(const bool seen[N_TRACKER_EVIDENCE])
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++)
        bits |= (uint32_t)seen[i] << i;
    return bits;
}

/* Largest confidence in a step time that something speaks against. Few of these
 * step times are right (bench/README.md), whatever speaks for them. */
#define OBJECTED_MOST 0.5

double tracker_confidence(uint32_t evidence)
{
    double sum = TRACKER_BIAS;
    for (unsigned i = 0; i < N_TRACKER_EVIDENCE; i++)
        sum += evidence >> i & 1 ? weights[i] : 0;
    double confidence = 1 / (1 + exp(-sum));
    bool objected = evidence & TRACKER_SEEN(OBJECTED);
    return objected && confidence > OBJECTED_MOST ? OBJECTED_MOST : confidence;
}

/* Stage 2 of the Metric Tracker by rules: decides whether printed times are the
 * time of a step of the training, and collects the evidence for it. */

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
static bool tracker_is_named(const struct tracker_reading *r,
                             const struct number_group *g)
{
    return g->tier <= TIER_RUN &&
           (tracker_line_of(r, g, 0)->has_bar || tracker_speaks_of_training(r));
}

/* Returns the evidence against the numbers of a group, as bits TRACKER_SEEN.
 * `evidence`: that of tracker_evidence_of. */
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
            !goes && !(evidence & metric) && !tracker_is_named(r, g),
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

static uint32_t tracker_evidence_of(const struct tracker_reading *r,
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
 * most a third of its value, in more than FEW_VALUES lines. NaN otherwise. If
 * the words say that the times are those of steps (TIER_SAID), they also have
 * to be those of all steps up to the counter, within a half. */
#define SINCE_START 3

static double since_start(const struct tracker_reading *r,
                          const struct number_group *g)
{
    const struct number_group *counter = tracker_counter_in(r, g, NUMBER_STEP);
    double first = NAN, was = NAN, at = NAN, of;
    size_t up = 0;
    if (!counter || g->n <= FEW_VALUES)
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
    double step_s = (g->values[g->n - 1] - g->values[0]) / (at - first);
    bool all = fabs(g->values[g->n - 1] / (step_s * at) - 1) < 0.5;
    return up >= FEW_VALUES && (all || g->tier != TIER_SAID) ? step_s : NAN;
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
        c.evidence = tracker_evidence_of(r, g, tracker_median(g->values, g->n));
        c.evidence |= TRACKER_SEEN(ELAPSED);
        return c;
    }
    double clock = g->tier == TIER_RUN ? NAN : tracker_clock_of(r, g);
    double most = r->config->clock_factor;
    c.evidence = tracker_evidence_of(r, g, c.seconds);
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

/* A part of stage 1 of the Metric Tracker: reads the lines before those that
 * were found, to learn to which work (training, evaluation or other) the
 * progress bars among the found lines belong. */

/* Sets *loss to whether the line gives a loss, and *time to whether it gives
 * the time of a step. */
static void tracker_tells(struct text line, bool *loss, bool *time)
{
    struct log_numbers numbers;
    log_numbers_read(line, &numbers);
    *loss = *time = false;
    for (size_t i = 0; i < numbers.n; i++) {
        *loss |= numbers.at[i].kind == NUMBER_LOSS;
        *time |= numbers.at[i].kind == NUMBER_STEP_TIME;
    }
}

/* True if one of the lines gives a loss. */
static bool tracker_any_loss(const struct tracker_lines *lines)
{
    bool loss, time;
    for (size_t i = 0; i < lines->n; i++) {
        tracker_tells(lines->at[i], &loss, &time);
        if (loss)
            return true;
    }
    return false;
}

/* Returns the first bar in the log, which is in the last line with a bar,
 * because the lines are in reverse order. Sets *at to the index of that line.
 * Returns a bar of other work if no line has a bar. */
static struct log_bar last_bar(const struct tracker_lines *lines, size_t *at)
{
    struct log_bar bar = {0};
    for (size_t i = lines->n; i > 0; i--) {
        *at = i - 1;
        if (log_bar_read(lines->at[i - 1], &bar))
            return bar;
    }
    return (struct log_bar){.work = BAR_OTHER};
}

/* Facts about the bars among the found lines, from the lines before them. */
struct beyond {
    /* of the bars found, the one that stands first in the log */
    struct log_bar bar;
    size_t at; /* index of its line */
    /* true while the beginning of its epoch is looked for */
    bool keras_begins;
    double keras_at; /* counter of the state that was read last */
    bool loss;       /* true if a line with a loss was read */
    /* 1 + number of lines without a bar that were read since the first state of
     * `bar` was reached; 0: it was not reached */
    size_t before;
    /* longest time that a bar among the found lines has run, seconds */
    double longest_s;
    struct tracker_lines *outer; /* states of a bar that runs longer */
    uint64_t outer_scope;
};

/* Keeps a state of a bar of unknown work (BAR_UNLABELLED) that has run more
 * than twice as long as the found bars. It is the bar around these: the
 * training, if these are evaluations. */
static void read_outer(struct beyond *b, const struct log_bar *bar,
                       struct text line, size_t most)
{
    struct tracker_lines *outer = b->outer;
    if (bar->work != BAR_UNLABELLED || bar->scope == b->bar.scope ||
        !(bar->elapsed_s > 2 * b->longest_s) || outer->n >= most ||
        (outer->n > 0 && bar->scope != b->outer_scope))
        return;
    b->outer_scope = bar->scope;
    outer->at[outer->n++] = line;
}

/* Looks for the line that begins the epoch of a bar, and sets out->begins_epoch
 * if this is the line. Another bar of the same form, or an earlier run of this
 * bar, ends the search. */
static void read_keras(struct beyond *b, const struct log_bar *bar,
                       struct text line, struct tracker_lines *out)
{
    if (bar) {
        if (!bar->keras)
            return;
        b->keras_begins = bar->scope == b->bar.scope && bar->at <= b->keras_at;
        b->keras_at = bar->at;
    } else if (log_begins_epoch(line)) {
        out->begins_epoch[b->at] = true;
        b->keras_begins = false;
    }
}

/* Looks for "Starting training" in the few lines before the first state of the
 * bar, and sets out->training_starts. */
#define LINES_BEFORE_BAR 12

static void read_start(struct beyond *b, const struct log_bar *bar,
                       struct text line, struct tracker_lines *out)
{
    if (bar && bar->scope == b->bar.scope)
        b->before = bar->at <= 1;
    else if (!bar && b->before > 0 && b->before++ <= LINES_BEFORE_BAR)
        out->training_starts |= log_starts_training(line);
}

static void read_beyond(struct beyond *b, struct text line, size_t most,
                        struct tracker_lines *out)
{
    struct log_bar bar;
    bool loss, time, has_bar = log_bar_read(line, &bar);
    if (b->keras_begins)
        read_keras(b, has_bar ? &bar : NULL, line, out);
    read_start(b, has_bar ? &bar : NULL, line, out);
    if (has_bar) {
        out->loss_between |= b->loss && bar.scope == b->bar.scope;
        read_outer(b, &bar, line, most);
        return;
    }
    tracker_tells(line, &loss, &time);
    b->loss |= loss && !(log_marks(line) & MARK_BIT(EVAL_WORD));
}

/* Replaces bars of unknown work (BAR_UNLABELLED) with the states of the bar
 * around them, if at least ENOUGH_BETTER states were read. */
static void take_outer(const struct tracker_lines *outer,
                       struct tracker_lines *out)
{
    struct log_bar bar;
    size_t n = 0;
    if (outer->n < ENOUGH_BETTER)
        return;
    for (size_t i = 0; i < out->n; i++) {
        if (log_bar_read(out->at[i], &bar) && bar.work == BAR_UNLABELLED)
            continue;
        out->at[n] = out->at[i];
        out->begins_epoch[n] = out->begins_epoch[i];
        out->before_eval[n] = out->before_eval[i];
        out->other_work[n++] = out->other_work[i];
    }
    for (size_t i = 0; i < outer->n && n < TRACKER_LINES_MAX; i++, n++) {
        out->at[n] = outer->at[i];
        out->begins_epoch[n] = out->other_work[n] = false;
        out->before_eval[n] = false;
    }
    out->n = n;
}

/* If the beginning of a bar's epoch is not among this many lines, the bar
 * counts as one of the training. */
#define OUT_OF_SIGHT 1000

/* Reads up to BEYOND_EVALUATION lines before the found ones, without
 * classifying them, if there are bars among the found lines, unless the
 * earliest one is a bar of other work. Completes *out, whose lines are still in
 * reverse order. `ahead` holds the n_ahead lines that stage 1 has read ahead,
 * last line first; `rest` is the log before them. */
static void tracker_explain_bars(const struct tracker_config *config,
                                 const struct text *ahead, size_t n_ahead,
                                 struct text rest, struct tracker_lines *out)
{
    struct tracker_lines *outer = mem_zalloc(1, sizeof *outer);
    struct beyond b = {.outer = outer};
    struct log_bar bar;
    struct text line;
    bool more = rest.len > 0;
    b.bar = last_bar(out, &b.at);
    out->loss_near = tracker_any_loss(out);
    b.loss = out->loss_near;
    b.keras_begins = b.bar.keras;
    b.keras_at = b.bar.at;
    b.before = b.bar.at <= 1;
    for (size_t i = 0; i < out->n; i++) {
        if (log_bar_read(out->at[i], &bar) && bar.elapsed_s > b.longest_s)
            b.longest_s = bar.elapsed_s;
    }
    uint64_t left = b.bar.work == BAR_OTHER ? 0 : BEYOND_EVALUATION;
    for (size_t k = 0; k < n_ahead && left > 0; k++, left--)
        read_beyond(&b, ahead[k], config->lines, out);
    for (; left > 0 && more; left--) {
        more = log_last_line(&rest, &line);
        if (more && !log_is_blank(line))
            read_beyond(&b, line, config->lines, out);
    }
    out->loss_near |= b.loss;
    /* A bar whose beginning is so far away is not that of an evaluation after
     * the training: the bar of the training would have been read. */
    if (b.keras_begins && left + OUT_OF_SIGHT <= BEYOND_EVALUATION)
        out->begins_epoch[b.at] = true;
    take_outer(outer, out);
    free(outer);
}

/* Stage 1 of the Metric Tracker: walks from the end of a log backwards and
 * finds progress lines. */

const struct option tracker_options[] = {
    OPT_U32(struct tracker_config, lines, "lines", 20, 1, TRACKER_LINES_MAX,
            "progress lines that the step time is read from",
            "SchedMate: \"a few tens of lines\"; 20 is our choice"),
    OPT_U32(struct tracker_config, walk, "walk", 20000, 1, 10000000,
            "most lines looked at, from the end",
            "our choice: half of the logs of the paper are longer than 16,000 "
            "lines"),
    OPT_DOUBLE(struct tracker_config, floor, "floor", TRACKER_FLOOR, 0, 1,
               "least confidence with which a step time is given",
               "fitted: the least with a precision of 0.9 (bench/README.md)"),
    OPT_DOUBLE(struct tracker_config, clock_factor, "clock_factor", 3, 1, 1e9,
               "a printed step time that differs by more from the times of its "
               "lines is replaced by theirs",
               "our choice: on 300 public logs each factor from 2 up gives the "
               "same step times, and 1.5 loses one"),
    {0},
};

/* A walk from the end of a log to its beginning. The class of a line depends on
 * the two lines before it, so the walk reads these ahead. */
struct tracker_walk {
    /* the part of the log that has not been read yet */
    struct text rest;
    /* the line read last, and the line after it in the log */
    struct text at, later;
    struct text window[LOG_CONTEXT]; /* lines read ahead, last line first */
    uint64_t marks[LOG_CONTEXT];     /* marks of the lines of the window */
    size_t held;                     /* number of lines in the window */
    bool more;                       /* true if `rest` may contain lines */
};

/* Reads the next line backwards that is not blank and classifies it. Returns
 * false after the first line of the log. */
static bool step_back(struct tracker_walk *w, struct log_classifier *c,
                      struct text *out, enum log_class *class, uint64_t *marks)
{
    struct text line;
    while (w->more && w->held < LOG_CONTEXT) {
        w->more = log_last_line(&w->rest, &line);
        if (!w->more || log_is_blank(line))
            continue;
        size_t bar = log_bar_prefix(line);
        line.len = bar > 0 ? bar : line.len;
        w->marks[w->held] = log_marks(line);
        w->window[w->held++] = line;
    }
    if (w->held == 0)
        return false;
    struct log_context context = {
        {w->held > 1 ? w->marks[1] : 0, w->held > 2 ? w->marks[2] : 0}};
    w->later = w->at;
    w->at = *out = w->window[0];
    struct log_verdict v = log_classify(c, *out, &context);
    *class = v.class;
    *marks = v.marks;
    memmove(w->window, w->window + 1, sizeof w->window - sizeof *w->window);
    memmove(w->marks, w->marks + 1, sizeof w->marks - sizeof *w->marks);
    w->held--;
    return true;
}

static bool is_bar(struct text line)
{
    struct log_bar bar;
    return log_bar_read(line, &bar);
}

/* Sets the facts about the work of line `i` that its neighbours tell: the lines
 * before it, which the walk has read ahead, and the line after it. A heading of
 * other work may stand above bars; an epoch begins only if no bar stands
 * between. */
static void read_heading(const struct tracker_walk *w, size_t i,
                         struct tracker_lines *out)
{
    size_t k = 0;
    out->begins_epoch[i] = false;
    for (size_t h = 0; h < w->held && !is_bar(w->window[h]); h++)
        out->begins_epoch[i] |= log_begins_epoch(w->window[h]);
    while (k < w->held && is_bar(w->window[k]))
        k++;
    out->other_work[i] = k < w->held && log_names_other_work(w->window[k]);
    out->before_eval[i] =
        log_marks(w->later) & MARK_BIT(EVAL_WORD) && !is_bar(w->later);
}

static void tracker_keep(const struct tracker_walk *w, struct text line,
                         struct tracker_lines *out)
{
    out->at[out->n] = line;
    read_heading(w, out->n, out);
    out->n++;
}

/* True for a progress line of the training. A line with a loss and a step
 * counter that names no evaluation, or with a bar of the training, is one even
 * if the classifier calls it LOG_OTHER. */
static bool tracker_is_progress(struct text line, enum log_class class,
                                uint64_t marks)
{
    const uint64_t both = MARK_BIT(LOSS_NUMBER) | MARK_BIT(STEP_NUMBER);
    struct log_bar bar;
    bool has_bar = log_bar_read(line, &bar);
    bool counts = (marks & both) == both && !(marks & MARK_BIT(EVAL_WORD));
    if (has_bar && (bar.work == BAR_OTHER || bar.work == BAR_TRAINING))
        return bar.work == BAR_TRAINING &&
               (class == LOG_PROGRESS || class == LOG_OTHER);
    return class == LOG_PROGRESS || (class == LOG_OTHER && counts);
}

/* True for a spare line, which is used if no progress line gives a time: a line
 * of class LOG_OTHER that names a time per step and belongs neither to an
 * evaluation nor to loading. */
static bool is_spare(struct text line, enum log_class class, uint64_t marks)
{
    const uint64_t not = MARK_BIT(EVAL_WORD) | MARK_BIT(LOAD_WORD);
    struct log_numbers numbers;
    if (class != LOG_OTHER || (marks & not ) || (marks & MARK_BIT(NO_NUMBER)) ||
        is_bar(line))
        return false;
    log_numbers_read(line, &numbers);
    for (size_t i = 0; i < numbers.n; i++) {
        if (numbers.at[i].kind == NUMBER_STEP_TIME &&
            numbers.at[i].tier == TIER_SAID)
            return true;
    }
    return false;
}

static bool any_time(const struct tracker_lines *lines)
{
    bool loss, time = false;
    for (size_t i = 0; i < lines->n && !time; i++)
        tracker_tells(lines->at[i], &loss, &time);
    return time;
}

static void look_beyond(struct tracker_walk *w, struct log_classifier *c,
                        const struct tracker_config *config,
                        struct tracker_lines *out)
{
    struct tracker_lines *better = mem_zalloc(1, sizeof *better);
    uint64_t limit = out->walked + BEYOND_EVALUATION;
    enum log_class class;
    uint64_t marks;
    struct text line;
    bool loss, time;
    limit = limit < config->walk ? limit : config->walk;
    while (better->n < config->lines && out->walked < limit &&
           step_back(w, c, &line, &class, &marks)) {
        out->walked++;
        if (!tracker_is_progress(line, class, marks))
            continue;
        tracker_tells(line, &loss, &time);
        if (loss && time)
            tracker_keep(w, line, better);
    }
    if (better->n >= ENOUGH_BETTER) {
        better->walked = out->walked;
        better->text = out->text;
        *out = *better;
    }
    free(better);
}

/* Adds the spare lines if the other lines give no time. */
static void add_spare(const struct tracker_lines *spare,
                      struct tracker_lines *out)
{
    if (spare->n == 0 || any_time(out))
        return;
    for (size_t i = 0; i < spare->n && out->n < TRACKER_LINES_MAX; i++) {
        out->begins_epoch[out->n] = spare->begins_epoch[i];
        out->before_eval[out->n] = spare->before_eval[i];
        out->other_work[out->n] = spare->other_work[i];
        out->at[out->n++] = spare->at[i];
    }
}

static void swap(bool *a, bool *b)
{
    bool was = *a;
    *a = *b;
    *b = was;
}

static void tracker_reverse(struct tracker_lines *lines)
{
    for (size_t i = 0, k = lines->n; i + 1 < k; i++) {
        k--;
        struct text line = lines->at[i];
        lines->at[i] = lines->at[k];
        lines->at[k] = line;
        swap(&lines->begins_epoch[i], &lines->begins_epoch[k]);
        swap(&lines->other_work[i], &lines->other_work[k]);
        swap(&lines->before_eval[i], &lines->before_eval[k]);
    }
}

void tracker_find(struct log_classifier *c, const struct tracker_config *config,
                  struct text text, struct tracker_lines *out)
{
    struct tracker_walk w = {.rest = text, .more = true};
    struct tracker_lines *spare = mem_zalloc(1, sizeof *spare);
    enum log_class class;
    uint64_t marks;
    struct text line;
    *out = (struct tracker_lines){.text = text};
    while (out->n < config->lines && out->walked < config->walk &&
           step_back(&w, c, &line, &class, &marks)) {
        out->walked++;
        if (tracker_is_progress(line, class, marks))
            tracker_keep(&w, line, out);
        else if (spare->n < config->lines && is_spare(line, class, marks))
            tracker_keep(&w, line, spare);
    }
    struct tracker_walk rest = w;
    if (out->n > 0 && !tracker_any_loss(out))
        look_beyond(&w, c, config, out);
    out->whole = !w.more && w.held == 0;
    add_spare(spare, out);
    free(spare);
    if (out->n > 0)
        tracker_explain_bars(config, rest.window, rest.held,
                             rest.more ? rest.rest : (struct text){0}, out);
    tracker_reverse(out);
}
