/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ordered queue: keys of waiting jobs, ties, classes of equal demand,
 * running jobs, and starts without preemption. */

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/heap.h"
#include "policies/queue/order_internal.h"

/* Keeps the waiting jobs in one heap for each class, and searches for the class
 * that is next. */

static bool order_before_one(const void *a, const void *b)
{
    return order_before(a, b);
}

/* Called by the heap when an entry moves. Records the index of the job, so that
 * the job can be removed from the middle. */
static void order_placed(const void *view, const void *entry, size_t at)
{
    struct order_mine *mine =
        view_mine_of(view, ((const struct order_entry *)entry)->job);
    mine->at = (uint32_t)at + 1;
}

static const struct heap_kind classes_waiting = {
    .size = sizeof(struct order_entry),
    .before = order_before_one,
    .placed = order_placed,
};

static bool is_of(const struct order_group *group, const struct job *job)
{
    return group->gpus == job->gpus && group->gpu_type == job->gpu_type;
}

/* Returns the index of the class of a job. A new class is inserted at its place
 * by GPUs and type, and the classes after it move up by one. */
static uint32_t order_group_of(struct order_vc *vc, const struct view *view,
                               const struct job *job)
{
    size_t g = ((const struct order_mine *)view_mine(view, job))->group;
    if (g < vc->n_groups && is_of(&vc->groups[g], job))
        return (uint32_t)g; /* the class that the job was in before */
    g = 0;
    while (g < vc->n_groups && (vc->groups[g].gpus < job->gpus ||
                                (vc->groups[g].gpus == job->gpus &&
                                 vc->groups[g].gpu_type < job->gpu_type)))
        g++;
    if (g < vc->n_groups && is_of(&vc->groups[g], job))
        return (uint32_t)g;
    vc->groups = mem_grow(vc->groups, &vc->cap_groups, vc->n_groups + 1,
                          sizeof *vc->groups);
    vc->filled =
        mem_resize(vc->filled, (vc->n_groups / 64 + 1) * sizeof *vc->filled);
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
    memset(vc->filled, 0, ((vc->n_groups + 63) / 64) * sizeof *vc->filled);
    for (size_t k = 0; k < vc->n_groups; k++)
        vc->filled[k / 64] |= (uint64_t)(vc->groups[k].n > 0) << (k % 64);
    return (uint32_t)g;
}

void order_insert(struct order *order, const struct view *view,
                  struct order_entry entry)
{
    const struct job *job = view_job(view, entry.job);
    struct order_vc *vc = &order->vcs[job->vc];
    struct order_mine *mine = view_mine(view, job);
    CHECK(mine->at == 0);
    mine->group = order_group_of(vc, view, job);
    struct order_group *group = &vc->groups[mine->group];
    group->heap =
        mem_grow(group->heap, &group->cap, group->n + 1, sizeof *group->heap);
    vc->n_waiting++;
    vc->gpus_waiting += job->gpus;
    vc->filled[mine->group / 64] |= UINT64_C(1) << (mine->group % 64);
    heap_put(&classes_waiting, view, group->heap, group->n++, &entry);
}

struct order_entry order_take(const struct view *view, struct order_vc *vc,
                              struct order_group *group, size_t i)
{
    struct order_entry entry = group->heap[i];
    size_t last = --group->n;
    struct order_mine *mine = view_mine_of(view, entry.job);
    vc->n_waiting--;
    vc->gpus_waiting -= group->gpus;
    mine->at = 0;
    if (last == 0)
        vc->filled[mine->group / 64] &= ~(UINT64_C(1) << (mine->group % 64));
    heap_take(&classes_waiting, view, group->heap, last + 1, i);
    return entry;
}

/* Restores the heap of a class in which keys have changed. */
static void order_heapify(const struct view *view, struct order_group *group)
{
    for (size_t i = group->n; i-- > 0;) {
        struct order_entry entry = group->heap[i];
        heap_sink(&classes_waiting, view, group->heap, group->n, i, &entry);
    }
}

void order_unblock(struct order_vc *vc)
{
    for (size_t g = 0; g < vc->n_groups; g++)
        vc->groups[g].blocked = false;
}

