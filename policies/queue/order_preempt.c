/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks running and waiting jobs in one order, selects the jobs that run next,
 * and stops other jobs to make room.
 *
 * If all running and waiting jobs fit together, the waiting ones start and the
 * walk looks at no running job. Otherwise the running jobs before the first
 * waiting job that is selected go on; so the walk begins there, and a decision
 * that selects no waiting job costs one pass over a compact list of the running
 * jobs. */
#include <string.h>

#include "policies/queue/order_internal.h"

/* Returns a bound: a running job goes before the waiting job if its rank is
 * below the bound. */
static order_rank bound_of(const struct order *order, const struct view *view,
                           const struct order_entry *waiting)
{
    uint64_t tie = order_rule(order)->bound(order, view, waiting);
    return order_rank_of(order_key_if_run(order, view, waiting->key), tie);
}

static bool goes_before(const struct order_runner *runner, order_rank bound)
{
    return order_rank_of(runner->entry.key, runner->entry.tie) < bound;
}

/* Returns the class of the first waiting job that fits, and sets *bound to its
 * bound. NULL, and a bound of 0, if none fits. */
static struct order_group *next_waiting(const struct order *order,
                                        const struct view *view,
                                        const struct order_vc *vc,
                                        order_rank *bound)
{
    struct order_group *group = order_first(order, vc);
    *bound = group ? bound_of(order, view, &group->heap[0]) : 0;
    return group;
}

/* Returns the index of the first running job, from number `r` on, that does not
 * stand before the bound. */
static size_t preempt_front(const struct order_list *running, size_t r,
                            order_rank bound)
{
    for (size_t rest = running->n - r; rest > 0; rest /= 2) {
        size_t half = rest - rest / 2;
        r += goes_before(&running->at[r + half - 1], bound) ? half : 0;
    }
    return r;
}

/* Takes the GPUs of the running jobs from number `r` to before `to` off the
 * quota. They fit, because all running jobs fit together. */
static void pass_running(struct order *order, const struct order_vc *vc,
                         size_t r, size_t to)
{
    if (order->n_types == 1)
        order->quota[0] -= vc->sums[to] - vc->sums[r];
    for (; order->n_types > 1 && r < to; r++)
        order->quota[vc->running.at[r].gpu_type] -= vc->running.at[r].gpus;
}

static bool still_fits(const struct order *order,
                       const struct order_group *group)
{
    return order_fits(order, group->gpus, group->gpu_type) != GPU_TYPE_ANY;
}

/* Passes over running jobs while no waiting job is selected. Returns how many
 * it has passed. *out is the class of the waiting job that is selected next;
 * NULL if there is none. */
static size_t skip_unchanged(struct order *order, const struct view *view,
                             struct order_vc *vc, struct order_group **out)
{
    order_rank bound;
    size_t r = 0, front;
    *out = next_waiting(order, view, vc, &bound);
    while (*out && (front = preempt_front(&vc->running, r, bound)) > r) {
        pass_running(order, vc, r, front);
        r = front;
        if (!still_fits(order, *out))
            *out = next_waiting(order, view, vc, &bound);
    }
    return r;
}

/* Returns how many running jobs from number `r` to before `to` leave at least
 * `gpus` GPUs of the quota. May return fewer. */
static size_t leaves_enough(const struct order *order,
                            const struct order_vc *vc, size_t r, size_t to,
                            uint32_t gpus)
{
    size_t n = 0;
    if (order->n_types > 1)
        return 0;
    for (size_t rest = to - r; rest > 0; rest /= 2) {
        size_t half = rest - rest / 2;
        uint32_t held = vc->sums[r + n + half] - vc->sums[r];
        n += held + gpus <= order->quota[0] ? half : 0;
    }
    return n;
}

/* Selects the first waiting job of the class. `before`: number of kept running
 * jobs that rank before it. */
static void select_waiting(struct order *order, const struct view *view,
                           struct order_vc *vc, struct order_group *group,
                           size_t before)
{
    uint8_t type = order_fits(order, group->gpus, group->gpu_type);
    *order_push(&order->chosen) =
        (struct order_runner){.entry = order_take(view, vc, group, 0),
                              .gpus = group->gpus,
                              .gpu_type = type,
                              .before = before};
    order->quota[type] -= group->gpus;
}

