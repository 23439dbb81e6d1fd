/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor in simulated time, by the code of the live
 * modules. It looks up the user's ended jobs with the same directory, command
 * and branch first (schedmate/jobs/lookup.h). If there are none, an agent or
 * rules read the directory that was submitted
 * (schedmate/advisor/schedmate_advisor.h), and when the answer has come the
 * advisor looks up the ended jobs with the nearest metadata.
 *
 * The directories do not change during a run, so equal questions have equal
 * answers, and each pair of a directory and a command is read only once. Each
 * job that is not a resubmission still asks the station, for as long as that
 * reading took.
 *
 * Of a new job, the advisor reads the submission, the user and the id, nothing
 * else. It reads figures of other jobs only after these jobs have ended. */
#ifndef SCHEDMATE_ADVISOR_REPLAY_H
#define SCHEDMATE_ADVISOR_REPLAY_H

#include "schedmate/simulated/advisor_internal.h"

struct advisor_replay;

/* What a lookup found for a job. */
struct found {
    struct advice advice;
    enum advice_basis basis; /* ADVICE_NOTHING, ADVICE_RESUBMISSION or
                              * ADVICE_SIMILAR */
    uint32_t k;              /* number of ended jobs that were found */
};

/* Makes the advisor of a replay, and reads what the jobs of the past submitted.
 * Returns STATUS_USAGE if metadata are to be compared by a model and none is
 * named; also errors of the database and of the model. The caller owns *out,
 * and frees it even if this fails. */
enum status advisor_replay_new(const struct run_env *env,
                               struct advisor_replay **out,
                               struct error *err) MUST_USE;
void advisor_replay_free(struct advisor_replay *r); /* accepts NULL */

/* Looks up the user's ended jobs with the directory, command and branch of this
 * job. Returns false if there are none, if the command of the job is unknown,
 * or if an error stops the run. */
bool advisor_replay_repeats(struct advisor_replay *r, const struct job *job,
                            struct found *out) MUST_USE;
/* Reads what the user submitted as the job, and sets the service time and the
 * tokens of the question. Returns false if nothing that can be read was
 * submitted, or if an error has stopped the run. */
bool advisor_replay_read(struct advisor_replay *r, const struct job *job,
                         struct question *question) MUST_USE;
/* Looks up the ended jobs whose metadata are nearest to the metadata of the
 * job; out->k is 0 if none are near enough, if too little of the job's
 * metadata is known, or if an error stops the run. */
void advisor_replay_look_up(struct advisor_replay *r, const struct job *job,
                            struct found *out);
/* Adds an ended job that spent the time `ran` on GPUs to the jobs that lookups
 * search. Does nothing if its command is unknown or an error has stopped the
 * run. */
void advisor_replay_add(struct advisor_replay *r, const struct job *job,
                        sim_span ran);
/* Finds the ended job that lends its measured speeds to this job: the most
 * similar one of the last lookup. Returns false if there is none, or if it is a
 * job of the past. */
bool advisor_replay_donor(const struct advisor_replay *r, const struct job *job,
                          job_id *out) MUST_USE;

#endif
