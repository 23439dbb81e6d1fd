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
};
extern const struct option rounds_options[];

/* The policy's bytes of a job. */
struct rounds_mine {
    sim_time received_until; /* GPU time is counted up to here */
    double isolated;         /* Themis: rate with an equal share of all */
    double isolated_span;    /* time the work done would have taken so */
    double left;             /* work left when last looked at */
    bool granted, stays;     /* in this round */
};

/* Jobs of a virtual cluster that share it at an allocation. */
struct rounds_jobs {
    const struct job **at;
    uint32_t n;
};

/* Sets the needs and solves (share_lp_solve), once or often. */
typedef void (*rounds_allocate)(const struct view *view,
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
    uint32_t n_vcs, stride;
};

enum status rounds_init(struct rounds *rounds, const void *config,
                        const struct view *view, rounds_allocate allocate,
                        struct error *err);
void rounds_observe(void *self, const struct view *view,
                    const struct event *event);
void rounds_decide(void *self, const struct view *view, struct plan *plan);
void rounds_fini(void *self);

/* Everything of a descriptor but its name, summary, needs and init. */
#define ROUNDS_HOOKS \
    .options = rounds_options, .config_size = sizeof(struct rounds_config), \
    .state_size = sizeof(struct rounds), \
    .job_size = sizeof(struct rounds_mine), .observe = rounds_observe, \
    .decide = rounds_decide, .fini = rounds_fini

#endif
