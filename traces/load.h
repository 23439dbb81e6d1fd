/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns rows into a jobset: decides which rows count, in which order, and which
 * time is zero. Rows that do not become jobs are counted by reason. */
#ifndef TRACES_LOAD_H
#define TRACES_LOAD_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "traces/jobset.h"

struct load_options {
    /* keep jobs with from <= submitted <= to, us since 1970; 0 or
     * TRACE_NO_TIME: no bound */
    sim_time from, to;
    const char *vc; /* keep only this virtual cluster; NULL: all */
    uint64_t limit; /* keep the first `limit` jobs; 0: all */
    /* Rows that continue a failed job, at most this long after its end, become
     * part of that job (traces/chains.h); 0: none does. */
    sim_span chain_link;
    /* true: keep elastic jobs without a run time, with 0 s, because the run
     * computes it from what they train */
    bool elastic;
};

/* Reads all of `path`. Reading ends at the first bad row with STATUS_BAD_INPUT.
 * The caller owns *out; on failure there is nothing to free. */
enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *options, struct jobset *out,
                        struct error *err) MUST_USE;

#endif
