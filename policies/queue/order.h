/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranking: keeps the waiting jobs of each virtual cluster in the order of a
 * key, and starts them by one of the four order_fill functions below. A policy
 * that differs from others only in its key needs only a few lines besides this
 * file.
 *
 * Jobs of one virtual cluster, GPU type and GPU count form a class: all of them
 * fit, or none does. Each class has a heap of its waiting jobs. When the first
 * job of a class does not fit, the other jobs of the class need not be tried,
 * so the time of a fill depends on the number of classes and hardly on the
 * number of waiting jobs.
 *
 * Key and tie rule together order all jobs totally, so no result depends on
 * which sort is used. */
#ifndef POLICIES_ORDER_H
#define POLICIES_ORDER_H

#include "policies/queue/conservative.h"

/* Tie rules: which of two jobs with equal keys goes first (order.c). */
enum order_ties {
    /* A running job before a waiting one, so that no job is preempted without
     * gain; then by submission, then id. */
    ORDER_TIES_SOUND,
    /* By submission, then id, running or not. */
    ORDER_TIES_SUBMISSION,
    /* Lucid's simulator: waiting jobs before running ones; waiting jobs in the
     * order in which they entered the queue, running jobs by start. */
    ORDER_TIES_LUCID,
    /* Tiresias' simulator: one list, sorted stably at each event. Jobs with
     * equal keys keep their order, and new arrivals come last. */
    ORDER_TIES_TIRESIAS,
    /* Lucid's simulator under QSSF: by GPUs, then by submission, then id. It
     * sorts the queue by GPUs before it sorts by priority. */
    ORDER_TIES_SIZE,
    /* The queues of policy tiresias; cannot be chosen by name. A job that
     * enters a queue goes to its end, and a job that is stopped later goes
     * before all waiting jobs of its queue; after each walk the running jobs
     * stand before the waiting ones. */
    ORDER_TIES_QUEUES,
};
/* The names of the tie rules that a user can choose; ends with NULL. */
extern const char *const order_ties_names[];

/* Which running jobs make room for a selected waiting job. */
enum order_preempt {
    /* The last of those that are not selected, one by one, until the selected
     * job can be placed; none if it cannot be placed even then. */
    ORDER_PREEMPT_NEEDED,
    /* All that exceed the quota of GPUs, even if the selected job cannot be
     * placed then: the rule of Lucid's and Tiresias' simulators. */
    ORDER_PREEMPT_QUOTA,
};
extern const char *const order_preempt_names[]; /* ends with NULL */

/* Returns the key of a job; the smaller key goes first. `remaining` is the
 * believed remaining time in microseconds, INT64_MAX if no estimator can
 * answer. */
typedef int64_t (*order_key)(uint32_t gpus, sim_span remaining);
/* An order_key: the believed GPU time, remaining x gpus; INT64_MAX or INT64_MIN
 * if the product overflows. */
int64_t order_by_service(uint32_t gpus, sim_span remaining);

struct order_runner;
/* Returns the key of a job, for policies that rank by what a job has attained
 * so far. `runner` is NULL for a waiting job. For a running job the key holds
 * until runner->steady_until, which this function sets; it may also set
 * runner->mark and runner->entry.tie. */
typedef int64_t (*order_own)(void *self, const struct view *view,
                             const struct job *job,
                             struct order_runner *runner);

/* The first bytes of the job_size bytes of a policy that uses this file. */
struct order_mine {
    uint32_t at; /* 1 + index in the heap of its class; 0: not waiting here */
    uint32_t group; /* index of its class in order_vc.groups */
};

/* A job in the order. At equal keys the smaller tie goes first. */
struct order_entry {
    int64_t key;
    uint64_t tie;
    job_id job;
};

/* A running job, or a waiting job that is selected to run. */
struct order_runner {
    struct order_entry entry;
    uint32_t gpus;
    uint8_t gpu_type; /* type of the GPUs that the job holds or will hold */
    union {
        sim_time end;  /* believed end of the job, with order_key */
        sim_time mark; /* a time that the policy sets, with order_own */
        size_t before; /* selected job: number of kept running jobs before it */
    };
    /* The key, or with order_key the believed end, holds until this time. */
    sim_time steady_until;
};

struct order_list {
    struct order_runner *at;
    size_t n, cap;
};

struct order_vc {
    struct order_group *groups; /* the classes, by GPUs, then type */
    uint64_t *filled; /* bit g % 64 of word g / 64: class g has a waiting job */
    size_t n_groups, cap_groups;
    size_t n_waiting;      /* number of waiting jobs of all classes */
    uint64_t gpus_waiting; /* number of GPUs for which waiting jobs ask */
    uint64_t gpus_running; /* number of GPUs that running jobs hold */
    /* The running jobs, in the order of the last walk. Jobs that it started
     * without selecting them, and jobs that it neither selected nor stopped,
     * stand at the end. */
    struct order_list running;
    size_t n_steady; /* the first n_steady have a valid steady_until */
    /* At most n_fresh jobs have started since keys were last renewed. They are
     * after the first n_steady, and their steady_until is 0. */
    size_t n_fresh;
    /* Lower bound on steady_until of all running jobs; exact unless
     * steady_left. */
    sim_time steady;
    bool steady_left; /* true if the job that defined `steady` may have left */
    /* The first n_sorted running jobs are in the order of the keys and ties in
     * their entries. */
    size_t n_sorted;
    /* sums[i]: number of GPUs that the first i running jobs hold; valid for
     * i <= n_summed and after order_sum_running for all. */
    uint32_t *sums;
    size_t n_summed, cap_sums;
    /* true: a running job may have another tie than 0, under a tie rule that
     * keeps the list */
    bool tied;
};

