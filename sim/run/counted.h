/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which jobs count in the metrics that are means over jobs. A simulation begins
 * with an empty cluster and ends without new submissions; the jobs of these two
 * periods differ from those of the time between. `--warmup` and `--cooldown`
 * simulate them but leave them out of the metrics. The code is in intake.c. */
#ifndef SIM_COUNTED_H
#define SIM_COUNTED_H

#include "base/remarks.h"
#include "traces/load.h"

struct counted {
    /* --warmup and --cooldown as the user wrote them: a length of time, or
     * a percentage of the time between the first and the last submission. NULL:
     * not given. */
    const char *warmup, *cooldown;
    bool some; /* false: all jobs count, and the fields below are 0 */
    /* A job counts if it was submitted in from .. to, both included;
     * microseconds on the clock of the run. */
    sim_time from, to;
    uint32_t n_jobs; /* number of jobs that count */
};

/* Finds the window of a run whose jobs are known, and adds a remark on it. Does
 * nothing if neither option is given. Returns STATUS_USAGE if a text is not
 * understood or if no job is left. */
enum status counted_find(struct counted *counted, const struct jobset *jobset,
                         struct remarks *remarks, struct error *err) MUST_USE;

static inline bool counted_has(const struct counted *counted,
                               const struct job *job)
{
    return !counted->some ||
           (job->submitted >= counted->from && job->submitted <= counted->to);
}

#endif
