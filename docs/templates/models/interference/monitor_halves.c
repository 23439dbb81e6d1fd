/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A minute after a guest came, evicts it if the resident runs at less than half
 * of the speed that it has alone, whoever slows it down. */
#include "models/interference/monitor.h"

static sim_time halves_joined(void *self, struct company *company)
{
    (void)self;
    return company->joined + 60 * SPAN_SECOND;
}

static void halves_look(void *self, struct company *company,
                        const struct sighting *now, struct judgement *out)
{
    (void)self;
    (void)company;
    out->evict = now->rel_speed < 0.5;
    out->why = "the resident runs at less than half of its speed";
}

const struct monitor_ops monitor_halves = {
    .name = "halves",
    .summary = "evict a guest if the resident runs at less than half speed",
    .joined = halves_joined,
    .look = halves_look,
};
