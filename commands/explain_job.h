/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `explain` about one job: its wait, its failure, the questions
 * of SchedMate's modules and evictions.
 *
 * The part of `explain` about the questions of SchedMate's modules and about
 * evictions. */
#ifndef SIM_EXPLAIN_JOB_H
#define SIM_EXPLAIN_JOB_H

#include "base/json.h"
#include "commands/explain_waits.h"
#include "sim/verify/verify_advice.h"
#include "sim/verify/verify_failures.h"

struct explain_advice {
    const struct verify_data *data;
    const struct verify_job *job; /* the job that is explained */
    /* rows: questions that `explain` needs, the earliest first */
    struct explain_question {
        const struct verify_job *job; /* the explained job, or a job beside
                                       * which it was evicted */
        struct verify_question question;
    } * rows;
    size_t n_rows, cap_rows;
    size_t next; /* index of the first row that explain_questions has not
                  * shown */
};

/* Reads the rows of advice.csv about a job and about the jobs on the GPUs from
 * which it was evicted; none if the result has no such file. */
enum status explain_advice_read(struct explain_advice *advice, const char *dir,
                                const struct verify_data *data,
                                const struct verify_job *job,
                                struct error *err) MUST_USE;

void explain_advice_fini(struct explain_advice *advice);

/* Shows the next questions about the job, up to and including the time `until`.
 * Prints a line for each, or adds events to `json` if that is not NULL. */
void explain_questions(struct explain_advice *advice, sim_time until,
                       json_t *json);

/* Shows beside which jobs an attempt was evicted: prints a line for each of
 * these jobs, with the time at which the log of that job was last read, or adds
 * their ids as the member `beside` to the last event. */
void explain_eviction(const struct explain_advice *advice,
                      const struct verify_attempt *attempt, json_t *json);

/* Shows the events of one job: its waits here, its attempts in explain.c. */

/* Formats a time as "84122 s (day 0.97)"; days count from 0. Returns `buf`. */
#define EXPLAIN_TIME_MAX 64

const char *explain_time(sim_time at, char buf[EXPLAIN_TIME_MAX]);

/* "s" unless n is 1. */
const char *explain_plural(uint64_t n);

/* Adds an event to the member `events` of `json`; returns the event, which
 * `json` owns. */
json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to);

/* Shows a wait of the job and its reasons. `named`: also who held the GPUs, and
 * which jobs blocked it. Prints lines, or adds an event to `json` if that is
 * not NULL. */
void explain_wait(const struct verify_data *d,
                  const struct explain_waits *waits,
                  const struct verify_job *job, const struct waiting *wait,
                  bool named, json_t *json);

/* The part of `explain` that shows failures of a job. */

/* Shows why the attempt failed and what the recovery rule decided, if
 * failures.csv has a row for it. If `json` is NULL, prints two lines; otherwise
 * adds a member `failure` to the last of its `events`. */
void explain_failure(const struct verify_failures *failures,
                     const struct verify_attempt *attempt, json_t *json);

#endif
