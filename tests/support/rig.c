/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/rig.h"

#include <string.h>

#include "policies/registry.h"
#include "schedmate/simulated/schedmate.h"
#include "sim/run/describe.h"
#include "sim/run/registry.h"
#include "traces/trace.h"

/* Largest number of options of a policy, plus the end row. */
enum { RIG_OPTIONS = 64 };

void *rig_bytes(struct rig *rig, size_t size)
{
    return arena_alloc(&rig->arena, size + 1);
}

void *rig_defaults(struct rig *rig, const struct option *rows, size_t size)
{
    void *config = rig_bytes(rig, size);
    option_defaults(rows, config);
    return config;
}

/* Returns a plug-in with its default settings. */
static struct part rig_part(struct rig *rig, const struct plugin *plugin)
{
    return (struct part){
        .plugin = plugin,
        .config = rig_defaults(rig, plugin->options, plugin->config_size)};
}

static void fill_parts(struct rig *rig)
{
    const struct jobset *w = &rig->jobset;
    struct engine_parts *parts = &rig->parts;
    const struct estimator_ops *demand;
    CHECK(estimator_find(text_from("workload"), &demand, NULL) == STATUS_OK);
    rig->demand.part = rig_part(rig, &demand->plugin);
    rig->estimator.part = rig_part(rig, &estimators[0]->plugin);
    rig->estimator.below = &rig->demand;
    *parts = (struct engine_parts){
        .jobs = w->jobs,
        .truths = w->truths,
        .n_jobs = w->n_jobs,
        .cluster = &rig->cluster,
        .changes = rig->spec.changes,
        .n_changes = rig->spec.n_changes,
        .estimator = &rig->estimator,
        .env = {.jobs = w->jobs, .n_jobs = w->n_jobs, .arena = &rig->arena},
        .ledger = &rig->ledger,
        .plugins = &rig->plugins,
    };
    parts->placer.part = rig_part(rig, &placers[0]->plugin);
    parts->admission = parts->placer;
    parts->interference.part = rig_part(rig, &interferences[0]->plugin);
    parts->belief.part = rig_part(rig, &interferences[0]->plugin);
    parts->throughput.part = rig_part(rig, &throughputs[0]->plugin);
    parts->law.part = rig_part(rig, &time_law_exact.plugin);
    parts->overhead.part = rig_part(rig, &overheads[0]->plugin);
    option_defaults(engine_options, &parts->config);
}

/* Sets the virtual cluster and GPU type of each job from the names in the lab,
 * as sim/run does. */
static void bind_jobs(struct rig *rig, const struct lab *lab)
{
    const struct cluster_spec *spec = &rig->spec;
    for (uint32_t i = 0; i < rig->jobset.n_jobs; i++) {
        struct job *job = &rig->jobset.jobs[i];
        for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
            if (strcmp(spec->vcs[vc], lab->jobs[i].vc) == 0)
                job->vc = vc;
        }
        job->gpu_type = GPU_TYPE_ANY;
        for (uint8_t t = 0; lab->jobs[i].type[0] && t < spec->n_types; t++) {
            if (strcmp(spec->types[t].name, lab->jobs[i].type) == 0)
                job->gpu_type = t;
        }
    }
}

enum status rig_load(struct rig *rig, const struct lab *lab, struct error *err)
{
    struct load_options all = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME};
    *rig = (struct rig){0};
    arena_init(&rig->arena);
    enum status st = jobset_load(lab->trace, "native", &all, &rig->jobset, err);
    if (st == STATUS_OK)
        st = describe_cluster(lab->cluster, &rig->arena, &rig->spec, err);
    if (st != STATUS_OK)
        return st;
    bind_jobs(rig, lab);
    fill_parts(rig);
    return STATUS_OK;
}

/* Replaces the demand from the trace by the demand that profiling measures. */
static enum status forget_demand(struct rig *rig, struct error *err)
{
    const struct estimator_ops *ops;
    enum status st = estimator_find(text_from("profiled"), &ops, err);
    if (st == STATUS_OK)
        rig->demand.part = rig_part(rig, &ops->plugin);
    return st;
}

/* Copies the option rows of a policy, but changes the defaults of profiling. */
static void copy_options(const struct policy_ops *policy, struct option *rows)
{
    static const struct {
        const char *name;
        double value;
    } changed[] = {{"profile_s", 5},
                   {"profile_lend_nodes", 2},
                   {"profile_lend_above", 0},
                   {"profile_return_below", 1}};
    size_t n = 0;
    for (; policy->options && policy->options[n].name; n++) {
        rows[n] = policy->options[n];
        for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
            if (strcmp(rows[n].name, changed[i].name) == 0)
                rows[n].number = changed[i].value;
        }
    }
    rows[n] = (struct option){0};
}

enum status rig_policy(struct rig *rig, const struct policy_ops *policy,
                       const char *text, struct error *err)
{
    struct option *rows = rig_bytes(rig, RIG_OPTIONS * sizeof *rows);
    void *config = rig_bytes(rig, policy->config_size);
    struct spec spec;
    copy_options(policy, rows);
    enum status st = spec_parse("policy", text_from(text), &spec, err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, rows, config, policy->name, &rig->arena, err);
    rig->parts.policy.ops = policy;
    rig->parts.policy.config = config;
    if (policy->needs & POLICY_SHARES)
        rig->parts.config.share_limit = 2;
    if (st == STATUS_OK && policy->needs & POLICY_PROFILES)
        st = forget_demand(rig, err);
    return st;
}

enum status rig_start(struct rig *rig, struct error *err)
{
    struct engine_parts *parts = &rig->parts;
    ledger_init(&rig->ledger, rig->jobset.n_jobs);
    enum status st =
        cluster_init(&rig->cluster, &rig->spec, parts->config.share_limit, err);
    if (st != STATUS_OK)
        return st;
    if (!parts->schedmate.plugin) { /* Without a layer that uses SchedMate,
                                     * this part does nothing. */
        parts->schedmate.plugin = &schedmate_plugin;
        parts->schedmate.config = rig_defaults(rig, schedmate_plugin.options,
                                               schedmate_plugin.config_size);
    }
    engine_parts_make(parts, &rig->arena);
    st = engine_init(&rig->engine, parts, &rig->spec, err);
    rig->started = st == STATUS_OK;
    return st == STATUS_OK ? engine_begin(&rig->engine, err) : st;
}

enum status rig_run(struct rig *rig, struct error *err)
{
    enum status st = STATUS_OK;
    while (st == STATUS_OK)
        st = engine_step(&rig->engine, err);
    return st == STATUS_END ? STATUS_OK : st;
}

void rig_close(struct rig *rig)
{
    if (rig->started)
        engine_fini(&rig->engine);
    plugins_end(&rig->plugins);
    cluster_fini(&rig->cluster);
    ledger_fini(&rig->ledger);
    jobset_fini(&rig->jobset);
    arena_fini(&rig->arena);
}
