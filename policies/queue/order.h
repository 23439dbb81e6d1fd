/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranking: keeps the waiting jobs of each virtual cluster in the order of a
 * key, and fills the cluster from them in one of three ways. Policies that
 * differ only in the key are a few lines on top of this file.
 *
 * Jobs of one virtual cluster, GPU type and GPU count are interchangeable for
 * the question "does it fit?". So the waiting jobs are kept as one heap per
 * such class: when the best job of a class does not fit, no job of the class
 * does, and 100,000 waiting jobs cost no more than a dozen (one heap per GPU
 * count measured 12 ns at 100 waiting and 80 ns at 100,000).
 *
 * The order of jobs is total: the key, then the rule of `ties`. So no result
 * depends on which sort is used. */
#ifndef POLICIES_ORDER_H
#define POLICIES_ORDER_H

#include "policies/policy.h"

/* Which job goes first at equal keys. */
enum order_ties {
    /* A running job before a waiting one (no preemption without gain), then by
     * submission, then id. */
    ORDER_TIES_SOUND,
    /* By submission, then id, running or not. */
    ORDER_TIES_SUBMISSION,
    /* Lucid's simulator: waiting jobs before running ones; waiting jobs in the
     * order in which they entered the queue, running jobs by start. */
    ORDER_TIES_LUCID,
    /* Tiresias' simulator: one list, sorted stably at each event. Equal jobs
     * keep their order, and new arrivals come last. */
    ORDER_TIES_TIRESIAS,
    /* By GPUs, then by submission, then id: Lucid's simulator sorts the queue
     * by GPUs before it sorts by priority. */
    ORDER_TIES_SIZE,
    /* The queues of policy tiresias; cannot be chosen by name. A job that
     * enters a queue goes to its end; after each walk the running jobs stand
     * before the waiting ones. */
    ORDER_TIES_QUEUES,
};
extern const char *const order_ties_names[];

/* Which running jobs make room for a selected one. */
enum order_preempt {
    /* Only those whose GPUs it needs, and only if it can then be placed. */
    ORDER_PREEMPT_NEEDED,
    /* All that exceed the quota of GPUs, whether or not that helps: the rule of
     * the reference simulators. */
    ORDER_PREEMPT_QUOTA,
};
extern const char *const order_preempt_names[];

/* The smaller key goes first. `remaining` is the believed remaining time,
 * INT64_MAX if no estimator can answer. */
typedef int64_t (*order_key)(uint32_t gpus, sim_span remaining);
/* GPU time: remaining x gpus. */
int64_t order_by_service(uint32_t gpus, sim_span remaining);

struct order_runner;
/* Used instead of order_key by policies that rank by what a job has attained so
 * far. `runner` is NULL for a waiting job. For a running one the key holds
 * until runner->steady_until, which the policy sets; the policy may also set
 * runner->mark and the tie. */
typedef int64_t (*order_own)(void *self, const struct view *view,
                             const struct job *job,
                             struct order_runner *runner);

/* The first bytes of the job_size bytes of a policy that uses this file. */
struct order_mine {
    uint32_t at; /* 1 + index in the heap of its class; 0: not waiting here */
    uint32_t group;
};

struct order_entry {
    int64_t key;
    uint64_t tie;
    job_id job;
};

/* Key and tie as one number, compared without a branch: the processor could not
 * predict that branch. */
__extension__ typedef unsigned __int128 order_rank;
static inline order_rank order_rank_of(int64_t key, uint64_t tie)
{
    return (order_rank)((uint64_t)key ^ UINT64_C(1) << 63) << 64 | tie;
}

/* A class: interchangeable waiting jobs, as a heap. */
struct order_group {
    uint32_t gpus;
    uint8_t gpu_type;
    bool blocked; /* during a fill: no job of the class fits any more */
    struct order_entry *heap;
    size_t n, cap;
};

/* A running job, or one that is selected to run. */
struct order_runner {
    struct order_entry entry;
    uint32_t gpus;
    uint8_t gpu_type; /* type of the GPUs that it holds or will hold */
    union {
        sim_time end;  /* believed */
        sim_time mark; /* see order_own */
        /* while it is selected: number of running jobs before it */
        size_t before;
    };
    sim_time steady_until; /* see struct belief */
};

struct order_list {
    struct order_runner *at;
    size_t n, cap;
};

struct order_vc {
    struct order_group *groups; /* by GPUs, then type */
    /* bit g: class g has a waiting job; most classes are empty */
    uint64_t *filled;
    size_t n_groups, cap_groups, n_waiting;
    uint64_t gpus_waiting, gpus_running; /* asked for; held */
    /* In the order of the last time that a job had to make room; jobs started
     * since then stand at the end. */
    struct order_list running;
    /* The first n_steady running jobs have a valid steady_until. `steady` is a
     * lower bound for all of them, and is exact unless one of them left
     * since. */
    size_t n_steady;
    sim_time steady;
    bool steady_left;
    bool sorted; /* the running jobs are in order of the keys that they had */
};

