/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: decides whether a progress bar
 * belongs to the training. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* A bar counts as one of the training, although nothing says what its work is,
 * if its label has no letters, no heading of other work stands above it, it has
 * at least this many states and it has run for LONG_S seconds or more. */
#define BARE_STATES 10

const struct line_facts *tracker_line_of(const struct tracker_reading *r,
                                         const struct number_group *g, size_t i)
{
    return &r->lines[g->lines[i]];
}

bool tracker_has_word(const char *key, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = strstr(key, word); at; at = strstr(at + 1, word)) {
        if ((at == key || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
            return true;
    }
    return false;
}

size_t tracker_count(const struct tracker_reading *r,
                     const struct number_group *g, size_t offset)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += *(const bool *)((const char *)tracker_line_of(r, g, i) + offset);
    return n;
}

/* True if a line between two states of the bar, or a state other than the last
 * one, gives a loss. */
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

double tracker_bar_seconds(const struct tracker_reading *r,
                           const struct number_group *g)
{
    double longest = 0;
    for (size_t i = 0; i < g->n; i++) {
        double s = tracker_line_of(r, g, i)->bar.elapsed_s;
        longest = s > longest ? s : longest;
    }
    return longest;
}

/* True if a line of the head that is not a bar has the word "step" and the
 * number `of`, which is at least 10. */
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
 * bar at its end has run for that time. The two may differ by a share of
 * SAME_RUN and by SAME_RUN_S seconds at most. */
#define SAME_RUN 0.01
#define SAME_RUN_S 2
static bool ran_as_training(const struct tracker_reading *r,
                            const struct number_group *g)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct number_group *run = &r->groups[i];
        if (run->kind != NUMBER_ELAPSED ||
            !tracker_has_word(run->first->key, "train"))
            continue;
        for (size_t k = 0; k < g->n; k++) {
            const struct log_bar *bar = &tracker_line_of(r, g, k)->bar;
            double apart = fabs(bar->elapsed_s - run->values[run->n - 1]);
            if (bar->at == bar->of && apart <= SAME_RUN_S &&
                apart <= SAME_RUN * bar->elapsed_s)
                return true;
        }
    }
    return false;
}

/* True if nothing shows that the bar belongs to the training: neither a loss
 * between its states, nor a line about the training, nor, if its label has no
 * letters and no heading of other work stands above it, a long run. */
static bool is_bare_bar(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct log_bar *last = &tracker_line_of(r, g, g->n - 1)->bar;
    bool other = TRACKER_COUNT(r, g, other_work) > 0;
    bool ended = g->n < FEW_VALUES && last->at == last->of &&
                 r->found->loss_near &&
                 tracker_bar_seconds(r, g) >= LONG_S / 10.0;
    bool runs = g->n >= BARE_STATES && tracker_bar_seconds(r, g) >= LONG_S;
    return !names_steps(r->head, last->of) && !loss_between(r, g) &&
           !r->found->training_starts && !ran_as_training(r, g) &&
           (other || last->lettered || !(ended || runs));
}

/* True if a line like "3/10 [==>...]" of the bar begins an epoch. Otherwise the
 * bar belongs to an evaluation. */
static bool begins_epoch(const struct tracker_reading *r,
                         const struct number_group *g)
{
    for (size_t i = 0; i < r->n_lines; i++) {
        const struct line_facts *line = &r->lines[i];
        if (line->has_bar && line->bar.keras && line->begins_epoch &&
            line->bar.of == tracker_line_of(r, g, 0)->bar.of)
            return true;
    }
    return false;
}

bool tracker_speaks_of_training(const struct tracker_reading *r)
{
    struct text head = r->head, line;
    for (size_t i = 0; i < r->n_lines; i++) {
        if (r->lines[i].metric || log_names_training(r->found->at[i]))
            return true;
    }
    while (log_first_line(&head, &line)) {
        if (log_names_training(line))
            return true;
    }
    return false;
}

/* True if the label of the bar names only steps or iterations, and neither a
 * loss nor a word for training is in the lines that were read. The bar may then
 * belong to an inference or a simulation. */
static bool is_lone_bar(const struct tracker_reading *r,
                        const struct number_group *g)
{
    const struct log_bar *bar = &tracker_line_of(r, g, 0)->bar;
    return bar->named && !bar->trains && g->with_loss == 0 &&
           !r->found->loss_near && !tracker_speaks_of_training(r);
}

uint32_t tracker_against_bar(const struct tracker_reading *r,
                             const struct number_group *g)
{
    const struct log_bar *bar = &tracker_line_of(r, g, 0)->bar;
    uint32_t bits = 0;
    if (bar->work == BAR_OTHER ||
        (TRACKER_COUNT(r, g, other_work) == g->n && !bar->named))
        bits |= TRACKER_SEEN(OTHER_WORK);
    if (bar->work == BAR_EPOCHS || (bar->of == 1 && !bar->keras))
        bits |= TRACKER_SEEN(EPOCH_BAR);
    if (bar->keras && !begins_epoch(r, g))
        bits |= TRACKER_SEEN(NO_EPOCH);
    if (!bar->keras && bar->work == BAR_UNLABELLED && is_bare_bar(r, g))
        bits |= TRACKER_SEEN(BARE_BAR);
    if (!bar->keras && bar->work == BAR_TRAINING && is_lone_bar(r, g))
        bits |= TRACKER_SEEN(BARE_BAR);
    return bits;
}
