/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waiting as heaps by class, and the fills over them. */
#include "policies/order.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

const char *const order_ties_names[] = {"sound", "submission", "lucid",
                                        "tiresias", NULL};
const char *const order_preempt_names[] = {"needed", "quota", NULL};

void order_init(struct order *order, const struct view *view, order_key key)
{
    order->key = key;
    order->n_vcs = view_cluster(view)->n_vcs;
    order->vcs = mem_zalloc(order->n_vcs, sizeof *order->vcs);
    order->instant = -1;
}

void order_fini(struct order *order)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        for (size_t g = 0; g < order->vcs[v].n_groups; g++)
            free(order->vcs[v].groups[g].heap);
        free(order->vcs[v].groups);
        free(order->vcs[v].running.at);
    }
    free(order->vcs);
    free(order->walk.at);
    free(order->victims.at);
    free(order->stopped.at);
    free(order->blocked);
    *order = (struct order){0};
}

static bool before(const struct order_entry *a, const struct order_entry *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* --- heaps ---------------------------------------------------------------- */

static void put(const struct view *view, struct order_group *group, size_t i,
                struct order_entry entry)
{
    struct order_mine *mine = view_mine(view, view_job(view, entry.job));
    group->heap[i] = entry;
    mine->at = (uint32_t)i + 1;
}

static void sift_up(const struct view *view, struct order_group *group,
                    size_t i, struct order_entry entry)
{
    while (i > 0 && before(&entry, &group->heap[(i - 1) / 2])) {
        put(view, group, i, group->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(view, group, i, entry);
}

static void sift_down(const struct view *view, struct order_group *group,
                      size_t i, struct order_entry entry)
{
    size_t child;
    while ((child = 2 * i + 1) < group->n) {
        if (child + 1 < group->n &&
            before(&group->heap[child + 1], &group->heap[child]))
            child++;
        if (!before(&group->heap[child], &entry))
            break;
        put(view, group, i, group->heap[child]);
        i = child;
    }
    put(view, group, i, entry);
}

/* The class of a job; new classes go where the order of GPUs puts them, and
 * those behind move up. */
static uint32_t group_of(struct order_vc *vc, const struct view *view,
                         const struct job *job)
{
    size_t g = 0;
    while (g < vc->n_groups && (vc->groups[g].gpus < job->gpus ||
                                (vc->groups[g].gpus == job->gpus &&
                                 vc->groups[g].gpu_type < job->gpu_type)))
        g++;
    if (g < vc->n_groups && vc->groups[g].gpus == job->gpus &&
        vc->groups[g].gpu_type == job->gpu_type)
        return (uint32_t)g;
    vc->groups = mem_grow(vc->groups, &vc->cap_groups, vc->n_groups + 1,
                          sizeof *vc->groups);
    memmove(&vc->groups[g + 1], &vc->groups[g],
            (vc->n_groups - g) * sizeof *vc->groups);
    vc->n_groups++;
    vc->groups[g] =
        (struct order_group){.gpus = job->gpus, .gpu_type = job->gpu_type};
    for (size_t k = g + 1; k < vc->n_groups; k++) {
        for (size_t i = 0; i < vc->groups[k].n; i++) {
            const struct job *moved = view_job(view, vc->groups[k].heap[i].job);
            ((struct order_mine *)view_mine(view, moved))->group = (uint32_t)k;
        }
    }
    return (uint32_t)g;
}

static void insert(struct order *order, const struct view *view,
                   struct order_entry entry)
{
    const struct job *job = view_job(view, entry.job);
    struct order_vc *vc = &order->vcs[job->vc];
    struct order_mine *mine = view_mine(view, job);
    CHECK(mine->at == 0);
    mine->group = group_of(vc, view, job);
    struct order_group *group = &vc->groups[mine->group];
    group->heap =
        mem_grow(group->heap, &group->cap, group->n + 1, sizeof *group->heap);
    sift_up(view, group, group->n++, entry);
}

static struct order_entry extract(struct order *order, const struct view *view,
                                  const struct job *job)
{
    struct order_mine *mine = view_mine(view, job);
    struct order_group *group = &order->vcs[job->vc].groups[mine->group];
    size_t i = mine->at - 1;
    struct order_entry entry = group->heap[i];
    struct order_entry last = group->heap[--group->n];
    mine->at = 0;
    if (i == group->n)
        return entry;
    if (i > 0 && before(&last, &group->heap[(i - 1) / 2]))
        sift_up(view, group, i, last);
    else
        sift_down(view, group, i, last);
    return entry;
}

/* --- entering and leaving ---------------------------------------------------
 */

/* What orders equal keys, given that the job enters the queue now. */
static uint64_t new_tie(struct order *order, const struct view *view,
                        const struct job *job, bool arrives)
{
    if (order->ties == ORDER_TIES_SOUND || order->ties == ORDER_TIES_SUBMISSION)
        return job->id; /* ids ascend by submission */
    if (order->instant != view_now(view)) {
        order->instant = view_now(view);
        order->epoch++;
    }
    /* Within one instant Tiresias' list holds the preempted, which were in it
     * already, before the arrivals; Lucid's queue gets the arrivals first. */
    bool late = arrives == (order->ties == ORDER_TIES_TIRESIAS);
    return order->epoch << 33 | (uint64_t)late << 32 |
           (order->counter++ & UINT32_MAX);
}

static bool entered_now(const struct order *order, const struct view *view,
                        const struct order_entry *entry)
{
    return order->instant == view_now(view) && entry->tie >> 33 == order->epoch;
}

static void enter(struct order *order, const struct view *view,
                  const struct job *job, bool arrives)
{
    insert(order, view,
           (struct order_entry){.key = order->key(view, job),
                                .tie = new_tie(order, view, job, arrives),
                                .job = job->id});
}

static void renew_key(struct order *order, const struct view *view,
                      const struct job *job)
{
    struct order_entry entry = extract(order, view, job);
    entry.key = order->key(view, job);
    insert(order, view, entry);
}

void order_begin(struct order *order, const struct view *view)
{
    for (size_t i = 0; i < order->stopped.n; i++) {
        const struct job *job = view_job(view, order->stopped.at[i].job);
        const struct order_mine *mine = view_mine(view, job);
        if (mine->at)
            renew_key(order, view, job);
    }
    order->stopped.n = 0;
}

void order_observe(struct order *order, const struct view *view,
                   const struct event *event)
{
    const struct job *job = event->job;
    if (!job || job->state != JOB_PENDING)
        return;
    struct order_mine *mine = view_mine(view, job);
    if (mine->at == 0)
        enter(order, view, job, true);
    else
        renew_key(order, view, job);
}

/* --- walking ----------------------------------------------------------------
 */

static void unblock(struct order *order, const struct order_vc *vc)
{
    order->blocked =
        mem_grow(order->blocked, &order->cap_blocked, vc->n_groups, 1);
    if (vc->n_groups)
        memset(order->blocked, 0, vc->n_groups);
}

/* The first waiting job among classes that are not blocked and ask for at most
 * `quota` GPUs; NULL if there is none. */
static const struct order_entry *first_waiting(const struct order *order,
                                               const struct order_vc *vc,
                                               uint32_t quota)
{
    const struct order_entry *best = NULL;
    for (size_t g = 0; g < vc->n_groups && vc->groups[g].gpus <= quota; g++) {
        const struct order_group *group = &vc->groups[g];
        if (group->n && !order->blocked[g] &&
            (!best || before(&group->heap[0], best)))
            best = &group->heap[0];
    }
    return best;
}

void order_fill(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    unblock(order, vc);
    const struct order_entry *entry;
    while ((entry = first_waiting(order, vc, UINT32_MAX))) {
        const struct job *job = view_job(plan->view, entry->job);
        if (!plan_start(plan, job))
            return;
        extract(order, plan->view, job);
    }
}

void order_fill_around(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    unblock(order, vc);
    const struct order_entry *entry;
    while ((entry = first_waiting(order, vc, plan_free_gpus(plan, id)))) {
        const struct job *job = view_job(plan->view, entry->job);
        struct order_mine *mine = view_mine(plan->view, job);
        if (plan_start(plan, job))
            extract(order, plan->view, job);
        else
            order->blocked[mine->group] = true;
    }
}

/* --- preemption -------------------------------------------------------------
 */

static void push(struct order_list *list, struct order_entry entry)
{
    list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof *list->at);
    list->at[list->n++] = entry;
}

/* Drops who has left, renews the keys and sorts again; nearly sorted already,
 * so by insertion, which is stable. */
static void renew_running(struct order *order, const struct view *view,
                          struct order_list *running)
{
    size_t n = 0;
    for (size_t i = 0; i < running->n; i++) {
        struct order_entry entry = running->at[i];
        const struct job *job = view_job(view, entry.job);
        if (job->state != JOB_RUNNING)
            continue;
        entry.key = order->key(view, job);
        size_t k = n++;
        for (; k > 0 && before(&entry, &running->at[k - 1]); k--)
            running->at[k] = running->at[k - 1];
        running->at[k] = entry;
    }
    running->n = n;
}

static bool running_first(const struct order *order, const struct view *view,
                          const struct order_entry *running,
                          const struct order_entry *waiting)
{
    if (running->key != waiting->key)
        return running->key < waiting->key;
    if (order->ties == ORDER_TIES_SUBMISSION)
        return running->tie < waiting->tie;
    if (order->ties == ORDER_TIES_TIRESIAS)
        return entered_now(order, view, waiting);
    return order->ties == ORDER_TIES_SOUND;
}

/* The selection: order->walk holds the selected in order, order->victims the
 * running that are not selected. Selected waiting jobs leave the heaps. */
static void select_jobs(struct order *order, const struct view *view,
                        struct order_vc *vc, uint32_t quota)
{
    size_t r = 0;
    order->walk.n = order->victims.n = 0;
    unblock(order, vc);
    for (;;) {
        const struct order_entry *waiting = first_waiting(order, vc, quota);
        const struct order_entry *running =
            r < vc->running.n ? &vc->running.at[r] : NULL;
        if (!waiting && !running)
            return;
        if (!waiting ||
            (running && running_first(order, view, running, waiting))) {
            const struct job *job = view_job(view, running->job);
            bool fits = job->gpus <= quota;
            push(fits ? &order->walk : &order->victims, *running);
            quota -= fits ? job->gpus : 0;
            r++;
        } else {
            const struct job *job = view_job(view, waiting->job);
            push(&order->walk, extract(order, view, job));
            quota -= job->gpus;
        }
    }
}

/* Stops victims behind `entry`, last first, until it can be placed; all or
 * nothing. */
static bool make_room(struct order *order, struct plan *plan,
                      const struct order_entry *entry)
{
    const struct view *view = plan->view;
    const struct job *job = view_job(view, entry->job);
    size_t mark = plan_mark(plan);
    for (size_t i = order->victims.n; i-- > 0;) {
        const struct order_entry *victim = &order->victims.at[i];
        const struct job *other = view_job(view, victim->job);
        if (running_first(order, view, victim, entry))
            break;
        if (plan_is_stopped(plan, other))
            continue;
        plan_stop(plan, other);
        if (plan_start(plan, job))
            return true;
    }
    plan_undo_to(plan, mark);
    return false;
}

static void start_selected(struct order *order, struct plan *plan)
{
    const struct view *view = plan->view;
    for (size_t i = 0; i < order->walk.n; i++) {
        const struct order_entry *entry = &order->walk.at[i];
        const struct job *job = view_job(view, entry->job);
        if (job->state == JOB_RUNNING || plan_start(plan, job))
            continue;
        if (order->preempt == ORDER_PREEMPT_QUOTA ||
            !make_room(order, plan, entry))
            insert(order, view, *entry); /* waits on, where it was */
    }
}

/* The next decide finds the running in the order of this walk. */
static void remember_running(struct order *order, const struct plan *plan,
                             struct order_vc *vc)
{
    vc->running.n = 0;
    for (size_t i = 0; i < order->walk.n; i++) {
        struct order_entry entry = order->walk.at[i];
        const struct job *job = view_job(plan->view, entry.job);
        if (job->state != JOB_RUNNING && !plan_is_started(plan, job))
            continue;
        if (job->state != JOB_RUNNING && order->ties == ORDER_TIES_LUCID)
            entry.tie = order->counter++; /* the run list is by start */
        if (order->ties == ORDER_TIES_TIRESIAS)
            entry.tie = 0; /* as they stand */
        push(&vc->running, entry);
    }
    for (size_t i = 0; i < order->victims.n; i++) {
        const struct job *job = view_job(plan->view, order->victims.at[i].job);
        if (!plan_is_stopped(plan, job) || plan_is_started(plan, job))
            push(&vc->running, order->victims.at[i]);
    }
}

/* Whatever fits now, in order, the stopped among them; who starts joins the
 * walk. */
static void fill_rest(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    const struct order_entry *first;
    unblock(order, vc);
    while ((first = first_waiting(order, vc, plan_free_gpus(plan, id)))) {
        struct order_entry entry = *first;
        const struct job *job = view_job(view, entry.job);
        struct order_mine *mine = view_mine(view, job);
        if (!plan_start(plan, job)) {
            order->blocked[mine->group] = true;
            continue;
        }
        extract(order, view, job);
        if (job->state != JOB_RUNNING)
            push(&order->walk, entry);
    }
}

void order_fill_preempting(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    size_t waiting = 0;
    for (size_t g = 0; g < vc->n_groups; g++)
        waiting += vc->groups[g].n;
    if (waiting == 0)
        return; /* all who run fit */
    renew_running(order, view, &vc->running);
    select_jobs(order, view, vc, cluster_vc_gpus(view_cluster(view), id));
    if (order->preempt == ORDER_PREEMPT_QUOTA) {
        for (size_t i = 0; i < order->victims.n; i++)
            plan_stop(plan, view_job(view, order->victims.at[i].job));
    }
    start_selected(order, plan);
    for (size_t i = 0; i < order->victims.n; i++) {
        const struct job *job = view_job(view, order->victims.at[i].job);
        if (plan_is_stopped(plan, job)) {
            enter(order, view, job, false);
            push(&order->stopped, order->victims.at[i]);
        }
    }
    if (order->preempt == ORDER_PREEMPT_NEEDED)
        fill_rest(order, plan, id);
    remember_running(order, plan, vc);
}