/* Keeps running job number `r`, which moves up to index `kept`, if its GPUs are
 * within the quota; else adds it to the victims. Returns how many jobs are
 * kept. */
static size_t select_running(struct order *order, struct order_list *running,
                             size_t r, size_t kept)
{
    const struct order_runner *runner = &running->at[r];
    uint32_t *quota = &order->quota[runner->gpu_type];
    if (runner->gpus > *quota) {
        *order_push(&order->victims) = *runner;
        return kept;
    }
    *quota -= runner->gpus;
    if (kept < r)
        running->at[kept] = *runner;
    return kept + 1;
}

/* Keeps the `n` running jobs from number `r` on, which are within the quota.
 * Returns how many jobs are kept. */
static size_t keep_running(struct order *order, struct order_vc *vc, size_t r,
                           size_t kept, size_t n)
{
    struct order_runner *at = vc->running.at;
    pass_running(order, vc, r, r + n);
    if (kept < r)
        memmove(&at[kept], &at[r], n * sizeof *at);
    return kept + n;
}

/* Selects jobs from running job number `r` and the first job of `waiting` on.
 * Afterwards order->chosen holds the selected waiting jobs in order, taken out
 * of their heaps, and order->victims the running jobs that are not selected.
 * Returns how many running jobs are kept. */
static size_t order_preempt_select_jobs(struct order *order,
                                        const struct view *view,
                                        struct order_vc *vc, size_t r,
                                        struct order_group *waiting)
{
    struct order_list *running = &vc->running;
    order_rank bound = bound_of(order, view, &waiting->heap[0]);
    size_t kept = r, front = preempt_front(running, r, bound);
    order->chosen.n = order->victims.n = 0;
    while (waiting) {
        size_t n = leaves_enough(order, vc, r, front, waiting->gpus);
        kept = keep_running(order, vc, r, kept, n);
        r += n;
        if (r < front) {
            kept = select_running(order, running, r++, kept);
            if (still_fits(order, waiting))
                continue;
        } else {
            select_waiting(order, view, vc, waiting, kept);
        }
        waiting = next_waiting(order, view, vc, &bound);
        if (waiting)
            front = preempt_front(running, r, bound);
    }
    size_t n = leaves_enough(order, vc, r, running->n, 0);
    kept = keep_running(order, vc, r, kept, n);
    for (r += n; r < running->n; r++)
        kept = select_running(order, running, r, kept);
    return kept;
}

/* Adds GPUs of one node to order->held, or takes them out of it. */
static void hold(struct order *order, const struct cluster *cluster,
                 const struct gpu_slice *slice, bool held)
{
    uint64_t *mask = &order->held[slice->node];
    uint64_t free = cluster->nodes[slice->node].free | (held ? 0 : slice->mask);
    order->nodes_by_room[__builtin_popcountll(free | *mask)]--;
    *mask = held ? *mask | slice->mask : *mask & ~slice->mask;
    free = cluster->nodes[slice->node].free;
    order->nodes_by_room[__builtin_popcountll(free | *mask)]++;
}

/* Finds order->held and order->nodes_by_room in a pool. Only the nodes of
 * victims are looked at one by one. */
static void find_room(struct order *order, const struct plan *plan,
                      const struct pool *pool)
{
    const struct view *view = plan->view;
    order->held = mem_grow(order->held, &order->cap_held,
                           plan->cluster->n_nodes, sizeof *order->held);
    memset(&order->held[pool->first_node], 0,
           pool->n_nodes * sizeof *order->held);
    for (uint32_t free = 0; free <= pool->widest; free++)
        order->nodes_by_room[free] = pool_count_at(pool, free);
    for (size_t i = 0; i < order->victims.n; i++) {
        struct gpu_set where =
            view_where(view, view_job(view, order->victims.at[i].entry.job));
        for (uint32_t k = 0; k < where.count; k++)
            hold(order, plan->cluster, &where.at[k], true);
    }
    order->room_known = true;
}

