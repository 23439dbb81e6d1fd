/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that wraps another policy and writes each action of its plans to a
 * log (decisions.log). */
#ifndef POLICIES_TRACED_H
#define POLICIES_TRACED_H

#include "base/out.h"
#include "policies/policy.h"

struct traced {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    struct out *log;
};

/* Fills in *traced. The engine must get `traced` as the config of traced->ops.
 * All pointers must stay valid for the run; the caller remains the owner of
 * what they point to. */
void traced_wrap(struct traced *traced, const struct policy_ops *inner,
                 const void *inner_config, struct out *log);

#endif
