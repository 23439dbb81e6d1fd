/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor in simulated time by the code of the live
 * modules. The user's ended jobs with the same directory, command and branch
 * are looked up first (models/jobs/lookup.h). For any other job, an agent or
 * rules read the directory that was submitted
 * (models/advisor/schedmate_advisor.h), and the ended jobs with the nearest
 * metadata are looked up when the answer has come.
 *
 * The directories do not change during a run, so equal questions have equal
 * answers: a directory with a command is read once. Each job that is no
 * resubmission asks the station all the same, for as long as that reading
 * took.
 *
 * Of the new job, nothing but the submission, the user and the id is read.
 * Figures of other jobs are read when these have ended. */
#ifndef SCHEDMATE_ADVISOR_REPLAY_H
#define SCHEDMATE_ADVISOR_REPLAY_H

#include "schedmate/advisor_internal.h"

struct advisor_replay;

/* What was found of a job. */
struct found {
    struct advice advice;
    enum advice_basis basis; /* NOTHING, RESUBMISSION or SIMILAR */
    uint32_t k;              /* number of ended jobs that were found */
};

/* The caller owns *out. */
enum status advisor_replay_new(const struct run_env *env,
                               struct advisor_replay **out,
                               struct error *err) MUST_USE;
void advisor_replay_free(struct advisor_replay *r); /* accepts NULL */

/* Looks for the user's ended jobs with this directory, command and branch.
 * Returns false if there are none. */
bool advisor_replay_repeats(struct advisor_replay *r, const struct job *job,
                            struct found *out) MUST_USE;
/* Reads what the job submitted and sets the service time and the tokens of the
 * question. Returns false if the job submitted nothing that can be read. */
bool advisor_replay_read(struct advisor_replay *r, const struct job *job,
                         struct question *question) MUST_USE;
/* Looks for the ended jobs with the nearest metadata. */
void advisor_replay_look_up(struct advisor_replay *r, const struct job *job,
                            struct found *out);
/* Adds a job that has ended after it ran for `ran`. */
void advisor_replay_add(struct advisor_replay *r, const struct job *job,
                        sim_span ran);
/* Finds the ended job that lends its learner to this one: the most similar one.
 * Returns false if none was found. */
bool advisor_replay_donor(const struct advisor_replay *r, const struct job *job,
                          job_id *out) MUST_USE;

#endif
