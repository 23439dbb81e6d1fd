/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the questions to a program, one line of JSON each
 * (docs/policy-protocol.md). A question has what a policy sees in its view, as
 * far as it has changed since the last question. */
#ifndef OUTSIDE_MESSAGE_H
#define OUTSIDE_MESSAGE_H

#include "base/out.h"
#include "policies/policy.h"

#define PROTOCOL_VERSION 1

struct messages {
    const struct run_env *env; /* a copy that lasts as long as the run */
    bool knows_times;   /* true: questions tell believed remaining times */
    bool knows_demand;  /* true: questions tell believed demands */
    struct out *out;    /* the next question; owned */
    struct out *events; /* what happened since the last question; owned */
    struct out *moves;  /* what the last plan stopped and started; owned */
    bool *is_changed;   /* by virtual cluster: true if it is in `changed` */
    /* virtual clusters changed since the last question */
    uint16_t *changed;
    uint32_t n_changed;
    job_id *stopped; /* jobs that the last plan stopped; owned */
    size_t n_stopped, cap_stopped;
};

void messages_init(struct messages *m, const struct run_env *env,
                   struct arena *arena);
void messages_fini(struct messages *m); /* accepts all zeroes */

/* Adds an event to the next question, unless the protocol has no name for its
 * kind. */
void message_event(struct messages *m, const struct view *view,
                   const struct event *event);
/* Notes the virtual clusters in which something happened since the policy
 * decided last. */
void message_touch(struct messages *m, const struct view *view);
/* Records the actions of a plan for the next question. Call this function when
 * the plan is filled. */
void message_plan(struct messages *m, const struct plan *plan);

/* Return the next question, which ends with a line feed. It is valid until the
 * next call. */
struct text message_begin(struct messages *m);
struct text message_decide(struct messages *m, const struct view *view,
                           uint64_t number);

#endif
