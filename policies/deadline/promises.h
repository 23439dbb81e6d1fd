/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The promises of a policy with admission. A new job is admitted to a pool if
 * it and all jobs that were admitted before can be promised GPUs until their
 * deadlines, one after another in the order of the policy.
 *
 * A promise is kept if run times and speeds are as believed, stops cost no more
 * than the policy assumes, nothing fails and all gangs can be placed
 * (policies/gangs.h). For that, promises are renewed only all together; if that
 * fails, all jobs keep what they had been promised. */
#ifndef POLICIES_DEADLINE_PROMISES_H
#define POLICIES_DEADLINE_PROMISES_H

#include "policies/deadline/slots.h"
#include "policies/policy.h"

/* A job while GPUs are promised or shared out. */
struct promises_row {
    const struct job *job;
    struct levels levels; /* on the pool */
    /* work to be promised at the rates of the levels, us; LEFT_UNKNOWN: no
     * estimator can tell it */
    double left;
    sim_time due;
    uint32_t have; /* GPUs in the slot that begins */
    bool done;     /* will have ended when the slots begin */
};
#define LEFT_UNKNOWN 1e18

enum standing {
    STANDING_SPARE,    /* gets what is left: no deadline, or none to be met */
    STANDING_PROMISED, /* will be in time */
    STANDING_BROKEN,   /* had been promised its deadline */
};

struct promises_job {
    enum standing standing;
    uint32_t pool; /* of its promise, an index of cluster.pools */
    struct promise promise;
};

struct promises {
    /* Set by the policy. `describe` sets levels, left and due of a row; the
     * slots begin at `from`, until when a running job works on. `order` is an
     * order of struct promises_row for qsort. */
    void (*describe)(const void *config, const struct view *view,
                     const struct pool *pool, sim_time from,
                     struct promises_row *row);
    int (*order)(const void *a, const void *b);
    const void *config;

    struct promises_job *jobs; /* by job id */
    uint32_t n_jobs;
    struct slots slots;
    struct promises_row *rows; /* of one pool; the first n_promised in the order
                              of promises */
    size_t n, n_promised, cap;
    uint64_t admitted, declined, unknown, broken, unplaced;
};

/* `slot`: length of a slot. */
void promises_init(struct promises *book, const struct view *view,
                   sim_span slot);
void promises_fini(struct promises *book); /* accepts zeroes */
void promises_observe(struct promises *book, const struct event *event);

static inline struct promises_job *promises_job(const struct promises *book,
                                                const struct job *job)
{
    return &book->jobs[job->id];
}
/* Returns the time at which the next slot begins; `now` if one begins now. */
static inline sim_time promises_begin(const struct promises *book, sim_time now)
{
    sim_span length = book->slots.length;
    return (now + length - 1) / length * length;
}

/* Admits a job with a deadline to the first pool that can promise it, and
 * counts it. Returns false if there is none. */
bool promises_admit(struct promises *book, const struct view *view,
                    const struct job *job);
/* Fills the rows with the jobs that have a promise in the pool and renews their
 * promises, at the beginning of a slot. `have` becomes what they were promised
 * for it. Returns the GPUs of the pool that nobody was promised. */
uint32_t promises_renew(struct promises *book, const struct view *view,
                        uint32_t pool);
/* Adds to the rows the jobs without a promise that may run in the pool: those
 * that run there, and those that wait and were not started by the plan. */
void promises_add_rest(struct promises *book, const struct view *view,
                       struct plan *plan, uint32_t pool);
/* Starts and stops jobs so that each row has what it says. */
void promises_place(struct promises *book, const struct view *view,
                    struct plan *plan, uint32_t pool);
/* Returns the earliest time after now at which a row was promised more GPUs
 * than it has; TIME_NEVER: none. */
sim_time promises_next_rise(const struct promises *book);

/* As policy_ops.count, and a part of policy_ops.remark. `name`: of the
 * policy. */
size_t promises_count(const struct promises *book, struct policy_count *out);
void promises_remark(const struct promises *book, const char *name,
                     struct remarks *remarks);

#endif
