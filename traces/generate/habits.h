/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What generated jobs run: each script of a user becomes a task of a
 * repository, with a command that the user repeats or varies from run to run
 * (traces/evidence/choice.h). The run time of a job follows from its steps. */
#ifndef TRACES_HABITS_H
#define TRACES_HABITS_H

#include "traces/evidence/choice.h"
#include "traces/evidence/sidecar.h"
#include "traces/generate/population.h"
#include "traces/trace.h"

struct habits; /* opaque */

struct habits_options {
    const struct repositories *repositories;
    const char *family; /* use only tasks of this family; NULL: all */
    /* share of the completed jobs that end before their last step, 0..1 */
    double early_exits;
    uint32_t node_gpus; /* GPUs of a node */
    uint64_t seed;
};

/* The arena owns *out; habits_close frees what it holds. STATUS_USAGE if no
 * task is of the family. */
enum status habits_open(const struct habits_options *options,
                        struct arena *arena, struct habits **out,
                        struct error *err) MUST_USE;
void habits_close(struct habits *habits); /* accepts NULL */

/* Decides what the job of this row runs; called once for each job, in order.
 * Sets the row's name, model, data set, batch size, precision and duration. The
 * row must have its id, its number of GPUs and its end. A job that fails or is
 * cancelled runs for the time that the population drew, or, if its whole work
 * takes no longer than that, for a part of its work. */
void habits_next(struct habits *habits, const struct submission *submission,
                 struct trace_row *row);

/* Returns the row of the side-car for the last job. Its texts are valid until
 * the next job; its directory is relative to the index of the repositories. */
const struct sidecar_row *habits_evidence(const struct habits *habits);

#endif
