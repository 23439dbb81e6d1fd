/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles jobs for a policy that schedules only profiled jobs: chooses which
 * jobs are profiled, in which order and for how long, and which may be
 * scheduled afterwards. A policy passes all events to profiler_observe, calls
 * profiler_decide first in its decide, and then takes over the jobs that
 * profiler_take_ready hands out. The policy never sees the jobs that wait for a
 * profile.
 *
 *     struct config { struct profiler_config profiler; ... };
 *     options[] = { ..., PROFILER_OPTIONS(struct config, profiler), {0} };
 *
 * A job is profiled once, on free GPUs of profiler nodes, unless
 * - its demand is believed already, and not only by a default that a profile
 *   would replace (view_demand_settled),
 * - it asks for more than profile_max_gpus GPUs,
 * - no profiler node that is up has that many GPUs of a type on which it can
 *   run.
 *
 * While an answer of an estimator about the job is on its way
 * (view_advice_due), a job that could be profiled is held back. With the answer
 * the job is handed out without a profile, or waits for its profile if its
 * demand is still unknown. Jobs with the fewest GPUs are profiled first; jobs
 * with equally many in order of arrival. The first job that does not fit blocks
 * the rest. A job whose profile is cut short by a failure is profiled again,
 * unless its demand is known by then. Jobs that are exempt although their
 * demand is unknown are counted (profiler_remark).
 *
 * The set of profiler nodes can grow with the load (profile_lend_nodes): while
 * many jobs wait, the pool with the most GPUs on idle nodes, of the pools that
 * have a node for the first waiting job, lends its last such node.
 *
 * Where nodes set aside for good would leave a job too few GPUs, the profiler
 * has *standing loans* instead: nodes for jobs (node.lends) that are lent from
 * the beginning on. A job that needs more GPUs than are outside the profiler
 * gets lent nodes back, standing or not, by profiler_yield. If jobs are being
 * profiled on them, no further job is profiled until these have ended, at most
 * profile_s later; this is a *drain*. While no job waits for a profile, any job
 * gets idle nodes back that it fills; a smaller job would keep a node from many
 * profiles for long. When a node of the pool is idle again, it is lent again.
 * Until then another pool with nodes of that type lends an idle one, so that a
 * long job of one virtual cluster does not stop the profiles of all others. */
#ifndef POLICIES_PROFILER_H
#define POLICIES_PROFILER_H

#include "policies/policy.h"

struct profiler_config {
    /* longest time for which a job is profiled, us (profile_s) */
    sim_span limit;
    /* largest number of GPUs of a job that is profiled (profile_max_gpus) */
    uint32_t max_gpus;
    /* largest number of nodes lent at a time (profile_lend_nodes) */
    uint32_t lend_nodes;
    /* a node is lent while more jobs than this wait (profile_lend_above) */
    uint32_t lend_above;
    /* lent nodes go back while fewer jobs than this wait
     * (profile_return_below) */
    uint32_t return_below;
    /* lent nodes go back only if jobs are expected to ask for at most this many
     * GPUs in 10 minutes (profile_quiet_gpus) */
    double quiet_gpus;
};

#define PROFILER_OPTIONS(type, field) \
    OPT_SPAN(type, field.limit, "profile_s", 100, 0.000001, 86400, \
             "longest time for which a job is profiled", \
             "SchedMate (5.2), Lucid: 100 s; Lucid's simulator: Venus 200 s, " \
             "Philly 80 s"), \
        OPT_U32(type, field.max_gpus, "profile_max_gpus", 8, 0, 1000000, \
                "jobs with more GPUs are not profiled; 0: no job is", \
                "Lucid's simulator: Venus 8, Philly 4"), \
        OPT_U32( \
            type, field.lend_nodes, "profile_lend_nodes", 1, 0, 1000, \
            "most idle nodes that virtual clusters lend the profiler at once", \
            "Lucid's simulator: 1 on Venus; 0: none"), \
        OPT_U32(type, field.lend_above, "profile_lend_above", 10, 0, 1000000, \
                "a node is lent while more jobs than this wait for a profile", \
                "Lucid's simulator", OPT_WHEN("profile_lend_nodes!=0")), \
        OPT_U32(type, field.return_below, "profile_return_below", 5, 1, \
                1000000, \
                "an idle node that was lent is returned if fewer jobs than " \
                "this wait for a profile", \
                "Lucid's simulator", OPT_WHEN("profile_lend_nodes!=0")), \
        OPT_DOUBLE( \
            type, field.quiet_gpus, "profile_quiet_gpus", 40, 0, 1e9, \
            "a node that was lent is returned only if jobs are expected to " \
            "ask for at most this many GPUs in 10 minutes (--forecast; " \
            "without a forecast this is not checked)", \
            "Lucid's simulator: 5 x the GPUs of the largest job that is " \
            "profiled", \
            OPT_WHEN("profile_lend_nodes!=0"))

