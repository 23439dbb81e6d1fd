/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's rounds. A policy computes which fraction of its time each job should
 * spend in each pool. In each round, the jobs that are furthest below their
 * fractions run. Gavel's policies differ only in the fractions. */
#ifndef POLICIES_GAVEL_GAVEL_INTERNAL_H
#define POLICIES_GAVEL_GAVEL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/rounds.h"

/* == share_lp.c: The linear program that all policies of this folder solve. Job
 * j spends the fraction x[j][p] of its time in pool p, where it works at
 * rate[j][p]:
 *
 *     maximise t  subject to  sum_p rate[j][p] x[j][p] >= need[j] t
 *                             sum_p x[j][p] <= 1
 *                             sum_j gpus[j] x[j][p] <= capacity[p],  x >= 0
 *
 * The policies differ in `need`: an equal share (LAS), the work that is left
 * (makespan), the rate that a finish-time target requires (Themis). Where the
 * needs are met and GPUs are left over, Themis gives them away by
 *
 *     maximise sum_j weight[j] sum_p rate[j][p] x[j][p]  with t = 1 above. */

/* A loaded GLPK, needed for problems with two or more pools. It is loaded late,
 * because loading it would add 0.4 ms to the start of each command. */
struct share_solver;
/* Loads GLPK. Returns STATUS_FAILED if it is not installed. The caller frees
 * *out with share_solver_free, which accepts NULL. */
enum status share_solver_new(struct share_solver **out,
                             struct error *err) MUST_USE;
void share_solver_free(struct share_solver *solver);

struct share_lp {
    uint32_t n_jobs, n_pools;
    /* by job, then by pool; 0: the job cannot run there */
    const double *rate;
    const double *gpus;          /* by job: number of GPUs */
    const double *capacity;      /* by pool: number of GPUs */
    double *need;                /* by job: need[j] above, > 0 */
    const double *weight;        /* by job, > 0; NULL: maximise t */
    double *x;                   /* by job, then by pool: the result */
    struct share_solver *solver; /* borrowed; unused if n_pools is 1 */
};

/* Returns the largest t, and fills in x. Returns 0 if some job can run in no
 * pool; x is then undefined. With one pool, t is computed in closed form,
 * otherwise by column generation (share_columns.c), or, if rounding prevents
 * that, by GLPK's primal simplex. The answer depends only on the input. */
double share_lp_solve(const struct share_lp *lp);

/* Fills in x so that each job works at least need[j], and the work weighted by
 * lp->weight is the largest. With one pool, x is that of share_lp_solve.
 * Returns false if the needs cannot be met; x is then undefined. */
bool share_lp_spend(const struct share_lp *lp);

/* True if the largest t is at least `t`. Stops as soon as that is known.
 * Overwrites lp->x, but leaves no solution there. */
bool share_lp_reaches(const struct share_lp *lp, double t);

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

/* The three ways in which problems are solved, for share_lp_solve, for
 * share_lp_spend and for the unit tests, which compare them. Each fills in x
 * and returns the largest t. */

/* Solves a problem with a single pool (n_pools is 1) in closed form. */
double share_lp_one_pool(const struct share_lp *lp);
/* Solves a problem with any number of pools by GLPK's simplex. With weights,
 * returns the largest weighted work; 0 if the needs cannot be met. */
double share_lp_simplex(const struct share_lp *lp);
/* Solves a problem with any number of pools by column generation. Stops as soon
 * as t is known to reach `enough`, or not to; INFINITY: at the largest t.
 * Returns less than 0 if rounding prevents an answer. */
double share_lp_columns(const struct share_lp *lp, double enough);
/* As share_lp_spend, for any number of pools. Returns false also if rounding
 * prevents an answer. */
bool share_lp_columns_weighted(const struct share_lp *lp);

#endif
