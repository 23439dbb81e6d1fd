/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of the metrics of all jobs, kept from the pass over the jobs until
 * their distributions are described: 33 bytes per job, or 41 if any job waited
 * again after its first start, and one more with --by type. */
#ifndef SIM_VALUES_H
#define SIM_VALUES_H

#include "sim/results/metrics.h"

/* The defined values of a metric, in the order of submission of their jobs. */
struct metric_sample {
    double *values; /* borrowed */
    size_t n;
    double sum; /* sum of `values` */
};

struct values {
    const struct jobset *jobset;
    const struct counted *counted;
    /* By metric, then by job; NaN: not defined, or the job does not count
     * (sim/run/counted.h). NULL for metrics that follow from the JCT and the
     * recorded running time, and after distribution_describe has freed the
     * array. */
    double *of[METRICS];
    /* true: a job waited again after its first start. false: METRIC_WAIT has
     * no array, because its values are those of METRIC_QUEUE_DELAY. */
    bool has_waits;
    uint8_t *outcome; /* by job: enum outcome */
    uint8_t *type;    /* by job: facts.type; NULL: not asked for */
};

/* Makes the arrays, whose values are not set yet. The run must outlive the
 * values. */
void values_init(struct values *values, const struct run_result *run);
void values_fini(struct values *values);
/* Keeps the values of the next job, in the order of submission. */
void values_add(struct values *values, const struct facts *facts);

/* Copies to `to` the defined values of a metric for n jobs, in their order:
 * jobs[0] .. jobs[n-1], or jobs 0 .. n-1 if `jobs` is NULL. If `jobs` is NULL,
 * `to` may be the array of the metric. `jobs` must be NULL for a metric that
 * follows from others. Returns the values in `to`, with their number and
 * sum. */
struct metric_sample values_sample(const struct values *values,
                                   enum metric_number metric,
                                   const job_id *jobs, size_t n, double *to);

#endif
