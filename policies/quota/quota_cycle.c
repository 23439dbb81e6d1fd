/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cycle of admission: the heads of the queues, one by one
 * (scheduler.go, flavorassigner/flavorassigner.go).
 */
#include "policies/quota/quota.h"

#include <stdlib.h>

#include "base/arena.h"

struct cycle {
    struct quota_tree *tree;
    const struct quota_load *loads;
    size_t n;
    struct quota_head *heads;
    size_t n_heads;
    const struct quota_fairness *fairness;
    bool *gone; /* by load: a victim of an earlier head of this cycle */
};

static void cycle_set_use(struct cycle *c, const struct quota_head *head,
                          int sign)
{
    for (size_t i = 0; i < head->n_victims; i++) {
        const struct quota_load *load = &c->loads[head->victims[i].load];
        quota_use(c->tree, load->queue, sign * load->amount);
    }
}

/* True if a head that does not fit may have other jobs stopped. */
static bool cycle_may_preempt(const struct cycle *c,
                              const struct quota_load *job, bool below_root)
{
    const struct quota_node *own = &c->tree->nodes[job->queue];
    return job->amount <= own->nominal || below_root || own->borrow_within ||
           (c->fairness->enabled && own->reclaim != QUOTA_NEVER);
}

/* Finds what a head can do, on the state before the cycle. */
static void cycle_nominate(struct cycle *c, struct quota_head *head)
{
    const struct quota_load *job = &head->job;
    bool below_root;
    head->outcome = QUOTA_NO_FIT;
    head->victims = NULL;
    head->n_victims = 0;
    head->height =
        quota_height_that_fits(c->tree, job->queue, job->amount, &below_root);
    if (job->amount > quota_potential(c->tree, job->queue))
        return;
    if (job->amount <= quota_available(c->tree, job->queue)) {
        head->outcome = QUOTA_ADMIT;
        return;
    }
    if (!cycle_may_preempt(c, job, below_root))
        return;
    head->victims = mem_alloc((c->n + 1) * sizeof *head->victims);
    head->n_victims =
        quota_victims(c->tree, c->loads, c->n, job, c->fairness, head->victims);
    head->outcome = head->n_victims ? QUOTA_PREEMPT : QUOTA_CLAIM;
    cycle_set_use(c, head, -1);
    head->height =
        quota_height_that_fits(c->tree, job->queue, job->amount, &below_root);
    cycle_set_use(c, head, 1);
}

static bool cycle_is_older(const struct quota_load *a,
                           const struct quota_load *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->created != b->created ? a->created < b->created : a->id < b->id;
}

/* True if head `a` comes before head `b` below cohort `cohort`, under fair
 * sharing: each compared at its node just below it, with its amount in use,
 * or in the order that is given. */
static bool cycle_wins(struct cycle *c, const struct quota_head *a,
                       const struct quota_head *b, uint32_t cohort)
{
    const struct quota_head *const heads[] = {a, b};
    const double *order = c->fairness->order;
    struct quota_share share[2];
    double rank[2];
    bool borrows[2];
    for (int i = 0; i < 2; i++) {
        const struct quota_load *job = &heads[i]->job;
        uint32_t node = job->queue;
        while (c->tree->nodes[node].parent != cohort)
            node = c->tree->nodes[node].parent;
        rank[i] = order ? order[node] : 0;
        quota_use(c->tree, job->queue, job->amount);
        share[i] = quota_share_of(c->tree, node);
        borrows[i] = quota_borrows(c->tree, node, 0);
        quota_use(c->tree, job->queue, -job->amount);
    }
    const int by_share = quota_share_compare(share[0], share[1]);
    if (borrows[0] != borrows[1])
        return borrows[1];
    if (order)
        return rank[0] < rank[1] ||
               (rank[0] <= rank[1] && cycle_is_older(&a->job, &b->job));
    return by_share ? by_share < 0 : cycle_is_older(&a->job, &b->job);
}

