/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The redo log of a run: all plans that it has carried out, as the log of a
 * database from which a later run repeats the past (policies/resumed.h). A
 * policy that wraps another policy and keeps its plans. */
#ifndef POLICIES_REDO_H
#define POLICIES_REDO_H

#include "policies/policy.h"

struct redo_action {
    enum plan_kind kind; /* any but PLAN_IMAGINE and PLAN_BAR */
    job_id job;          /* JOB_NONE: an action on a node */
    node_id node;
    struct gpu_set where; /* starts: GPUs that the job gets */
    sim_span limit;       /* PLAN_PROFILE: longest time of the attempt, us */
};

/* One plan, which is never empty: n of the actions, from `first` on. */
struct redo_plan {
    sim_time at;
    size_t first, n;
};

/* A job that the policy rejected (hook `never`). */
struct redo_refusal {
    job_id job;
    const char *why; /* static */
};

/* The lists are freed by redo_fini, the GPUs are in the arena. */
struct redo_log {
    struct redo_plan *plans; /* in the order in which they were carried out */
    struct redo_action *actions;
    struct redo_refusal *refusals;
    size_t n_plans, n_actions, n_refusals;
    size_t cap_plans, cap_actions, cap_refusals;
    struct arena *arena; /* borrowed */
};

struct redo {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    sim_time until; /* plans from this time on are not kept */
    struct redo_log *log;
};

/* Appends an empty plan. */
void redo_begin_plan(struct redo_log *log, sim_time at);
/* Appends an action to the last plan. Copies action->where. */
void redo_add_action(struct redo_log *log, const struct redo_action *action);
void redo_add_refusal(struct redo_log *log, job_id job, const char *why);

/* Fills in *redo. The engine must get `redo` as the config of redo->ops. All
 * pointers must stay valid for the run; the caller remains the owner of what
 * they point to. */
void redo_wrap(struct redo *redo, const struct policy_ops *inner,
               const void *inner_config, sim_time until, struct redo_log *log);
void redo_fini(struct redo_log *log); /* accepts all zeroes */

#endif
