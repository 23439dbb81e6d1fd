/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics that a comparison checks against expected values: `--metric
 * NAME[:PERCENT]`. If less (or more) of a metric is better, only a change for
 * the worse fails. */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include "sim/results/summary.h"

enum gate_better { GATE_LOWER, GATE_HIGHER, GATE_EITHER };
extern const char *const gate_better_words[];

struct gate {
    char name[64];    /* name, such as "jct_s.mean" or "makespan_s" */
    double tolerance; /* in percent; NaN: the metric is shown, not checked */
    bool own;         /* true if the user gave a tolerance for this metric */
    enum gate_better better;
    /* If `scalar` is NULL: the metric, and the column of its distribution. */
    size_t metric, column;
    const struct scalar *scalar;
};

/* Parses NAME[:PERCENT]. NAME is a metric of docs/results.md. The name of a
 * distribution may end with a column, such as ".p99"; without one, the mean is
 * meant. Returns STATUS_USAGE with the nearest known name. */
enum status gate_parse(const char *spec, struct gate *out,
                       struct error *err) MUST_USE;
/* Returns the value of the metric, or NaN if the run has none. */
double gate_value(const struct gate *gate, const struct summary *summary);

/* Returns by how many percent `value` is above `expected`, negative if it is
 * below. Infinite if 0 was expected; NaN if one of the two is NaN. */
double gate_difference(double value, double expected);
/* True if the difference, in percent, is within the tolerance. NaN fails. */
bool gate_holds(const struct gate *gate, double difference);

#endif
