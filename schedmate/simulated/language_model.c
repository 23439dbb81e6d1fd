/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model that the live modules ask inside a simulation (fidelity
 * `replay`), and counts of what they asked. */
#include "schedmate/simulated/schedmate.h"

#include <inttypes.h>
#include <stdio.h>

void language_model_init(struct language_model *model,
                         const struct run_env *env)
{
    *model = (struct language_model){.client = env->llm, .env = *env};
    model->env.owner = "llm";
}

void language_model_fail(struct language_model *model, const struct error *err)
{
    if (!language_model_failed(model))
        model->error = *err;
}

void language_model_unreadable(struct language_model *model, const char *path)
{
    if (!model->n_unreadable++)
        model->unreadable = path;
}

struct advice_tokens language_model_tokens(const struct language_model *model)
{
    if (!model->client)
        return (struct advice_tokens){0};
    struct llm_account all = llm_client_total(model->client);
    return (struct advice_tokens){(uint32_t)all.usage.prompt,
                                  (uint32_t)all.usage.completion};
}

sim_span language_model_service(sim_span latency)
{
    return latency < LANGUAGE_MODEL_SERVICE_MAX ? latency
                                                : LANGUAGE_MODEL_SERVICE_MAX;
}

static void model_note_count(const struct language_model *model,
                             const char *key, uint64_t n, const char *help)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, n);
    env_note(&model->env, key, text, help, NULL);
}

static void note_sampling(const struct language_model *model)
{
    char text[OPTION_TEXT_MAX];
    const struct option *row = llm_sampling_options;
    for (; row->kind != OPTION_END; row++)
        env_note(&model->env, row->name,
                 option_value(row, &model->client->sampling, text), row->help,
                 NULL);
}

static void model_remark_unanswered(const struct language_model *model)
{
    struct arena arena;
    arena_init(&arena);
    const char *words = llm_client_unanswered(model->client, &arena);
    if (words)
        remarks_add(model->env.remarks, REMARK_NUMBERS, "fidelity=replay: %s",
                    words);
    arena_fini(&arena);
}

static void model_remark(const struct language_model *model)
{
    struct remarks *remarks = model->env.remarks;
    if (!model->client)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "fidelity=replay: rules stand in for a language model "
                    "(--llm)");
    else
        model_remark_unanswered(model);
    if (model->n_no_command)
        remarks_add(
            remarks, REMARK_NUMBERS,
            "fidelity=replay: the advisor could not answer about %" PRIu32
            " jobs, because no side-car names their commands "
            "(--evidence)",
            model->n_no_command);
    if (model->n_unreadable)
        remarks_add(remarks, REMARK_NUMBERS,
                    "fidelity=replay: the directories of %" PRIu32
                    " jobs cannot be read; the first is %.200s",
                    model->n_unreadable, model->unreadable);
    if (model->n_unknown)
        remarks_add(remarks, REMARK_NUMBERS,
                    "fidelity=replay: the advisor could not tell what %" PRIu32
                    " jobs train, although their commands are known",
                    model->n_unknown);
    if (model->n_no_log)
        remarks_add(remarks, REMARK_NUMBERS,
                    "fidelity=replay: %" PRIu32
                    " logs were not read, because no side-car describes them "
                    "(--evidence)",
                    model->n_no_log);
    if (model->n_logs_unknown)
        remarks_add(remarks, REMARK_NUMBERS,
                    "fidelity=replay: in %" PRIu32 " of %" PRIu32
                    " readings of a log the tracker found no speed",
                    model->n_logs_unknown, model->n_logs);
    if (model->n_failures_unlogged)
        remarks_add(remarks, REMARK_NUMBERS,
                    "fidelity=replay: the handler left %" PRIu32
                    " failures to the layer below, because no side-car says "
                    "how the job's log looks, or the real log that it names "
                    "cannot be read or does not tell of the failure "
                    "(--evidence)",
                    model->n_failures_unlogged);
}

void language_model_close(struct language_model *model)
{
    model_remark(model);
    if (!model->client) {
        env_note(&model->env, "model", "rules",
                 "rules of the modules stand in for a language model", NULL);
        return;
    }
    struct llm_account all = llm_client_total(model->client);
    note_sampling(model);
    env_note(&model->env, "answered_by", model->client->answered_by,
             "model that answered, by the name that its server gave", NULL);
    model_note_count(model, "questions", all.calls,
                     "questions of the modules, steps of the agent included");
    model_note_count(
        model, "unanswered", all.unknown,
        "questions without an answer, such as misses of a recording");
    model_note_count(model, "invalid", all.invalid,
                     "answers that did not fit the schema");
    if (all.left_out)
        model_note_count(
            model, "left_out_bytes", all.left_out,
            "bytes of questions left out, which do not fit the model's "
            "context");
}
