/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives up each failed job. This rule is the bottom of every chain. */
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
