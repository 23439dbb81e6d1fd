/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds jobs to stop without fair sharing (preemption.go,
 * classical/hierarchical_preemption.go, classical/candidate_generator.go).
 *
 * Candidates of other queues are of two sorts. Those met where the job fits in
 * the quota of a subtree around its queue are *owed*: the job reclaims what
 * that subtree lent. The others are taken by priority alone. */
#include "policies/quota/quota.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

bool quota_rule_allows(enum quota_rule rule, const struct quota_load *job,
                       const struct quota_load *candidate)
{
    if (rule == QUOTA_ANY || rule == QUOTA_NEVER)
        return rule == QUOTA_ANY;
    return candidate->priority < job->priority ||
           (rule == QUOTA_LOWER_OR_NEWER &&
            candidate->priority == job->priority &&
            candidate->created > job->created);
}

int quota_candidate_order(const struct quota_load *a,
                          const struct quota_load *b,
                          const struct quota_load *job)
{
    const bool a_own = a->queue == job->queue, b_own = b->queue == job->queue;
    if (a->evicted != b->evicted)
        return a->evicted ? -1 : 1;
    if (a_own != b_own)
        return a_own ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->reserved != b->reserved)
        return a->reserved > b->reserved ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* In the order in which they are taken. */
enum candidate_sort { SORT_OWED, SORT_PRIORITY, SORT_OWN, SORT_NONE };

struct quota_candidate {
    const struct quota_load *load;
    enum candidate_sort sort;
    enum quota_reason reason;
    /* Not taken if the queue of the job borrows in the end. */
    bool only_without_borrowing;
};

struct victim_search {
    struct quota_tree *tree;
    const struct quota_load *loads, *job;
    struct quota_candidate *candidates;
    size_t n;
    bool any_owed, any_elsewhere;
};

/* Returns the nodes around the queue of the job, from the queue itself, in
 * whose subtree quota the job fits: the lowest one; QUOTA_NO_PARENT if in none.
 */
static uint32_t victims_lowest_fit(const struct victim_search *s)
{
    int64_t amount = s->job->amount;
    for (uint32_t i = s->job->queue; i != QUOTA_NO_PARENT;
         i = s->tree->nodes[i].parent) {
        const struct quota_node *node = &s->tree->nodes[i];
        if (!quota_borrows(s->tree, i, amount))
            return i;
        const int64_t unused = node->local - node->usage;
        amount -= unused > 0 ? unused : 0;
        amount = amount > 0 ? amount : 0;
    }
    return QUOTA_NO_PARENT;
}

/* True if all nodes from the queue up to the cohort, without the cohort,
 * borrow. */
static bool victims_all_borrow(const struct quota_tree *tree, uint32_t queue,
                               uint32_t cohort)
{
    for (uint32_t i = queue; i != cohort; i = tree->nodes[i].parent) {
        if (!quota_borrows(tree, i, 0))
            return false;
    }
    return true;
}

/* Sets the sort of a job as a candidate; SORT_NONE: it may not be stopped.
 * `lowest`: what victims_lowest_fit returns. */
static struct quota_candidate victims_judge(const struct victim_search *s,
                                            const struct quota_load *load,
                                            uint32_t lowest)
{
    const struct quota_node *own = &s->tree->nodes[s->job->queue];
    struct quota_candidate c = {.load = load, .sort = SORT_NONE};
    if (load->queue == s->job->queue) {
        if (quota_rule_allows(own->within, s->job, load))
            c.sort = SORT_OWN;
        c.reason = QUOTA_IN_QUEUE;
        return c;
    }
    const uint32_t common = quota_common(s->tree, s->job->queue, load->queue);
    if (common == QUOTA_NO_PARENT ||
        !quota_rule_allows(own->reclaim, s->job, load) ||
        !victims_all_borrow(s->tree, load->queue, common))
        return c;
    /* The walk reaches `common` with advantage if the job fits in a subtree
     * below it. A parent has a lower index than its children. */
    c.sort = lowest != QUOTA_NO_PARENT && lowest > common ? SORT_OWED
                                                          : SORT_PRIORITY;
    c.reason = QUOTA_RECLAIM;
    if (c.sort == SORT_OWED)
        return c;
    if (own->borrow_within && load->priority < s->job->priority &&
        load->priority <= own->max_priority)
        c.reason = QUOTA_RECLAIM_BORROWING;
    else
        c.only_without_borrowing = true;
    return c;
}

