/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment that the parts of a run get when they begin, the models of
 * the jobs, and the work of jobs that a model of throughput describes. */
#include "models/usage/usage.h"
#include "sim/run/compose_internal.h"
#include "sim/run/side_run.h"

/* Adds a remark on the assumed interference, if the policy shares GPUs
 * and the user named no model. */
static void remark_interference(struct run *run)
{
    const struct interference *model = &run->parts.interference;
    if (run->config.interference ||
        !(run->parts.policy.ops->needs & POLICY_SHARES))
        return;
    remarks_add(&run->result.remarks, REMARK_NUMBERS,
                "jobs that share GPUs are assumed to slow each other down by "
                "the model '%s': %s (--interference)",
                model->ops->name, model->ops->summary);
}

enum status compose_models(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    return usage_assign(run->recipe, run->recipe_config, run->config.seed,
                        &r->jobset, &r->arena, &r->usage, err);
}

static const char *text_of(const void *strings, uint32_t symbol)
{
    return interner_string(strings, symbol);
}

static void note(void *self, const char *owner, const char *key,
                 const char *value, const char *help, const char *source)
{
    compose_note(self, owner, key, value, help, source);
}

static bool is_recorded(const void *jobset, job_id job)
{
    return jobset_recorded(jobset, job);
}

/* Makes the error for a job that works in phases under a law of time that needs
 * a constant speed: a phase could end within a second. */
static enum status refuse_phases(const struct run *run, const struct job *job,
                                 struct error *err)
{
    char id[SOURCE_ID_MAX];
    return error_set(
        err, STATUS_USAGE,
        "--throughput %s: the speed of job %.60s changes as it trains, but the "
        "law of time %s counts whole seconds of one speed: --time-law exact, "
        "or --throughput rigid",
        run->parts.throughput.ops->name,
        jobset_source_id(&run->result.jobset, job, id),
        run->parts.law.ops->name);
}

struct run_env compose_env(struct run *run)
{
    struct run_result *r = &run->result;
    return (struct run_env){
        .jobs = r->jobset.jobs,
        .terms = r->jobset.terms,
        .n_jobs = r->jobset.n_jobs,
        .usage = &r->usage,
        .zero = r->jobset.zero,
        .past = run->past,
        .n_past = run->n_past,
        .string = text_of,
        .strings = &r->jobset.strings,
        .recorded = is_recorded,
        .recorded_self = &r->jobset,
        .seed = run->config.seed,
        .arena = &r->arena,
        .remarks = &r->remarks,
        .evidence = run->evidence,
        .past_evidence = run->past_evidence,
        .llm = run->config.model.client,
        .side_run = side_run,
        .side_run_self = run,
        .note = note,
        .note_self = run,
    };
}

enum status compose_work(struct run *run, struct error *err)
{
    struct jobset *w = &run->result.jobset;
    const struct throughput *model = &run->parts.throughput;
    bool phases = run->parts.law.ops->one_speed && model->ops->begin;
    remark_interference(run);
    for (job_id i = 0; i < w->n_jobs && model->ops->work; i++) {
        if (phases && throughput_knows(model, &w->jobs[i]))
            return refuse_phases(run, &w->jobs[i], err);
        w->truths[i].work = progress_waiting(&run->engine.book, i);
    }
    return STATUS_OK;
}
