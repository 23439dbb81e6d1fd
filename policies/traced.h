/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wraps a policy and writes each of its plans to decisions.log. */
#ifndef POLICIES_TRACED_H
#define POLICIES_TRACED_H

#include "policies/policy.h"
#include "sim/base/out.h"

struct traced {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    struct out *log;
};

/* Wraps a policy. The engine must get `traced` as the config of traced->ops.
 * The caller remains the owner of `log`. */
void traced_wrap(struct traced *traced, const struct policy_ops *inner,
                 const void *inner_config, struct out *log);

#endif
