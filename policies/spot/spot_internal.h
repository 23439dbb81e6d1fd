/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the policies with classes share: guaranteed jobs stop spot jobs, and
 * spot jobs start on idle GPUs within a quota. After GFS (Duan et al., ASPLOS
 * 2026, arXiv 2509.11134) and its public simulator (Xu-Sheng-lin/GFS-asplos-26,
 * "as coded" below). Each pool (nodes of one virtual cluster and GPU type) has
 * its own quota.
 *
 * Differences from that simulator: decisions come when something happens and
 * not each second; a job asks for a number of GPUs and not for workers, so a
 * job larger than a node takes whole nodes first; it may stop spot jobs on each
 * of its nodes, not on one only; a job that preempts pays nothing itself. What
 * a stopped job loses is a matter of the overhead model (fixed:stop_loses). */
#ifndef POLICIES_SPOT_INTERNAL_H
#define POLICIES_SPOT_INTERNAL_H

#include "policies/policy.h"

enum spot_forecast { SPOT_WEEK, SPOT_PEAK, SPOT_NONE };

struct spot_config {
    unsigned forecast;   /* enum spot_forecast */
    double rate;         /* guarantee rate g, 0..1 */
    bool feedback;       /* correct the quota by the rate of evictions */
    double eta_min;      /* smallest correction */
    sim_span update;     /* time between two updates of the quota, us */
    bool waste_as_coded; /* gfs: waste of a stop counts from the job's start */
    sim_span window;     /* gfs: span that a waste is divided by, us */
};
/* The options of both policies, without the end mark. */
#define SPOT_OPTIONS \
    OPT_CHOICE(struct spot_config, forecast, "forecast", SPOT_WEEK, \
               spot_forecasts, \
               "what the quota of spot GPUs rests on: week (mean and " \
               "deviation of each user's guaranteed demand at the same hours " \
               "of the last seven days), peak (its highest hour in that " \
               "time), none (no quota)", \
               "assumed: week, since the weights of GFS' OrgLinear are not " \
               "public; peak: the ablation of GFS (ASPLOS'26)"), \
        OPT_DOUBLE(struct spot_config, rate, "guarantee_rate", 0.9, 0.5, \
                   0.999, \
                   "share of the time in which the forecast must cover the " \
                   "guaranteed demand", \
                   "GFS (ASPLOS'26)", OPT_WHEN("forecast!=none")), \
        OPT_BOOL(struct spot_config, feedback, "feedback", true, \
                 "multiply the quota by eta: with e the eviction rate of the " \
                 "last 4 h and r = 1 - guarantee_rate, each update makes eta " \
                 "r/e times as large if e >= 1.5 r, and 1.5 - e/r times if " \
                 "e <= r/2 and a spot job has waited for an hour", \
                 "GFS (ASPLOS'26); its code has 1.5 - r/e, which is at most " \
                 "-0.5 there, so e/r is presumably meant", \
                 OPT_WHEN("forecast!=none")), \
        OPT_DOUBLE(struct spot_config, eta_min, "eta_min", 0.1, 0, 1, \
                   "smallest eta; it does not grow while the quota is the " \
                   "whole pool", \
                   "assumed; GFS' code has no bound", \
                   OPT_WHEN("feedback=true")), \
        OPT_SPAN(struct spot_config, update, "round_s", 300, 1, 86400, \
                 "time between two updates of the quota", "GFS (ASPLOS'26)")
extern const char *const spot_forecasts[];

enum {
    SPOT_HOURS = 7 * 24, /* hours of demand that are remembered */
    SPOT_RATE_HOURS = 4, /* hours over which the eviction rate is taken */
    SPOT_BUCKETS = 48    /* parts of these hours */
};

/* The guaranteed GPUs that a user asks for in a pool: of jobs that wait or
 * run. */
struct spot_demand {
    uint32_t pool;
    double gpus;             /* now */
    sim_time since;          /* `sum` holds up to here */
    double sum;              /* GPU-us in the hour of `since` up to then */
    float hours[SPOT_HOURS]; /* mean of hour h of the run, at h % SPOT_HOURS */
};

/* Windows that ended in one part of the last hours. */
struct spot_bucket {
    int64_t number; /* time / length of a part */
    uint32_t failed, succeeded;
};

struct spot_pool {
    double eta;
    double quota;               /* GPUs that spot jobs may hold */
    int64_t updated;            /* number of the last update; -1: none */
    uint64_t failed, succeeded; /* windows of the whole run */
    struct spot_bucket buckets[SPOT_BUCKETS];
};

/* Times at which spot jobs were stopped on a node, ascending. */
struct spot_stops {
    sim_time *at;
    size_t n, cap;
};

/* The bytes of a job. */
struct spot_mine {
    sim_time mark;    /* running spot job: start of its present window */
    sim_time stopped; /* 1 + when the policy stopped it last; 0: never */
    sim_time waits;   /* when it began to wait */
    uint32_t demand;  /* guaranteed job in the system: 1 + its spot_demand */
    uint16_t pool;    /* running spot job: where it runs */
    bool runs;        /* spot job: it runs, and its windows count */
    bool passed;      /* a window of this attempt has succeeded */
};

