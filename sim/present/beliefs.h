/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is believed of the run times of the jobs of a state: from their limits
 * and from the jobs that have ended.
 *
 * The run time of a job is believed to be one of those of the ended jobs that
 * are most like it and that ran longer than it has run so far: those of the
 * same user, name and GPUs, else of the same user and GPUs, else of the same
 * GPUs, else all; the first of these with BELIEFS_LEAST jobs. Of more than
 * BELIEFS_MOST such jobs, those count whose limits are nearest. If limits tell
 * more, shares of the limit take the place of run times: of the two, that one
 * is taken whose medians by GPUs were nearer to the ended jobs (mean absolute
 * error of the logarithm). A job never runs longer than its limit, at which the
 * scheduler ends it.
 *
 * Without such jobs the run time is uniform between what the job has run and
 * its limit; without a limit, a job that has run for t is believed to run
 * longer than x with probability t/x (t at least BELIEFS_FLOOR). */
#ifndef SIM_PRESENT_BELIEFS_H
#define SIM_PRESENT_BELIEFS_H

#include "sim/present/state.h"

enum { BELIEFS_LEAST = 5, BELIEFS_MOST = 50 };
#define BELIEFS_FLOOR (600 * SPAN_SECOND) /* assumed: ten minutes */
/* Time that a job goes on beyond its limit: Slurm looks every 30 s
 * (slurm.conf, OverTimeLimit) and is believed to end it within that. */
#define BELIEFS_KILL (30 * SPAN_SECOND)

/* Correlation of the draws of two jobs: today's jobs differ from those of the
 * past together. Chosen among 0, 0.25, 0.5 and 0.8, for all jobs or for those
 * of a user or size, by half of the replays of docs/when.md. */
#define BELIEFS_SHARED 0.5

struct beliefs;

/* Borrows the state. */
struct beliefs *beliefs_new(const struct state *state);
void beliefs_free(struct beliefs *beliefs); /* accepts NULL */

/* Uses limits alone from now on: a job runs up to its limit. */
void beliefs_limits_only(struct beliefs *beliefs);

/* Returns the run time of job number `job` at this share of the distribution,
 * 0 < share < 1: 0.5 is the median. It is longer than what the job has run. */
sim_span beliefs_run(const struct beliefs *beliefs, size_t job, double share);

/* Fills runs[], by job, with draw number `draw`; each job draws by its
 * identifier, whatever other jobs there are, and by what all share: both are
 * normal, and their sum gives the share of the distribution. */
void beliefs_draw(const struct beliefs *beliefs, uint64_t seed, uint32_t draw,
                  sim_span *runs);

/* Fills plans[], by job, with what a scheduler may plan with: the limit, or the
 * median for a job without a limit. */
void beliefs_plan(const struct beliefs *beliefs, sim_span *plans);

/* Returns on what the beliefs rest, as words for the user. */
const char *beliefs_words(const struct beliefs *beliefs);

#endif
