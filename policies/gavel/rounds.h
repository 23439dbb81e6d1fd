/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds: a policy says which fraction of its time each job should
 * spend in each pool, and in every round the jobs that are furthest below their
 * fractions run. Policies differ in the fractions. */
#ifndef POLICIES_ROUNDS_H
#define POLICIES_ROUNDS_H

#include "policies/gavel/share_lp.h"
#include "policies/policy.h"

struct rounds_config {
    sim_span round, reset;
    sim_span unknown; /* work left of a job if no estimator can answer */
};
extern const struct option rounds_options[];
/* The options of rounds, and `unknown_s`, for policies that ask for the work
 * left. */
extern const struct option rounds_left_options[];

/* The policy's bytes of a job. */
struct rounds_mine {
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
struct rounds_jobs {
    const struct job **at;
    uint32_t n;
};

/* Callback that sets the needs and solves (share_lp_solve), once or often. */
struct rounds;
typedef void (*rounds_allocate)(struct rounds *rounds, const struct view *view,
                                const struct rounds_jobs *jobs,
                                struct share_lp *lp);

struct rounds_vc {
    bool changed;       /* jobs came or went since the last allocation */
    sim_time allocated; /* time of the last allocation */
};

/* What one job is due in one pool. */
struct rounds_cell {
    double share, received, deficit; /* fraction; seconds; seconds */
};

struct rounds {
    const struct rounds_config *config;
    rounds_allocate allocate;
    struct share_solver *solver; /* NULL if no cluster has two pools */
    struct rounds_vc *vcs;
    struct rounds_cell *cells; /* by job, then pool of its virtual cluster */
    uint32_t n_vcs, stride, n_unknown;
};

enum status rounds_init(struct rounds *rounds, const void *config,
                        const struct view *view, rounds_allocate allocate,
                        struct error *err);
void rounds_observe(void *self, const struct view *view,
                    const struct event *event);
void rounds_decide(void *self, const struct view *view, struct plan *plan);
void rounds_remark(const void *self, struct remarks *remarks);
void rounds_fini(void *self);

/* Believed remaining running time of a job for an allocation: seconds, > 0; the
 * option `unknown_s` if no estimator can answer. */
double rounds_left(struct rounds *rounds, const struct view *view,
                   const struct job *job);

/* All fields of a descriptor except its name, summary, needs, options and
 * init. */
#define ROUNDS_HOOKS \
    .config_size = sizeof(struct rounds_config), \
    .state_size = sizeof(struct rounds), .remark = rounds_remark, \
    .job_size = sizeof(struct rounds_mine), .observe = rounds_observe, \
    .decide = rounds_decide, .fini = rounds_fini

#endif
