/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A metric that is checked against an expected value, with a tolerance.
 * `compare --metric NAME[:PERCENT]` and `schedsim gate` use gates. If less (or
 * more) of a metric is better, only a change for the worse fails. */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include <jansson.h>

#include "sim/results/summary.h"

enum gate_better { GATE_LOWER, GATE_HIGHER, GATE_EITHER };
extern const char *const gate_better_words[]; /* by gate_better; ends with NULL
                                               */

/* What the tolerance is measured in. */
enum gate_scale {
    GATE_PERCENT, /* percent of the expected value */
    GATE_AMOUNT,  /* the unit of the metric */
    /* no number: the value must lie in the interval of the expected value */
    GATE_INTERVAL,
};

enum { GATE_NAME_MAX = 128 };
struct gate {
    char name[GATE_NAME_MAX]; /* name of the metric, such as "jct_s.mean" or
                               * "makespan_s" */
    const char *unit; /* unit of the metric, such as "s"; "" if it has none */
    double tolerance; /* NaN: the metric is shown, not checked */
    enum gate_scale scale;
    bool own; /* true if the user gave a tolerance for this metric */
    /* true for a path of keys, which is known only when a run has it */
    bool is_path;
    enum gate_better better;
};

/* The expected value of a metric, and the 95 % interval of a mean over
 * replications. */
struct gate_expected {
    double mean, lo, hi; /* lo and hi are NaN if there is no interval */
};

enum gate_verdict {
    GATE_EQUAL,    /* equal up to the rounding of 15 digits, or both unknown */
    GATE_WITHIN,   /* moved, within the tolerance */
    GATE_IMPROVED, /* moved for the better by more than the tolerance */
    GATE_OUTSIDE,  /* moved for the worse by more than the tolerance */
    GATE_UNKNOWN,  /* one of the two values is not defined */
};

/* Finds a metric by a name of docs/results.md: one of the run ("makespan_s"); a
 * distribution and one of its columns ("jct_s.p99"; without a column the mean
 * is meant); or a path of keys of summary.json ("failures.ettr",
 * "by_vc.vc1.jct_s.mean"). The tolerance of *out becomes NaN. Returns
 * STATUS_USAGE with the nearest known name; paths are known only by their first
 * key. */
enum status gate_find(struct text name, struct gate *out,
                      struct error *err) MUST_USE;
/* Parses NAME[:PERCENT], the value of --metric. */
enum status gate_parse(const char *spec, struct gate *out,
                       struct error *err) MUST_USE;

/* Returns the value of the metric in the summary.json of a run, or NaN if it is
 * not there. */
double gate_value(const struct gate *gate, const json_t *summary);
/* Returns the summary.json that the run would write, read back as JSON. The
 * caller owns the value. */
json_t *gate_summary(struct results results, const struct summary *summary);

/* Returns by how many percent `value` is above `expected`, negative if it is
 * below. Infinite if 0 was expected; NaN if one of the two is NaN. */
double gate_difference(double value, double expected);
/* True if the difference, in percent, is within the tolerance. NaN fails. */
bool gate_holds(const struct gate *gate, double difference);
/* Compares a value with the expected one. */
enum gate_verdict gate_judge(const struct gate *gate, double value,
                             const struct gate_expected *expected);

#endif
