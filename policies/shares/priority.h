/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The priority of a waiting job by Slurm's plug-in priority/multifactor, for
 * policies that order jobs by it. As read in the source of Slurm 22.05:
 *
 *   priority = age x A + fair share x F + job size x J + QOS x Q + GPUs x T
 *              - nice,  cut to a whole number, at least 1
 *
 * A = (now - submission) / max_age, at most 1. F: see share_tree.h. J = (M / N
 * + C / K) / 2 with the nodes and CPUs of the job and of the cluster. Q: the
 * priority of the job / the largest of the run. T: GPUs of the job / of the
 * cluster.
 *
 * All is computed at a *tick*, a whole multiple of calc_period since the start
 * of the run, and a job's priority also on its submission. At a tick usage
 * decays, then the running jobs add theirs (share_usage_of). A job that ends
 * between ticks adds the rest at once, as with AccountingStorageEnforce=limits;
 * without limits Slurm forgets the rest. F stays until the next tick; the
 * classic F takes the usage of accounts before the tick, that of users after.
 * While no job waits nothing is computed, and ticks are made up for later: the
 * F of the next job then has the ends since the last tick, too.
 *
 * What differs from Slurm: nodes of a job are those that its GPUs fill; where
 * the trace or the cluster file does not tell CPUs, C / K are GPUs. A job that
 * failed keeps its age. Partitions, associations and sites have no factor. */
#ifndef POLICIES_SHARES_PRIORITY_H
#define POLICIES_SHARES_PRIORITY_H

#include "base/option.h"
#include "policies/policy.h"
#include "policies/shares/share_owners.h"

struct priority_config {
    uint32_t weight_age, weight_fairshare, weight_jobsize, weight_qos,
        weight_gpus;
    sim_span max_age, half_life, calc_period;
    double bill_gpu, bill_cpu, bill_gib;
    unsigned by, factor, trace_priority;
    bool favor_small;
};
/* Values of priority_config.factor and .trace_priority. */
enum priority_factor {
    PRIORITY_FAIR_TREE,
    PRIORITY_FAIR_TREE_DOCUMENT, /* SHARE_TIES_DOCUMENT */
    PRIORITY_CLASSIC,
};
enum priority_trace { PRIORITY_IGNORED, PRIORITY_QOS, PRIORITY_NICE };
extern const char *const priority_factor_names[], *const priority_trace_names[];

/* The rows of a struct priority_config that is member `f` of `type`. */
#define PRIORITY_OPTIONS(type, f) \
    OPT_U32(type, f.weight_age, "weight_age", 1000, 0, UINT32_MAX, \
            "priority of a job that has waited max_age_s", \
            PRIORITY_SOURCE "PriorityWeightAge"), \
        OPT_U32(type, f.weight_fairshare, "weight_fairshare", 10000, 0, \
                UINT32_MAX, "priority of the user who is owed most", \
                PRIORITY_SOURCE "PriorityWeightFairshare"), \
        OPT_U32(type, f.weight_jobsize, "weight_jobsize", 1000, 0, UINT32_MAX, \
                "priority of a job of the whole cluster", \
                PRIORITY_SOURCE "PriorityWeightJobSize"), \
        OPT_U32(type, f.weight_qos, "weight_qos", 0, 0, UINT32_MAX, \
                "priority of the highest priority in the trace", \
                PRIORITY_SOURCE "PriorityWeightQOS", \
                OPT_WHEN("trace_priority=qos")), \
        OPT_U32(type, f.weight_gpus, "weight_gpus", 0, 0, UINT32_MAX, \
                "priority of a job that asks for all GPUs", \
                "PriorityWeightTRES, gres/gpu; Slurm's default"), \
        OPT_SPAN(type, f.max_age, "max_age_s", 604800, 1, SECONDS_MAX, \
                 "wait after which the age counts no more", \
                 "PriorityMaxAge; Slurm's default, 7 days"), \
        OPT_SPAN( \
            type, f.half_life, "half_life_s", 604800, 0, SECONDS_MAX, \
            "time after which half of the usage is forgotten, by Slurm's " \
            "1 - 0.693 / half-life a second; 0: never", \
            "PriorityDecayHalfLife; Slurm's default, 7 days"), \
        OPT_SPAN(type, f.calc_period, "calc_period_s", 300, 1, SECONDS_MAX, \
                 "time between two ticks, at which usage and priorities are " \
                 "computed", \
                 "PriorityCalcPeriod; Slurm's default, 5 minutes"), \
        OPT_DOUBLE(type, f.bill_gpu, "bill_gpu", 1, 0, 1e9, \
                   "usage of a GPU in a second", \
                   "TRESBillingWeights, gres/gpu; Slurm bills CPUs alone by " \
                   "default"), \
        OPT_DOUBLE(type, f.bill_cpu, "bill_cpu", 0, 0, 1e9, \
                   "usage of a CPU in a second", "TRESBillingWeights, cpu"), \
        OPT_DOUBLE(type, f.bill_gib, "bill_gib", 0, 0, 1e9, \
                   "usage of a GiB of main memory in a second", \
                   "TRESBillingWeights, mem"), \
        OPT_CHOICE(type, f.by, "by", SHARE_BY_TREE, share_by_names, \
                   "whose usage counts: users within accounts within their " \
                   "parents (tree), users alone, or accounts alone; the " \
                   "account of a job is its vc in the trace", \
                   NULL), \
        OPT_CHOICE(type, f.factor, "factor", PRIORITY_FAIR_TREE, \
                   priority_factor_names, \
                   "the fair-share factor: fair tree as Slurm 22.05 computes " \
                   "it, fair tree with merged ties as its page says, or the " \
                   "classic one", \
                   "PriorityFlags; Slurm's default since 19.05 is fair-tree"), \
        OPT_CHOICE(type, f.trace_priority, "trace_priority", PRIORITY_IGNORED, \
                   priority_trace_names, \
                   "what the priority in the trace is: nothing, that of a " \
                   "QOS, or a nice value, which is subtracted", \
                   NULL), \
        OPT_BOOL(type, f.favor_small, "favor_small", false, \
                 "small jobs have the high job size factor", \
                 "PriorityFavorSmall; Slurm's default")
#define PRIORITY_SOURCE "the example of Slurm's page on the plug-in, "

struct priority_job;
struct priority {
    const struct priority_config *config;
    const struct view *view;
    struct share_owners owners;
    double decay;       /* a second */
    sim_time tick;      /* usage is that of this time */
    bool stale;         /* the factors are older than `tick` */
    double cpus;        /* CPUs of the cluster; 0: GPUs stand in for them */
    double largest_qos; /* 0: no job has a priority above 0 */
    struct priority_job *jobs; /* by job */
    uint64_t n_words;          /* jobs whose priority is no number */
};

/* `config` is borrowed. */
void priority_init(struct priority *p, const struct priority_config *config,
                   const struct run_env *env);
void priority_fini(struct priority *p); /* accepts all zeroes */

/* Call it for each event that the policy observes. */
void priority_observe(struct priority *p, const struct event *event);
/* Brings usage and factors to the last tick that is not after now. Returns true
 * if a tick has passed, so that all priorities have changed. */
bool priority_renew(struct priority *p);
/* Returns the time of the next tick. */
sim_time priority_next(const struct priority *p);

/* Returns the priority of a job now. */
uint32_t priority_of(struct priority *p, const struct job *job);

/* Adds a remark on priorities of the trace that are ignored or are words. */
void priority_remark(const struct priority *p, struct remarks *remarks);

#endif
