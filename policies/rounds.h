/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds: a policy says which fraction of
 * its time each job is to spend in each pool; every round the jobs that are
 * furthest behind their fractions run. Policies differ in the fractions. */
#ifndef POLICIES_ROUNDS_H
#define POLICIES_ROUNDS_H

#include "policies/policy.h"
#include "policies/share_lp.h"

struct rounds_config {
    sim_span round, reset;
    sim_span unknown; /* of a job of which nobody knows what is left */
};
extern const struct option rounds_options[];
/* The same with `unknown_s`, for policies that ask what is left. */
extern const struct option rounds_left_options[];

/* The policy's bytes of a job. */
struct rounds_mine {
    sim_time received_until; /* GPU time is counted up to here */
    double isolated;         /* Themis: rate with an equal share of all */
    double isolated_span;    /* time the work done would have taken so */
    double left;             /* work left when last looked at */
    bool granted, stays;     /* in this round */
    bool guessed;            /* `left` is `unknown_s`: no estimator answered */
    bool counted;            /* that this was ever so */
};

/* Jobs of a virtual cluster that share it at an allocation. */
struct rounds_jobs {
    const struct job **at;
    uint32_t n;
};

/* Sets the needs and solves (share_lp_solve), once or often. */
struct rounds;
typedef void (*rounds_allocate)(struct rounds *rounds, const struct view *view,
                                const struct rounds_jobs *jobs,
                                struct share_lp *lp);

struct rounds_vc {
    bool changed;       /* jobs came or went since the last allocation */
    sim_time allocated; /* when that was */
};

/* A job's standing in one pool. */
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

/* For an allocation: believed remaining running time of a job, seconds, above
 * 0; the option `unknown_s` where no estimator knows. */
double rounds_left(struct rounds *rounds, const struct view *view,
                   const struct job *job);

/* Everything of a descriptor but its name, summary, needs, options and init. */
#define ROUNDS_HOOKS \
    .config_size = sizeof(struct rounds_config), \
    .state_size = sizeof(struct rounds), .remark = rounds_remark, \
    .job_size = sizeof(struct rounds_mine), .observe = rounds_observe, \
    .decide = rounds_decide, .fini = rounds_fini

#endif
