/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs as a published cluster would have seen them, one row at a time, from a
 * seed. The same options give the same rows. */
#ifndef TRACES_SYNTHETIC_H
#define TRACES_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/error.h"

struct trace_row; /* traces/trace.h */

/* What decides the rate and the end:
 *   nothing              10,000 jobs at the published rate
 *   jobs                 so many, at the published rate
 *   days                 so long, at the published rate
 *   jobs, days           so many in about so long
 *   load [, jobs]        so many jobs, at the rate with which they offer the
 *                        load
 *   load, days           about so long, with as many jobs as come nearest to
 *                        the load
 *   load, jobs, days     as load and jobs, cut off after so many days
 * A load is the GPU time of the jobs over that of the cluster while they
 * arrive. "About": within the rhythm of the day. */
#define SYNTHETIC_JOBS 10000
struct synthetic_options {
    const char *like;      /* a calibration: "venus" */
    const char *workloads; /* names of models: "lucid"; NULL: its default */
    uint64_t jobs;         /* 0: not given */
    double days, load;     /* 0: not given */
    uint32_t gpus; /* of the cluster; no job asks for more; 0: its own */
    uint64_t seed;
};

struct synthetic;

/* Owned by the caller. */
enum status synthetic_open(const struct synthetic_options *options,
                           struct synthetic **out, struct error *err) MUST_USE;
/* False at the end. Rows come in the order of submission; their texts are
 * valid until the next one. `kind` is the published type of the job where the
 * log has one, else the cause if it failed. */
bool synthetic_next(struct synthetic *synthetic,
                    struct trace_row *row) MUST_USE;
/* Why the last row's job failed; empty if it did not. */
const char *synthetic_cause(const struct synthetic *synthetic);
void synthetic_close(struct synthetic *synthetic); /* accepts NULL */

#endif
