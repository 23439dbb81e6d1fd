/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules for jobs with equal keys, in one table. A function that has the
 * name of a simulator in its own name imitates that simulator. */
#include "policies/queue/order_internal.h"

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
