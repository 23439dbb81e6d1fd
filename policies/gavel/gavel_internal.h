/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds. A policy computes which fraction of its time each job should
 * spend in each pool. In each round, the jobs that are furthest below their
 * fractions run. Gavel's policies differ only in the fractions. */
#ifndef POLICIES_GAVEL_INTERNAL_H
#define POLICIES_GAVEL_INTERNAL_H

#include "policies/gavel/share_lp.h"
#include "policies/rounds.h"

struct gavel_config {
    sim_span round, reset;
    /* assumed time left of a job for which no estimator answers */
    sim_span unknown;
};
extern const struct option gavel_options[];
/* Gavel's options and the option `unknown_s`, for policies that use gavel_left.
 */
extern const struct option gavel_left_options[];

/* The state of a job that the policy keeps between rounds. */
struct gavel_job {
    /* time up to which gavel_cell.received is counted */
    sim_time received_until;
    /* Themis: believed rate with an equal share of all pools, and the seconds
     * that the work done so far would have taken at such rates. */
    double isolated, isolated_span;
    double left;  /* Themis: believed seconds left at the last allocation */
    bool granted; /* true if the job was granted GPUs in this round */
    bool stays;   /* true if the job already runs in the pool granted to it */
    /* true if gavel_left last returned unknown_s, because no estimator
     * answered */
    bool guessed;
    bool counted; /* true if gavel.n_unknown counts the job */
};

/* The jobs of a virtual cluster that can run in at least one of its pools, in a
 * round. */
struct gavel_jobs {
    const struct job **at;
    uint32_t n;
};

struct gavel;
/* Callback that computes the fractions: sets the needs in `lp` and solves it,
 * once or several times. */
typedef void (*gavel_allocate)(struct gavel *gavel, const struct view *view,
                               const struct gavel_jobs *jobs,
                               struct share_lp *lp);

struct gavel_vc {
    /* true if the fractions must be computed again: since the last allocation a
     * job came or went, the capacity changed, or there was news that the
     * fractions depend on */
    bool changed;
    sim_time allocated; /* time of the last allocation */
};

/* The state of one job in one pool, kept between rounds. */
struct gavel_cell {
    /* fraction of the time that the job should run here, 0..1 */
    double share;
    /* seconds that the job ran here since the last allocation */
    double received;
    /* seconds that earlier allocations still owe the job here; < 0: it has
     * received more than its fraction */
    double deficit;
};

struct gavel {
    const struct gavel_config *config;
    struct rounds rounds;
    gavel_allocate allocate;
    /* solver of the linear programs; NULL: no virtual cluster has two pools */
    struct share_solver *solver;
    struct gavel_vc *vcs; /* state by virtual cluster */
    /* by job, then by pool of its virtual cluster */
    struct gavel_cell *cells;
    uint32_t n_vcs;
    uint32_t stride; /* largest number of pools of a virtual cluster */
    /* number of jobs for which no estimator answered in some round */
    uint32_t n_unknown;
    /* true if the fractions depend on believed times, so that news about a job
     * changes them */
    bool uses_left;
};

enum status gavel_init(struct gavel *gavel, const void *config,
                       const struct view *view, gavel_allocate allocate,
                       struct error *err);
void gavel_observe(void *self, const struct view *view,
                   const struct event *event);
void gavel_decide(void *self, const struct view *view, struct plan *plan);
void gavel_remark(const void *self, struct remarks *remarks);
void gavel_fini(void *self);

/* Returns the further running time that a job is believed to need, seconds,
 * > 0; the option `unknown_s` if no estimator answers. */
double gavel_left(struct gavel *gavel, const struct view *view,
                  const struct job *job);

/* The fields of a descriptor that all Gavel's policies share. */
#define GAVEL_HOOKS \
    .config_size = sizeof(struct gavel_config), \
    .state_size = sizeof(struct gavel), .remark = gavel_remark, \
    .job_size = sizeof(struct gavel_job), .observe = gavel_observe, \
    .decide = gavel_decide, .fini = gavel_fini

#endif
