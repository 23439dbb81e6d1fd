/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 1 of the Metric Tracker: walks from the end of a log backwards and
 * finds progress lines. */
#include "models/logs/schedmate_tracker.h"

#include <stdlib.h>
#include <string.h>

#include "models/logs/log_lines.h"
#include "models/logs/log_side_bar.h"

const struct option tracker_options[] = {
    OPT_U32(struct tracker_config, lines, "lines", 20, 1, TRACKER_LINES_MAX,
            "progress lines that the step time is read from",
            "SchedMate: \"a few tens of lines\"; 20 is our choice"),
    OPT_U32(struct tracker_config, walk, "walk", 20000, 1, 10000000,
            "most lines looked at, from the end",
            "our choice: half of the logs of the paper are longer than 16,000 "
            "lines"),
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
    bool progress = class == LOG_PROGRESS ||
                    (class == LOG_OTHER && (marks & both) == both &&
                     !(marks & MARK_BIT(EVAL_WORD)));
    return progress && !log_is_side_bar(line);
}

/* True for a spare line, which is used if no progress line gives a time: a line
 * of class LOG_OTHER that names a time per step and belongs neither to an
 * evaluation nor to loading. */
static bool is_spare(struct text line, enum log_class class, uint64_t marks)
{
    const uint64_t not = MARK_BIT(EVAL_WORD) | MARK_BIT(LOAD_WORD);
    struct log_numbers numbers;
    if (class != LOG_OTHER || (marks & not ) || (marks & MARK_BIT(NO_NUMBER)) ||
        log_is_side_bar(line))
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
            better->at[better->n++] = line;
    }
    if (better->n >= ENOUGH_BETTER) {
        memcpy(out->at, better->at, better->n * sizeof *out->at);
        out->n = better->n;
    }
    free(better);
}

/* Adds the spare lines if the other lines give no time. */
static void add_spare(const struct tracker_lines *spare,
                      struct tracker_lines *out)
{
    if (spare->n == 0 || any_time(out))
        return;
    for (size_t i = 0; i < spare->n && out->n < TRACKER_LINES_MAX; i++)
        out->at[out->n++] = spare->at[i];
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
            out->at[out->n++] = line;
        else if (spare->n < config->lines && is_spare(line, class, marks))
            spare->at[spare->n++] = line;
    }
    if (out->n > 0 && !any_loss(out))
        look_beyond(&w, c, config, out);
    add_spare(spare, out);
    free(spare);
    out->whole = !w.more && w.held == 0;
    for (size_t i = 0; i < out->n / 2; i++) {
        struct text swap = out->at[i];
        out->at[i] = out->at[out->n - 1 - i];
        out->at[out->n - 1 - i] = swap;
    }
}
