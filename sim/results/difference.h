/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over replications, and paired differences of two settings: how large a
 * difference is, and whether chance alone could explain it. `compare`, `sweep`,
 * `gate`, `size` and `report` share these functions.
 *
 * Intervals are 95 % intervals, by this rule:
 * - over the jobs of one run: interval_of_jobs (interval.h);
 * - over resamples of the same rows: their spread (spread_of);
 * - over fewer than 30 independent replications: Student's t. With so few
 * values every bootstrap is too narrow: of 1,000 samples of 10 normal values
 * the interval of a BCa bootstrap contains the mean 900 times, that of t 950
 * times;
 * - over 30 independent replications or more: BCa bootstrap (Efron, JASA 1987),
 * which follows a skewed distribution. For 50 values of a lognormal
 * distribution it contains the mean 914 times in 1,000, t 903 times.
 * tests/unit/sim/results/test_difference.c measures these rates. */
#ifndef SIM_DIFFERENCE_H
#define SIM_DIFFERENCE_H

#include <jansson.h>
#include <stdbool.h>

#include "sim/results/interval.h"
#include "sim/results/manifest.h"
#include "sim/results/summary.h"

enum {
    /* number of independent replications from which BCa is used */
    DIFFERENCE_BCA_FROM = 30,
    /* number of resamples from which their ranks are used, and from which the
     * spread is no longer that of Student's t alone */
    DIFFERENCE_RANKS_FROM = 40,
    DIFFERENCE_MIDDLE_FROM = 10,
};

/* The mean of a value over replications; in difference_of_jobs, over the jobs
 * of one run. */
struct estimate {
    size_t n; /* number of replications (jobs) for which the value is defined */
    double mean; /* mean of these values; NaN if n is 0 */
    double sd;   /* standard deviation, n - 1 in the divisor; NaN if n < 2 */
    struct interval interval;
    bool is_spread; /* true: the interval is the spread of resamples of the
                     * same rows (spread_of) */
};

/* Returns the estimate of n values or, if `minus` is not NULL, of the n
 * differences values[i] - minus[i]. A NaN in either array leaves out that
 * replication. The random numbers of the bootstrap depend on the number of
 * values only. */
struct estimate estimate_of(const double *values, const double *minus,
                            size_t n);

/* Like estimate_of, for replications that are resamples of the same rows. Their
 * spread is itself the uncertainty of the recorded trace (the bootstrap, Efron
 * 1979): more resamples measure the spread better but do not narrow it. From
 * DIFFERENCE_RANKS_FROM resamples on, the interval lies between the values of
 * rank 0.025 (n + 1) from both ends. Below, it is the mean and q standard
 * deviations to both sides, of the logarithms if `minus` is NULL and no value
 * is 0 or less. q is Student's t below DIFFERENCE_MIDDLE_FROM resamples, else
 * the geometric mean of it and 1.96: t alone contains the truth more often, but
 * is 20 % wider for 10 resamples than their ranks are for 200. */
struct estimate spread_of(const double *values, const double *minus, size_t n);

/* True if there are several values and all are equal: the seeds changed
 * nothing, so the replications are copies of one run, and an interval of them
 * would mean nothing. */
bool estimate_is_of_one(const struct estimate *estimate);

enum difference_verdict {
    /* too few pairs for an interval, or the replications are copies of one pair
     * (is_one_pair) */
    DIFFERENCE_UNKNOWN,
    DIFFERENCE_EQUAL, /* in no pair do the two values differ */
    DIFFERENCE_LESS,  /* the whole interval is below 0, or by_parts */
    DIFFERENCE_MORE,  /* the whole interval is above 0, or by_parts */
    DIFFERENCE_NOISE, /* the interval contains 0, and not by_parts */
    /* the two settings did not finish the same jobs; all numbers are NaN */
    DIFFERENCE_INCOMPARABLE,
};

extern const char *const difference_words[];

/* The comparison of two settings over pairs of values. A pair holds the values
 * of one job, or of one replication, under the first setting and under the
 * other (`own`). */
struct difference {
    struct estimate estimate; /* estimate of own - first */
    double first;  /* mean of the first setting over the pairs; NaN: no pairs */
    double change; /* estimate.mean / first; NaN if first is 0 */
    /* Share of the pairs in which the value is less (more) than in the first
     * setting, 0..1; NaN: no pairs. less - more is Cliff's delta for pairs
     * (Cliff 1996, "Ordinal methods for behavioral data analysis", chapter 6,
     * d_w). */
    double less, more;
    /* Cohen's d of paired samples: mean / standard deviation of the differences
     * (Cohen 1988, "Statistical power analysis", 2.3.5, d_z); NaN if all
     * differences are equal or there are fewer than two. */
    double cohen_d;
    enum difference_verdict verdict;
    /* True if the interval over the jobs of one run does not tell the side of
     * the difference, but interval_side does, and the mean is on that side. */
    bool by_parts;
    /* If the verdict is noise, over replications: the number of replications,
     * more than there are now, with which the interval would exclude 0 with a
     * probability of 80 %, by the normal approximation ((1.96 + 0.84) sd /
     * mean)^2, with the quantile of Student's t for 1.96 below 30 replications.
     * Otherwise NaN. */
    double needed;
    /* True if there are several pairs and all are copies of one. For
     * replications this means that the seeds changed neither setting; they then
     * have no interval. */
    bool is_one_pair;
};

/* What a run finished. */
struct jobs_done {
    double unfinished; /* number of jobs that did not finish */
    /* share of the GPU time that jobs ask for which the finished ones ask for,
     * 0..1 (summary_finished_share) */
    double share; /* NaN, like unfinished: not stated */
};

/* Reads it from a summary.json. */
struct jobs_done jobs_done_of(const json_t *summary);

/* True if two runs of one trace finished the same jobs, as far as these numbers
 * tell: as many, and with them the same GPU time. */
bool difference_same_jobs(const struct jobs_done *a, const struct jobs_done *b);

/* The difference of settings that did not finish the same jobs: no numbers. The
 * jobs that one of them left out may be the ones that make the other look
 * worse. */
struct difference difference_incomparable(void);

/* The difference of one number of each setting, such as the makespan: it has no
 * interval, and the verdict says which is larger. `comparable`: false if the
 * settings did not finish the same jobs. */
struct difference difference_of_two(double first, double own, bool comparable);

/* Compares two settings, paired by job: element i of both arrays is job i, NaN
 * if the value is not defined. The order is that of submission. If a job has a
 * value under one setting only, they cannot be compared. */
struct difference difference_of_jobs(const double *first, const double *own,
                                     size_t n);

/* Compares two settings, paired by replication, on independent traces or seeds.
 */
struct difference difference_of_replications(const double *first,
                                             const double *own, size_t n);

/* Compares two settings, paired by replication, on resamples of the same rows.
 * The interval is that of spread_of; `needed` is NaN, because more resamples
 * would not narrow it. */
struct difference difference_of_resamples(const double *first,
                                          const double *own, size_t n);

/* A metric that is checked against an expected value, with a tolerance.
 * `compare --metric NAME[:PERCENT]` and `schedsim gate` use gates. If less (or
 * more) of a metric is better, only a change for the worse fails. */

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

/* The summary.json of an earlier result, with which a run is compared. */

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
