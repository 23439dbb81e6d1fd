/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the Failure Handler is right, as a law. The draws are keyed by the
 * failure, so the n-th failure of a job has the same draws under every policy,
 * and a failure that is recognised at one recall is recognised at each higher
 * recall too. */
#ifndef SCHEDMATE_HANDLER_LAWS_H
#define SCHEDMATE_HANDLER_LAWS_H

#include "models/failures/recovery.h"
#include "schedmate/simulated/handler_settings.h"

/* The answer of the handler to the question why a job failed. */
struct handler_verdict {
    bool infrastructure;
    node_id node;     /* the node that it blames; NODE_NONE: none */
    const char *told; /* the cause that it names; NULL: none */
};

/* Chances of the calibrated law, each 0..1. */
struct handler_law {
    /* the settings or, where these are -1, the published figures of the
     * method */
    double recall, precision;
    /* Chance that a failure of another kind is taken for a failure of the
     * infrastructure. It gives `precision` if the share of infrastructure
     * failures equals handler_settings.share: share x recall x (1 - precision)
     * / (precision x (1 - share)), at most 1. */
    double false_alarm;
    double node_right;
    uint64_t stream;
};

struct handler_law handler_law_of(const struct handler_settings *settings,
                                  uint64_t seed);
/* Judges with the errors of the law. A right alarm blames the node at fault
 * with the chance node_right; else it blames a random node of the job, as a
 * false alarm does. */
void handler_judge_by_law(const struct handler_law *law,
                          const struct failure *failure,
                          struct handler_verdict *out);
/* Judges without errors, by the truth. */
void handler_judge_truly(const struct failure *failure,
                         struct handler_verdict *out);

#endif
