/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running and waiting jobs in one order: who is selected, who makes room.
 *
 * Where all who run and wait fit together, those who wait start and nobody who
 * runs is looked at. Otherwise everything in front of the first waiting job
 * that is selected runs already and goes on; so the walk begins there, and a
 * decide in which nobody is selected costs one pass over a compact list of the
 * running. */
#include "policies/order.h"

/* Who runs and ranks below this goes before a job that waits. */
static order_rank bound_of(const struct order *order, const struct view *view,
                           const struct order_entry *waiting)
{
    uint64_t tie = waiting->tie;
    if (order->ties == ORDER_TIES_SOUND)
        tie = UINT64_MAX;
    else if (order->ties == ORDER_TIES_LUCID)
        tie = 0;
    else if (order->ties == ORDER_TIES_TIRESIAS)
        tie = order_entered_now(order, view, waiting) ? UINT64_MAX : 0;
    return order_rank_of(waiting->key, tie);
}

static bool goes_before(const struct order_runner *runner, order_rank bound)
{
    return order_rank_of(runner->entry.key, runner->entry.tie) < bound;
}

/* The class of the first waiting job that fits, and its bound. */
static struct order_group *next_waiting(const struct order *order,
                                        const struct view *view,
                                        const struct order_vc *vc,
                                        order_rank *bound)
{
    struct order_group *group = order_first(order, vc);
    *bound = group ? bound_of(order, view, &group->heap[0]) : 0;
    return group;
}

/* How many running jobs are in front of all who wait, whatever fits: their GPUs
 * are taken off the quota without a look at who still fits. */
static size_t pass_front(struct order *order, const struct order_vc *vc,
                         order_rank bound)
{
    const struct order_runner *at = vc->running.at;
    size_t front = 0;
    for (size_t rest = vc->running.n; rest > 0; rest /= 2) {
        size_t half = rest - rest / 2;
        front += goes_before(&at[front + half - 1], bound) ? half : 0;
    }
    uint32_t taken = 0; /* they fit together */
    for (size_t r = 0; order->n_types == 1 && r < front; r++)
        taken += at[r].gpus;
    order->quota[0] -= taken;
    for (size_t r = 0; order->n_types > 1 && r < front; r++)
        order->quota[at[r].gpu_type] -= at[r].gpus;
    return front;
}

static bool still_fits(const struct order *order,
                       const struct order_group *group)
{
    return order_fits(order, group->gpus, group->gpu_type) != GPU_TYPE_ANY;
}

/* Passes over running jobs while no waiting one is selected; returns how many.
 * *out: the class of the waiting job that is selected next, NULL if none is. */
static size_t skip_unchanged(struct order *order, const struct view *view,
                             struct order_vc *vc, struct order_group **out)
{
    order_rank bound;
    struct order_group *waiting = next_waiting(order, view, vc, &bound);
    size_t r = waiting ? pass_front(order, vc, bound) : 0;
    if (r > 0 && !still_fits(order, waiting))
        waiting = next_waiting(order, view, vc, &bound);
    for (; waiting && r < vc->running.n; r++) {
        const struct order_runner *runner = &vc->running.at[r];
        if (!goes_before(runner, bound))
            break;
        order->quota[runner->gpu_type] -= runner->gpus;
        if (!still_fits(order, waiting))
            waiting = next_waiting(order, view, vc, &bound);
    }
    *out = waiting;
    return r;
}

/* The first of its class is to run, behind so many of the running. */
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

/* Who goes on moves up to `kept`; returns how many have been kept. */
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

/* The selection from the running job number `r` and the first of `waiting` on:
 * order->chosen holds the waiting that are selected, in order, and no heap does
 * any more; order->victims the running that are not. Returns how many of the
 * running are left. */
static size_t select_jobs(struct order *order, const struct view *view,
                          struct order_vc *vc, size_t r,
                          struct order_group *waiting)
{
    struct order_list *running = &vc->running;
    size_t kept = r;
    order_rank bound = bound_of(order, view, &waiting->heap[0]);
    order->chosen.n = order->victims.n = 0;
    while (waiting) {
        if (r < running->n && goes_before(&running->at[r], bound)) {
            kept = select_running(order, running, r++, kept);
            if (still_fits(order, waiting))
                continue;
        } else {
            select_waiting(order, view, vc, waiting, kept);
        }
        waiting = next_waiting(order, view, vc, &bound);
    }
    for (; r < running->n; r++)
        kept = select_running(order, running, r, kept);
    return kept;
}

/* Stops victims behind `entry`, last first, until it can be placed; all or
 * nothing. */
static bool make_room(struct order *order, struct plan *plan,
                      const struct order_entry *entry)
{
    const struct view *view = plan->view;
    const struct job *job = view_job(view, entry->job);
    size_t mark = plan_mark(plan);
    order_rank bound = bound_of(order, view, entry);
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

/* A class for which room could not be made is not tried again: what is free by
 * now, and those behind that could still be stopped, are no more than before.
 */
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
    bool made = make_room(order, plan, entry);
    group->blocked = !made && !view_agent(view, job); /* or its own inability */
    return made;
}

