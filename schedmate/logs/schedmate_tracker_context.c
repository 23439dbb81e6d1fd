/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of stage 1 of the Metric Tracker: reads the lines before those that
 * were found, to learn to which work (training, evaluation or other) the
 * progress bars among the found lines belong. */
#include <math.h>
#include <stdlib.h>

#include "schedmate/logs/log_bar.h"
#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

void tracker_tells(struct text line, bool *loss, bool *time)
{
    struct log_numbers numbers;
    log_numbers_read(line, &numbers);
    *loss = *time = false;
    for (size_t i = 0; i < numbers.n; i++) {
        *loss |= numbers.at[i].kind == NUMBER_LOSS;
        *time |= numbers.at[i].kind == NUMBER_STEP_TIME;
    }
}

bool tracker_any_loss(const struct tracker_lines *lines)
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

void tracker_explain_bars(const struct tracker_config *config,
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
