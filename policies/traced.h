/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decorator: any policy, with each of its plans written down. */
#ifndef POLICIES_TRACED_H
#define POLICIES_TRACED_H

#include "policies/policy.h"
#include "sim/base/out.h"

struct traced {
    struct policy_ops ops; /* what the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    struct out *log;
};

/* The result's ops take `traced` itself as config; `log` stays the caller's. */
void traced_wrap(struct traced *traced, const struct policy_ops *inner,
                 const void *inner_config, struct out *log);

#endif
