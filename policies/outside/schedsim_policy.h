/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that is compiled as a shared object (--policy PATH.so) includes this
 * header. Its source has a descriptor as in policies/fifo.c, and after it
 * SCHEDSIM_POLICY(descriptor); contrib/policies/shared has examples,
 * docs/policy-tutorial.md a template.
 *
 *     schedsim policy new NAME.c
 *     schedsim policy build NAME.c
 *
 * policies/policy.h has the rules of a policy, policies/decide/view.h what a
 * policy may know, policies/decide/plan.h what it may do. The functions of
 * these headers are in the program, which resolves them when it loads the
 * object. The object runs in the process of the simulator: load only what you
 * trust. */
#ifndef SCHEDSIM_POLICY_H
#define SCHEDSIM_POLICY_H

/* The system's headers come first, outside of extern "C". */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <schedsim_abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "policies/policy.h"
#include "policies/queue/ranked.h"
#include "policies/rounds.h"

/* The one symbol that the program looks for. The digest says which headers the
 * object was compiled with. */
struct policy_export {
    const char *abi;     /* digest of the headers, SCHEDSIM_POLICY_ABI */
    const char *version; /* version of schedsim, for messages */
    const struct policy_ops *policy;
};

#ifdef __cplusplus
}
#define SCHEDSIM_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define SCHEDSIM_EXPORT extern __attribute__((visibility("default")))
#endif

#define SCHEDSIM_POLICY(ops) \
    SCHEDSIM_EXPORT const struct policy_export schedsim_policy_export; \
    const struct policy_export schedsim_policy_export = { \
        SCHEDSIM_POLICY_ABI, SCHEDSIM_POLICY_VERSION, &(ops)}

#endif
