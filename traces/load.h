/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns rows into a jobset: which rows count, in which order, from which
 * zero. Every row that does not become a job is counted by its reason. */
#ifndef TRACES_LOAD_H
#define TRACES_LOAD_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "traces/jobset.h"

struct load_options {
    sim_time from, to; /* keep from <= submitted <= to, microseconds since 1970;
                          0 or TRACE_NO_TIME: no bound */
    const char *vc;    /* keep this virtual cluster only; NULL: all */
    uint64_t limit;    /* keep the first `limit` jobs; 0: all */
    /* Rows that continue a failed job within this time after its end become
     * part of it (traces/chains.h); 0: none does. */
    sim_span chain_link;
    bool elastic; /* keep elastic jobs without a run time, with 0 s: the run
                     computes it from what they train */
};

/* Reads all of `path`. The first bad row ends the reading (STATUS_BAD_INPUT).
 * The caller owns *out; on failure there is nothing to free. */
enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *options, struct jobset *out,
                        struct error *err) MUST_USE;

#endif
