/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers that plan.c and plan_start.c share. */
#ifndef SIM_PLAN_INTERNAL_H
#define SIM_PLAN_INTERNAL_H

#include "policies/decide/plan.h"

/* Flags of each job while a plan is filled. */
enum {
    PLANNED_START = 1,
    PLANNED_STOP = 2,
};

/* Records that an action on the job breaks a rule, unless the plan has broken
 * one already. Always returns false, so that a caller can return the result. */
bool plan_broken(struct plan *plan, const struct job *job, const char *rule);
/* Appends an action to the plan. All its fields but kind and job are 0. The
 * pointer is valid until the next action is appended. */
struct plan_action *plan_act(struct plan *plan, enum plan_kind kind,
                             const struct job *job);

#endif
