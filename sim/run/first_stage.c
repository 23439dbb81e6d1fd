/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/first_stage.h"

#include <stdlib.h>
#include <string.h>

/* Returns the parts of the run without those that the first stage must not
 * have: estimators, failures, recovery and changes of capacity. */
static struct engine_parts parts_of(const struct run *run, struct job *jobs,
                                    struct cluster *cluster,
                                    struct ledger *ledger,
                                    struct plugins *plugins,
                                    struct arena *arena)
{
    struct engine_parts parts = run->parts;
    parts.config = (struct engine_config){.share_limit = 1};
    parts.jobs = jobs;
    parts.cluster = cluster;
    parts.n_changes = 0;
    parts.policy.ops = run->first;
    parts.policy.config = run->first_config;
    parts.plugins = plugins;
    parts.estimator = NULL;
    parts.fault.ops = NULL;
    parts.recovery = NULL;
    parts.ledger = ledger;
    engine_parts_make(&parts, arena);
    return parts;
}

enum status first_stage(struct run *run, struct error *err)
{
    uint32_t n = run->parts.n_jobs;
    struct engine engine;
    struct cluster cluster;
    struct arena arena;
    struct plugins plugins = {0};
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
        parts_of(run, jobs, &cluster, &run->first_ledger, &plugins, &arena);
    st = engine_init(&engine, &parts, &run->spec, err);
    if (st != STATUS_OK)
        goto out;
    st = engine_begin(&engine, err);
    while (st == STATUS_OK)
        st = engine_step(&engine, err);
    engine_fini(&engine);
    run->parts.first = run->result.first = &run->first_ledger;
    st = st == STATUS_END ? STATUS_OK : st;
out:
    plugins_end(&plugins);
    cluster_fini(&cluster);
    arena_fini(&arena);
    free(jobs);
    return st;
}
