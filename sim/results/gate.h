/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics that a comparison checks against expected values: `--metric
 * NAME[:PERCENT]`. A metric of which less (or more) is better fails only if it
 * is worse. */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include "sim/results/summary.h"

enum gate_better { GATE_LOWER, GATE_HIGHER, GATE_EITHER };
extern const char *const gate_better_words[];

struct gate {
    char name[64];    /* "jct_s.mean", "makespan_s" */
    double tolerance; /* percent; NaN: only shown */
    bool own;         /* the tolerance was given with the metric */
    enum gate_better better;
    size_t metric, column; /* position in a distribution; else */
    const struct scalar *scalar;
};

/* Parses NAME[:PERCENT]. NAME is a metric of docs/results.md; for a
 * distribution ".p99" or another column may follow, by default the mean.
 * Returns STATUS_USAGE with the nearest known name. */
enum status gate_parse(const char *spec, struct gate *out,
                       struct error *err) MUST_USE;
/* Returns the value, or NaN if the run has none. */
double gate_value(const struct gate *gate, const struct summary *summary);

/* Returns by how many percent `value` is above `expected` (below: negative);
 * infinite if 0 was expected, NaN if either is unknown. */
double gate_difference(double value, double expected);
/* True if the difference is within the tolerance. An unknown difference fails.
 */
bool gate_holds(const struct gate *gate, double difference);

#endif
