/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks that are shared by policies which differ only in their key: those
 * that preempt (ranked), and those that only start jobs (queued). */
#ifndef POLICIES_RANKED_H
#define POLICIES_RANKED_H

#include "policies/queue/order.h"

struct ranked_config {
    unsigned ties, preempt;
};
extern const struct option ranked_options[];

struct ranked {
    struct order order;
};

enum status ranked_init(struct ranked *ranked, const void *config,
                        const struct view *view, order_key key);
void ranked_observe(void *self, const struct view *view,
                    const struct event *event);
void ranked_adopt(void *self, const struct view *view, const struct job *job);
void ranked_decide(void *self, const struct view *view, struct plan *plan);
void ranked_fini(void *self);

/* The fields of a descriptor that these policies share. */
#define RANKED_HOOKS \
    .options = ranked_options, .config_size = sizeof(struct ranked_config), \
    .state_size = sizeof(struct ranked), \
    .job_size = sizeof(struct order_mine), .observe = ranked_observe, \
    .adopt = ranked_adopt, .decide = ranked_decide, .fini = ranked_fini

struct queued_config {
    bool skip;
};
extern const struct option queued_options[];

struct queued {
    struct order order;
    const struct queued_config *config;
};

/* `key`: NULL if the policy sets order.own. */
void queued_init(struct queued *queued, const void *config,
                 const struct view *view, order_key key);
void queued_observe(void *self, const struct view *view,
                    const struct event *event);
void queued_decide(void *self, const struct view *view, struct plan *plan);
void queued_fini(void *self);

/* As RANKED_HOOKS; the policy gives the size of its state, which begins with a
 * struct queued. */
#define QUEUED_HOOKS \
    .options = queued_options, .config_size = sizeof(struct queued_config), \
    .job_size = sizeof(struct order_mine), .observe = queued_observe, \
    .decide = queued_decide, .fini = queued_fini

#endif
