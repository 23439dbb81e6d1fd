/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the Failure Handler is right, as a law. The draws are keyed by the
 * failure, so the same failures are recognised under every policy, and those
 * that are recognised at one recall are recognised at any higher one. */
#ifndef SCHEDMATE_HANDLER_LAWS_H
#define SCHEDMATE_HANDLER_LAWS_H

#include "models/failures/recovery.h"
#include "schedmate/handler_settings.h"

/* What the handler takes for the cause of a failure. */
struct handler_verdict {
    bool infrastructure;
    node_id node;     /* the node that it blames; NODE_NONE: none */
    const char *told; /* the cause that it names */
};

/* Chances of the calibrated law. */
struct handler_law {
    double recall, precision; /* the settings, or the figures of the method */
    /* Chance that another failure is taken for one of the infrastructure. It
     * makes the precision right if the share of infrastructure failures is
     * that of the settings: share x recall x (1 - precision) /
     * (precision x (1 - share)), at most 1. */
    double false_alarm;
    double node_right;
    uint64_t stream;
};

struct handler_law handler_law_of(const struct handler_settings *settings,
                                  uint64_t seed);
/* Judges as a tool that errs as the law says. A false alarm blames a node of
 * the job by chance, and so does a wrong name. */
void handler_judge_by_law(const struct handler_law *law,
                          const struct failure *failure,
                          struct handler_verdict *out);
/* Judges as a tool that is always right. */
void handler_judge_truly(const struct failure *failure,
                         struct handler_verdict *out);

#endif
