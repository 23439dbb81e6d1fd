/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by answer.c and answer_action.c. */
#ifndef OUTSIDE_ANSWER_INTERNAL_H
#define OUTSIDE_ANSWER_INTERNAL_H

#include <jansson.h>

#include "policies/outside/answer.h"

/* Carries out one action of the plan. Returns false if it breaks a rule, which
 * is then in plan->broken. */
bool answer_action(struct plan *plan, unsigned needs, const json_t *action);
/* Marks the plan as broken, with the message "rule NAME: ...". Always returns
 * false. */
bool answer_refuse(struct plan *plan, const char *rule, job_id job,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