/* Returns the largest number of GPUs of one type that the quota holds. */
static uint32_t most_left(const struct order *order)
{
    uint32_t most = order->quota[0];
    for (uint32_t type = 1; type < order->n_types; type++)
        most = order->quota[type] > most ? order->quota[type] : most;
    return most;
}

/* Classes are ordered by their number of GPUs. So after the first class that
 * exceeds the quota of every type, no class fits. */
struct order_group *order_first(const struct order *order,
                                const struct order_vc *vc)
{
    struct order_group *best = NULL;
    order_rank least = ~(order_rank)0;
    uint32_t most = most_left(order);
    for (size_t w = 0; 64 * w < vc->n_groups; w++) {
        for (uint64_t m = vc->filled[w]; m; m &= m - 1) {
            struct order_group *group =
                &vc->groups[64 * w + (size_t)__builtin_ctzll(m)];
            if (group->gpus > most)
                return best;
            order_rank rank =
                order_rank_of(group->heap[0].key, group->heap[0].tie);
            bool fits =
                order->n_types == 1 ||
                order_fits(order, group->gpus, group->gpu_type) != GPU_TYPE_ANY;
            bool better = (rank < least) & fits & !group->blocked;
            best = better ? group : best;
            least = better ? rank : least;
        }
    }
    return best;
}

struct order_group *order_head_of_line(const struct order_vc *vc)
{
    struct order_group *best = NULL;
    for (size_t w = 0; 64 * w < vc->n_groups; w++) {
        for (uint64_t m = vc->filled[w]; m; m &= m - 1) {
            struct order_group *group =
                &vc->groups[64 * w + (size_t)__builtin_ctzll(m)];
            if (!best || order_before(&group->heap[0], &best->heap[0]))
                best = group;
        }
    }
    return best;
}

/* The rules for jobs with equal keys, in one table. A function that has the
 * name of a simulator in its own name imitates that simulator. */

const char *const order_ties_names[] = {"sound",    "submission", "lucid",
                                        "tiresias", "size",       NULL};

/* Returns the present epoch, as the upper bits of a tie. Each instant at which
 * jobs enter a queue is an epoch, and a job that enters in a later epoch gets a
 * larger tie. Bits of such a tie: 33 and up: epoch; 32: 0 for the group of jobs
 * that goes first within the epoch; 0 to 31: order within the group. */
static uint64_t epoch_now(struct order *order, const struct view *view)
{
    if (order->instant != view_now(view)) {
        order->instant = view_now(view);
        order->epoch++;
    }
    return order->epoch << 33;
}

static uint64_t enter_by_submission(struct order *order,
                                    const struct view *view,
                                    const struct job *job, bool arrives)
{
    (void)order, (void)view, (void)arrives;
    return job->id; /* ids ascend by time of submission */
}

static uint64_t enter_by_size(struct order *order, const struct view *view,
                              const struct job *job, bool arrives)
{
    (void)order, (void)view, (void)arrives;
    return (uint64_t)job->gpus << 32 | job->id;
}

/* The queue of Lucid's simulator gets the arrivals of an instant before the
 * jobs that were preempted at that instant. */
static uint64_t enter_lucid(struct order *order, const struct view *view,
                            const struct job *job, bool arrives)
{
    uint64_t epoch = epoch_now(order, view);
    (void)job;
    return epoch | (uint64_t)!arrives << 32 | (order->counter++ & UINT32_MAX);
}

/* The list of Tiresias' simulator holds the preempted jobs already when the
 * arrivals of the instant are appended. */
static uint64_t enter_tiresias(struct order *order, const struct view *view,
                               const struct job *job, bool arrives)
{
    uint64_t epoch = epoch_now(order, view);
    (void)job;
    return epoch | (uint64_t)arrives << 32 | (order->counter++ & UINT32_MAX);
}

/* In a queue of policy tiresias, jobs that entered at the head have ties below
 * the middle, and jobs that entered at the tail have ties above it. */
#define TIE_MIDDLE (UINT64_C(1) << 62)

static uint64_t enter_at_tail(struct order *order, const struct view *view,
                              const struct job *job, bool arrives)
{
    return TIE_MIDDLE +
           (epoch_now(order, view) | (uint64_t)!arrives << 32 | job->id);
}

