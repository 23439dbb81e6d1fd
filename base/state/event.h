/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event kinds, payloads, and their order within an instant: the order of this
 * enum, then the order in which they were put in the queue. Events that free
 * capacity come before events that ask for it. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include "base/state/job.h"

enum event_kind {
    EVENT_FINISHED, /* job: its work is done; its GPUs are free already */
    EVENT_PHASE,    /* job: its next phase begins; no plug-in sees it */
    EVENT_PROFILED, /* job: its profiling time is over */
    /* the monitor looks at a company or evicts its newcomer; no plug-in sees
     * it */
    EVENT_TRACKED,
    EVENT_FAILED,    /* job: it failed, and the recovery rule has decided */
    EVENT_NODE_DOWN, /* node: it left */
    EVENT_NODE_UP,   /* node: it returned */
    EVENT_SUBMITTED, /* job: it is pending */
    EVENT_BELIEF,    /* job: an estimator layer has new information about it */
    EVENT_WAKE,      /* the policy is to be called at this time */
    /* Estimator layers see every start, and every stop that the policy planned;
     * the policy and the forecast do not see them. Stops by the monitor, or
     * because a node left, are shown to all. */
    EVENT_STARTED, /* job: the plan has started it */
    EVENT_STOPPED, /* job: it is pending again */
    /* job: it waited, and is rejected, because the nodes that it needs have
     * left for good */
    EVENT_REJECTED,
    /* A layer lets a virtual cluster use more GPUs, or other virtual clusters
     * have left GPUs that it shares with them. Only the policy sees it. */
    EVENT_CAPACITY,
    EVENT_N_KINDS
};

struct event {
    sim_time at;
    enum event_kind kind;
    node_id node;          /* NODE_NONE where the kind has none */
    const struct job *job; /* NULL where the kind has none */
    /* EVENT_PROFILED, EVENT_FAILED, EVENT_STOPPED: work that the job had done
     * and has lost, us. `from_start`: this is all the work that the job had
     * done, so that it runs again from its beginning. */
    sim_span lost;
    bool from_start;
    /* EVENT_FINISHED: the trace recorded that the job failed or was cancelled,
     * so its work did not end by itself. */
    bool aborted;
};

#endif