struct order {
    order_key key;
    order_own own;  /* unless NULL, used in place of `key` */
    void *own_self; /* passed to `own` */
    bool eager;     /* renew the keys even when no job waits */
    enum order_ties ties;
    enum order_preempt preempt;
    struct order_vc *vcs;
    uint32_t n_vcs;
    uint64_t counter; /* entries into the queue so far */
    sim_time instant; /* the instant at which `epoch` last grew */
    uint64_t epoch;   /* instants with entries so far */
    struct order_list chosen, victims; /* scratch of one decide */
    job_id *stopped; /* stopped by the last plan: their keys are out of date */
    size_t n_stopped, cap_stopped;
    uint32_t *quota; /* by GPU type: GPUs left in this walk */
    uint32_t n_types;
};

void order_init(struct order *order, const struct view *view, order_key key);
void order_fini(struct order *order); /* accepts all zeroes */

/* Keeps the lists of waiting and running jobs up to date: call from observe. */
void order_observe(struct order *order, const struct view *view,
                   const struct event *event);

void order_renew_stopped(struct order *order, const struct view *view);
/* Call first in decide: renews the keys of the jobs that the last plan stopped,
 * now that the engine has charged them for the stop. Within one instant a
 * stopped job keeps its key, because the plan may still keep it running. */
static inline void order_begin(struct order *order, const struct view *view)
{
    if (order->n_stopped)
        order_renew_stopped(order, view);
}

/* Call when the keys of all waiting jobs have changed. */
void order_renew(struct order *order, const struct view *view);
/* Call when the key of one waiting job has changed. The job then goes after the
 * jobs with equal keys. */
void order_requeue(struct order *order, const struct view *view,
                   const struct job *job);
/* The tie of a job that enters another queue at this instant. */
uint64_t order_tail(struct order *order, const struct view *view,
                    const struct job *job);

/* Starts waiting jobs of a virtual cluster in order, until one does not fit. */
void order_fill(struct order *order, struct plan *plan, uint16_t vc);
/* Starts waiting jobs of a virtual cluster in order, and passes over those that
 * do not fit. */
void order_fill_around(struct order *order, struct plan *plan, uint16_t vc);
/* Starts waiting jobs by GPUs, then in the order in which they began to wait,
 * whatever their keys, until one does not fit. */
void order_fill_by_size(struct order *order, struct plan *plan, uint16_t vc);

/* Walks running and waiting jobs together, in order, and selects each job whose
 * GPUs are within what is left of the virtual cluster's GPUs of its type.
 * Selected jobs start; running jobs that are not selected make room (enum
 * order_preempt). With ORDER_PREEMPT_NEEDED, the waiting jobs that fit after
 * that are started, in order. */
void order_fill_preempting(struct order *order, struct plan *plan, uint16_t vc);

/* What follows is for order*.c only. */
/* The GPU type of which order->quota holds at least `gpus` GPUs, the first such
 * type if the job accepts any; GPU_TYPE_ANY if there is none. */
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
/* The class of the first waiting job, whether or not the job fits. */
struct order_group *order_head_of_line(const struct order_vc *vc);
void order_unblock(struct order_vc *vc);
/* Removes entry `i` of a class's heap: the job does not wait any more. */
struct order_entry order_take(const struct view *view, struct order_vc *vc,
                              struct order_group *group, size_t i);
/* Adds a waiting job to its class. */
void order_put(struct order *order, const struct view *view,
               const struct job *job, int64_t key, uint64_t tie);
void order_insert(struct order *order, const struct view *view,
                  struct order_entry entry);
/* Restores the heap of a class in which keys have changed. */
void order_heapify(const struct view *view, struct order_group *group);
/* Call when a job enters the queue: it arrives, or was preempted. */
void order_enter(struct order *order, const struct view *view,
                 const struct job *job, bool arrives);
bool order_entered_now(const struct order *order, const struct view *view,
                       const struct order_entry *entry);
/* For ORDER_TIES_QUEUES: a tie before those of all waiting jobs. Jobs that get
 * one at the same instant are in order of `index`. */
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
/* order_running.c. order_left: the job does not run any more. order_doubt: the
 * belief about it has changed. */
void order_left(struct order *order, const struct job *job);
void order_doubt(struct order *order, const struct job *job);
/* Call when the keys of all running jobs may have changed. */
void order_doubt_all(struct order *order);
/* Sets `steady`: the first instant at which the key of a steady running job may
 * change. */
void order_find_steady(struct order_vc *vc);
void order_renew_running(struct order *order, const struct view *view,
                         struct order_vc *vc);
void order_sort_running(struct order_vc *vc);
/* True if the keys of the running jobs come from order->own and still hold, so
 * that they need no renewal. */
bool order_is_renewed(const struct order *order, const struct view *view,
                      const struct order_vc *vc);
/* Leaves the running jobs in the order of this walk for the next decide: merges
 * the chosen jobs with the kept ones. The first `passed` of these stay where
 * they are, and victims that were not stopped come last. */
void order_remember_running(struct order *order, const struct plan *plan,
                            struct order_vc *vc, size_t passed, size_t kept);

#endif
