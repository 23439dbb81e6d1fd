/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that failed once goes on at once; the second failure is left to the
 * layer below. */
#include "models/failures/recovery.h"

static bool twice_rule(const struct recovery *layer,
                       const struct failure *failure, struct ruling *out)
{
    (void)layer;
    if (failure->failures > 1)
        return false;
    out->verdict = VERDICT_RESUME;
    out->cause = "once";
    return true;
}

const struct recovery_ops recovery_twice = {
    .name = "twice",
    .summary = "goes on after the first failure",
    .rule = twice_rule,
};
