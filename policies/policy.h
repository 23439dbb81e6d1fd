/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy interface: read a view, fill a plan.
 *
 * How to write a policy. Copy policies/fifo.c, change the rule by which it
 * starts jobs, and describe its options in an array of struct option. Add the
 * descriptor to the array in policies/registry.c and the file to
 * policies/meson.build. Write one scenario (tests/scenarios) that shows what is
 * new about the policy. Help, command line, conformance tests and laws find the
 * policy in the array.
 *
 * When it is called. The events of an instant arrive first, in the order of
 * enum event_kind, each through observe; then decide is called. A policy that
 * must decide at a time at which nothing happens asks for a wake.
 *
 * What a policy must not do. It must not keep a pointer from the view beyond
 * the call, must not read a clock, and must not let the plan depend on the
 * order of an unordered structure. */
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "policies/decide/plan.h"
#include "policies/decide/view.h"

/* What a policy needs or does. A chain of estimators that cannot tell what the
 * policy needs is completed with defaults (sim/run/compose.c). */
enum policy_needs {
    POLICY_NEEDS_DURATION = 1, /* needs an estimator of run times */
    POLICY_NEEDS_DEMAND = 2,
    POLICY_PREEMPTS = 4, /* may stop running jobs */
    /* shares GPUs: by default with an interference model and a share limit of
     * 2 */
    POLICY_SHARES = 8,
    /* profiles jobs: some nodes are set aside for it by default */
    POLICY_PROFILES = 16,
    /* changes the shapes of elastic jobs; the throughput model is then
     * application by default */
    POLICY_ELASTIC = 32,
    /* asks for run times if its settings say so (asks_times), and can do
     * without */
    POLICY_USES_DURATION = 64,
    POLICY_USES_EXTRAS = 128, /* calls view_extras */
    POLICY_REPLAYS = 256,     /* calls view_recorded_wait */
    /* plans all nodes of a virtual cluster as if no other one used them */
    POLICY_OWNS_NODES = 512,
};

/* A number that a policy has counted, for the results. It must be equal in all
 * runs of one configuration. The texts are static. */
struct policy_count {
    const char *name, *help;
    uint64_t value;
};
#define POLICY_COUNTS_MAX 8

struct policy_ops {
    PLUGIN_HEAD; /* init finds the view in env->view, valid for the run */
    /* number of bytes that view_mine gives for each job; they are 0 at first */
    size_t job_size;
    unsigned needs; /* bits of enum policy_needs */
    /* Forecast of submissions if neither the user nor the conventions name one;
     * NULL: none. */
    const char *forecast;

    /* Optional. Called when a job is submitted that could run on the cluster.
     * Returns a static text that says why this policy can never start the job,
     * which is then rejected instead of waiting for ever; NULL: the job may
     * start. */
    const char *(*never)(const void *self, const struct view *view,
                         const struct job *job);
    /* Optional. Called for each event of an instant, in order, before decide,
     * but not for the starts and stops that the policy itself has planned, nor
     * for the kinds that no plug-in sees (enum event_kind). A job that
     * finished, failed or was stopped holds no GPUs by then. */
    void (*observe)(void *self, const struct view *view,
                    const struct event *event);
    /* Optional, for a policy that keeps a list of the running jobs. Called
     * before its first decision for each job that runs already, in the order of
     * their starts, if the run begins from the state of a real cluster
     * (policies/resumed.h). */
    void (*adopt)(void *self, const struct view *view, const struct job *job);
    /* Required. Called at each instant at which something happened, unless the
     * last plan said that the policy rests (plan_rest_until). It can be called
     * twice at one instant; the second plan then asks at most for a wake,
     * unless something has changed since, such as a node that was taken
     * back. */
    void (*decide)(void *self, const struct view *view, struct plan *plan);
    /* Optional. Called at the end of a run. Writes at most POLICY_COUNTS_MAX
     * counts to `out`; returns their number. */
    size_t (*count)(const void *self, struct policy_count *out);
    /* Optional. Called at the end of a run. Adds what the user must know to
     * read the result, such as how many jobs the policy could not treat as
     * intended. */
    void (*remark)(const void *self, struct remarks *remarks);
    /* Optional, with POLICY_USES_DURATION. Returns true if the policy asks for
     * run times under this config. */
    bool (*asks_times)(const void *config);
    /* Optional, for a policy that profiles. Returns the number of GPUs of the
     * largest job that the policy profiles under this config. The nodes that
     * are set aside by default have at least this many GPUs, if the cluster can
     * spare nodes as wide as that. 0: the policy profiles no job, and no node
     * is set aside by default. */
    uint32_t (*profiles)(const void *config);
    /* Optional, for a policy that profiles. Returns true if, under this config,
     * the policy itself lends the profiler the nodes with node.lends, and takes
     * them back for a job that needs them. Otherwise no node is set aside by
     * default where a job would then have too few GPUs. */
    bool (*lends)(const void *config);
};

struct policy {
    PART_OF(policy_ops);
};

#endif
