/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranking: the waiting jobs of each virtual cluster in the order of a key, and
 * three ways to fill the cluster from it. Policies that differ only in the key
 * are a few lines over this.
 *
 * Jobs of one virtual cluster, GPU type and GPU count are interchangeable for
 * the question "does it fit?". So the waiting are kept as one heap per such
 * class: when the best of a class does not fit, none of the class does, and
 * 100,000 waiting jobs cost no more than a dozen (one heap per GPU count
 * measured 12 ns at 100 waiting and 80 ns at 100,000).
 *
 * The total order of jobs: key, then the rule of `ties`, so that no result
 * depends on a sort's mood. */
#ifndef POLICIES_ORDER_H
#define POLICIES_ORDER_H

#include "policies/policy.h"

/* Who goes first at equal keys? */
enum order_ties {
    /* A running job before a waiting one (no preemption without gain), then by
     * submission, then id. */
    ORDER_TIES_SOUND,
    /* By submission, then id, running or not. */
    ORDER_TIES_SUBMISSION,
    /* Lucid's simulator: waiting before running; the waiting as they entered
     * the queue, the running by start. */
    ORDER_TIES_LUCID,
    /* Tiresias' simulator: one list, sorted stably at each event: as before;
     * new arrivals last. */
    ORDER_TIES_TIRESIAS,
    /* By GPUs, then by submission, then id: Lucid's simulator sorts the queue
     * by GPUs before it sorts by priority. */
    ORDER_TIES_SIZE,
    /* Tiresias' queues, not to be chosen by name: who enters a queue goes to
     * its end; after each walk the running stand before the waiting. */
    ORDER_TIES_QUEUES,
};
extern const char *const order_ties_names[];

/* Which running jobs make room for a selected one? */
enum order_preempt {
    /* Only those it needs, and only if it can then be placed. */
    ORDER_PREEMPT_NEEDED,
    /* All that exceed the quota of GPUs, whether or not it helps: the
     * reference simulators' rule. */
    ORDER_PREEMPT_QUOTA,
};
extern const char *const order_preempt_names[];

/* Smaller is first. `remaining` is the believed remaining time, INT64_MAX where
 * nobody knows. */
typedef int64_t (*order_key)(uint32_t gpus, sim_span remaining);
/* GPU time: remaining x gpus. */
int64_t order_by_service(uint32_t gpus, sim_span remaining);

struct order_runner;
/* Instead of order_key, for policies that rank by what a job has behind it.
 * `runner` is NULL for a job that waits; else the key stays until
 * runner->steady_until, which the policy sets, and runner->mark and its tie are
 * the policy's to set too. */
typedef int64_t (*order_own)(void *self, const struct view *view,
                             const struct job *job,
                             struct order_runner *runner);

/* The first bytes of a policy's job_size bytes. */
struct order_mine {
    uint32_t at; /* 1 + index in its class's heap; 0: not waiting here */
    uint32_t group;
};

struct order_entry {
    int64_t key;
    uint64_t tie;
    job_id job;
};

/* Key and tie as one number: compared without a branch, which no processor
 * would foresee. */
__extension__ typedef unsigned __int128 order_rank;
static inline order_rank order_rank_of(int64_t key, uint64_t tie)
{
    return (order_rank)((uint64_t)key ^ UINT64_C(1) << 63) << 64 | tie;
}

/* A class: interchangeable waiting jobs, as a heap. */
struct order_group {
    uint32_t gpus;
    uint8_t gpu_type;
    bool blocked; /* while a fill goes on: does not fit any more */
    struct order_entry *heap;
    size_t n, cap;
};

/* A running job, or one that is chosen to run. */
struct order_runner {
    struct order_entry entry;
    uint32_t gpus;
    uint8_t gpu_type; /* that it holds or is to hold */
    union {
        sim_time end;  /* believed */
        sim_time mark; /* see order_own */
        size_t before; /* while it is chosen: running jobs in front of it */
    };
    sim_time steady_until; /* see struct belief */
};

struct order_list {
    struct order_runner *at;
    size_t n, cap;
};

struct order_vc {
    struct order_group *groups; /* by GPUs, then type */
    uint64_t *filled; /* bit g: in class g somebody waits; most are empty */
    size_t n_groups, cap_groups, n_waiting;
    uint64_t gpus_waiting, gpus_running; /* asked for; held */
    /* In order when somebody last had to make way; who started since then
     * stands at the end. */
    struct order_list running;
    /* Of so many at the front, steady_until is known, and none is before
     * `steady`; the earliest is there unless somebody has left since. */
    size_t n_steady;
    sim_time steady;
    bool steady_left;
    bool sorted; /* the running stand in order of the keys they had */
};

struct order {
    order_key key;
    order_own own; /* not NULL: instead of `key`, called with own_self */
    void *own_self;
    bool eager; /* keys are renewed even when nobody waits */
    enum order_ties ties;
    enum order_preempt preempt;
    struct order_vc *vcs;
    uint32_t n_vcs;
    uint64_t counter;                  /* entries so far */
    sim_time instant;                  /* of `epoch` */
    uint64_t epoch;                    /* instants with entries so far */
    struct order_list chosen, victims; /* scratch of one decide */
    job_id *stopped;                   /* by the last plan: keys are stale */
    size_t n_stopped, cap_stopped;
    uint32_t *quota; /* by GPU type: what is left in this walk */
    uint32_t n_types;
};

