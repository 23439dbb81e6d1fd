/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy interface: read a view, fill a plan.
 *
 * How to write one. Copy policies/fifo.c, change the idea, give options as
 * rows. Add the descriptor to the array in policies/registry.c and the file to
 * policies/meson.build. Write one scenario (tests/scenarios) that shows what is
 * new about it. Help, command line, conformance tests and laws pick it up from
 * the array.
 *
 * When it is called. All events of an instant arrive first, in the order of
 * sim/state/event.h, each through observe; then decide is called once. A policy
 * that needs to think at a time at which nothing happens asks for a wake.
 *
 * What it must not do. Keep a pointer from the view beyond the call; read a
 * clock; use an unordered structure whose order reaches the plan. */
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "sim/decide/plan.h"
#include "sim/decide/view.h"

/* Needs that are checked before a run starts. */
enum policy_needs {
    POLICY_NEEDS_DURATION = 1, /* an estimator that can answer */
    POLICY_NEEDS_DEMAND = 2,
    POLICY_PREEMPTS = 4,  /* an overhead model             */
    POLICY_SHARES = 8,    /* an interference model; share limit 2 by default */
    POLICY_PROFILES = 16, /* profiler nodes                */
    POLICY_ELASTIC = 32,  /* changes shapes: jobs that know how they scale */
};

/* A number that a policy has counted, for the results. It is the same in every
 * run of one configuration. The texts are static. */
struct policy_count {
    const char *name, *help;
    uint64_t value;
};
#define POLICY_COUNTS_MAX 8

struct policy_ops {
    PLUGIN_HEAD;     /* init finds the view in env->view, valid for the run */
    size_t job_size; /* zeroed for each job; reached by view_mine      */
    unsigned needs;  /* bits of enum policy_needs */
    /* chain if the user names none; NULL: oracle, and a source of demand if
     * that is needed */
    const char *estimators;
    /* model of submissions if the user names none; NULL: no forecast */
    const char *forecast;

    /* Optional. Called when a job is submitted that could run on the cluster.
     * Returns a static text that says why this policy can never start the job,
     * which is then rejected instead of waiting for ever; NULL: it may start.
     */
    const char *(*never)(const void *self, const struct view *view,
                         const struct job *job);
    /* Optional. Called for each event of an instant, in order, before decide. A
     * job that finished, failed or was stopped holds no GPUs by then. */
    void (*observe)(void *self, const struct view *view,
                    const struct event *event);
    /* Required. Called once per instant in which something happened, unless
     * the last plan said that the policy rests (plan_rest_until). */
    void (*decide)(void *self, const struct view *view, struct plan *plan);
    /* Optional. Called at the end of a run. Writes at most POLICY_COUNTS_MAX
     * counts; returns how many. */
    size_t (*count)(const void *self, struct policy_count *out);
    /* Optional. At the end of a run: what the user must know to read its
     * result, such as how many jobs the policy could not treat as it means to.
     */
    void (*remark)(const void *self, struct remarks *remarks);
    /* Optional, for a policy that profiles: the GPUs of the largest job that it
     * profiles under this config. Nodes that are set aside by default are at
     * least this wide, if the cluster has such nodes to spare. 0: it profiles
     * no job, and no node is set aside by default. */
    uint32_t (*profiles)(const void *config);
    /* Optional. Another policy that must run over all jobs and nodes first, in
     * a run of its own, if the config asks for it; NULL if not. The outcome of
     * each job is then in view_first_stage. */
    const struct policy_ops *(*first)(const void *config);
};

struct policy {
    PART_OF(policy_ops);
};

#endif
