/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 1 of the Metric Tracker: walks from the end of a log backwards and
 * finds progress lines. */
#include "schedmate/logs/schedmate_tracker.h"

#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_bar.h"
#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/log_prefix.h"
#include "schedmate/logs/schedmate_tracker_internal.h"
#include "schedmate/logs/schedmate_tracker_weights.h"

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
    /* the line read last, and the line after it in the log */
    struct text at, later;
    struct text window[LOG_CONTEXT]; /* lines read ahead, last line first */
    uint64_t marks[LOG_CONTEXT];     /* marks of the lines of the window */
    size_t held;                     /* number of lines in the window */
    bool more;                       /* true if `rest` may contain lines */
};

/* Reads the next line backwards that is not blank and classifies it. Returns
 * false after the first line of the log. */
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
static void read_heading(const struct walk *w, size_t i,
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

static void keep(const struct walk *w, struct text line,
                 struct tracker_lines *out)
{
    out->at[out->n] = line;
    read_heading(w, out->n, out);
    out->n++;
}

/* True for a progress line of the training. A line with a loss and a step
 * counter that names no evaluation, or with a bar of the training, is one even
 * if the classifier calls it LOG_OTHER. */
static bool is_progress(struct text line, enum log_class class, uint64_t marks)
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
        tracker_tells(line, &loss, &time);
        if (loss && time)
            keep(w, line, better);
    }
    if (better->n >= ENOUGH_BETTER) {
        better->walked = out->walked;
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

static void reverse(struct tracker_lines *lines)
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
    if (out->n > 0 && !tracker_any_loss(out))
        look_beyond(&w, c, config, out);
    out->whole = !w.more && w.held == 0;
    add_spare(spare, out);
    free(spare);
    if (out->n > 0)
        tracker_explain_bars(config, rest.window, rest.held,
                             rest.more ? rest.rest : (struct text){0}, out);
    reverse(out);
}
