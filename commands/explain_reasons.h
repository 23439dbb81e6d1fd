/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a job waited, as codes that keep their meaning between versions.
 *
 * Each moment of a wait has exactly one reason: the first that holds, in this
 * order.
 *   held-back, profiler-busy, nodes-out
 *   if the job could be placed: between-rounds, blocked-by or reserved-for,
 *     passed-over
 *   if enough GPUs were free, but it could not be placed: fragmented
 *   if enough were free together with lent nodes that it needs: nodes-lent
 *   otherwise: overtaken, quota, too-few-gpus
 * "Its GPUs" are those of the nodes of its virtual cluster and, if it asks for
 * one, its type, that are in service and neither set aside for nor lent to the
 * profiler; for a job that asks for more, those of lent nodes too, which count
 * as free. A job runs on GPUs of one type, so all counts are of one type. A
 * GPU that a job holds is not free, even if it could be shared. The code is in
 * explain.c. */
#ifndef SIM_CLI_EXPLAIN_REASONS_H
#define SIM_CLI_EXPLAIN_REASONS_H

#include "base/json.h"
#include "base/units.h"

#define EXPLAIN_REASONS(X) \
    X(NONE, "none", "it did not wait") \
    X(TOO_FEW_GPUS, "too-few-gpus", \
      "fewer of its GPUs were free than it asks for, even if jobs submitted " \
      "later had held none") \
    X(OVERTAKEN, "overtaken", \
      "fewer were free than it asks for, but not if jobs submitted later had " \
      "held none") \
    X(QUOTA, "quota", \
      "enough were free, but by nodes or quota not for its virtual cluster") \
    X(NODES_OUT, "nodes-out", \
      "the nodes in service had fewer GPUs than it asks for") \
    X(NODES_LENT, "nodes-lent", \
      "only nodes lent to the profiler were missing, which returns them when " \
      "the profiles on them are over") \
    X(FRAGMENTED, "fragmented", \
      "enough were free, but on no set of nodes that the placer accepts") \
    X(BLOCKED_BY, "blocked-by", \
      "it could be placed, but a job in front of it could not") \
    X(RESERVED_FOR, "reserved-for", \
      "it could be placed, but backfill kept GPUs for the job at the head of " \
      "the queue, which could not") \
    X(BETWEEN_ROUNDS, "between-rounds", \
      "it could be placed, and the policy's next round had not begun") \
    X(PASSED_OVER, "passed-over", \
      "it could be placed, no job in front of it lacked GPUs, and the policy " \
      "did not start it") \
    X(PROFILER_BUSY, "profiler-busy", "it waited to be profiled") \
    X(HELD_BACK, "held-back", "a recovery rule held it back after a failure") \
    X(REJECTED, "rejected", "it can never run and was refused")

enum explain_reason {
#define EXPLAIN_ENUM(name, code, help) EXPLAIN_##name,
    EXPLAIN_REASONS(EXPLAIN_ENUM)
#undef EXPLAIN_ENUM
        EXPLAIN_N_REASONS
};
/* by enum explain_reason: its code, and what it means */
extern const char *const explain_codes[], *const explain_helps[];

struct explain_reasons {
    /* by reason: time, microseconds; their sum is the time, from its submission
     * to its end or that of the run, during which the job was on no GPU */
    sim_span spans[EXPLAIN_N_REASONS];
    /* the reason with the longest time; EXPLAIN_NONE: the job did not wait;
     * EXPLAIN_REJECTED: it was rejected */
    enum explain_reason main;
};

/* Sets `main` to the reason with the longest time; among equals, the first. */
void explain_reasons_rank(struct explain_reasons *reasons);
/* Adds the members "reason", and "reasons" with the seconds of each that is not
 * 0. */
void explain_reasons_put(json_t *json, const struct explain_reasons *reasons);

#endif