/* Takes the GPUs of a job that was placed out of the room. */
static void take_room(struct order *order, const struct plan *plan,
                      const struct job *job)
{
    struct gpu_set where = plan_where(plan, job);
    for (uint32_t k = 0; k < where.count; k++)
        hold(order, plan->cluster, &where.at[k], false);
}

/* False if the job cannot be placed even if all victims are stopped. Most jobs
 * for which room is wanted are such jobs, and to stop the victims in turn takes
 * long. */
static bool may_make_room(struct order *order, const struct plan *plan,
                          const struct job *job)
{
    const struct cluster *c = plan->cluster;
    const struct pool *pool = &c->pools[c->vc_pools[job->vc].first];
    const struct placer_ops *placer = plan->placer->ops;
    bool one_pool = c->vc_pools[job->vc].end == c->vc_pools[job->vc].first + 1;
    if (!one_pool || pool->narrowest != pool->widest || !placer->could_place ||
        view_learner(plan->view, job))
        return true;
    if (!order->room_known)
        find_room(order, plan, pool);
    return placer->could_place(order->nodes_by_room, pool->widest, job->gpus);
}

/* Stops victims that rank after `entry`, last first, until the job of `entry`
 * can be placed. Returns true if the job is placed; if it cannot be placed even
 * then, stops none and returns false. */
static bool preempt_make_room(struct order *order, struct plan *plan,
                              const struct order_entry *entry)
{
    const struct view *view = plan->view;
    const struct job *job = view_job(view, entry->job);
    size_t mark = plan_mark(plan);
    order_rank bound = bound_of(order, view, entry);
    if (!may_make_room(order, plan, job))
        return false;
    for (size_t i = order->victims.n; i-- > 0;) {
        const struct order_runner *victim = &order->victims.at[i];
        const struct job *other = view_job(view, victim->entry.job);
        if (goes_before(victim, bound))
            break;
        bool of_use =
            job->gpu_type == GPU_TYPE_ANY || job->gpu_type == victim->gpu_type;
        if (!of_use || plan_is_stopped(plan, other))
            continue;
        plan_stop(plan, other);
        if (plan_start(plan, job))
            return true;
    }
    plan_undo_to(plan, mark);
    return false;
}

/* Places one chosen job; returns false if that fails. If room could not be made
 * for one job of a class, the class is not tried again: the GPUs that are free
 * by now and the later victims that could still be stopped are no more than
 * before. */
static bool is_placed(struct order *order, struct plan *plan,
                      const struct order_entry *entry)
{
    const struct view *view = plan->view;
    const struct job *job = view_job(view, entry->job);
    if (plan_start(plan, job))
        return true;
    if (order->preempt != ORDER_PREEMPT_NEEDED)
        return false;
    const struct order_mine *mine = view_mine_of(view, entry->job);
    struct order_group *group = &order->vcs[job->vc].groups[mine->group];
    if (group->blocked)
        return false;
    bool made = preempt_make_room(order, plan, entry);
    /* A job with a learner may fail for a reason that other jobs of its class
     * do not have. */
    group->blocked = !made && !view_learner(view, job);
    return made;
}

/* Starts the chosen jobs. A job that starts stays in order->chosen; one that
 * cannot start returns to its old place in the queue. */
static void start_chosen(struct order *order, struct plan *plan,
                         struct order_vc *vc)
{
    struct order_list *chosen = &order->chosen;
    size_t n = 0;
    order->room_known = false;
    for (size_t i = 0; i < chosen->n; i++) {
        const struct order_entry *entry = &chosen->at[i].entry;
        if (!is_placed(order, plan, entry)) {
            order_insert(order, plan->view, *entry);
            continue;
        }
        if (order->room_known)
            take_room(order, plan, view_job(plan->view, entry->job));
        if (n < i)
            chosen->at[n] = chosen->at[i];
        n++;
    }
    if (n < chosen->n && order->preempt == ORDER_PREEMPT_NEEDED)
        order_unblock(vc);
    chosen->n = n;
}

/* Puts a stopped victim back into the queue; `index` as in
 * order_tie_rule.stop. */