/* A job whose tie is not 0 has entered a queue at this instant and keeps its
 * place at the tail. */
static uint64_t stop_to_head(struct order *order, const struct view *view,
                             uint64_t tie, uint32_t index)
{
    return tie ? tie : TIE_MIDDLE - epoch_now(order, view) + index;
}

static uint64_t running_first(const struct order *order,
                              const struct view *view,
                              const struct order_entry *waiting)
{
    (void)order, (void)view, (void)waiting;
    return UINT64_MAX;
}

static uint64_t waiting_first(const struct order *order,
                              const struct view *view,
                              const struct order_entry *waiting)
{
    (void)order, (void)view, (void)waiting;
    return 0;
}

static uint64_t smaller_first(const struct order *order,
                              const struct view *view,
                              const struct order_entry *waiting)
{
    (void)order, (void)view;
    return waiting->tie;
}

/* In the list of Tiresias' simulator, jobs that have waited since an earlier
 * instant stand before the running jobs, and jobs that began to wait at this
 * instant stand after them. */
static uint64_t new_last_tiresias(const struct order *order,
                                  const struct view *view,
                                  const struct order_entry *waiting)
{
    bool is_new =
        order->instant == view_now(view) && waiting->tie >> 33 == order->epoch;
    return is_new ? UINT64_MAX : 0;
}

/* Lucid's simulator lists running jobs in the order in which they started. */
static uint64_t start_lucid(struct order *order)
{
    return order->counter++;
}

const struct order_tie_rule order_tie_rules[] = {
    [ORDER_TIES_SOUND] = {.enter = enter_by_submission, .bound = running_first},
    [ORDER_TIES_SUBMISSION] = {.enter = enter_by_submission,
                               .bound = smaller_first},
    [ORDER_TIES_LUCID] = {.enter = enter_lucid,
                          .bound = waiting_first,
                          .start = start_lucid},
    [ORDER_TIES_TIRESIAS] = {.enter = enter_tiresias,
                             .bound = new_last_tiresias,
                             .keeps_list = true},
    [ORDER_TIES_SIZE] = {.enter = enter_by_size, .bound = smaller_first},
    [ORDER_TIES_QUEUES] = {.enter = enter_at_tail,
                           .bound = smaller_first,
                           .stop = stop_to_head,
                           .keeps_list = true},
};

/* Keeps the running jobs in the order of their keys from one fill to the
 * next. */

/* Call when the list of running jobs changes from number `i` on. */
static void order_unsum(struct order_vc *vc, size_t i)
{
    vc->n_summed = vc->n_summed < i ? vc->n_summed : i;
}

void order_sum_running(struct order_vc *vc)
{
    size_t n = vc->running.n;
    const struct order_runner *at = vc->running.at;
    vc->sums = mem_grow(vc->sums, &vc->cap_sums, n + 1, sizeof *vc->sums);
    if (vc->n_summed == 0)
        vc->sums[0] = 0;
    uint32_t sum = vc->sums[vc->n_summed];
    for (size_t i = vc->n_summed; i < n; i++)
        vc->sums[i + 1] = sum += at[i].gpus;
    vc->n_summed = n;
}

/* order.c. Call order_left when the job does not run any more, and
 * order_doubt when the belief about the job has changed. */
static void order_left(struct order *order, const struct job *job)
{
    struct order_vc *vc = &order->vcs[job->vc];
    struct order_list *running = &vc->running;
    if (running->n == 0)
        return;
    struct order_runner *end = running->at + running->n, *at = end - 1;
    while (at > running->at && at->entry.job != job->id)
        at--; /* from the end: a job that ends has usually begun late */
    if (at->entry.job != job->id)
        return;
    vc->gpus_running -= at->gpus;
    vc->steady_left |= at->steady_until <= vc->steady;
    vc->n_steady -= at < running->at + vc->n_steady;
    vc->n_sorted -= at < running->at + vc->n_sorted;
    order_unsum(vc, (size_t)(at - running->at));
    running->n--;
    memmove(at, at + 1, (size_t)(end - at - 1) * sizeof *at);
}

void order_find_steady(struct order_vc *vc)
{
    vc->steady = TIME_NEVER;
    vc->steady_left = false;
    for (size_t i = 0; i < vc->running.n; i++) {
        sim_time until = vc->running.at[i].steady_until;
        vc->steady = until < vc->steady ? until : vc->steady;
    }
}

