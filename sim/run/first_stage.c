/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/first_stage.h"

#include <stdlib.h>
#include <string.h>

static struct placer another(const struct run *run, const struct placer *like,
                             struct arena *arena)
{
    struct placer placer = *like;
    placer.self = arena_alloc(arena, like->ops->state_size + 1);
    if (like->ops->init)
        like->ops->init(placer.self, placer.config, run->config.seed);
    return placer;
}

static void fini_placer(struct placer *placer)
{
    if (placer->ops->fini)
        placer->ops->fini(placer->self);
}

/* Returns the parts of the run without those that could change the first stage:
 * estimators, failures, recovery and changes of capacity. */
static struct engine_parts parts_of(const struct run *run, struct job *jobs,
                                    struct cluster *cluster,
                                    struct ledger *ledger, struct arena *arena)
{
    struct engine_parts parts = run->parts;
    parts.config = (struct engine_config){.share_limit = 1};
    parts.jobs = jobs;
    parts.cluster = cluster;
    parts.n_changes = 0;
    parts.policy = run->first;
    parts.policy_config = run->first_config;
    parts.placer = another(run, &run->parts.placer, arena);
    parts.admission = another(run, &run->parts.admission, arena);
    parts.estimator = NULL;
    parts.fault.ops = NULL;
    parts.recovery = NULL;
    parts.ledger = ledger;
    if (parts.forecast.ops)
        parts.forecast.self =
            arena_alloc(arena, parts.forecast.ops->state_size + 1);
    return parts;
}

enum status first_stage(struct run *run, struct error *err)
{
    uint32_t n = run->parts.n_jobs;
    struct engine engine;
    struct cluster cluster;
    struct arena arena;
    if (!run->first)
        return STATUS_OK;
    enum status st = cluster_init(&cluster, &run->spec, 1, err);
    if (st != STATUS_OK)
        return st;
    struct job *jobs = mem_alloc((n + (size_t)1) * sizeof *jobs);
    if (n)
        memcpy(jobs, run->parts.jobs, n * sizeof *jobs);
    arena_init(&arena);
    ledger_init(&run->first_ledger, n);
    struct engine_parts parts =
        parts_of(run, jobs, &cluster, &run->first_ledger, &arena);
    st = engine_init(&engine, &parts, &run->spec, err);
    if (st != STATUS_OK)
        goto out;
    while ((st = engine_step(&engine, err)) == STATUS_OK)
        ;
    engine_fini(&engine);
    run->parts.first = run->result.first = &run->first_ledger;
    st = st == STATUS_END ? STATUS_OK : st;
out:
    fini_placer(&parts.placer);
    fini_placer(&parts.admission);
    cluster_fini(&cluster);
    arena_fini(&arena);
    free(jobs);
    return st;
}
