/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wraps a policy and writes each of its plans to decisions.log. */
#ifndef POLICIES_TRACED_H
#define POLICIES_TRACED_H

#include "policies/policy.h"
#include "sim/base/out.h"

struct traced {
    struct policy_ops ops; /* the descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    struct out *log;
};

/* The ops of the result take `traced` itself as config. `log` stays the
 * caller's. */
void traced_wrap(struct traced *traced, const struct policy_ops *inner,
                 const void *inner_config, struct out *log);

#endif
