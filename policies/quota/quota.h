/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quotas that lend: a tree of queues and cohorts, what a queue may still use,
 * and which jobs are stopped so that a queue gets back what it lent. The rules
 * are those of Kueue (kubernetes-sigs/kueue at ff69552e, pkg/cache/scheduler
 * and pkg/scheduler/preemption) for one resource; the comments name its files.
 *
 * Amounts are whole units, such as GPUs. A queue or cohort *borrows* if it uses
 * more than its subtree quota. Nothing here places jobs: the tree counts. */
#ifndef POLICIES_QUOTA_H
#define POLICIES_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUOTA_NO_LIMIT INT64_MAX
#define QUOTA_NO_PARENT UINT32_MAX

/* Which jobs a job may have stopped (preemption/common/preemption_policy.go).
 */
enum quota_rule {
    QUOTA_NEVER,
    QUOTA_LOWER,          /* jobs of strictly lower priority */
    QUOTA_LOWER_OR_NEWER, /* also jobs of equal priority, submitted later */
    QUOTA_ANY,
};

/* A queue (a leaf) or a cohort. */
struct quota_node {
    const char *name;
    uint32_t parent; /* index of its cohort, which is lower than its own index;
                      * QUOTA_NO_PARENT: none */
    bool is_queue;
    int64_t nominal; /* units that are its own */
    /* most that it may use beyond its subtree quota, and most of its subtree
     * quota that others may use; QUOTA_NO_LIMIT: no limit */
    int64_t borrowing_limit, lending_limit;
    double weight; /* of its share under fair sharing, 0 or more */
    /* Which jobs a job of this queue may have stopped: of its own queue, and of
     * other queues that borrow. */
    enum quota_rule within, reclaim;
    /* True: a job may have jobs of lower priority, `max_priority` at most, in
     * other queues stopped even if its own queue borrows then. */
    bool borrow_within;
    int32_t max_priority;
    /* Set by quota_tree_init: */
    int64_t subtree; /* subtree quota: nominal, and what the children lend */
    int64_t local;   /* part of it that is not lent to the parent */
    uint32_t height; /* 0 for a queue; else 1 + that of its highest child */
    /* What it uses: a queue what its jobs hold, a cohort what its children use
     * beyond their local parts. Changed by quota_use only. */
    int64_t usage;
};

struct quota_tree {
    struct quota_node *nodes;
    uint32_t n;
};

/* Fills the fields that follow from the others; usages become 0. */
void quota_tree_init(struct quota_tree *tree);

/* Adds an amount, which may be negative, to what a queue uses. */
void quota_use(struct quota_tree *tree, uint32_t queue, int64_t amount);

/* Returns how much more a node could use now, and how much it could use if
 * nothing were in use. For a queue at least 0. */
int64_t quota_available(const struct quota_tree *tree, uint32_t node);
int64_t quota_potential(const struct quota_tree *tree, uint32_t node);

/* True if a node borrows, or would if it used `more`. */
bool quota_borrows(const struct quota_tree *tree, uint32_t node, int64_t more);

/* Returns the height of the lowest subtree around the queue whose quota holds
 * `amount` on top of what it uses; that of the root if none does. *below_root:
 * true if that subtree is not the whole tree. (FindHeightOfLowestSubtree) */
uint32_t quota_height_that_fits(const struct quota_tree *tree, uint32_t queue,
                                int64_t amount, bool *below_root);

/* The share of a node under fair sharing (pkg/cache/scheduler): what it uses
 * beyond its quota, in thousandths of what its parent could use, over its
 * weight. */
struct quota_share {
    bool infinite; /* its weight is 0 and it borrows */
    double weighted, unweighted;
};
struct quota_share quota_share_of(const struct quota_tree *tree, uint32_t node);
/* Returns a number below, equal to or above 0, as strcmp does. */
int quota_share_compare(struct quota_share a, struct quota_share b);

/* A job that holds quota, or asks for it. */
struct quota_load {
    uint32_t id;    /* decides ties, lower first */
    uint32_t queue; /* index of its queue */
    int64_t amount;
    int32_t priority;
    int64_t created;  /* time of its submission */
    int64_t reserved; /* time since which it holds quota */
    bool evicted;     /* it is being stopped */
};

