/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of `explain` about the questions of SchedMate's modules and about
 * evictions. The code is in explain_job.c. */
#ifndef SIM_CLI_EXPLAIN_ADVICE_H
#define SIM_CLI_EXPLAIN_ADVICE_H

#include "base/json.h"
#include "sim/verify/verify_advice.h"

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

#endif
