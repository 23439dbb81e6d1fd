/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/causes.h"

#include <math.h>
#include <stddef.h>

#include "models/failures/fault.h"
#include "models/failures/recovery.h"

/* Acme (NSDI'24), Table 3. All counts are as published. These means were read
 * in a public copy of the table: GPUs and time of "data loader killed" and
 * "data set loading error", the GPUs of "out of memory", and the times of "ECC
 * error", "S3 storage error", "division by zero" and each cause from "name
 * error" on. The copy has no time for "called process error": 1 minute is
 * assumed. The other means are quoted from memory and have not been
 * confirmed. */
#define CAUSES_ROW(name_, kind_, count_, gpus_, minutes_) \
    { \
        .name = name_, .kind = kind_, .count = count_, .gpus = gpus_, \
        .minutes = minutes_ \
    }

static const struct failure_cause causes[] = {
    CAUSES_ROW("NVLink error", FAILURE_INFRASTRUCTURE, 54, 800, 868.1),
    CAUSES_ROW("CUDA error", FAILURE_INFRASTRUCTURE, 21, 847, 923.2),
    CAUSES_ROW("node failure", FAILURE_INFRASTRUCTURE, 16, 712, 1288.8),
    CAUSES_ROW("ECC error", FAILURE_INFRASTRUCTURE, 12, 680, 1303.4),
    CAUSES_ROW("network error", FAILURE_INFRASTRUCTURE, 12, 758, 549.6),
    CAUSES_ROW("connection error", FAILURE_INFRASTRUCTURE, 147, 29, 51.9),
    CAUSES_ROW("S3 storage error", FAILURE_INFRASTRUCTURE, 10, 422, 2317.8),
    CAUSES_ROW("NCCL timeout", FAILURE_INFRASTRUCTURE, 6, 596, 159.7),
    CAUSES_ROW("NCCL remote error", FAILURE_INFRASTRUCTURE, 3, 1152, 50.5),
    CAUSES_ROW("data loader killed", FAILURE_FRAMEWORK, 6, 445, 1580.6),
    CAUSES_ROW("attribute error", FAILURE_FRAMEWORK, 67, 228, 67.8),
    CAUSES_ROW("out of memory", FAILURE_FRAMEWORK, 14, 572, 323.8),
    CAUSES_ROW("runtime error", FAILURE_FRAMEWORK, 65, 441, 66.4),
    CAUSES_ROW("assertion error", FAILURE_FRAMEWORK, 105, 413, 41.7),
    CAUSES_ROW("value error", FAILURE_FRAMEWORK, 33, 387, 9.9),
    CAUSES_ROW("division by zero", FAILURE_FRAMEWORK, 5, 499, 14.5),
    CAUSES_ROW("model loading error", FAILURE_FRAMEWORK, 104, 8, 2.6),
    CAUSES_ROW("data set loading error", FAILURE_FRAMEWORK, 5, 1, 1.6),
    CAUSES_ROW("file not found", FAILURE_SCRIPT, 568, 21, 14.2),
    CAUSES_ROW("OS error", FAILURE_SCRIPT, 266, 8, 9.6),
    CAUSES_ROW("type error", FAILURE_SCRIPT, 620, 18, 0.9),
    CAUSES_ROW("name error", FAILURE_SCRIPT, 18, 247, 3.2),
    CAUSES_ROW("permission error", FAILURE_SCRIPT, 7, 438, 4.3),
    CAUSES_ROW("import error", FAILURE_SCRIPT, 111, 93, 1.1),
    CAUSES_ROW("key error", FAILURE_SCRIPT, 260, 7, 3),
    CAUSES_ROW("syntax error", FAILURE_SCRIPT, 10, 391, 0.7),
    CAUSES_ROW("argument error", FAILURE_SCRIPT, 3, 344, 0.7),
    CAUSES_ROW("called process error", FAILURE_SCRIPT, 4, 256, 1),
    CAUSES_ROW("index error", FAILURE_SCRIPT, 23, 6, 1.6),
};

enum { N_CAUSES = sizeof causes / sizeof *causes };

static double density(double value, double mean)
{
    return exp(-value / mean) / mean;
}

const struct failure_cause *cause_draw(double u, sim_span ran, uint32_t gpus)
{
    double minutes = span_seconds(ran) / 60, sums[N_CAUSES], sum = 0;
    size_t i = 0;
    for (size_t k = 0; k < N_CAUSES; k++) {
        const struct failure_cause *c = &causes[k];
        sum += c->count * density(minutes, c->minutes) *
               density((double)gpus, c->gpus);
        sums[k] = sum;
    }
    while (i + 1 < N_CAUSES && sums[i] <= u * sum)
        i++;
    return &causes[i];
}

/* The words for faults, kinds of failures and verdicts in results. */

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

/* The first rows are the classes of InfiniteHBD's trace (SIGCOMM'25) that do
 * not hit the whole node or that operators cause; the rows from NVLink on are
 * short names for traces written by hand. */

static const struct fault_class classes[] = {
    {.name = "GPU", .scope = FAULT_GPU},
    {.name = "NIC", .scope = FAULT_NIC},
    {.name = "Parameter Plane Cable", .scope = FAULT_NIC},
    {.name = "Stress Test Failure", .scope = FAULT_NODE, .by_operator = true},
    {.name = "Change", .scope = FAULT_NODE, .by_operator = true},
    {.name = "Test", .scope = FAULT_NODE, .by_operator = true},
    {.name = "NVLink", .scope = FAULT_NVLINK},
    {.name = "Cable", .scope = FAULT_NIC},
    {.name = "Link", .scope = FAULT_NIC},
    {.name = "Network", .scope = FAULT_NIC},
    {.name = "Node", .scope = FAULT_NODE},
    {0},
};

const struct fault_class *fault_class_of(struct text name)
{
    static const struct fault_class other = {.scope = FAULT_NODE};
    for (const struct fault_class *c = classes; c->name; c++) {
        if (text_is_nocase(name, c->name))
            return c;
    }
    return &other;
}

bool fault_scope_find(struct text word, enum fault_scope *out)
{
    for (unsigned s = 0; s < FAULT_N_SCOPES; s++) {
        if (text_is(word, fault_scope_name((enum fault_scope)s))) {
            *out = (enum fault_scope)s;
            return true;
        }
    }
    return false;
}
