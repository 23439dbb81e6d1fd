/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/side_run.h"

#include <stdlib.h>
#include <string.h>

/* What a side run owns; freed at its end. */
struct side {
    /* copies, because the engine changes the states of jobs */
    struct job *jobs;
    struct cluster cluster;
    struct plugins plugins;
    struct arena arena;
};

/* Returns the parts of the run without those that could change the outcome of
 * the side run: settings of the engine, estimators, the monitor, failures,
 * recovery, SchedMate and changes of capacity. */
static struct engine_parts parts_of(const struct run *run, struct side *side,
                                    struct ledger *ledger)
{
    struct engine_parts parts = run->parts;
    parts.config = (struct engine_config){.share_limit = 1};
    parts.jobs = side->jobs;
    parts.cluster = &side->cluster;
    parts.n_changes = 0;
    parts.plugins = &side->plugins;
    parts.estimator = NULL;
    parts.monitor.ops = NULL;
    parts.fault.ops = NULL;
    parts.recovery = NULL;
    parts.schedmate = (struct part){0};
    parts.ledger = ledger;
    parts.env.side_run = NULL;
    return parts;
}

static enum status simulate(const struct engine_parts *parts,
                            const struct cluster_spec *spec, struct error *err)
{
    struct engine engine;
    enum status st = engine_init(&engine, parts, spec, err);
    if (st != STATUS_OK)
        return st;
    st = engine_begin(&engine, err);
    while (st == STATUS_OK)
        st = engine_step(&engine, err);
    engine_fini(&engine);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status side_run(void *self, const struct policy_ops *policy,
                     const void *config, const struct ledger **out,
                     struct error *err)
{
    struct run *run = self;
    struct side side = {0};
    uint32_t n = run->parts.n_jobs;
    if (run->result.side_run)
        return error_set(err, STATUS_USAGE, "a run has at most one side run");
    enum status st = cluster_init(&side.cluster, &run->spec, 1, err);
    if (st != STATUS_OK)
        return st;
    side.jobs = mem_alloc((n + (size_t)1) * sizeof *side.jobs);
    if (n)
        memcpy(side.jobs, run->parts.jobs, n * sizeof *side.jobs);
    arena_init(&side.arena);
    ledger_init(&run->side_ledger, n);
    run->result.side_run = &run->side_ledger;
    struct engine_parts parts = parts_of(run, &side, &run->side_ledger);
    parts.policy.ops = policy;
    parts.policy.config = config;
    engine_parts_make(&parts, &side.arena);
    st = simulate(&parts, &run->spec, err);
    plugins_end(&side.plugins);
    cluster_fini(&side.cluster);
    arena_fini(&side.arena);
    free(side.jobs);
    *out = &run->side_ledger;
    return st;
}
