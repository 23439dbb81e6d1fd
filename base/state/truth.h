/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What really happens to a job. Only these files may include this header:
 * sim/engine/progress.h (and through it the engine), traces/load.c,
 * traces/chains.c, sim/run/intake.c,
 * sim/engine/oracle.c and schedmate/simulated/advisor_law.c, which adds the
 * published errors. tests/lint reads the paths from this list and
 * checks it. */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include <stdbool.h>

#include "base/units.h"

/* A failure caused by the job itself, at a point of its work. */
struct own_failure {
    sim_span left;     /* work left when the job fails, > 0 */
    sim_span gap;      /* time until the job was submitted again, as the trace
                          recorded it, >= 0 */
    const char *cause; /* such as "CUDA out of memory"; lives as long as the
                          trace */
    uint8_t kind;      /* enum failure_kind */
};

struct truth {
    sim_span work; /* running time of the job alone, at rate 1, on the GPUs that
                      it asks for */
    uint8_t end;   /* enum trace_end: how it ends when the work is done */
    /* true if the trace did not record `work`, which is then computed from
     * other columns of the trace, or 0 */
    bool derived : 1;
    bool aborts : 1;        /* true if it ends as failed or cancelled */
    uint16_t n_failures;    /* number of failures by the job itself, which are
                             * listed by falling work left */
    uint32_t first_failure; /* index of its first failure in the trace's list */
};

/* What is true of the jobs of a run at the present time. The engine fills it
 * in: it alone knows how far each job has come. */
struct truth_book {
    /* Returns the work left at `now`, us, including the work that stops and
     * failures have added so far. */
    sim_span (*remaining)(const struct truth_book *book, job_id job,
                          sim_time now);
    /* Returns the time up to which the work left changes steadily if nothing
     * happens to the job: it falls with the clock while the job runs, and stays
     * constant while the job waits (TIME_NEVER). Returns 0 if it does neither.
     */
    sim_time (*steady_until)(const struct truth_book *book, job_id job,
                             sim_time now);
};

#endif
