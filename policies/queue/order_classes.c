/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the waiting jobs in one heap for each class, and searches for the class
 * that is next. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/heap.h"
#include "policies/queue/order_internal.h"

static bool before(const void *a, const void *b)
{
    return order_before(a, b);
}

/* Called by the heap when an entry moves. Records the index of the job, so that
 * the job can be removed from the middle. */
static void placed(const void *view, const void *entry, size_t at)
{
    struct order_mine *mine =
        view_mine_of(view, ((const struct order_entry *)entry)->job);
    mine->at = (uint32_t)at + 1;
}

static const struct heap_kind waiting = {
    .size = sizeof(struct order_entry),
    .before = before,
    .placed = placed,
};

static bool is_of(const struct order_group *group, const struct job *job)
{
    return group->gpus == job->gpus && group->gpu_type == job->gpu_type;
}

/* Returns the index of the class of a job. A new class is inserted at its place
 * by GPUs and type, and the classes after it move up by one. */
static uint32_t group_of(struct order_vc *vc, const struct view *view,
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
    mine->group = group_of(vc, view, job);
    struct order_group *group = &vc->groups[mine->group];
    group->heap =
        mem_grow(group->heap, &group->cap, group->n + 1, sizeof *group->heap);
    vc->n_waiting++;
    vc->gpus_waiting += job->gpus;
    vc->filled[mine->group / 64] |= UINT64_C(1) << (mine->group % 64);
    heap_put(&waiting, view, group->heap, group->n++, &entry);
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
    heap_take(&waiting, view, group->heap, last + 1, i);
    return entry;
}

void order_heapify(const struct view *view, struct order_group *group)
{
    for (size_t i = group->n; i-- > 0;) {
        struct order_entry entry = group->heap[i];
        heap_sink(&waiting, view, group->heap, group->n, i, &entry);
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