static void order_doubt(struct order *order, const struct job *job)
{
    struct order_list *running = &order->vcs[job->vc].running;
    for (size_t i = 0; i < running->n; i++) {
        if (running->at[i].entry.job == job->id)
            running->at[i].steady_until = order->vcs[job->vc].steady = 0;
    }
}

void order_doubt_all(struct order *order)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        struct order_vc *vc = &order->vcs[v];
        for (size_t i = 0; i < vc->running.n; i++)
            vc->running.at[i].steady_until = 0;
        vc->steady = 0;
    }
}

static sim_span remaining_of(const struct view *view,
                             struct order_runner *runner)
{
    struct belief belief;
    sim_time now = view_now(view);
    if (now < runner->steady_until)
        return runner->end - now;
    if (!view_remaining(view, view_job(view, runner->entry.job), &belief))
        return INT64_MAX;
    runner->end = now + belief.mean;
    runner->steady_until = belief.steady_until;
    return belief.mean;
}

static int64_t key_of_runner(const struct order *order, const struct view *view,
                             struct order_runner *runner)
{
    if (order->falls)
        return remaining_of(view, runner) == INT64_MAX ? INT64_MAX
                                                       : runner->end;
    if (!order->own)
        return order->key(runner->gpus, order->blind
                                            ? INT64_MAX
                                            : remaining_of(view, runner));
    const struct job *job = view_job(view, runner->entry.job);
    return order->own(order->own_self, view, job, runner);
}

/* Returns the index at which an entry belongs among the first `n`, which are in
 * order. Searches from the end, where the entry usually belongs. */
static size_t order_place_of(const struct order_runner *at, size_t n,
                             const struct order_entry *entry)
{
    size_t step = 1;
    while (step <= n && order_before(entry, &at[n - step].entry)) {
        n -= step;
        step *= 2;
    }
    size_t low = step <= n ? n - step + 1 : 0;
    while (low < n) {
        size_t middle = (low + n) / 2;
        if (order_before(entry, &at[middle].entry))
            n = middle;
        else
            low = middle + 1;
    }
    return n;
}

/* Renews the key of running job number `i`. */
static void renew_runner(struct order *order, const struct view *view,
                         struct order_vc *vc, size_t i)
{
    struct order_runner *runner = &vc->running.at[i];
    struct order_entry was = runner->entry;
    runner->entry.key = key_of_runner(order, view, runner);
    vc->tied |= runner->entry.tie != was.tie;
    if (runner->entry.key != was.key)
        order_unsort(vc, i);
}

/* Renews the keys of the jobs that have started since the last renewal, while
 * the others hold. */
static void renew_fresh(struct order *order, const struct view *view,
                        struct order_vc *vc)
{
    const struct order_runner *at = vc->running.at;
    size_t i = vc->n_steady;
    for (; vc->n_fresh > 0 && i < vc->running.n; i++) {
        if (at[i].steady_until != 0)
            continue;
        renew_runner(order, view, vc, i);
        vc->steady =
            at[i].steady_until < vc->steady ? at[i].steady_until : vc->steady;
        vc->n_fresh--;
    }
}

void order_renew_running(struct order *order, const struct view *view,
                         struct order_vc *vc)
{
    bool keeps = order_keeps_keys(order);
    const struct order_runner *at = vc->running.at;
    if (keeps && view_now(view) < vc->steady) {
        renew_fresh(order, view, vc);
    } else {
        sim_time steady = TIME_NEVER;
        for (size_t i = 0; i < vc->running.n; i++) {
            if (!keeps || view_now(view) >= at[i].steady_until)
                renew_runner(order, view, vc, i);
            steady = at[i].steady_until < steady ? at[i].steady_until : steady;
        }
        vc->steady = steady;
        vc->steady_left = false;
    }
    vc->n_steady = vc->running.n;
    vc->n_fresh = 0;
}

/* The list is nearly sorted already, so it is sorted by insertion, which is
 * stable. */