void order_init(struct order *order, const struct view *view, order_key key);
void order_fini(struct order *order); /* accepts all zeroes */

/* Keeps waiting and running in step with events: call from observe. */
void order_observe(struct order *order, const struct view *view,
                   const struct event *event);

void order_renew_stopped(struct order *order, const struct view *view);
/* First thing in decide: renews the keys of jobs that the last plan stopped,
 * now that the engine has charged them for it. (Within one instant a stopped
 * job keeps its key: it may yet be kept.) */
static inline void order_begin(struct order *order, const struct view *view)
{
    if (order->n_stopped)
        order_renew_stopped(order, view);
}

/* The keys of all who wait have changed. */
void order_renew(struct order *order, const struct view *view);
/* The key of a job that waits has changed; it goes behind its equals. */
void order_requeue(struct order *order, const struct view *view,
                   const struct job *job);
/* The tie of a job that enters another queue at this instant. */
uint64_t order_tail(struct order *order, const struct view *view,
                    const struct job *job);

/* Starts waiting jobs of a virtual cluster in order, until one does not fit. */
void order_fill(struct order *order, struct plan *plan, uint16_t vc);
/* The same, going on behind those that do not fit. */
void order_fill_around(struct order *order, struct plan *plan, uint16_t vc);
/* By GPUs, then as they began to wait, whatever their keys; until one does not
 * fit. */
void order_fill_by_size(struct order *order, struct plan *plan, uint16_t vc);

/* Running and waiting jobs together, in order, each selected if its GPUs are
 * within what is left of the virtual cluster's GPUs of its type. Selected jobs
 * start; running ones that are not selected make room (enum order_preempt).
 * With ORDER_PREEMPT_NEEDED, whatever fits then is filled in, in order. */
void order_fill_preempting(struct order *order, struct plan *plan, uint16_t vc);

/* What follows is for order*.c only. */
/* The GPU type on which order->quota holds so many GPUs, the first if any type
 * will do; GPU_TYPE_ANY if there is none. */
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
/* Sets the quota to the GPUs of a virtual cluster, all or those that are free
 * now. */
void order_set_quota(struct order *order, const struct cluster *cluster,
                     uint16_t vc, bool free);
/* order_classes.c. The class of the first waiting job, among classes that are
 * not blocked and fit into order->quota; NULL if there is none. */
struct order_group *order_first(const struct order *order,
                                const struct order_vc *vc);
/* The same, whether or not it fits. */
struct order_group *order_head_of_line(const struct order_vc *vc);
void order_unblock(struct order_vc *vc);
/* Number `i` of a class's heap waits no more. */
struct order_entry order_take(const struct view *view, struct order_vc *vc,
                              struct order_group *group, size_t i);
/* A job waits from now on, in its class. */
void order_put(struct order *order, const struct view *view,
               const struct job *job, int64_t key, uint64_t tie);
void order_insert(struct order *order, const struct view *view,
                  struct order_entry entry);
/* Keys in a class's heap have changed. */
void order_heapify(const struct view *view, struct order_group *group);
/* The job enters the queue now: it arrives, or was preempted. */
void order_enter(struct order *order, const struct view *view,
                 const struct job *job, bool arrives);
bool order_entered_now(const struct order *order, const struct view *view,
                       const struct order_entry *entry);
/* ORDER_TIES_QUEUES: in front of all who wait; those who get there at the same
 * instant by `index`. */
uint64_t order_head(struct order *order, const struct view *view,
                    uint32_t index);
static inline bool order_before(const struct order_entry *a,
                                const struct order_entry *b)
{
    return order_rank_of(a->key, a->tie) < order_rank_of(b->key, b->tie);
}
static inline struct order_runner *order_push(struct order_list *list)
{
    list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof *list->at);
    return &list->at[list->n++];
}
/* order_running.c: the job does not run any more, or is believed otherwise. */
void order_left(struct order *order, const struct job *job);
void order_doubt(struct order *order, const struct job *job);
/* The keys of all who run may have changed. */
void order_doubt_all(struct order *order);
/* When the first of the running that are steady ceases to be. */
void order_find_steady(struct order_vc *vc);
void order_renew_running(struct order *order, const struct view *view,
                         struct order_vc *vc);
void order_sort_running(struct order_vc *vc);
/* Keys of their own that hold still need not be looked at again. */
bool order_is_renewed(const struct order *order, const struct view *view,
                      const struct order_vc *vc);
/* The next decide finds the running in the order of this walk: the chosen are
 * merged with those kept, of whom the first `passed` stand where they stood,
 * and victims that were not stopped come last. */
void order_remember_running(struct order *order, const struct plan *plan,
                            struct order_vc *vc, size_t passed, size_t kept);

#endif
