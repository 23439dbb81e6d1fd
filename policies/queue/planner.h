/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backfilling with reservations (conservative.h, slurm_plan.h) for a policy
 * that brings its own order of the waiting jobs. */
#ifndef POLICIES_QUEUE_PLANNER_H
#define POLICIES_QUEUE_PLANNER_H

#include "base/option.h"
#include "policies/queue/slurm_plan.h"

enum planner_kind {
    PLANNER_NONE, /* the policy has a plan of its own */
    PLANNER_CONSERVATIVE,
    PLANNER_SLURM,
};

struct planner_config {
    unsigned plan; /* enum planner_kind */
    uint32_t depth;
    struct slurm_plan_config slurm; /* its depth is the one above */
};

/* The rows of a struct planner_config that is member `f` of `type`, but for
 * "plan", whose names differ by policy; `...`: when `depth` counts. */
#define PLANNER_OPTIONS(type, f, ...) \
    OPT_U32(type, f.depth, "depth", 1000, 1, 1000000, \
            "jobs after the head that may fill the gaps, or that get a " \
            "reservation", \
            "assumed; Slurm's bf_max_job_test is 500" __VA_OPT__(, ) \
                __VA_ARGS__), \
        OPT_U32(type, f.slurm.reserve, "reserve", 0, 0, 1000000, \
                "jobs that get a reservation, others may fill gaps; 0: all", \
                "Slurm's bf_job_part_count_reserve", OPT_WHEN("plan=slurm")), \
        OPT_SPAN(type, f.slurm.resolution, "resolution_s", 60, 1, 86400, \
                 "reservations begin and end at multiples of it", \
                 "Slurm's bf_resolution", OPT_WHEN("plan=slurm")), \
        OPT_SPAN( \
            type, f.slurm.interval, "interval_s", 30, 0, 86400, \
            "least time between two plans; meanwhile the first jobs in the " \
            "queue start as long as they fit", \
            "Slurm's bf_interval", OPT_WHEN("plan=slurm")), \
        OPT_SPAN(type, f.slurm.window, "window_s", 86400, 1, 31536000, \
                 "nothing is reserved later than this from now", \
                 "Slurm's bf_window, 1440 minutes", OPT_WHEN("plan=slurm"))

struct planner {
    enum planner_kind kind;
    uint32_t depth;
    struct runners *vcs; /* by virtual cluster */
    uint32_t n_vcs;
    struct conservative conservative;
    struct slurm_plan slurm;
    struct slurm_plan_config slurm_config;
};

void planner_init(struct planner *self, const struct planner_config *config,
                  const struct view *view);
void planner_fini(struct planner *self); /* accepts all zeroes */
/* Keep the lists of running jobs: call from observe and adopt. */
void planner_observe(struct planner *self, const struct event *event);
void planner_adopt(struct planner *self, const struct job *job);
/* Returns how many of the first waiting jobs of a virtual cluster the plan may
 * look at. */
uint32_t planner_reach(const struct planner *self, const struct plan *plan,
                       uint16_t vc);
/* Starts jobs of one virtual cluster, not with PLANNER_NONE. */
void planner_decide(struct planner *self, struct plan *plan, uint16_t vc,
                    struct waiting_jobs waiters);

#endif
