/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part `classes` of summary.json, of runs with spot jobs
 * (sim/run/classes.h): how guaranteed and spot jobs waited, and what spot jobs
 * lost by being stopped. The windows are GFS's (ASPLOS'26): of each attempt of
 * a spot job, every whole guarantee_s succeeds, and so does the rest if the job
 * ends in it; the rest fails if the policy stops the attempt. */
#ifndef SIM_RESULTS_CLASSES_H
#define SIM_RESULTS_CLASSES_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

/* Jobs of one class that count (--warmup). finished: they ran to their recorded
 * end; jct, queued: sums over these, us. */
struct class_jobs {
    uint64_t jobs, finished;
    double jct, queued;
};

struct classes {
    struct class_jobs guaranteed, spot;
    /* of the spot jobs: attempts that the policy stopped; of these, those that
     * were shorter than guarantee_s; windows that succeeded */
    uint64_t evictions, violations, succeeded;
    double windows; /* evictions + succeeded */
    /* GPU time of the work that their stops undid or added, GPU-us */
    gpu_time lost;
};

/* ends with a NULL name */
extern const struct scalar class_scalars[];

/* Adds a job of a run with spot jobs. Does nothing if it does not count. */
void classes_add(struct classes *classes, const struct results *results,
                 const struct facts *facts);

struct json_stream;
/* Writes the part `classes` of summary.json. */
void report_classes(struct json_stream *js, const struct classes *classes);

#endif