/* Returns the head that wins the knock-out below a node, among those that have
 * not had their turn; NULL: none is left there. */
static struct quota_head *cycle_winner(struct cycle *c, const bool *done,
                                       uint32_t node)
{
    struct quota_head *best = NULL;
    for (size_t i = 0; i < c->n_heads && c->tree->nodes[node].is_queue; i++) {
        if (!done[i] && c->heads[i].job.queue == node)
            best = &c->heads[i];
    }
    for (uint32_t i = node + 1; i < c->tree->n; i++) {
        if (c->tree->nodes[i].parent != node)
            continue;
        struct quota_head *head = cycle_winner(c, done, i);
        if (head && (!best || cycle_wins(c, head, best, node)))
            best = head;
    }
    return best;
}

bool quota_head_goes_first(const struct quota_head *a,
                           const struct quota_head *b)
{
    return a->height != b->height ? a->height < b->height
                                  : cycle_is_older(&a->job, &b->job);
}

/* Returns the head whose turn it is. */
static struct quota_head *cycle_next(struct cycle *c, const bool *done)
{
    struct quota_head *best = NULL;
    for (size_t i = 0; i < c->n_heads; i++) {
        struct quota_head *head = &c->heads[i];
        if (done[i])
            continue;
        if (c->fairness->enabled || c->fairness->order)
            return cycle_winner(c, done, quota_root(c->tree, head->job.queue));
        if (!best || quota_head_goes_first(head, best))
            best = head;
    }
    return best;
}

/* A head without victims keeps what it could use: its quota, or up to its
 * borrowing limit. */
int64_t quota_claim(const struct quota_tree *tree,
                    const struct quota_head *head)
{
    const struct quota_load *job = &head->job;
    const struct quota_node *own = &tree->nodes[job->queue];
    int64_t most = job->amount;
    if (own->reclaim == QUOTA_ANY)
        return 0;
    if (head->height == 0)
        most = own->nominal - own->usage;
    else if (own->borrowing_limit != QUOTA_NO_LIMIT)
        most = own->nominal + own->borrowing_limit - own->usage;
    most = most > 0 ? most : 0;
    return most < job->amount ? most : job->amount;
}

static void cycle_turn(struct cycle *c, struct quota_head *head)
{
    const struct quota_load *job = &head->job;
    if (head->outcome == QUOTA_CLAIM)
        quota_use(c->tree, job->queue, quota_claim(c->tree, head));
    if (head->outcome != QUOTA_ADMIT && head->outcome != QUOTA_PREEMPT)
        return;
    bool taken = false;
    for (size_t i = 0; i < head->n_victims; i++)
        taken |= c->gone[head->victims[i].load];
    if (!taken)
        cycle_set_use(c, head, -1);
    if (taken || job->amount > quota_available(c->tree, job->queue)) {
        if (!taken)
            cycle_set_use(c, head, 1);
        head->outcome = QUOTA_SKIP;
        return;
    }
    for (size_t i = 0; i < head->n_victims; i++)
        c->gone[head->victims[i].load] = true;
    quota_use(c->tree, job->queue, job->amount);
}

void quota_cycle(struct quota_tree *tree, const struct quota_load *loads,
                 size_t n, struct quota_head *heads, size_t n_heads,
                 const struct quota_fairness *fairness, uint32_t *order)
{
    struct cycle c = {.tree = tree,
                      .loads = loads,
                      .n = n,
                      .heads = heads,
                      .n_heads = n_heads,
                      .fairness = fairness,
                      .gone = mem_zalloc(n + 1, sizeof *c.gone)};
    bool *done = mem_zalloc(n_heads + 1, sizeof *done);
    for (size_t i = 0; i < n_heads; i++)
        cycle_nominate(&c, &heads[i]);
    for (size_t i = 0; i < n_heads; i++) {
        struct quota_head *head = cycle_next(&c, done);
        order[i] = (uint32_t)(head - heads);
        done[order[i]] = true;
        cycle_turn(&c, head);
    }
    free(c.gone);
    free(done);
}
