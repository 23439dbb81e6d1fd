/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generates the rows of a trace from a seed, with the statistics of a published
 * cluster. Equal options give equal rows. */
#ifndef TRACES_SYNTHETIC_H
#define TRACES_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct out;          /* base/out.h */
struct repositories; /* traces/evidence/repositories.h */
struct sidecar_row;  /* traces/evidence/sidecar.h */
struct trace_row;    /* traces/trace.h */

/* The options that decide the rate and the end:
 *   nothing              SYNTHETIC_JOBS jobs at the published rate
 *   jobs                 `jobs` jobs at the published rate
 *   days                 `days` days at the published rate
 *   jobs, days           `jobs` jobs in `days` days
 *   load                 SYNTHETIC_JOBS jobs, at the rate at which they offer
 *                        the load
 *   load, jobs           `jobs` jobs, at the rate at which they offer the load
 *   load, days           the number of jobs that comes nearest to the load in
 *                        `days` days; the length then changes so that they
 *                        offer the load
 *   load, jobs, days     like load and jobs, cut off after `days` days
 * The load is the GPU time of the jobs divided by the GPU time of the cluster
 * over the length of the trace. */
#define SYNTHETIC_JOBS 10000
struct synthetic_options {
    const char *like; /* name of a calibration, such as "venus" */
    /* family of model names, such as "lucid"; NULL: the default of the
     * calibration */
    const char *family;
    uint64_t jobs; /* number of jobs; 0: not given */
    double days;   /* length in days; 0: not given */
    /* offered load as a share of the cluster's GPU time; 0: not given */
    double load;
    /* GPUs of the cluster; no job asks for more. 0: as many as published */
    uint32_t gpus;
    /* What the jobs run (generate_internal.h): their run times follow from it.
     * NULL: run times are drawn, and no commands and logs are known. */
    const struct repositories *repositories;
    /* share of the completed jobs that end before their last step, 0..1; used
     * with `repositories` */
    double early_exits;
    /* True: the trace begins with the jobs that a cluster at work would be
     * running. They come in addition to `jobs`, at the first instant, with what
     * is left of their durations. */
    bool warm;
    bool limits; /* true: jobs declare a limit on their duration */
    uint64_t seed;
};

struct synthetic;

/* Plans the whole trace, whose rows synthetic_next returns. An unknown name and
 * an option out of its range are STATUS_USAGE. The caller must call
 * synthetic_close on *out, which is set only on success. */
enum status synthetic_open(const struct synthetic_options *options,
                           struct synthetic **out, struct error *err) MUST_USE;
/* Fills *row; returns false at the end. Rows come in order of submission, and
 * their texts are valid until the next call. `kind` is the published type of
 * the job; if the log has no types, it is the cause of the failure of a failed
 * job. */
bool synthetic_next(struct synthetic *synthetic,
                    struct trace_row *row) MUST_USE;
/* Returns the row of the side-car for the last row; NULL without
 * repositories. Valid until the next row. */
const struct sidecar_row *synthetic_evidence(const struct synthetic *synthetic);
/* Writes what the jobs need of the cluster: their number, GPU time and load,
 * how many wait under fifo and how long, and the share of the time in which the
 * jobs of each virtual cluster would need more GPUs than it has if none of them
 * waited. Adds a warning for each virtual cluster in which that share is too
 * large. */
void synthetic_report(const struct synthetic *synthetic, struct out *out);
/* Writes the cluster that the load refers to, as --cluster takes it: the
 * virtual clusters of the published one or, for another number of GPUs, that
 * many in one. */
void synthetic_cluster(const struct synthetic *synthetic, struct out *out);
void synthetic_close(struct synthetic *synthetic); /* accepts NULL */

#endif
