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

#include <stdbool.h>

#include "sim/results/interval.h"

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
/* True if two runs of one trace finished the same jobs, as far as these numbers
 * tell: as many, and with them the same GPU time. */
bool difference_same_jobs(const struct jobs_done *a, const struct jobs_done *b);
/* The difference of settings that did not finish the same jobs: no numbers. The
 * jobs that one of them left out may be the ones that make the other look
 * worse. */
struct difference difference_incomparable(void);
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

#endif
