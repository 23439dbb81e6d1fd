/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of policies and the array of placers; both end with NULL. */
#ifndef POLICIES_REGISTRY_H
#define POLICIES_REGISTRY_H

#include "policies/decide/placer.h"
#include "policies/policy.h"

extern const struct policy_ops *const policies[];
extern const struct placer_ops *const placers[];
extern const struct plugin_kind policies_kind, placers_kind;

/* Find a policy or a placer by its name or old name. If there is none, return
 * STATUS_USAGE with a message that proposes the nearest name, if one is near.
 */
enum status policy_find(struct text name, const struct policy_ops **out,
                        struct error *err) MUST_USE;
enum status placer_find(struct text name, const struct placer_ops **out,
                        struct error *err) MUST_USE;

#endif
