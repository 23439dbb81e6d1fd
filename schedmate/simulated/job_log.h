/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that a job of the simulation would have written
 * (schedmate/simulated/evidence/log.h), from what the evidence says of its kind
 * and from how its present attempt went. A log counts work in the time that the
 * job takes alone on its GPUs. During the first evidence_log.start_s of the
 * job's work the program starts up and does no step. An attempt that continues
 * earlier work has no such start-up. */
#ifndef SCHEDMATE_JOB_LOG_H
#define SCHEDMATE_JOB_LOG_H

#include "base/state/gpu_set.h"
#include "schedmate/simulated/evidence/evidence.h"
#include "schedmate/simulated/evidence/log.h"
#include "schedmate/simulated/schedmate.h"

#define JOB_LOG_SEGMENTS 8

/* How an attempt went: its speeds in order of time. If there are more than
 * JOB_LOG_SEGMENTS, the first two become one segment with their mean speed. */
struct job_life {
    uint32_t attempt; /* job.attempts; 0: no attempt is known */
    uint32_t n;       /* number of segments */
    struct log_segment segments[JOB_LOG_SEGMENTS];
};

/* The source of a log. `source` points to `attempt`, so the struct must not be
 * moved. */
struct job_log {
    struct log_source source;
    struct log_attempt attempt;
    double alone; /* work per time of the job alone on its GPUs, > 0 */
    struct evidence_log kind;
};

/* Describes the log of the present attempt of a job on the GPUs `where`.
 * job_log_until must add the life of the attempt before the log is read. Arrays
 * lie in the arena. Returns false if the job leaves no log, a real one, or one
 * of an unknown style, or if `where` is empty. */
bool job_log_init(struct job_log *log, const struct schedmate *s,
                  const struct job *job, struct gpu_set where,
                  struct arena *arena) MUST_USE;
/* Returns the path of the job's real log; NULL if the job has none. */
const char *job_log_path(const struct schedmate *s, const struct job *job);
/* Lets the log end at `until`, after the given life, which must outlive the
 * log. */
void job_log_until(struct job_log *log, const struct job_life *life,
                   sim_time until);
/* Converts work of the simulation into work of the log, us; 0 while the program
 * starts up. */
sim_span job_log_work(const struct job_log *log, sim_span work);

/* Begins the life of an attempt that had done `work` by `now` and works at
 * `speed` from then on. The attempt is taken to have had that speed since its
 * start. If that gives more than `work`, it is taken to have begun to work
 * later. */
void job_life_begin(struct job_life *life, uint32_t attempt, sim_time start,
                    sim_time now, sim_span work, double speed);
/* Adds that the job had done `work` by `now` and worked at `speed` from then
 * on. If one change of speed since the last call explains the work, the time of
 * the change is computed; else the mean speed is taken. */
void job_life_add(struct job_life *life, sim_time now, sim_span work,
                  double speed);

#endif
