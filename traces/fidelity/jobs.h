/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs of a trace as the measures in this folder need them, sorted by
 * submission. Only rows with GPUs, a submission and a run time >= 0 become
 * jobs. */
#ifndef TRACES_FIDELITY_JOBS_H
#define TRACES_FIDELITY_JOBS_H

#include "base/text.h"
#include "traces/trace.h"

struct fidelity_job {
    /* Submission, seconds since 1970; local time if the trace was read with a
     * zone. */
    double at;
    double run;    /* run time, seconds, >= 0 */
    uint32_t gpus; /* >= 1 */
    /* symbols of fidelity_jobs.names; 0: the trace does not say */
    uint32_t user, vc, kind;
    uint32_t end;    /* enum trace_end */
    uint32_t number; /* number of earlier rows that became jobs; orders equal
                      * submissions */
};

struct fidelity_jobs {
    struct fidelity_job *at;
    size_t n;
    struct interner names;
};

/* Which rows of a trace are read, and the clock of fidelity_job.at. */
struct fidelity_source {
    const char *path, *format; /* format NULL: recognised by content */
    /* Keeps jobs with from <= submitted <= to; TRACE_NO_TIME: no bound. */
    sim_time from, to;
    double zone_h; /* hours that local time is ahead of UTC */
};

/* Reads a trace. A trace without jobs is STATUS_BAD_INPUT. After an error there
 * is nothing to free. */
enum status fidelity_jobs_read(const struct fidelity_source *source,
                               struct fidelity_jobs *out,
                               struct error *err) MUST_USE;
void fidelity_jobs_fini(struct fidelity_jobs *jobs); /* accepts all zeroes */

#endif
