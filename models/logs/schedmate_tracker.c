/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 1 of the Metric Tracker: walks from the end of a log backwards and
 * finds progress lines. */
#include "models/logs/schedmate_tracker.h"

#include <stdlib.h>
#include <string.h>

#include "models/logs/log_bar.h"
#include "models/logs/log_lines.h"
#include "models/logs/log_prefix.h"
#include "models/logs/schedmate_tracker_weights.h"

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
struct walk {
    /* the part of the log that has not been read yet */
    struct text rest;
    struct text window[LOG_CONTEXT]; /* lines read ahead, last line first */
    uint64_t marks[LOG_CONTEXT];     /* marks of the lines of the window */
    size_t held;                     /* number of lines in the window */
    bool more;                       /* true if `rest` may contain lines */
};

/* Reads the next line backwards and classifies it. Returns false after the
 * first line of the log. */
static bool step_back(struct walk *w, struct log_classifier *c,
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
    *out = w->window[0];
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

/* Sets what the lines before the line, which the walk has read ahead, say about
 * its work. Bars between them do not count. */
static void read_heading(const struct walk *w, size_t i,
                         struct tracker_lines *out)
{
    size_t k = 0;
    out->begins_epoch[i] = w->held > 0 && log_begins_epoch(w->window[0]);
    while (k < w->held && is_bar(w->window[k]))
        k++;
    out->other_work[i] = k < w->held && log_names_other_work(w->window[k]);
}

static void keep(const struct walk *w, struct text line,
                 struct tracker_lines *out)
{
    out->at[out->n] = line;
    read_heading(w, out->n, out);
    out->n++;
}

/* Sets *loss to whether the line gives a loss, and *time to whether it gives
 * the time of a step. */
static void tells(struct text line, bool *loss, bool *time)
{
    struct log_numbers numbers;
    log_numbers_read(line, &numbers);
    *loss = *time = false;
    for (size_t i = 0; i < numbers.n; i++) {
        *loss |= numbers.at[i].kind == NUMBER_LOSS;
        *time |= numbers.at[i].kind == NUMBER_STEP_TIME;
    }
}

/* True for a progress line of the training. A line with a loss and a step
 * counter is one even if it is too short for the classifier. */
static bool is_progress(struct text line, enum log_class class, uint64_t marks)
{
    const uint64_t both = MARK_BIT(LOSS_NUMBER) | MARK_BIT(STEP_NUMBER);
    struct log_bar bar;
    bool progress = class == LOG_PROGRESS ||
                    (class == LOG_OTHER && (marks & both) == both &&
                     !(marks & MARK_BIT(EVAL_WORD)));
    return progress && !(log_bar_read(line, &bar) && bar.work == BAR_OTHER);
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
        tells(lines->at[i], &loss, &time);
    return time;
}

static bool any_loss(const struct tracker_lines *lines)
{
    bool loss, time;
    for (size_t i = 0; i < lines->n; i++) {
        tells(lines->at[i], &loss, &time);
        if (loss)
            return true;
    }
    return false;
}

/* The last lines may belong to an evaluation, which looks like progress but
 * gives no loss. Earlier lines that give a loss and a time are better. So the
 * walk goes on for up to BEYOND_EVALUATION lines to find ENOUGH_BETTER such
 * lines. */
#define BEYOND_EVALUATION 5000
#define ENOUGH_BETTER 3

static void look_beyond(struct walk *w, struct log_classifier *c,
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
        if (!is_progress(line, class, marks))
            continue;
        tells(line, &loss, &time);
        if (loss && time)
            keep(w, line, better);
    }
    if (better->n >= ENOUGH_BETTER) {
        better->walked = out->walked;
        *out = *better;
    }
    free(better);
}

/* Finds the last line with a bar, which is the first one in the log. Sets *at
 * to its index. */
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

/* What the lines before the found ones tell about the bars among them. */
struct beyond {
    struct log_bar bar; /* the first bar found, in the order of the log */
    size_t at;          /* index of its line */
    bool keras_begins;  /* no other bar than `bar` was read so far */
    double keras_at;    /* counter of the state that was read last */
    bool loss;          /* a line with a loss was read */
    size_t before; /* lines read since the first state of `bar`; 0: not there */
    double longest_s; /* time that the longest bar without a label has run */
    struct tracker_lines *outer; /* states of a bar that runs longer */
    uint64_t outer_scope;
};

/* A bar without a label that has run twice as long as those found is the bar
 * around them: the training, if they are evaluations. */
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

