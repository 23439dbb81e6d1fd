/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part `deadlines` of summary.json: how many jobs missed the deadline that
 * the trace gives them, and by how much. */
#ifndef SIM_DEADLINES_H
#define SIM_DEADLINES_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct deadlines {
    /* Jobs with a deadline that count (--warmup). missed: the job ended after
     * its deadline, can never end, or had not ended by the end of the run,
     * which came after its deadline. finished: it ran to its recorded end. */
    uint64_t jobs, missed, finished;
    /* of the finished jobs: time from the deadline to the end, 0 if the job
     * was in time; us */
    double tardiness;
    sim_span tardiness_max;
};

/* ends with a NULL name */
extern const struct scalar deadline_scalars[];

/* Adds a job of the run. Does nothing if it has no deadline or does not
 * count. */
void deadlines_add(struct deadlines *deadlines, const struct run_result *run,
                   const struct facts *facts);

struct json_stream;
/* Writes the part `deadlines` of summary.json. */
void report_deadlines(struct json_stream *js,
                      const struct deadlines *deadlines);

#endif
