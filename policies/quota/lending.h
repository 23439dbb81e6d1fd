/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layer `quota`: any policy under quotas that lend. The virtual clusters
 * are the queues of a tree of quotas (quota.h) and share all nodes. The policy
 * orders the jobs of each virtual cluster as it always does; the layer says
 * which of them may start, and stops jobs that hold what was lent.
 *
 * At each instant, until nothing changes any more:
 *  1. The policy starts what fits within the nominal quotas. The first job of a
 *     virtual cluster that it cannot start is the *head* of the virtual
 * cluster.
 *  2. The heads have their turns as in one cycle of Kueue (quota_cycle). A head
 *     within reach of what others do not use lets the policy start one job of
 *     its virtual cluster on borrowed GPUs. A head that may reclaim has jobs
 *     stopped; then the policy is asked about its virtual cluster first.
 *  3. A head within its nominal quota that finds no place, because the free
 * GPUs are scattered, may have further borrowing jobs stopped; while it waits,
 *     its quota is not lent.
 * With fair=division heads within the fair share of their virtual cluster have
 * their turns first, then the others by the GPUs held over the fair share, the
 * lowest first; and jobs are stopped as if the fair shares (lending_shares.h)
 * were the nominal quotas.
 * A quota counts the GPUs of jobs, whatever their type. */
#ifndef POLICIES_QUOTA_LENDING_H
#define POLICIES_QUOTA_LENDING_H

#include "policies/policy.h"
#include "policies/quota/quota.h"

struct lending_config {
    unsigned victims, fair;
    double preempt_above, k, half_life_s;
    const char *priorities; /* words from the lowest, separated by '+' */
};
extern const struct option lending_options[];

struct lending {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    const struct lending_config *config;
    const struct quota_tree *quotas; /* its queues bear the names of virtual
                                        clusters */
};

/* Fills in *lending. The engine must get `lending` as the config of
 * lending->ops. All pointers must stay valid for the run; the caller remains
 * the owner of what they point to. */
void lending_wrap(struct lending *lending, const struct policy_ops *inner,
                  const void *inner_config, const struct lending_config *config,
                  const struct quota_tree *quotas);

#endif