struct profiler_entry {
    const struct job *job;
    uint64_t seq; /* number of the entry in order of arrival */
};

/* A standing loan. */
struct profiler_own {
    node_id home;  /* node with node.lends */
    uint16_t pool; /* pool of `home` */
    node_id node;  /* node that is lent now; NODE_NONE: none */
};

struct profiler {
    const struct profiler_config *config;
    uint8_t *stages; /* by job: enum stage (profiler.c) */
    /* Jobs that wait for a profile, fewest GPUs first; a job that no longer
     * waits stays here until it is at the top. */
    struct profiler_entry *heap;
    size_t n, cap;
    /* Jobs that may be scheduled; those before next_ready have been handed out.
     */
    const struct job **ready;
    size_t n_ready, next_ready, cap_ready;
    uint64_t seq;     /* number of entries into the heap so far */
    size_t n_waiting; /* number of jobs that wait for a profile */
    node_id *lent;    /* nodes that this policy has lent to the profiler */
    size_t n_lent, cap_lent;
    struct profiler_own *own; /* standing loans */
    size_t n_own, cap_own;
    /* job for which the profiler drains; NULL: it does not. The policy sets it
     * to NULL before it looks at the waiting jobs of that virtual cluster
     * again. */
    const struct job *drain;
    /* true if profiler_yield has ended a loan since profiler_decide, which the
     * policy must then call again at this instant */
    bool yielded;
    /* true if the head did not fit and no GPU of a profiler node has come free
     * since */
    bool blocked;
    uint32_t n_jobs; /* number of jobs of the run */
    /* Jobs of unknown demand that were never profiled: those that ask for more
     * than max_gpus GPUs, and those that no profiler node could take. */
    uint32_t n_large, n_homeless;
    /* smallest number of GPUs for which one of the n_homeless jobs asked;
     * UINT32_MAX: n_homeless is 0 */
    uint32_t homeless_gpus;
    /* number of GPUs of the widest profiler node when n_homeless became 1 */
    uint32_t node_gpus;
};

/* Call from the policy's init and fini. */
void profiler_init(struct profiler *p, const struct profiler_config *config,
                   const struct view *view);
void profiler_fini(struct profiler *p); /* accepts all zeroes */
/* Call with every event that the policy observes. */
void profiler_observe(struct profiler *p, const struct view *view,
                      const struct event *event);
/* Starts to profile the jobs whose turn it is, and lends and takes back
 * nodes. */
void profiler_decide(struct profiler *p, const struct view *view,
                     struct plan *plan);
/* Tries to start a waiting job, which plan_start could not start, with nodes
 * that are lent to the profiler. Only nodes on which no job is profiled are
 * taken back, and only if the job then starts. Either it otherwise has too few
 * GPUs outside the profiler, or no job waits for a profile and it fills the
 * nodes. Returns true if the plan starts the job. If a job has too few GPUs and
 * only profiles are in the way, begins a drain and returns false: until the
 * drain is over, the policy must start no job of this virtual cluster that
 * comes after the job, and must try the job again at each decision. */
bool profiler_yield(struct profiler *p, struct plan *plan,
                    const struct job *job);
/* Returns the next job that may be scheduled: it was profiled or is exempt, an
 * estimator has told its demand, it is back after a failure or a stop, or its
 * profiler nodes are gone. Jobs come in the order in which this happened.
 * Returns NULL if there is no such job at this instant. A job that the policy
 * itself stops is not handed out again; the policy must keep track of it. */
const struct job *profiler_take_ready(struct profiler *p);
/* Adds remarks that say which jobs were never profiled, and why. */
void profiler_remark(const struct profiler *p, struct remarks *remarks);

#endif
