/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives up each failed job: the default rule. A chain without it gives up the
 * jobs for which none of its rules decides. */
#include "models/failures/recovery.h"

static bool none_rule(const struct recovery *layer,
                      const struct failure *failure, struct ruling *out)
{
    (void)layer;
    (void)failure;
    (void)out; /* *out already holds VERDICT_GIVE_UP */
    return true;
}

const struct recovery_ops recovery_none = {
    .name = "none",
    .summary = "give up a job that fails",
    .rule = none_rule,
};
