/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A metric that is checked against an expected value, with a tolerance.
 * `compare --metric NAME[:PERCENT]` and `schedsim gate` use gates. If less (or
 * more) of a metric is better, only a change for the worse fails. */
#ifndef SIM_GATE_H
#define SIM_GATE_H

#include <jansson.h>

#include "sim/results/difference.h"
#include "sim/results/summary.h"

enum gate_better { GATE_LOWER, GATE_HIGHER, GATE_EITHER };
/* by enum gate_better; ends with NULL */
extern const char *const gate_better_words[];

/* What the tolerance is measured in. */
enum gate_scale {
    GATE_PERCENT, /* percent of the expected value */
    GATE_AMOUNT,  /* the unit of the metric */
    /* the tolerance is no number: a change passes if its 95 % interval contains
     * 0 or, if only means are known, if the interval of the expected mean
     * contains the new one */
    GATE_INTERVAL,
};

enum { GATE_NAME_MAX = 128 };
struct gate {
    char name[GATE_NAME_MAX]; /* name of the metric, such as "jct_s.mean" or
                               * "makespan_s" */
    const char *unit; /* unit of the metric, such as "s"; "" if it has none */
    double tolerance; /* largest change for the worse that passes, in the unit
                       * of `scale`; NaN: the metric is shown, not checked */
    enum gate_scale scale;
    bool own; /* true if the user gave a tolerance for this metric */
    /* true for a path of keys and for a metric that a run has on request
     * (--wait-over, --by); such a metric may be missing from a summary */
    bool is_path;
    enum gate_better better;
};

/* The expected value of a metric. If it is a mean over replications, it has a
 * 95 % interval. */
struct gate_expected {
    double mean, lo, hi; /* lo and hi are NaN if there is no interval */
};

enum gate_verdict {
    GATE_EQUAL,    /* equal to 15 digits, or neither is defined */
    GATE_WITHIN,   /* moved, within the tolerance or without one */
    GATE_IMPROVED, /* moved for the better by more than the tolerance */
    GATE_OUTSIDE,  /* moved for the worse by more than the tolerance */
    GATE_UNKNOWN,  /* only one of the two values is defined */
    /* the values moved, but are not of the same finished jobs */
    GATE_INCOMPARABLE,
};

/* Finds a metric by a name of docs/results.md: one of the run ("makespan_s",
 * "jain_users"); a distribution and one of its columns ("jct_s.p99"; without a
 * column the mean is meant); or a path of keys in summary.json
 * ("failures.ettr", "by_vc.vc1.jct_s.mean"). The tolerance of *out becomes NaN.
 * Returns STATUS_USAGE for an unknown name; the error suggests a known one if
 * one is near. Of a path only the first key is checked. */
enum status gate_find(struct text name, struct gate *out,
                      struct error *err) MUST_USE;
/* Parses NAME[:PERCENT], the value of --metric. Without a percentage the
 * tolerance is NaN. STATUS_USAGE for an unknown name or a bad percentage. */
enum status gate_parse(const char *spec, struct gate *out,
                       struct error *err) MUST_USE;

/* Returns the value of the metric in the summary.json of a run; NaN if it is
 * missing or not a number. */
double gate_value(const struct gate *gate, const json_t *summary);
/* Returns the summary.json that the run would write, read back as JSON. The
 * caller owns the value. */
json_t *gate_summary(struct results results, const struct summary *summary);

/* Returns by how many percent `value` is above `expected`, negative if it is
 * below; 0 if they differ only by the rounding to 15 digits. Infinite if 0 was
 * expected and `value` is not 0; NaN if one of the two is NaN. */
double gate_difference(double value, double expected);
/* True if the difference, in the unit of the tolerance, is no change for the
 * worse beyond the tolerance. A tolerance of NaN always holds; otherwise a
 * difference of NaN fails. */
bool gate_holds(const struct gate *gate, double difference);
/* Compares a value with the expected one. */
enum gate_verdict gate_judge(const struct gate *gate, double value,
                             const struct gate_expected *expected);
/* Compares n values with the expected ones, paired: element i of both arrays is
 * of one replication. Sets *difference to the estimate of value - expected over
 * the pairs (estimate_of); its mean is compared with a tolerance that is a
 * number. GATE_UNKNOWN if in some pair only one value is defined, GATE_EQUAL if
 * no pair differs. */
enum gate_verdict gate_judge_pairs(const struct gate *gate,
                                   const double *values, const double *expected,
                                   size_t n, struct estimate *difference);

#endif