/* Looks for the line that begins the epoch of a bar. Another bar, or an earlier
 * run of this one, ends the search. */
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
 * bar. */
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
    tells(line, &loss, &time);
    b->loss |= loss && !(log_marks(line) & MARK_BIT(EVAL_WORD));
}

/* Replaces bars without a label by the states of the bar around them. */
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
        out->other_work[n++] = out->other_work[i];
    }
    for (size_t i = 0; i < outer->n && n < TRACKER_LINES_MAX; i++, n++) {
        out->at[n] = outer->at[i];
        out->begins_epoch[n] = out->other_work[n] = false;
    }
    out->n = n;
}

/* Number of lines without another bar before the states of a bar. */
#define OUT_OF_SIGHT 1000

/* Reads the lines before the found ones, without classifying them, if bars
 * among the found lines do not tell by themselves whether they belong to the
 * training. */
static void explain_bars(struct walk *w, const struct tracker_config *config,
                         struct tracker_lines *out)
{
    struct tracker_lines *outer = mem_zalloc(1, sizeof *outer);
    struct beyond b = {.outer = outer};
    struct log_bar bar;
    struct text line;
    bool more = w->more;
    b.bar = last_bar(out, &b.at);
    out->loss_near = any_loss(out);
    b.loss = out->loss_near;
    b.keras_begins = b.bar.keras;
    b.keras_at = b.bar.at;
    b.before = b.bar.at <= 1;
    for (size_t i = 0; i < out->n; i++) {
        if (log_bar_read(out->at[i], &bar) && bar.elapsed_s > b.longest_s)
            b.longest_s = bar.elapsed_s;
    }
    uint64_t left = b.bar.work == BAR_OTHER ? 0 : BEYOND_EVALUATION;
    for (size_t k = 0; k < w->held && left > 0; k++, left--)
        read_beyond(&b, w->window[k], config->lines, out);
    for (; left > 0 && more; left--) {
        more = log_last_line(&w->rest, &line);
        if (more && !log_is_blank(line))
            read_beyond(&b, line, config->lines, out);
    }
    out->loss_near |= b.loss;
    /* A bar so long that its beginning is out of sight is no evaluation after a
     * training, whose bar would be in sight. */
    if (b.keras_begins && left + OUT_OF_SIGHT <= BEYOND_EVALUATION)
        out->begins_epoch[b.at] = true;
    take_outer(outer, out);
    free(outer);
}

/* Adds the spare lines if the other lines give no time. */
static void add_spare(const struct tracker_lines *spare,
                      struct tracker_lines *out)
{
    if (spare->n == 0 || any_time(out))
        return;
    for (size_t i = 0; i < spare->n && out->n < TRACKER_LINES_MAX; i++) {
        out->begins_epoch[out->n] = spare->begins_epoch[i];
        out->other_work[out->n] = spare->other_work[i];
        out->at[out->n++] = spare->at[i];
    }
}

static void reverse(struct tracker_lines *lines)
{
    for (size_t i = 0, k = lines->n; i + 1 < k; i++) {
        k--;
        struct text line = lines->at[i];
        bool begins = lines->begins_epoch[i], other = lines->other_work[i];
        lines->at[i] = lines->at[k];
        lines->begins_epoch[i] = lines->begins_epoch[k];
        lines->other_work[i] = lines->other_work[k];
        lines->at[k] = line;
        lines->begins_epoch[k] = begins;
        lines->other_work[k] = other;
    }
}

void tracker_find(struct log_classifier *c, const struct tracker_config *config,
                  struct text text, struct tracker_lines *out)
{
    struct walk w = {.rest = text, .more = true};
    struct tracker_lines *spare = mem_zalloc(1, sizeof *spare);
    enum log_class class;
    uint64_t marks;
    struct text line;
    *out = (struct tracker_lines){0};
    while (out->n < config->lines && out->walked < config->walk &&
           step_back(&w, c, &line, &class, &marks)) {
        out->walked++;
        if (is_progress(line, class, marks))
            keep(&w, line, out);
        else if (spare->n < config->lines && is_spare(line, class, marks))
            keep(&w, line, spare);
    }
    struct walk rest = w;
    if (out->n > 0 && !any_loss(out))
        look_beyond(&w, c, config, out);
    out->whole = !w.more && w.held == 0;
    add_spare(spare, out);
    free(spare);
    if (out->n > 0)
        explain_bars(&rest, config, out);
    reverse(out);
}
