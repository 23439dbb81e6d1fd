/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics that a comparison holds against expected values: `--metric
 * NAME[:PERCENT]`. A metric of which less (or more) is better fails only where
 * it is worse. */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include "sim/metrics.h"

enum gate_better { GATE_LOWER, GATE_HIGHER, GATE_EITHER };
extern const char *const gate_better_words[];

struct gate {
    char name[64];    /* "jct_s.mean", "makespan_s" */
    double tolerance; /* percent; NaN: only shown */
    bool own;         /* has a tolerance of its own */
    enum gate_better better;
    size_t metric, column; /* of a distribution; else */
    const struct scalar *scalar;
};

/* NAME is a metric of docs/results.md; of a distribution with ".p99" or another
 * column, by default the mean. STATUS_USAGE with the nearest known name. */
enum status gate_parse(const char *spec, struct gate *out,
                       struct error *err) MUST_USE;
/* NaN: the run has no such value. */
double gate_value(const struct gate *gate, const struct summary *summary);

/* How far `value` is off `expected`: percent of it, above 0 if it is more;
 * infinite where 0 was expected, NaN if either is unknown. */
double gate_difference(double value, double expected);
/* A difference that is unknown fails. */
bool gate_holds(const struct gate *gate, double difference);

#endif