void order_sort_running(struct order_vc *vc)
{
    struct order_runner *at = vc->running.at;
    for (size_t i = vc->n_sorted ? vc->n_sorted : 1; i < vc->running.n; i++) {
        if (!order_before(&at[i].entry, &at[i - 1].entry))
            continue;
        struct order_runner runner = at[i];
        size_t k = order_place_of(at, i, &runner.entry);
        memmove(&at[k + 1], &at[k], (i - k) * sizeof *at);
        at[k] = runner;
        order_unsum(vc, k);
    }
    vc->n_sorted = vc->running.n;
}

bool order_is_renewed(const struct order *order, const struct view *view,
                      const struct order_vc *vc)
{
    return order_keeps_keys(order) && vc->n_steady == vc->running.n &&
           view_now(view) < vc->steady;
}

static uint8_t type_held(const struct plan *plan, const struct job *job)
{
    const struct cluster *c = plan->cluster;
    if (c->n_types == 1)
        return 0;
    node_id node = plan_where(plan, job).at[0].node;
    return (uint8_t)c->pools[c->nodes[node].pool].type;
}

/* Turns the chosen jobs into entries of the list of running jobs. */
static void adopt_chosen(struct order *order, const struct plan *plan,
                         struct order_vc *vc)
{
    for (size_t i = 0; i < order->chosen.n; i++) {
        struct order_runner *runner = &order->chosen.at[i];
        runner->entry.key =
            order_key_if_run(order, plan->view, runner->entry.key);
        if (order_rule(order)->start)
            runner->entry.tie = order_rule(order)->start(order);
        if (order_rule(order)->keeps_list)
            runner->entry.tie = 0;
        runner->gpu_type =
            type_held(plan, view_job(plan->view, runner->entry.job));
        vc->gpus_running += runner->gpus;
    }
    vc->n_fresh += order->chosen.n;
}

void order_remember_running(struct order *order, const struct plan *plan,
                            struct order_vc *vc, size_t passed, size_t kept,
                            size_t in_order)
{
    struct order_list *running = &vc->running;
    size_t from = kept, n = kept + order->chosen.n, to = n;
    size_t steady = vc->n_steady == running->n ? kept : passed;
    running->at = mem_grow(running->at, &running->cap, n + order->victims.n,
                           sizeof *running->at);
    adopt_chosen(order, plan, vc);
    for (size_t i = order->chosen.n; i-- > 0;) {
        const struct order_runner *chosen = &order->chosen.at[i];
        size_t before = chosen->before;
        if (i < in_order && !order_rule(order)->keeps_list)
            before = order_place_of(running->at, from, &chosen->entry);
        to -= from - before;
        memmove(&running->at[to], &running->at[before],
                (from - before) * sizeof *running->at);
        from = before;
        running->at[--to] = *chosen;
        running->at[to].end = 0;
    }
    vc->n_steady = vc->n_steady < steady ? vc->n_steady : steady;
    vc->n_steady = vc->n_steady < from ? vc->n_steady : from;
    order_unsum(vc, passed < from ? passed : from);
    running->n = n;
    for (size_t i = 0; i < order->victims.n; i++)
        *order_push(running) = order->victims.at[i];
}

const char *const order_preempt_names[] = {"needed", "quota", NULL};

void order_init(struct order *order, const struct view *view, order_key key)
{
    order->key = key;
    order->n_vcs = view_cluster(view)->n_vcs;
    order->vcs = mem_zalloc(order->n_vcs, sizeof *order->vcs);
    order->n_types = view_cluster(view)->n_types;
    order->quota = mem_zalloc(order->n_types, sizeof *order->quota);
    order->instant = -1;
}

void order_fini(struct order *order)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        for (size_t g = 0; g < order->vcs[v].n_groups; g++)
            free(order->vcs[v].groups[g].heap);
        free(order->vcs[v].groups);
        free(order->vcs[v].filled);
        free(order->vcs[v].running.at);
        free(order->vcs[v].sums);
    }
    free(order->vcs);
    free(order->chosen.at);
    free(order->victims.at);
    free(order->held);
    free(order->stopped);
    free(order->quota);
    *order = (struct order){0};
}

int64_t order_by_service(uint32_t gpus, sim_span remaining)
{
    int64_t service;
    if (__builtin_mul_overflow(remaining, (int64_t)gpus, &service))
        return remaining < 0 ? INT64_MIN : INT64_MAX;
    return service;
}

