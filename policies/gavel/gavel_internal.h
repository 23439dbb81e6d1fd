/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds. A policy says which fraction of its time each job should
 * spend in each pool. In each round, the jobs run that are furthest below their
 * fractions. Policies differ in the fractions. */
#ifndef POLICIES_GAVEL_INTERNAL_H
#define POLICIES_GAVEL_INTERNAL_H

#include "policies/gavel/share_lp.h"
#include "policies/rounds.h"

struct gavel_config {
    sim_span round, reset;
    sim_span unknown; /* time left of a job if no estimator can answer */
};
extern const struct option gavel_options[];
/* The rows above and `unknown_s`, for policies that use gavel_left. */
extern const struct option gavel_left_options[];

/* What the policy keeps of a job. */
struct gavel_job {
    sim_time received_until; /* time up to which gavel_cell.received counts */
    /* Themis: the rate with an equal share of all pools, and the seconds that
     * the work done so far would have taken at such rates. */
    double isolated, isolated_span;
    double left;  /* seconds of running left at the last allocation */
    bool granted; /* the job runs in this round */
    bool stays;   /* the job runs in the pool that it is granted */
    bool guessed; /* `left` is `unknown_s`, because no estimator answered */
    bool counted; /* gavel.n_unknown counts the job */
};

/* The jobs that share a virtual cluster in a round. */
struct gavel_jobs {
    const struct job **at;
    uint32_t n;
};

/* Callback that sets the needs in `lp` and solves it, once or several times. */
struct gavel;
typedef void (*gavel_allocate)(struct gavel *gavel, const struct view *view,
                               const struct gavel_jobs *jobs,
                               struct share_lp *lp);

struct gavel_vc {
    bool changed;       /* jobs came or went since the last allocation */
    sim_time allocated; /* time of the last allocation */
};

/* One job in one pool. */
struct gavel_cell {
    double share;    /* fraction of the time that it should run here, 0..1 */
    double received; /* seconds that it ran here since the last allocation */
    double deficit;  /* seconds that earlier allocations still owe it */
};

struct gavel {
    const struct gavel_config *config;
    struct rounds rounds;
    gavel_allocate allocate;
    struct share_solver *solver; /* NULL if no virtual cluster has two pools */
    struct gavel_vc *vcs;        /* by virtual cluster */
    struct gavel_cell *cells;    /* by job, then pool of its virtual cluster */
    uint32_t n_vcs;
    uint32_t stride;    /* most pools of a virtual cluster */
    uint32_t n_unknown; /* jobs for which no estimator had an answer */
};

enum status gavel_init(struct gavel *gavel, const void *config,
                       const struct view *view, gavel_allocate allocate,
                       struct error *err);
void gavel_observe(void *self, const struct view *view,
                   const struct event *event);
void gavel_decide(void *self, const struct view *view, struct plan *plan);
void gavel_remark(const void *self, struct remarks *remarks);
void gavel_fini(void *self);

/* Returns the believed remaining running time of a job, seconds, > 0: the
 * option `unknown_s` if no estimator can answer. */
double gavel_left(struct gavel *gavel, const struct view *view,
                  const struct job *job);

/* The fields of a descriptor except name, summary, needs, options and init. */
#define GAVEL_HOOKS \
    .config_size = sizeof(struct gavel_config), \
    .state_size = sizeof(struct gavel), .remark = gavel_remark, \
    .job_size = sizeof(struct gavel_job), .observe = gavel_observe, \
    .decide = gavel_decide, .fini = gavel_fini

#endif
