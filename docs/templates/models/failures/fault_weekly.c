/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first node leaves for an hour once a week. */
#include "models/failures/fault.h"

struct weekly {
    sim_time next;
};

static bool weekly_next(void *self, struct fault *out)
{
    struct weekly *s = self;
    s->next += 7 * 24 * SPAN_HOUR;
    *out = (struct fault){.at = s->next,
                          .node = 0,
                          .scope = FAULT_NODE,
                          .after = FAULT_DOWN,
                          .repair = SPAN_HOUR,
                          .key = (uint64_t)s->next,
                          .cause = "maintenance"};
    return true;
}

const struct fault_ops fault_weekly = {
    .name = "weekly",
    .summary = "the first node leaves for an hour once a week",
    .state_size = sizeof(struct weekly),
    .next = weekly_next,
};