static struct order_entry order_extract(struct order *order,
                                        const struct view *view,
                                        const struct job *job)
{
    struct order_mine *mine = view_mine(view, job);
    struct order_vc *vc = &order->vcs[job->vc];
    return order_take(view, vc, &vc->groups[mine->group], mine->at - 1);
}

static int64_t order_key_of(const struct order *order, const struct view *view,
                            const struct job *job)
{
    struct belief belief;
    if (order->own)
        return order->own(order->own_self, view, job, NULL);
    sim_span remaining = !order->blind && view_remaining(view, job, &belief)
                             ? belief.mean
                             : INT64_MAX;
    return order->key(job->gpus, remaining);
}

void order_enter(struct order *order, const struct view *view,
                 const struct job *job, bool arrives)
{
    struct order_entry entry = {
        .key = order_key_of(order, view, job),
        .tie = order_rule(order)->enter(order, view, job, arrives),
        .job = job->id,
    };
    order_insert(order, view, entry);
}

static void renew_key(struct order *order, const struct view *view,
                      const struct job *job)
{
    const struct order_mine *mine = view_mine(view, job);
    const struct order_group *group = &order->vcs[job->vc].groups[mine->group];
    int64_t key = order_key_of(order, view, job);
    if (group->heap[mine->at - 1].key == key)
        return;
    struct order_entry entry = order_extract(order, view, job);
    entry.key = key;
    order_insert(order, view, entry);
}

void order_renew(struct order *order, const struct view *view)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        for (size_t g = 0; g < order->vcs[v].n_groups; g++) {
            struct order_group *group = &order->vcs[v].groups[g];
            for (size_t i = 0; i < group->n; i++)
                group->heap[i].key = order_key_of(
                    order, view, view_job(view, group->heap[i].job));
            order_heapify(view, group);
        }
    }
}

uint64_t order_tail(struct order *order, const struct view *view,
                    const struct job *job)
{
    return order_rule(order)->enter(order, view, job, false);
}

void order_requeue(struct order *order, const struct view *view,
                   const struct job *job)
{
    order_extract(order, view, job);
    order_enter(order, view, job, false);
}

void order_renew_stopped(struct order *order, const struct view *view)
{
    for (size_t i = 0; i < order->n_stopped; i++) {
        const struct job *job = view_job(view, order->stopped[i]);
        const struct order_mine *mine = view_mine(view, job);
        if (mine->at)
            renew_key(order, view, job);
    }
    order->n_stopped = 0;
}

void order_observe(struct order *order, const struct view *view,
                   const struct event *event)
{
    const struct job *job = event->job;
    if (!job)
        return;
    if (event->kind == EVENT_BELIEF && job->state == JOB_RUNNING)
        order_doubt(order, job);
    else if (event->kind != EVENT_BELIEF && event->kind != EVENT_SUBMITTED)
        order_left(order, job);
    const struct order_mine *mine = view_mine(view, job);
    if (job->state == JOB_REJECTED && mine->at)
        order_extract(order, view, job);
    if (job->state != JOB_PENDING)
        return;
    if (mine->at)
        renew_key(order, view, job);
    else
        order_enter(order, view, job, true);
}

void order_adopt(struct order *order, const struct view *view,
                 const struct job *job)
{
    const struct order_tie_rule *rule = order_rule(order);
    const struct cluster *c = view_cluster(view);
    struct order_vc *vc = &order->vcs[job->vc];
    struct order_runner *runner = order_push(&vc->running);
    uint64_t tie = rule->enter(order, view, job, true);
    if (rule->start)
        tie = rule->start(order);
    *runner = (struct order_runner){
        .entry = {.tie = rule->keeps_list ? 0 : tie, .job = job->id},
        .gpus = job->gpus,
        .gpu_type =
            (uint8_t)c->pools[c->nodes[view_where(view, job).at[0].node].pool]
                .type,
    };
    vc->gpus_running += job->gpus;
    vc->n_fresh++;
}

