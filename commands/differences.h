/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints how each setting (a policy, a result, a row of a sweep) differs from
 * the one that it is compared with: as a table with one row for each setting
 * and metric, or as JSON. `compare` and `sweep` share it. The code is in
 * finished.c. */
#ifndef SIM_DIFFERENCES_H
#define SIM_DIFFERENCES_H

#include "base/json.h"
#include "commands/table.h"
#include "sim/results/difference.h"

struct differences {
    struct table table;
    size_t n_rows;
    bool any_noise, any_unknown, any_needed, any_by_parts, any_incomparable;
};

/* Starts a table. `what`: head of the column of settings, such as "policy".
 * `pairs`: what is paired, in the plural, such as "jobs". */
void differences_init(struct differences *all, const char *what,
                      const char *pairs);
/* Adds a row. `metric`: a name in docs/results.md; `unit`: "s" for times. */
void differences_add(struct differences *all, const char *setting,
                     const char *metric, const char *unit,
                     const struct difference *d);
/* Prints the table, unless it has no rows, and the meaning of "noise" and
 * "unknown" if a row has this word; then frees the table. */
void differences_finish(struct differences *all, FILE *to);

/* Writes a difference as an object. `count`: key under which it holds the
 * number of pairs. */
void difference_write(struct json_stream *js, const char *key,
                      const char *count, const struct difference *d);

/* Formats a mean with its interval, if it has one, such as "8.30 h [7.91,
 * 8.72]", or as plain numbers if `unit` is not "s"; "-" if there is no mean.
 * Returns `buf`. */
#define ESTIMATE_TEXT_MAX 128
const char *estimate_text(const struct estimate *e, const char *unit,
                          char buf[ESTIMATE_TEXT_MAX]);

#endif
