/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose share a job uses: makes the tree of accounts and users of a run from
 * the cluster file and the jobs, and finds the leaf of each job. All users that
 * submit in the run are in the tree from its start, as they are in Slurm's
 * database. */
#ifndef POLICIES_SHARE_OWNERS_H
#define POLICIES_SHARE_OWNERS_H

#include "base/state/plugin.h"
#include "policies/shares/share_tree.h"

enum share_by {
    SHARE_BY_TREE,    /* users in their accounts, accounts in their parents */
    SHARE_BY_USER,    /* all users side by side; shares: those in the root */
    SHARE_BY_ACCOUNT, /* accounts in their parents, their users as one */
};
extern const char *const share_by_names[]; /* ends with NULL */

struct share_owners {
    struct share_tree tree;
    uint32_t *leaf; /* by job */
};

/* Adds a remark on accounts of the trace that the cluster file lacks, if it has
 * any, and on jobs of which nobody is known. */
void share_owners_init(struct share_owners *owners, const struct run_env *env,
                       enum share_by by);
void share_owners_fini(struct share_owners *owners); /* accepts all zeroes */

#endif
