/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the rows of a trace into a jobset: decides which rows become jobs,
 * sorts them, and sets the time that counts as 0. Dropped rows are counted by
 * reason. */
#ifndef TRACES_LOAD_H
#define TRACES_LOAD_H

#include <stdbool.h>

#include "base/error.h"
#include "traces/jobset.h"

struct load_options {
    /* Keeps jobs with from <= submitted <= to, us since 1970. 0 or
     * TRACE_NO_TIME: no bound. */
    sim_time from, to;
    const char *vc; /* keeps the jobs of this virtual cluster only; NULL: all */
    uint64_t limit; /* keeps the `limit` jobs submitted first; 0: all */
    /* A row that continues a failed job at most this long (us) after that job's
     * end becomes a part of that job (traces/chains.h). 0: rows are not linked.
     */
    sim_span chain_link;
    /* True: keeps elastic jobs that have no run time, with a run time of 0. The
     * run computes it later from the model that the job trains. */
    bool elastic;
    /* True: proposes a cluster (traces/footprint.h) if none is recorded. */
    bool propose;
};

/* Reads the whole trace `path`. `format_spec`: as in trace_open. Stops at the
 * first bad row with STATUS_BAD_INPUT. The caller must call jobset_fini on
 * *out; after an error there is nothing to free. */
enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *options, struct jobset *out,
                        struct error *err) MUST_USE;

#endif
