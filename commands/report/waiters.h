/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the jobs of a run that waited longest, and why they waited. */
#ifndef REPORT_WAITERS_H
#define REPORT_WAITERS_H

#include "commands/explain_waits.h"
#include "commands/report/runs.h"

struct waiter {
    const struct verify_job *job;
    /* user and name of the job; "" if the trace has none */
    const char *user, *name;
    uint32_t n_waits;       /* number of times that the job waited */
    struct waiting longest; /* the longest wait, as `explain` measures it */
};

struct waiters {
    struct arena arena;
    struct waiter *at; /* jobs, the longest queueing delay first */
    size_t n;
};

/* Finds the jobs with the longest queueing delays above 0, at most n_max.
 * Returns STATUS_BAD_INPUT if jobs.csv cannot be read or lacks the column
 * `user` or `name`. The caller calls waiters_fini, also if this fails. */
enum status waiters_of(const struct report_run *run, size_t n_max,
                       struct waiters *out, struct error *err) MUST_USE;
void waiters_fini(struct waiters *waiters);

#endif