/* Returns true if the rule lets `job` have `candidate` stopped. */
bool quota_rule_allows(enum quota_rule rule, const struct quota_load *job,
                       const struct quota_load *candidate);

/* Orders candidates for stopping, the first to go first, as qsort_r wants;
 * `job` is the one that asks. (preemption/common/ordering.go) */
int quota_candidate_order(const struct quota_load *a,
                          const struct quota_load *b,
                          const struct quota_load *job);

enum quota_reason {
    QUOTA_IN_QUEUE,          /* of the same queue */
    QUOTA_RECLAIM,           /* its queue borrows what is asked for */
    QUOTA_RECLAIM_BORROWING, /* of lower priority, by borrow_within */
    QUOTA_FAIR,              /* its queue has the larger share */
};

struct quota_victim {
    uint32_t load; /* index of the list of jobs */
    enum quota_reason reason;
};

/* Fair sharing: which steps are tried (fairsharing/strategy.go). */
enum quota_step {
    QUOTA_FINAL_SHARE = 1,   /* LessThanOrEqualToFinalShare */
    QUOTA_INITIAL_SHARE = 2, /* LessThanInitialShare */
};
struct quota_fairness {
    bool enabled;
    enum quota_step steps[2]; /* in order; 0 ends the list */
    /* by node: below a cohort, heads that do not make their node borrow have
     * their turns first, then those of the node with the lower number; NULL: no
     * such order */
    const double *order;
};

/* Finds jobs to stop so that `job` can have its amount. `loads`: the jobs that
 * hold quota, whose amounts the tree has in use. Fills out[], which has room
 * for n, and returns the number of victims; 0: nothing may be stopped, or no
 * set of jobs makes enough room. The tree is as before. */
size_t quota_victims(struct quota_tree *tree, const struct quota_load *loads,
                     size_t n, const struct quota_load *job,
                     const struct quota_fairness *fairness,
                     struct quota_victim *out);

/* Returns the cohort below which both nodes lie; QUOTA_NO_PARENT: none. */
uint32_t quota_common(const struct quota_tree *tree, uint32_t a, uint32_t b);
uint32_t quota_root(const struct quota_tree *tree, uint32_t node);

/* The victims under fair sharing; quota_victims calls it. */
size_t quota_fair_victims(struct quota_tree *tree,
                          const struct quota_load *loads, size_t n,
                          const struct quota_load *job,
                          const struct quota_fairness *fairness,
                          struct quota_victim *out);
/* Gives back victims, from the last but one to the first, without which the job
 * still fits. The tree has none of the victims in use. Returns how many are
 * left, and puts all of them back into use. */
size_t quota_fill_back(struct quota_tree *tree, const struct quota_load *loads,
                       const struct quota_load *job, bool borrowing,
                       struct quota_victim *victims, size_t n);

/* The heads of the queues in one cycle (scheduler.go). */
enum quota_outcome {
    QUOTA_NO_FIT,  /* it cannot have its amount, and nothing may be stopped */
    QUOTA_ADMIT,   /* it holds its amount now */
    QUOTA_PREEMPT, /* victims are stopped; it waits for their end */
    QUOTA_CLAIM,   /* nothing may be stopped yet; what it could use is kept */
    QUOTA_SKIP,    /* earlier heads of the cycle took what it needs */
};
struct quota_head {
    struct quota_load job;
    /* Set by quota_cycle: */
    enum quota_outcome outcome;
    struct quota_victim *victims;
    size_t n_victims;
    uint32_t height; /* of the lowest subtree that holds it */
};

/* True if head `a` has its turn before head `b` without fair sharing: the lower
 * height, then the higher priority, then the older job. */
bool quota_head_goes_first(const struct quota_head *a,
                           const struct quota_head *b);

/* Returns what a head with outcome QUOTA_CLAIM keeps from heads after it. */
int64_t quota_claim(const struct quota_tree *tree,
                    const struct quota_head *head);

/* Decides on the heads, one for each queue. Sets *order to the indices of the
 * heads in the order in which they had their turn. The caller frees the arrays
 * of victims. Uses the tree, and leaves it with the amounts of the admitted
 * heads and without the victims in use. */
void quota_cycle(struct quota_tree *tree, const struct quota_load *loads,
                 size_t n, struct quota_head *heads, size_t n_heads,
                 const struct quota_fairness *fairness, uint32_t *order);

#endif
