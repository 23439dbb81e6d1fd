/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds jobs to stop under fair sharing (preemption.go,
 * fairsharing/ordering.go, fairsharing/strategy.go): the queue with the highest
 * share gives first, and only as long as the step that is tried calls that
 * fair. The amount of the job that asks counts as used by its queue in all
 * shares. */
#include "policies/quota/quota_fair.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct fair_order {
    const struct quota_load *loads, *job;
};

static int fair_compare(const void *a, const void *b, void *order)
{
    const struct fair_order *o = order;
    return quota_candidate_order(&o->loads[*(const uint32_t *)a],
                                 &o->loads[*(const uint32_t *)b], o->job);
}

static void fair_collect(struct fair_search *s, size_t n)
{
    const struct quota_node *own = &s->tree->nodes[s->job->queue];
    for (size_t i = 0; i < n; i++) {
        const struct quota_load *load = &s->loads[i];
        const bool mine = load->queue == s->job->queue;
        if (!quota_rule_allows(mine ? own->within : own->reclaim, s->job,
                               load) ||
            quota_common(s->tree, load->queue, s->job->queue) ==
                QUOTA_NO_PARENT ||
            (!mine && !quota_borrows(s->tree, load->queue, 0)))
            continue;
        s->candidates[s->n++] = (uint32_t)i;
    }
    qsort_r(s->candidates, s->n, sizeof *s->candidates, fair_compare,
            &(struct fair_order){s->loads, s->job});
}

/* Returns the place among the candidates of the first one of a queue; s->n if
 * it has none. */
static size_t fair_first(const struct fair_search *s, uint32_t queue)
{
    size_t i = 0;
    while (i < s->n && s->loads[s->candidates[i]].queue != queue)
        i++;
    return i;
}

static bool fair_is_above_job(const struct fair_search *s, uint32_t node)
{
    uint32_t i = s->job->queue;
    while (i != QUOTA_NO_PARENT && i != node)
        i = s->tree->nodes[i].parent;
    return i == node;
}

/* True if nothing below the node can be taken: a queue has no candidate, or it
 * or the cohort does not borrow, unless it is the queue of the job or a cohort
 * above that. */
static bool fair_is_barren(const struct fair_search *s, uint32_t node)
{
    return s->dropped[node] ||
           (!quota_borrows(s->tree, node, 0) && !fair_is_above_job(s, node)) ||
           (s->tree->nodes[node].is_queue && fair_first(s, node) == s->n);
}

/* True if child `a` of a cohort comes before child `b`: by share, then a cohort
 * before a queue, then by the first candidates of two queues. */
static bool fair_goes_first(const struct fair_search *s, uint32_t a, uint32_t b)
{
    const struct quota_node *x = &s->tree->nodes[a], *y = &s->tree->nodes[b];
    const int by_share = quota_share_compare(quota_share_of(s->tree, a),
                                             quota_share_of(s->tree, b));
    if (by_share != 0)
        return by_share > 0;
    if (!x->is_queue || !y->is_queue)
        return !x->is_queue && y->is_queue;
    return fair_first(s, a) < fair_first(s, b);
}

uint32_t fair_next_queue(struct fair_search *s)
{
    const uint32_t root = quota_root(s->tree, s->job->queue);
    uint32_t at = root;
    while (!s->tree->nodes[at].is_queue) {
        uint32_t best = QUOTA_NO_PARENT;
        for (uint32_t i = at + 1; i < s->tree->n; i++) {
            if (s->tree->nodes[i].parent != at)
                continue;
            s->dropped[i] = fair_is_barren(s, i);
            if (!s->dropped[i] &&
                (best == QUOTA_NO_PARENT || fair_goes_first(s, i, best)))
                best = i;
        }
        if (best == QUOTA_NO_PARENT) {
            s->dropped[at] = true;
            if (at == root)
                return QUOTA_NO_PARENT;
            at = root;
            continue;
        }
        at = best;
    }
    return fair_is_barren(s, at) ? QUOTA_NO_PARENT : at;
}

uint32_t fair_pop(struct fair_search *s, uint32_t queue)
{
    const size_t at = fair_first(s, queue);
    const uint32_t load = s->candidates[at];
    s->n--;
    memmove(&s->candidates[at], &s->candidates[at + 1],
            (s->n - at) * sizeof *s->candidates);
    return load;
}

static bool fair_fits(const struct fair_search *s)
{
    quota_use(s->tree, s->job->queue, -s->job->amount);
    const bool fits = s->job->amount <= quota_available(s->tree, s->job->queue);
    quota_use(s->tree, s->job->queue, s->job->amount);
    return fits;
}

