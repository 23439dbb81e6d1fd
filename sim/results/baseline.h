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

/* Opens a summary.json, given as a file or as the directory of a result. */
enum status baseline_open(const char *path, struct baseline *out,
                          struct error *err) MUST_USE;
void baseline_close(struct baseline *baseline); /* accepts all zeroes */

/* Returns the index of the first baseline of the same trace, cluster, policy
 * and conventions. If there is none, returns the index of the baseline with the
 * fewest differences. n is at least 1. */
size_t baseline_nearest(const struct baseline *all, size_t n,
                        const struct identity *identity);
/* Returns STATUS_BAD_INPUT with a message such as "it is of another trace
 * (...)" if the baseline belongs to another run. */
enum status baseline_check(const struct baseline *baseline,
                           const struct identity *identity,
                           struct error *err) MUST_USE;

#endif
