/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of plug-ins that an engine has, in the order in which they begin:
 * what SchedMate's layers share, placers, models of the simulated world,
 * recovery rules, estimators, the forecast, and last the policy, which may ask
 * all others. */
#include "sim/engine/engine.h"

static void add(struct engine_parts *parts, const char *kind, struct part *part,
                struct arena *arena)
{
    if (part->plugin)
        plugins_add(parts->plugins, part, kind, arena);
}

void engine_parts_make(struct engine_parts *parts, struct arena *arena)
{
    add(parts, "shared", &parts->schedmate, arena);
    parts->env.schedmate = parts->schedmate.self;
    add(parts, "placer", &parts->placer.part, arena);
    add(parts, "placer", &parts->admission.part, arena);
    add(parts, "throughput", &parts->throughput.part, arena);
    add(parts, "interference", &parts->interference.part, arena);
    add(parts, "belief", &parts->belief.part, arena);
    add(parts, "monitor", &parts->monitor.part, arena);
    add(parts, "time-law", &parts->law.part, arena);
    add(parts, "overhead", &parts->overhead.part, arena);
    add(parts, "faults", &parts->fault.part, arena);
    for (struct recovery *r = parts->recovery; r; r = r->below)
        add(parts, "recovery", &r->part, arena);
    for (struct estimator *l = parts->estimator; l; l = l->below)
        add(parts, "estimator", &l->part, arena);
    add(parts, "forecast", &parts->forecast.part, arena);
    add(parts, "policy", &parts->policy.part, arena);
}
