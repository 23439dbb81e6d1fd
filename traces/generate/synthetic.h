/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generates jobs as a published cluster would have seen them, one row at a
 * time, from a seed. The same options give the same rows. */
#ifndef TRACES_SYNTHETIC_H
#define TRACES_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/error.h"

struct trace_row; /* traces/trace.h */

/* The options that decide the rate and the end:
 *   nothing              10,000 jobs at the published rate
 *   jobs                 `jobs` jobs at the published rate
 *   days                 `days` days at the published rate
 *   jobs, days           `jobs` jobs in about `days` days
 *   load [, jobs]        `jobs` jobs, at the rate at which these very jobs
 *                        offer the load
 *   load, days           about `days` days, with the number of jobs that comes
 *                        nearest to the load
 *   load, jobs, days     like load and jobs, cut off after `days` days
 * A load is the GPU time of the jobs over that of the cluster while they
 * arrive. "About": within the rhythm of the day. */
#define SYNTHETIC_JOBS 10000
struct synthetic_options {
    const char *like;   /* name of a calibration, such as "venus" */
    const char *family; /* names of models, such as "lucid"; NULL: those of the
                           calibration */
    uint64_t jobs;      /* number of jobs; 0: not given */
    double days;        /* length in days; 0: not given */
    double load;        /* share of the cluster's GPU time; 0: not given */
    uint32_t gpus;      /* GPUs of the cluster, the most that a job asks for; 0:
                           those of the published cluster */
    uint64_t seed;
};

struct synthetic;

/* The caller owns *out. */
enum status synthetic_open(const struct synthetic_options *options,
                           struct synthetic **out, struct error *err) MUST_USE;
/* Returns false at the end. Rows come in the order of submission; their texts
 * are valid until the next call. `kind` is the published type of the job where
 * the log has types, else the cause of a failed job. */
bool synthetic_next(struct synthetic *synthetic,
                    struct trace_row *row) MUST_USE;
void synthetic_close(struct synthetic *synthetic); /* accepts NULL */

#endif
