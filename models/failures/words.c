/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words for faults, kinds of failures and verdicts in results. */
#include "models/failures/causes.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"

const char *fault_scope_name(enum fault_scope scope)
{
    static const char *const names[FAULT_N_SCOPES] = {
        [FAULT_NODE] = "node",       [FAULT_GPU] = "gpu",
        [FAULT_NVLINK] = "nvlink",   [FAULT_NIC] = "nic",
        [FAULT_STORAGE] = "storage",
    };
    return names[scope];
}

const char *fault_after_name(enum fault_after after)
{
    static const char *const names[FAULT_N_AFTER] = {
        [FAULT_PASSES] = "passes",
        [FAULT_DOWN] = "down",
        [FAULT_HIDDEN] = "hidden",
    };
    return names[after];
}

const char *failure_kind_name(enum failure_kind kind)
{
    static const char *const names[FAILURE_N_SIMULATED] = {
        [FAILURE_INFRASTRUCTURE] = "infrastructure",
        [FAILURE_FRAMEWORK] = "framework",
        [FAILURE_SCRIPT] = "script",
    };
    return names[kind];
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICT_N] = {
        [VERDICT_GIVE_UP] = "give-up",
        [VERDICT_RESTART] = "restart",
        [VERDICT_RESUME] = "resume",
    };
    return names[verdict];
}
