/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary.json of an earlier result, to hold a run against. */
#ifndef SIM_BASELINE_H
#define SIM_BASELINE_H

#include <jansson.h>

#include "sim/gate.h"
#include "sim/identity.h"

struct baseline {
    char *path;
    json_t *root;
};

/* A file, or the directory of a result. */
enum status baseline_open(const char *path, struct baseline *out,
                          struct error *err) MUST_USE;
void baseline_close(struct baseline *baseline); /* accepts all zeroes */

/* The first that is of this trace, cluster, policy and rules, else the one that
 * differs in the least. n is at least 1. */
size_t baseline_nearest(const struct baseline *all, size_t n,
                        const struct identity *identity);
/* STATUS_BAD_INPUT "it is of another trace (...)" if it is. */
enum status baseline_check(const struct baseline *baseline,
                           const struct identity *identity,
                           struct error *err) MUST_USE;
/* NaN: it does not hold the metric. */
double baseline_value(const struct baseline *baseline, const struct gate *gate);

#endif