struct order {
    order_key key; /* function that ranks the jobs; NULL: `own` does */
    /* true: `key` is the remaining time itself. It falls alike for all running
     * jobs, so their entries have the believed end as their key, which does not
     * change. */
    bool falls;
    bool blind;    /* true: `key` ignores run times, so no estimator is asked */
    order_own own; /* function that ranks the jobs; NULL: `key` does */
    void *own_self; /* first argument of `own` */
    /* true: renew the keys of running jobs even if no job waits */
    bool eager;
    enum order_ties ties;
    enum order_preempt preempt;
    struct order_vc *vcs; /* state by number of the virtual cluster */
    uint32_t n_vcs;
    /* number of ties made from this counter so far */
    uint64_t counter;
    sim_time instant; /* the instant at which `epoch` last grew */
    /* number of instants so far at which jobs got ties */
    uint64_t epoch;
    struct order_list chosen;  /* waiting jobs that the walk has selected */
    struct order_list victims; /* running jobs that the walk has not selected */
    /* By node: the GPUs that victims hold or held; by number of GPUs that are
     * free or among these: the nodes. Valid if room_known. */
    uint64_t *held;
    size_t cap_held;
    uint32_t nodes_by_room[NODE_GPUS_MAX + 1];
    bool room_known;
    job_id *stopped; /* jobs that the last plan stopped: their keys are stale */
    size_t n_stopped, cap_stopped;
    /* by GPU type: number of GPUs that the walk has not given away yet */
    uint32_t *quota;
    uint32_t n_types;
};

void order_init(struct order *order, const struct view *view, order_key key);
void order_fini(struct order *order); /* accepts all zeroes */

/* Keeps the lists of waiting and running jobs up to date: call from observe. */
void order_observe(struct order *order, const struct view *view,
                   const struct event *event);

/* Adds a running job that the policy has not started: call from adopt. */
void order_adopt(struct order *order, const struct view *view,
                 const struct job *job);

void order_renew_stopped(struct order *order, const struct view *view);
/* Call first in decide: renews the keys of the jobs that the last plan stopped,
 * now that the engine has charged them for the stop. Within one instant a
 * stopped job keeps its key, because the plan may still keep it running. */
static inline void order_begin(struct order *order, const struct view *view)
{
    if (order->n_stopped)
        order_renew_stopped(order, view);
}

/* Call when the keys of all waiting jobs may have changed. */
void order_renew(struct order *order, const struct view *view);
/* Call when the keys of all running jobs may have changed. */
void order_doubt_all(struct order *order);
/* Call when the key of one waiting job has changed. The job gets the tie of a
 * job that enters the queue now. */
void order_requeue(struct order *order, const struct view *view,
                   const struct job *job);
/* Returns the tie of a job that enters another queue at this instant. */
uint64_t order_tail(struct order *order, const struct view *view,
                    const struct job *job);
/* Call when the key of running job number `i` has changed. */
static inline void order_unsort(struct order_vc *vc, size_t i)
{
    vc->n_sorted = vc->n_sorted < i ? vc->n_sorted : i;
}
/* Makes vc->steady exact. */
void order_find_steady(struct order_vc *vc);

/* Starts waiting jobs of a virtual cluster in order, until one does not fit. */
void order_fill(struct order *order, struct plan *plan, uint16_t vc);
/* Starts waiting jobs of a virtual cluster in order, and passes over those that
 * do not fit. */
void order_fill_around(struct order *order, struct plan *plan, uint16_t vc);
/* Starts waiting jobs class by class, those with the fewest GPUs first, and the
 * jobs of a class in the order in which they began to wait, until one does not
 * fit. Ignores the keys. */
void order_fill_by_size(struct order *order, struct plan *plan, uint16_t vc);

/* For a policy that starts jobs by a plan of its own: the first `n` waiting
 * jobs in order, in memory of the plan. The policy then tells which of them the
 * plan has started. */
struct waiting_jobs order_waiters(const struct order *order, struct plan *plan,
                                  uint16_t vc, uint32_t n);
void order_take_started(struct order *order, const struct plan *plan,
                        struct waiting_jobs waiters);

/* Walks running and waiting jobs together, in order, and selects each job that
 * fits into the GPUs of its type that the jobs selected so far leave in the
 * virtual cluster. Selected jobs start if they can be placed; running jobs that
 * are not selected make room (enum order_preempt). With ORDER_PREEMPT_NEEDED,
 * the waiting jobs that fit after that are started, in order. */
void order_fill_preempting(struct order *order, struct plan *plan, uint16_t vc);

#endif
