/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a job waited, as codes that keep their meaning between versions. */
#ifndef SIM_CLI_EXPLAIN_REASONS_H
#define SIM_CLI_EXPLAIN_REASONS_H

#include "sim/cli/explain_wait.h"

#define EXPLAIN_REASONS(X) \
    X(NONE, "none", "it did not wait") \
    X(TOO_FEW_GPUS, "too-few-gpus", \
      "fewer GPUs were free in its virtual cluster than it asks for") \
    X(NODES_OUT, "nodes-out", \
      "the nodes in service had fewer GPUs in its virtual cluster than it " \
      "asks for") \
    X(PASSED_OVER, "passed-over", \
      "enough GPUs were free, but the policy kept them for others or no " \
      "placement used them") \
    X(PROFILER_BUSY, "profiler-busy", "it waited to be profiled") \
    X(HELD_BACK, "held-back", "a recovery rule held it back after a failure") \
    X(REJECTED, "rejected", "it can never run and was refused")

enum explain_reason {
#define EXPLAIN_ENUM(name, code, help) EXPLAIN_##name,
    EXPLAIN_REASONS(EXPLAIN_ENUM)
#undef EXPLAIN_ENUM
        EXPLAIN_N_REASONS
};
/* by enum explain_reason: its code */
extern const char *const explain_codes[];

struct explain_reasons {
    /* by reason: time, microseconds; their sum is the time, from its submission
     * to its end or that of the run, during which the job was on no GPU */
    sim_span spans[EXPLAIN_N_REASONS];
    /* the reason with the longest time; EXPLAIN_NONE: the job did not wait;
     * EXPLAIN_REJECTED: it was rejected */
    enum explain_reason main;
};

/* Measures all waits of a job. `gpus`: the GPUs of its virtual cluster over
 * time. */
void explain_reasons_of(const struct verify_data *d,
                        const struct verify_job *job,
                        const struct explain_gpus *gpus,
                        struct explain_reasons *out);
/* Adds the members "reason" and "reasons". */
void explain_reasons_put(json_t *json, const struct explain_reasons *reasons);

#endif
