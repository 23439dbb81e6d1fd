/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that a job of the simulation would have written
 * (schedmate/evidence/log.h), from what the evidence says of its kind and from
 * how its present attempt went. A log counts work in time alone on the job's
 * GPUs; the first start_s of an attempt's work are the start of its program, in
 * which it does no step. */
#ifndef SCHEDMATE_JOB_LOG_H
#define SCHEDMATE_JOB_LOG_H

#include "schedmate/evidence/evidence.h"
#include "schedmate/evidence/log.h"
#include "schedmate/schedmate.h"
#include "sim/state/gpu_set.h"

#define JOB_LOG_SEGMENTS 8

/* How an attempt went: its paces in the order of time. */
struct job_life {
    uint32_t attempt; /* job.attempts; 0: nothing is known */
    uint32_t n;       /* number of segments */
    struct log_segment segments[JOB_LOG_SEGMENTS];
};

/* What a log is made of. The source points into this struct. */
struct job_log {
    struct log_source source;
    struct log_attempt attempt;
    double alone; /* work per time of the job alone on its GPUs, > 0 */
    struct evidence_log kind;
};

/* Describes the log of the present attempt of a job on the GPUs `where`. The
 * attempt lacks its life, which job_log_until adds. Arrays lie in the arena.
 * Returns false if the job leaves no log. */
bool job_log_init(struct job_log *log, const struct schedmate *s,
                  const struct job *job, struct gpu_set where,
                  struct arena *arena) MUST_USE;
/* Returns the path of the job's real log; NULL: it has none. */
const char *job_log_path(const struct schedmate *s, const struct job *job);
/* Lets the log end at `until`, after this life. */
void job_log_until(struct job_log *log, const struct job_life *life,
                   sim_time until);
/* Returns the work in the units of the log. */
sim_span job_log_work(const struct job_log *log, sim_span work);

/* Begins the life of an attempt of which it is known that it had done `work` by
 * `now` and then worked at `speed`. It is assumed to have had that speed since
 * it began at `start`; if that would be more work, since later. */
void job_life_begin(struct job_life *life, uint32_t attempt, sim_time start,
                    sim_time now, sim_span work, double speed);
/* Adds that the job had done `work` by `now` and then worked at `speed`. If its
 * speed changed once since the last time, the time of the change follows. */
void job_life_add(struct job_life *life, sim_time now, sim_span work,
                  double speed);

#endif