struct spot;
struct spot_room;

/* What differs between the policies. */
struct spot_rules {
    /* True: jobs with more GPUs first, and a job that finds no place blocks
     * those that are as large. False: by submission, and the first guaranteed
     * job and the first spot job without a place block their class. */
    bool by_size;
    /* True: a guaranteed job takes idle GPUs if it can. False: it goes to the
     * node where the fewest GPUs are without a guaranteed job. */
    bool spares;
    /* Optional. Ranks nodes with idle GPUs enough; the smaller goes first.
     * NULL: by idle GPUs. */
    double (*rank)(const struct spot_room *room, bool is_spot, node_id node);
    /* Optional. Ranks nodes on which spot jobs must stop. NULL: all equal. */
    double (*cost)(const struct spot_room *room, node_id node, uint32_t gpus);
    /* Writes to `out` the spot jobs to stop so that `gpus` GPUs of the node are
     * free; returns their number. */
    uint32_t (*victims)(const struct spot_room *room, node_id node,
                        uint32_t gpus, const struct job **out);
};

struct spot {
    const struct spot_config *config;
    const struct spot_rules *rules;
    struct spot_pool *pools;
    struct spot_stops *stops; /* by node */
    uint32_t n_pools, n_nodes, n_users;
    uint32_t *user_of;   /* by symbol: number of the user */
    uint32_t *demand_of; /* by user, then pool: 1 + index; 0: none */
    struct spot_demand *demands;
    size_t n_demands, cap_demands;
    double z; /* quantile `rate` of the normal distribution */
    uint64_t violations, updates;
    bool any; /* some job so far was spot */
};

/* One decision in one virtual cluster. */
struct spot_room {
    struct spot *spot;
    struct plan *plan;
    uint16_t vc;
    uint32_t *guaranteed, *spots; /* by node: GPUs that each class holds */
    uint32_t *in_use;             /* by pool: GPUs that spot jobs hold */
    const struct job **running;   /* spot jobs */
    uint32_t n_running;
};

static inline struct spot_mine *spot_mine(const struct view *view,
                                          const struct job *job)
{
    return view_mine(view, job);
}
/* True if the job may run in the pool. */
static inline bool spot_suits(const struct cluster *c, const struct job *job,
                              uint32_t pool)
{
    return !c->pools[pool].profiler && !c->pools[pool].loan &&
           (job->gpu_type == GPU_TYPE_ANY ||
            job->gpu_type == c->pools[pool].type);
}

/* spot.c: the hooks of both policies. The caller of spot_begin is an init. */
enum status spot_begin(struct spot *spot, const struct spot_rules *rules,
                       const void *config, const struct run_env *env);
void spot_observe(void *self, const struct view *view,
                  const struct event *event);
void spot_decide(void *self, const struct view *view, struct plan *plan);
size_t spot_count(const void *self, struct policy_count *out);
void spot_remark(const void *self, struct remarks *remarks);
void spot_fini(void *self);
#define SPOT_HOOKS \
    .needs = POLICY_PREEMPTS, .config_size = sizeof(struct spot_config), \
    .state_size = sizeof(struct spot), .job_size = sizeof(struct spot_mine), \
    .observe = spot_observe, .decide = spot_decide, .count = spot_count, \
    .remark = spot_remark, .fini = spot_fini

/* spot_quota.c: demand, windows and the quota. */
/* Adds the GPUs of a guaranteed job that was submitted; removes them when it
 * has ended. */
void spot_demand_add(struct spot *spot, const struct view *view,
                     const struct job *job);
void spot_demand_remove(struct spot *spot, const struct view *view,
                        const struct job *job);
/* Counts windows that ended at `at`. */
void spot_windows_add(struct spot_pool *pool, sim_time at, uint32_t failed,
                      uint32_t succeeded);
/* Counts the whole windows of a running spot job since its mark. */
void spot_windows_pass(struct spot *spot, const struct view *view,
                       const struct job *job);
/* Updates the quotas of the virtual cluster if it is time. `first`: the spot
 * job that has waited longest; NULL: none waits. */
void spot_quota_update(struct spot_room *room, const struct job *first);
/* Returns the time of the next update. It is the next hour if the virtual
 * cluster is idle: the run would end after 1,000 wakes in vain, and expected
 * demand can need a week to fade. */
sim_time spot_quota_next(const struct spot_room *room);

/* spot_place.c: nodes. */
/* Fills the room; the memory is the plan's. */
void spot_room_fill(struct spot_room *room);
/* Starts the job; false if there is no place. A guaranteed job stops spot jobs
 * if it must. */
bool spot_place(struct spot_room *room, const struct job *job, bool is_spot);
/* Returns the number of GPUs of a node that are idle or held by spot jobs of
 * the virtual cluster; 0 if it is down. */
uint32_t spot_open(const struct spot_room *room, node_id node);
/* Returns how many GPUs a running job holds on a node. */
uint32_t spot_held_on(const struct view *view, const struct job *job,
                      node_id node);
/* True if the spot job runs on after the actions planned so far. */
static inline bool spot_runs(const struct spot_room *room,
                             const struct job *job)
{
    return !plan_is_stopped(room->plan, job);
}

#endif
