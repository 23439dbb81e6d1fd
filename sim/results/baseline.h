/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary.json of an earlier result, with which a run is compared. */
#ifndef SIM_BASELINE_H
#define SIM_BASELINE_H

#include <jansson.h>

#include "sim/results/gate.h"
#include "sim/results/identity.h"

struct baseline {
    char *path;
    json_t *root;
};

/* Opens a summary.json, given as a file or as the directory of a result.
 * STATUS_BAD_INPUT if it cannot be read or has no metrics. The caller closes
 * *out, after an error too. */
enum status baseline_open(const char *path, struct baseline *out,
                          struct error *err) MUST_USE;
void baseline_close(struct baseline *baseline); /* accepts all zeroes */

/* Returns the index of the first baseline whose identity is that of the run. If
 * there is none, returns the index of the first with the fewest differences. n
 * is at least 1. */
size_t baseline_nearest(const struct baseline *all, size_t n,
                        const struct identity *identity);
/* Returns STATUS_BAD_INPUT if the baseline belongs to another run or does not
 * record its whole identity. The message is "FILE: is of another trace (...),
 * another policy (...)" or names the first value that is not recorded. */
enum status baseline_check(const struct baseline *baseline,
                           const struct identity *identity,
                           struct error *err) MUST_USE;

#endif
