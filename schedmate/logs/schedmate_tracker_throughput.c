/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules: computes the time of a step from the
 * samples per second and the samples of a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* Returns the samples of a step that the lines name: the last number that is
 * named as the batch size of the whole job; NaN if there is none. Any other
 * batch size may be that of one process, of an evaluation or of a part of a
 * step. `micro` is true if the log names the size of a micro batch; the "train
 * batch size" is then that of the whole job. */
static double batch_size(const struct log_numbers *lines, size_t n, bool micro)
{
    static const char *const telling[] = {"global", "total", "effective"};
    static const char *const not [] = {"micro", "eval",       "test",
                                       "valid", "per device", "per gpu"};
    double best = NAN;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < lines[i].n; k++) {
            const struct log_number *x = &lines[i].at[k];
            bool whole = false;
            for (size_t w = 0; w < 3; w++)
                whole |= strstr(x->key, telling[w]) != NULL;
            for (size_t w = 0; w < 6; w++)
                whole &= strstr(x->key, not [w]) == NULL;
            whole |= micro && strcmp(x->key, "train batch size") == 0;
            if (x->kind == NUMBER_BATCH && x->value >= 1 && whole)
                best = x->value;
        }
    }
    return best;
}

/* Returns the number of samples of a step according to the progress lines; NaN
 * if they do not tell it. */
static double batch_size_of(const struct tracker_reading *r)
{
    struct log_numbers *numbers =
        mem_alloc(TRACKER_LINES_MAX * sizeof(struct log_numbers));
    for (size_t i = 0; i < r->n_lines; i++)
        numbers[i] = r->lines[i].numbers;
    double size = batch_size(numbers, r->n_lines, false);
    free(numbers);
    return size;
}

/* Returns the number of samples of a step according to the head of the log; NaN
 * if it does not tell it. */
static double batch_size_in(struct text head)
{
    double best = NAN;
    size_t found = 0;
    struct text line, whole = head;
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
    best = batch_size(kept, found,
                      memmem(whole.at, whole.len, "micro_batch", 11) != NULL);
    free(kept);
    return best;
}

static bool counts_samples(const char *unit)
{
    return !strstr(unit, "tok") && !strstr(unit, "word") &&
           !strstr(unit, "frame");
}

static bool is_per_part(const char *key)
{
    return strstr(key, "gpu") || strstr(key, "device") || strstr(key, "rank");
}

static const char no_batch[] =
    "samples per second, and no line names the samples of a step of the whole "
    "job";

struct candidate tracker_from_throughput(const struct tracker_reading *r,
                                         const char **why)
{
    struct candidate c = {.source = TRACKER_NOT_FOUND};
    const struct number_group *g = tracker_best(r, NUMBER_THROUGHPUT);
    if (!g || !counts_samples(g->first->unit) || !counts_samples(g->first->key))
        return c;
    double rate = tracker_median(g->values, g->n);
    double batch = batch_size_of(r);
    if (!(batch > 0))
        batch = batch_size_in(r->head);
    if (!(rate > 0) || !(batch > 0) || is_per_part(g->first->key)) {
        *why = no_batch;
        return c;
    }
    struct candidate judged = tracker_judge(r, g);
    c = (struct candidate){
        .source = TRACKER_THROUGHPUT,
        .basis = "throughput",
        .seconds = batch / rate,
        .group = g,
        .evidence =
            TRACKER_SEEN(THROUGHPUT) |
            (judged.evidence & ~(TRACKER_SEEN(SAID) | TRACKER_SEEN(CLOCK_WINS) |
                                 TRACKER_SEEN(CLOCK_AGREES))),
    };
    double clock = tracker_clock_of(r, g), most = r->config->clock_factor;
    if (clock > 0 && (c.seconds > clock * most || c.seconds * most < clock))
        c.evidence |= TRACKER_SEEN(CONTRADICTED);
    return c;
}