/* Who starts stays among the chosen; who does not waits on, where it was. */
static void start_chosen(struct order *order, struct plan *plan,
                         struct order_vc *vc)
{
    struct order_list *chosen = &order->chosen;
    size_t n = 0;
    for (size_t i = 0; i < chosen->n; i++) {
        const struct order_entry *entry = &chosen->at[i].entry;
        if (!is_placed(order, plan, entry)) {
            order_insert(order, plan->view, *entry);
            continue;
        }
        if (n < i)
            chosen->at[n] = chosen->at[i];
        n++;
    }
    if (n < chosen->n && order->preempt == ORDER_PREEMPT_NEEDED)
        order_unblock(vc);
    chosen->n = n;
}

/* Of a victim: who has just come into its queue stands at the tail still. */
static struct order_entry queue_entry(struct order *order,
                                      const struct view *view,
                                      const struct order_runner *victim,
                                      uint32_t index)
{
    struct order_entry entry = victim->entry;
    if (entry.tie == 0)
        entry.tie = order_head(order, view, index);
    return entry;
}

/* Victims that were stopped wait again. */
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
        if (order->ties == ORDER_TIES_QUEUES)
            order_insert(order, plan->view,
                         queue_entry(order, plan->view, victim, (uint32_t)i));
        else
            order_enter(order, plan->view, job, false);
        struct order_vc *vc = &order->vcs[job->vc];
        vc->gpus_running -= victim->gpus;
        vc->steady_left |= victim->steady_until <= vc->steady;
        order->stopped = mem_grow(order->stopped, &order->cap_stopped,
                                  order->n_stopped + 1, sizeof *order->stopped);
        order->stopped[order->n_stopped++] = job->id;
    }
    order->victims.n = n;
}

/* Whatever fits now, in order, the stopped among them; who starts stands behind
 * the chosen and the `kept`. */
static void fill_rest(struct order *order, struct plan *plan, uint16_t id,
                      size_t kept)
{
    const struct view *view = plan->view;
    const struct cluster *cluster = view_cluster(view);
    struct order_vc *vc = &order->vcs[id];
    struct order_group *first;
    order_set_quota(order, cluster, id, true);
    while ((first = order_first(order, vc))) {
        if (!plan_start(plan, view_job(view, first->heap[0].job))) {
            first->blocked = true;
            continue;
        }
        *order_push(&order->chosen) =
            (struct order_runner){.entry = order_take(view, vc, first, 0),
                                  .gpus = first->gpus,
                                  .before = kept};
        order_set_quota(order, cluster, id, true);
    }
    order_unblock(vc);
}

/* Do all who wait fit beside all who run? Then the order of the running does
 * not matter, if it can be found again: jobs that stand as they happen to stand
 * cannot be left for later. */
static bool all_fit(const struct order *order, const struct order_vc *vc)
{
    return order->n_types == 1 && !order->eager &&
           order->ties != ORDER_TIES_TIRESIAS &&
           order->ties != ORDER_TIES_QUEUES &&
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
        fill_rest(order, plan, id, n);
    order_remember_running(order, plan, vc, n, n);
    vc->sorted &= vc->running.n == n;
}

static void fill(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    if (vc->n_waiting == 0 && !order->eager)
        return; /* all who run fit */
    order_set_quota(order, view_cluster(view), id, false);
    bool fit = all_fit(order, vc);
    if ((order->own || !fit) && !order_is_renewed(order, view, vc))
        order_renew_running(order, view, vc);
    if (fit) {
        start_all(order, plan, id);
        return;
    }
    /* Without keys of their own, the chosen stand behind their equals. */
    if (!vc->sorted || !order->own)
        order_sort_running(vc);
    struct order_group *waiting;
    size_t passed = skip_unchanged(order, view, vc, &waiting);
    if (!waiting)
        return; /* nobody is selected who does not run */
    size_t kept = select_jobs(order, view, vc, passed, waiting);
    if (order->preempt == ORDER_PREEMPT_QUOTA) {
        for (size_t i = 0; i < order->victims.n; i++)
            plan_stop(plan, view_job(view, order->victims.at[i].entry.job));
    }
    start_chosen(order, plan, vc);
    requeue_stopped(order, plan);
    size_t in_order = order->chosen.n;
    if (order->preempt == ORDER_PREEMPT_NEEDED)
        fill_rest(order, plan, id, kept);
    vc->sorted = order->chosen.n == in_order && order->victims.n == 0;
    order_remember_running(order, plan, vc, passed, kept);
}

void order_fill_preempting(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_list *running = &order->vcs[id].running;
    fill(order, plan, id);
    for (size_t i = 0; order->ties == ORDER_TIES_QUEUES && i < running->n; i++)
        running->at[i].entry.tie = 0; /* before all who wait, as they stand */
}