/* Takes a job. Returns true if the search is over. */
static bool fair_take(struct fair_search *s, uint32_t load,
                      enum quota_reason reason)
{
    quota_use(s->tree, s->loads[load].queue, -s->loads[load].amount);
    s->out[s->n_out++] = (struct quota_victim){load, reason};
    return fair_fits(s);
}

/* Returns the ancestor of a queue, or the queue, just below a cohort. */
static uint32_t fair_below(const struct fair_search *s, uint32_t queue,
                           uint32_t cohort)
{
    while (s->tree->nodes[queue].parent != cohort)
        queue = s->tree->nodes[queue].parent;
    return queue;
}

/* The two nodes that a step compares, and their shares now. */
struct fair_pair {
    uint32_t theirs;
    struct quota_share own_share, their_share;
};

static struct fair_pair fair_pair_of(const struct fair_search *s,
                                     uint32_t queue)
{
    const uint32_t common = quota_common(s->tree, s->job->queue, queue);
    const uint32_t theirs = fair_below(s, queue, common);
    return (struct fair_pair){
        theirs, quota_share_of(s->tree, fair_below(s, s->job->queue, common)),
        quota_share_of(s->tree, theirs)};
}

static bool fair_step_passes(const struct fair_search *s, enum quota_step step,
                             const struct fair_pair *pair, uint32_t load)
{
    const struct quota_load *l = &s->loads[load];
    if (step == QUOTA_INITIAL_SHARE)
        return quota_share_compare(pair->own_share, pair->their_share) < 0;
    quota_use(s->tree, l->queue, -l->amount);
    const struct quota_share after = quota_share_of(s->tree, pair->theirs);
    quota_use(s->tree, l->queue, l->amount);
    return quota_share_compare(pair->own_share, after) <= 0;
}

/* Takes from a queue the first candidate that passes the step; those that fail
 * are kept. Returns true if the search is over. */
static bool fair_take_by_step(struct fair_search *s, enum quota_step step,
                              uint32_t queue)
{
    const struct fair_pair pair = fair_pair_of(s, queue);
    while (fair_first(s, queue) < s->n) {
        const uint32_t load = fair_pop(s, queue);
        if (fair_step_passes(s, step, &pair, load))
            return fair_take(s, load, QUOTA_FAIR);
        s->kept[s->n_kept++] = load;
    }
    return false;
}

static bool fair_first_step(struct fair_search *s, enum quota_step step)
{
    for (uint32_t queue; (queue = fair_next_queue(s)) != QUOTA_NO_PARENT;) {
        bool over;
        if (queue == s->job->queue)
            over = fair_take(s, fair_pop(s, queue), QUOTA_IN_QUEUE);
        else if (!quota_borrows(s->tree, s->job->queue, 0))
            over = fair_take(s, fair_pop(s, queue), QUOTA_RECLAIM);
        else
            over = fair_take_by_step(s, step, queue);
        if (over)
            return true;
    }
    return false;
}

/* Tries the kept candidates: one of each queue. */
static bool fair_second_step(struct fair_search *s)
{
    memcpy(s->candidates, s->kept, s->n_kept * sizeof *s->kept);
    s->n = s->n_kept;
    memset(s->dropped, 0, s->tree->n * sizeof *s->dropped);
    for (uint32_t queue; (queue = fair_next_queue(s)) != QUOTA_NO_PARENT;) {
        const struct fair_pair pair = fair_pair_of(s, queue);
        if (quota_share_compare(pair.own_share, pair.their_share) < 0 &&
            fair_take(s, fair_pop(s, queue), QUOTA_FAIR))
            return true;
        s->dropped[queue] = true;
    }
    return false;
}

size_t quota_fair_victims(struct quota_tree *tree,
                          const struct quota_load *loads, size_t n,
                          const struct quota_load *job,
                          const struct quota_fairness *fairness,
                          struct quota_victim *out)
{
    struct fair_search s = {
        .tree = tree,
        .loads = loads,
        .job = job,
        .candidates = mem_alloc((n + 1) * sizeof *s.candidates),
        .kept = mem_alloc((n + 1) * sizeof *s.kept),
        .dropped = mem_zalloc(tree->n, sizeof *s.dropped),
        .out = out,
    };
    fair_collect(&s, n);
    quota_use(tree, job->queue, job->amount);
    bool fits = s.n > 0 && fair_first_step(&s, fairness->steps[0]);
    if (!fits && s.n_kept && fairness->steps[1] == QUOTA_INITIAL_SHARE)
        fits = fair_second_step(&s);
    quota_use(tree, job->queue, -job->amount);
    for (size_t i = 0; i < s.n_out && !fits; i++) {
        const struct quota_load *load = &loads[out[i].load];
        quota_use(tree, load->queue, load->amount);
    }
    free(s.candidates);
    free(s.kept);
    free(s.dropped);
    return fits ? quota_fill_back(tree, loads, job, true, out, s.n_out) : 0;
}
