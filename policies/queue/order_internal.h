/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files order*.c share: order.c has the waiting jobs,
 * order.c the running jobs, order_preempt.c the walk over both, and
 * order.c the tie rules. */
#ifndef POLICIES_ORDER_INTERNAL_H
#define POLICIES_ORDER_INTERNAL_H

#include "policies/queue/order.h"

/* Key and tie as one number, compared without a branch: the processor could not
 * predict that branch. */
__extension__ typedef unsigned __int128 order_rank;
static inline order_rank order_rank_of(int64_t key, uint64_t tie)
{
    return (order_rank)((uint64_t)key ^ UINT64_C(1) << 63) << 64 | tie;
}
static inline bool order_before(const struct order_entry *a,
                                const struct order_entry *b)
{
    return order_rank_of(a->key, a->tie) < order_rank_of(b->key, b->tie);
}

/* True if the keys of running jobs hold until their steady_until. */
static inline bool order_keeps_keys(const struct order *order)
{
    return order->own || order->falls;
}

/* Returns the key that a waiting job would have among the running ones. */
static inline int64_t order_key_if_run(const struct order *order,
                                       const struct view *view, int64_t key)
{
    int64_t end;
    if (!order->falls)
        return key;
    return __builtin_add_overflow(key, view_now(view), &end) ? INT64_MAX : end;
}

/* A tie rule: which of two jobs with equal keys goes first. */
struct order_tie_rule {
    /* Returns the tie of a job that enters the queue now. `arrives`: true if
     * the job was submitted or returns from a failure; false if it was stopped
     * or moved to another queue. */
    uint64_t (*enter)(struct order *order, const struct view *view,
                      const struct job *job, bool arrives);
    /* Returns a bound: a running job goes before this waiting job of equal key
     * if the tie of the running job is below the bound. */
    uint64_t (*bound)(const struct order *order, const struct view *view,
                      const struct order_entry *waiting);
    /* Optional. Returns the tie of a job that starts; NULL: it keeps its tie.
     */
    uint64_t (*start)(struct order *order);
    /* Optional. Returns the tie of a running job that is stopped, which then
     * keeps its key. `index` is its place among the victims of this walk.
     * NULL: the job enters the queue, with a new key. */
    uint64_t (*stop)(struct order *order, const struct view *view, uint64_t tie,
                     uint32_t index);
    /* True if running jobs of equal keys keep the order that they have after a
     * walk. Their ties are then 0. */
    bool keeps_list;
};
/* rules by enum order_ties */
extern const struct order_tie_rule order_tie_rules[];

static inline const struct order_tie_rule *order_rule(const struct order *order)
{
    return &order_tie_rules[order->ties];
}

/* A class: the waiting jobs that ask for equally many GPUs of one type, as a
 * heap. Either all of them fit or none does. */
struct order_group {
    uint32_t gpus;
    /* type of the class; GPU_TYPE_ANY: its jobs accept any type */
    uint8_t gpu_type;
    /* true: no job of the class fits in the present walk any more */
    bool blocked;
    struct order_entry *heap;
    size_t n, cap;
};

/* Returns `gpu_type` if order->quota holds at least `gpus` GPUs of it; if it is
 * GPU_TYPE_ANY, the first type that has that many in the quota. Returns
 * GPU_TYPE_ANY if no type does. */
static inline uint8_t order_fits(const struct order *order, uint32_t gpus,
                                 uint8_t gpu_type)
{
    if (gpu_type != GPU_TYPE_ANY)
        return gpu_type < order->n_types && order->quota[gpu_type] >= gpus
                   ? gpu_type
                   : GPU_TYPE_ANY;
    for (uint8_t type = 0; type < order->n_types; type++) {
        if (order->quota[type] >= gpus)
            return type;
    }
    return GPU_TYPE_ANY;
}
/* Sets the quota to the GPUs of a virtual cluster outside profiler nodes: to
 * all of them, or, with `free`, only to those that are free now. Under a gate
 * (plan.h): to what the gate leaves. */
void order_set_quota(struct order *order, const struct plan *plan, uint16_t vc,
                     bool free);
static inline struct order_runner *order_push(struct order_list *list)
{
    list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof *list->at);
    return &list->at[list->n++];
}
/* Starts waiting jobs in order and passes over those that do not fit. Adds each
 * started job to `started`, if that is not NULL, and sets the runner's `before`
 * to the argument `before`. Afterwards no class is blocked. */
void order_start_fitting(struct order *order, struct plan *plan, uint16_t vc,
                         struct order_list *started, size_t before);

/* order.c. Returns the class of the first waiting job, among classes
 * that are not blocked and fit into order->quota; NULL if there is none. */
struct order_group *order_first(const struct order *order,
                                const struct order_vc *vc);
/* Returns the class of the first waiting job, whether or not the job fits; NULL
 * if no job waits. */
struct order_group *order_head_of_line(const struct order_vc *vc);
void order_unblock(struct order_vc *vc);
/* Removes entry `i` from the heap of a class, because the job does not wait any
 * more, and returns it. */
struct order_entry order_take(const struct view *view, struct order_vc *vc,
                              struct order_group *group, size_t i);
/* Adds a waiting job to its class. */
void order_insert(struct order *order, const struct view *view,
                  struct order_entry entry);
/* Adds a job to the queue with a new key and tie; `arrives` as in
 * order_tie_rule.enter. */
void order_enter(struct order *order, const struct view *view,
                 const struct job *job, bool arrives);

void order_renew_running(struct order *order, const struct view *view,
                         struct order_vc *vc);
void order_sort_running(struct order_vc *vc);
void order_sum_running(struct order_vc *vc); /* makes vc->sums valid */
/* True if the keys of the running jobs still hold (order_keeps_keys), so that
 * they need no renewal. */
bool order_is_renewed(const struct order *order, const struct view *view,
                      const struct order_vc *vc);
/* Leaves the running jobs in the order of this walk for the next walk: merges
 * the chosen jobs with the first `kept` running jobs, the first `in_order` of
 * the chosen by key and tie. The first `passed` running jobs stay where they
 * are, and victims that were not stopped come last. */
void order_remember_running(struct order *order, const struct plan *plan,
                            struct order_vc *vc, size_t passed, size_t kept,
                            size_t in_order);

#endif