static void preempt_put_back(struct order *order, const struct view *view,
                             const struct order_runner *victim, uint32_t index)
{
    const struct order_tie_rule *rule = order_rule(order);
    struct order_entry entry = victim->entry;
    if (!rule->stop) {
        order_enter(order, view, view_job(view, entry.job), false);
        return;
    }
    entry.tie = rule->stop(order, view, entry.tie, index);
    order_insert(order, view, entry);
}

/* Puts the victims that were stopped back into the queue, and moves them from
 * order->victims to order->stopped. */
static void requeue_stopped(struct order *order, const struct plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < order->victims.n; i++) {
        const struct order_runner *victim = &order->victims.at[i];
        const struct job *job = view_job(plan->view, victim->entry.job);
        if (!plan_is_stopped(plan, job)) {
            order->victims.at[n++] = *victim;
            continue;
        }
        preempt_put_back(order, plan->view, victim, (uint32_t)i);
        struct order_vc *vc = &order->vcs[job->vc];
        vc->gpus_running -= victim->gpus;
        vc->steady_left |= victim->steady_until <= vc->steady;
        order->stopped = mem_grow(order->stopped, &order->cap_stopped,
                                  order->n_stopped + 1, sizeof *order->stopped);
        order->stopped[order->n_stopped++] = job->id;
    }
    order->victims.n = n;
}

/* True if all waiting jobs fit beside all running ones. Then the order of the
 * running jobs does not matter now, and sorting them can be put off. Under a
 * tie rule that keeps the list it cannot be put off, because there the present
 * order settles ties and could not be found again later: the answer is then
 * false. It is also false with several GPU types, where the fit is not
 * checked, and if the keys must be renewed at each walk (order->eager). */
static bool all_fit(const struct order *order, const struct order_vc *vc)
{
    return order->n_types == 1 && !order->eager &&
           !order_rule(order)->keeps_list &&
           vc->gpus_running + vc->gpus_waiting <= order->quota[0];
}

static void start_all(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    struct order_group *first;
    size_t n = vc->running.n;
    order->chosen.n = order->victims.n = 0;
    while ((first = order_first(order, vc)))
        select_waiting(order, plan->view, vc, first, n);
    start_chosen(order, plan, vc);
    if (order->preempt == ORDER_PREEMPT_NEEDED && vc->n_waiting)
        order_start_fitting(order, plan, id, &order->chosen, n);
    order_remember_running(order, plan, vc, n, n, 0);
}

static void preempt_fill(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    if (vc->n_waiting == 0 && !order->eager)
        return; /* no job waits, so all running jobs go on */
    order_set_quota(order, plan, id, false);
    bool fit = all_fit(order, vc);
    if ((order->own || !fit) && !order_is_renewed(order, view, vc))
        order_renew_running(order, view, vc);
    if (fit) {
        start_all(order, plan, id);
        return;
    }
    order_sort_running(vc);
    order_sum_running(vc);
    struct order_group *waiting;
    size_t passed = skip_unchanged(order, view, vc, &waiting);
    if (!waiting)
        return; /* no waiting job is selected */
    size_t kept = order_preempt_select_jobs(order, view, vc, passed, waiting);
    if (order->preempt == ORDER_PREEMPT_QUOTA) {
        for (size_t i = 0; i < order->victims.n; i++)
            plan_stop(plan, view_job(view, order->victims.at[i].entry.job));
    }
    start_chosen(order, plan, vc);
    requeue_stopped(order, plan);
    size_t in_order = order->chosen.n;
    if (order->preempt == ORDER_PREEMPT_NEEDED)
        order_start_fitting(order, plan, id, &order->chosen, kept);
    vc->n_sorted = kept + in_order;
    order_remember_running(order, plan, vc, passed, kept, in_order);
}

void order_fill_preempting(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    preempt_fill(order, plan, id);
    if (!order_rule(order)->keeps_list || !vc->tied)
        return;
    for (size_t i = 0; i < vc->running.n; i++)
        /* the present order of the list settles ties */
        vc->running.at[i].entry.tie = 0;
    vc->tied = false;
}
