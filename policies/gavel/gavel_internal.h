/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds: a policy says which fraction of its time each job should
 * spend in each pool, and in every round the jobs that are furthest below their
 * fractions run. Policies differ in the fractions. */
#ifndef POLICIES_GAVEL_INTERNAL_H
#define POLICIES_GAVEL_INTERNAL_H

#include "policies/gavel/share_lp.h"
#include "policies/rounds.h"

struct gavel_config {
    sim_span round, reset;
    sim_span unknown; /* work left of a job if no estimator can answer */
};
extern const struct option gavel_options[];
/* The options of rounds, and `unknown_s`, for policies that ask for the work
 * left. */
extern const struct option gavel_left_options[];

/* The policy's bytes of a job. */
struct gavel_job {
    sim_time received_until; /* GPU time is counted up to this instant */
    double isolated;         /* Themis: rate with an equal share of all */
    /* time that the work done would have taken at that rate */
    double isolated_span;
    double left;         /* work left when last looked at */
    bool granted, stays; /* granted in this round; stays where it runs */
    bool guessed;        /* `left` is `unknown_s`: no estimator answered */
    bool counted;        /* the job was counted as guessed */
};

/* The jobs of a virtual cluster that share it at an allocation. */
struct gavel_jobs {
    const struct job **at;
    uint32_t n;
};

/* Callback that sets the needs and solves (share_lp_solve), once or often. */
struct gavel;
typedef void (*gavel_allocate)(struct gavel *gavel, const struct view *view,
                               const struct gavel_jobs *jobs,
                               struct share_lp *lp);

struct gavel_vc {
    bool changed;       /* jobs came or went since the last allocation */
    sim_time allocated; /* time of the last allocation */
};

/* What one job is due in one pool. */
struct gavel_cell {
    double share, received, deficit; /* fraction; seconds; seconds */
};

struct gavel {
    const struct gavel_config *config;
    struct rounds rounds;
    gavel_allocate allocate;
    struct share_solver *solver; /* NULL if no cluster has two pools */
    struct gavel_vc *vcs;
    struct gavel_cell *cells; /* by job, then pool of its virtual cluster */
    uint32_t n_vcs, stride, n_unknown;
};

enum status gavel_init(struct gavel *gavel, const void *config,
                       const struct view *view, gavel_allocate allocate,
                       struct error *err);
void gavel_observe(void *self, const struct view *view,
                   const struct event *event);
void gavel_decide(void *self, const struct view *view, struct plan *plan);
void gavel_remark(const void *self, struct remarks *remarks);
void gavel_fini(void *self);

/* Believed remaining running time of a job for an allocation: seconds, > 0; the
 * option `unknown_s` if no estimator can answer. */
double gavel_left(struct gavel *gavel, const struct view *view,
                  const struct job *job);

/* All fields of a descriptor except its name, summary, needs, options and
 * init. */
#define GAVEL_HOOKS \
    .config_size = sizeof(struct gavel_config), \
    .state_size = sizeof(struct gavel), .remark = gavel_remark, \
    .job_size = sizeof(struct gavel_job), .observe = gavel_observe, \
    .decide = gavel_decide, .fini = gavel_fini

#endif