void order_set_quota(struct order *order, const struct plan *plan, uint16_t vc,
                     bool free)
{
    const struct cluster *cluster = plan->cluster;
    memset(order->quota, 0, order->n_types * sizeof *order->quota);
    for (uint32_t p = cluster->vc_pools[vc].first;
         p < cluster->vc_pools[vc].end; p++) {
        const struct pool *pool = &cluster->pools[p];
        if (!pool->profiler)
            order->quota[pool->type] +=
                free && !plan->gate ? pool->n_free : pool->n_gpus;
    }
    if (!plan->gate)
        return;
    uint32_t limit = free ? plan_free_gpus(plan, vc) : plan_most_gpus(plan, vc);
    for (uint32_t t = 0; t < order->n_types; t++) {
        if (order->quota[t] > limit)
            order->quota[t] = limit;
    }
}

/* A job that advance reservations keep out blocks no other (Slurm). */
static void order_fill_booked(struct order *order, struct plan *plan,
                              uint16_t id)
{
    struct waiting_jobs waiters = order_waiters(order, plan, id, UINT32_MAX);
    for (uint32_t i = 0; i < waiters.n; i++) {
        if (!plan_start(plan, waiters.at[i]) &&
            !plan_is_booked_out(plan, waiters.at[i]))
            break;
    }
    order_take_started(order, plan, waiters);
}

void order_fill(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    struct order_group *first;
    if (plan->bookings) {
        order_fill_booked(order, plan, id);
        return;
    }
    while ((first = order_head_of_line(vc))) {
        if (!plan_start(plan, view_job(plan->view, first->heap[0].job)))
            return;
        order_take(plan->view, vc, first, 0);
    }
}

void order_start_fitting(struct order *order, struct plan *plan, uint16_t id,
                         struct order_list *started, size_t before)
{
    struct order_vc *vc = &order->vcs[id];
    struct order_group *first;
    order_set_quota(order, plan, id, true);
    while ((first = order_first(order, vc))) {
        if (!plan_start(plan, view_job(plan->view, first->heap[0].job))) {
            first->blocked = true;
            continue;
        }
        struct order_entry entry = order_take(plan->view, vc, first, 0);
        if (started)
            *order_push(started) = (struct order_runner){
                .entry = entry, .gpus = first->gpus, .before = before};
        order_set_quota(order, plan, id, true);
    }
    order_unblock(vc);
}

void order_fill_around(struct order *order, struct plan *plan, uint16_t id)
{
    order_start_fitting(order, plan, id, NULL, 0);
}

static int order_compare(const void *a, const void *b)
{
    return order_before(a, b) ? -1 : order_before(b, a);
}

struct waiting_jobs order_waiters(const struct order *order, struct plan *plan,
                                  uint16_t id, uint32_t n)
{
    const struct order_vc *vc = &order->vcs[id];
    struct waiting_jobs waiters = {0};
    if (n == 0 || vc->n_waiting == 0)
        return waiters;
    struct order_entry *all = plan_scratch(plan, vc->n_waiting * sizeof *all);
    size_t n_all = 0;
    for (size_t g = 0; g < vc->n_groups; g++) {
        memcpy(&all[n_all], vc->groups[g].heap, vc->groups[g].n * sizeof *all);
        n_all += vc->groups[g].n;
    }
    qsort(all, n_all, sizeof *all, order_compare);
    const struct job **at = plan_scratch(plan, n_all * sizeof *at);
    while (waiters.n < n && waiters.n < n_all) {
        at[waiters.n] = view_job(plan->view, all[waiters.n].job);
        waiters.n++;
    }
    waiters.at = at;
    return waiters;
}

void order_take_started(struct order *order, const struct plan *plan,
                        struct waiting_jobs waiters)
{
    for (uint32_t i = 0; i < waiters.n; i++) {
        if (plan_is_started(plan, waiters.at[i]))
            order_extract(order, plan->view, waiters.at[i]);
    }
}

void order_fill_by_size(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    for (size_t g = 0; g < vc->n_groups; g++) {
        const struct job *job = view_first_pending(view, id);
        for (; job && vc->groups[g].n; job = view_next_pending(view, job)) {
            const struct order_mine *mine = view_mine(view, job);
            if (!mine->at || mine->group != g)
                continue;
            if (!plan_start(plan, job))
                return;
            order_extract(order, view, job);
        }
    }
}