static int victims_compare(const void *a, const void *b, void *search)
{
    const struct quota_candidate *x = a, *y = b;
    const struct victim_search *s = search;
    if (x->load->evicted != y->load->evicted)
        return x->load->evicted ? -1 : 1;
    if (x->sort != y->sort)
        return x->sort < y->sort ? -1 : 1;
    return quota_candidate_order(x->load, y->load, s->job);
}

static void victims_collect(struct victim_search *s, size_t n)
{
    const uint32_t lowest = victims_lowest_fit(s);
    for (size_t i = 0; i < n; i++) {
        struct quota_candidate c = victims_judge(s, &s->loads[i], lowest);
        if (c.sort == SORT_NONE)
            continue;
        s->candidates[s->n++] = c;
        s->any_owed |= c.sort == SORT_OWED;
        s->any_elsewhere |= c.sort != SORT_OWN;
    }
    qsort_r(s->candidates, s->n, sizeof *s->candidates, victims_compare, s);
}

static bool victims_fits(const struct quota_tree *tree,
                         const struct quota_load *job, bool borrowing)
{
    return (borrowing || !quota_borrows(tree, job->queue, job->amount)) &&
           job->amount <= quota_available(tree, job->queue);
}

size_t quota_fill_back(struct quota_tree *tree, const struct quota_load *loads,
                       const struct quota_load *job, bool borrowing,
                       struct quota_victim *victims, size_t n)
{
    for (size_t i = n - 1; i-- > 0;) {
        const struct quota_load *load = &loads[victims[i].load];
        quota_use(tree, load->queue, load->amount);
        if (victims_fits(tree, job, borrowing)) {
            memmove(&victims[i], &victims[i + 1],
                    (n - i - 1) * sizeof *victims);
            n--;
        } else {
            quota_use(tree, load->queue, -load->amount);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct quota_load *load = &loads[victims[i].load];
        quota_use(tree, load->queue, load->amount);
    }
    return n;
}

/* True if a candidate may be taken now: what was taken before may have made its
 * queue, or a cohort above it, stop borrowing. */
static bool victims_may_take(const struct victim_search *s,
                             const struct quota_candidate *c, bool borrowing)
{
    if (c->sort == SORT_OWN)
        return true;
    return !(borrowing && c->only_without_borrowing) &&
           victims_all_borrow(
               s->tree, c->load->queue,
               quota_common(s->tree, s->job->queue, c->load->queue));
}

/* Takes candidates until the job fits. Returns the number of victims, 0 if it
 * never fits; the tree is then as before. */
static size_t victims_try(const struct victim_search *s, bool borrowing,
                          struct quota_victim *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct quota_candidate *c = &s->candidates[i];
        if (!victims_may_take(s, c, borrowing))
            continue;
        quota_use(s->tree, c->load->queue, -c->load->amount);
        out[n++] =
            (struct quota_victim){(uint32_t)(c->load - s->loads), c->reason};
        if (victims_fits(s->tree, s->job, borrowing))
            return quota_fill_back(s->tree, s->loads, s->job, borrowing, out,
                                   n);
    }
    while (n-- > 0) {
        const struct quota_load *load = &s->loads[out[n].load];
        quota_use(s->tree, load->queue, load->amount);
    }
    return 0;
}

size_t quota_victims(struct quota_tree *tree, const struct quota_load *loads,
                     size_t n, const struct quota_load *job,
                     const struct quota_fairness *fairness,
                     struct quota_victim *out)
{
    if (fairness->enabled)
        return quota_fair_victims(tree, loads, n, job, fairness, out);
    const struct quota_node *own = &tree->nodes[job->queue];
    struct victim_search s = {
        .tree = tree,
        .loads = loads,
        .job = job,
        .candidates = mem_alloc((n + 1) * sizeof *s.candidates),
    };
    victims_collect(&s, n);
    bool first = true, both = true;
    if (!s.any_elsewhere || (!own->borrow_within && own->usage >= own->nominal))
        both = false;
    else if (!own->borrow_within && !s.any_owed)
        first = false;
    size_t found = victims_try(&s, first, out);
    if (!found && both)
        found = victims_try(&s, !first, out);
    free(s.candidates);
    return found;
}
