/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives each job its model and GPU demand, and binds the plug-ins that depend
 * on jobs and cluster. */
#include "models/workloads/workloads.h"
#include "sim/run/compose.h"

struct noter {
    struct run *run;
    const char *owner;
};

static void note_for(void *self, const char *key, const char *value,
                     const char *help, const char *source)
{
    const struct noter *n = self;
    compose_note(n->run, n->owner, key, value, help, source);
}

static enum status bind_interference(struct run *run, const char *owner,
                                     const struct interference *model,
                                     struct error *err)
{
    struct run_result *r = &run->result;
    if (!model->ops->bind)
        return STATUS_OK;
    struct noter noter = {run,
                          compose_join(&r->arena, owner, model->ops->name)};
    struct interference_env env = {
        .jobs = r->workload.jobs,
        .n_jobs = r->workload.n_jobs,
        .workloads = &r->workloads,
        .arena = &r->arena,
        .note = note_for,
        .note_self = &noter,
        .remarks = &r->remarks,
    };
    return model->ops->bind(model->config, &env, err);
}

/* Remarks which interference is assumed when the policy shares GPUs and the
 * user named no model. */
static void remark_interference(struct run *run)
{
    const struct interference *model = &run->parts.interference;
    if (run->config.interference || !(run->parts.policy->needs & POLICY_SHARES))
        return;
    remarks_add(&run->result.remarks,
                "jobs that share GPUs are assumed to slow each other down by "
                "the model '%s': %s (--interference)",
                model->ops->name, model->ops->summary);
}

enum status compose_workloads(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    enum status st =
        workloads_assign(run->recipe, run->recipe_config, run->config.seed,
                         &r->workload, &r->arena, &r->workloads, err);
    if (st == STATUS_OK)
        st = bind_interference(run, "interference", &run->parts.interference,
                               err);
    if (st == STATUS_OK)
        st = bind_interference(run, "belief", &run->parts.belief, err);
    if (st == STATUS_OK)
        remark_interference(run);
    return st;
}

const char *compose_symbol(const void *strings, uint32_t symbol)
{
    return interner_string(strings, symbol);
}

static bool is_recorded(const void *workload, job_id job)
{
    return workload_recorded(workload, job);
}

/* Refuses countdown with speeds that change: countdown counts whole seconds,
 * but a phase can end within a second. */
static enum status refuse_countdown(const struct run *run,
                                    const struct job *job, struct error *err)
{
    char id[SOURCE_ID_MAX];
    return error_set(
        err, STATUS_USAGE,
        "--throughput %s: the speed of job %.60s changes as it trains, but "
        "countdown (of the engine, or of the rules lucid) counts whole seconds "
        "of one speed: --engine countdown=false, or --throughput rigid",
        run->parts.throughput.ops->name,
        workload_source_id(&run->result.workload, job, id));
}

enum status compose_throughput(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct throughput *model = &run->parts.throughput;
    if (!model->ops->bind)
        return STATUS_OK;
    struct noter noter = {
        run, compose_join(&r->arena, "throughput", model->ops->name)};
    struct throughput_env env = {
        .cluster = &r->cluster,
        .jobs = r->workload.jobs,
        .n_jobs = r->workload.n_jobs,
        .zero = r->workload.zero,
        .string = compose_symbol,
        .strings = &r->workload.strings,
        .recorded = is_recorded,
        .recorded_self = &r->workload,
        .remarks = &r->remarks,
        .note = note_for,
        .note_self = &noter,
    };
    bool phases = run->parts.config.counts_down && model->ops->begin;
    enum status st = model->ops->bind(model, &env, err);
    for (job_id i = 0; i < r->workload.n_jobs && st == STATUS_OK; i++) {
        sim_span work = model->ops->work(model, &r->workload.jobs[i]);
        if (work > 0 && phases)
            st = refuse_countdown(run, &r->workload.jobs[i], err);
        if (work > 0)
            r->workload.truths[i].work = work;
    }
    return st;
}
