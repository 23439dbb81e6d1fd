/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model of a run: which runs can have one, the errors of its
 * recording, and its entries in the manifest. */
#include <inttypes.h>

#include "schedmate/simulated/schedmate.h"
#include "sim/run/compose_internal.h"

enum status compose_model(const struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    const struct schedmate_config *schedmate = run->parts.schedmate.config;
    if (!config->llm && !config->llm_recording && !config->llm_recording_mode)
        return STATUS_OK;
    if (!schedmate)
        return error_set(err, STATUS_USAGE,
                         "--llm: the run has no layer of SchedMate that could "
                         "ask a language model; try --policy %s+schedmate "
                         "--schedmate fidelity=replay",
                         run->parts.policy.ops->name);
    if (schedmate->fidelity != FIDELITY_REPLAY)
        return error_set(err, STATUS_USAGE,
                         "--llm: a language model is asked with --schedmate "
                         "fidelity=replay only");
    return STATUS_OK;
}

/* Returns the language model of a replay, or NULL. */
static struct language_model *model_of(const struct run *run)
{
    const struct schedmate_config *config = run->parts.schedmate.config;
    struct schedmate *s = run->parts.schedmate.self;
    return s && config->fidelity == FIDELITY_REPLAY ? &s->model : NULL;
}

enum status compose_model_error(const struct run *run, struct error *err)
{
    const struct language_model *model = model_of(run);
    if (!model || !language_model_failed(model))
        return STATUS_OK;
    *err = model->error;
    return err->status;
}

/* Adds a remark on the number of jobs for which the advisor's beliefs came from
 * the truth. */
static void remark_law(struct run *run)
{
    const struct ledger *ledger = &run->result.ledger;
    uint32_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++)
        n += ledger->advices[i].basis == ADVICE_LAW;
    if (n)
        remarks_add(&run->result.remarks, REMARK_NUMBERS,
                    "advisor: beliefs about %" PRIu32 " of %" PRIu32
                    " jobs are the truth with the published errors, because "
                    "the trace gives neither their names nor their models, or "
                    "beliefs=law is set (--schedmate beliefs)",
                    n, run->result.jobset.n_jobs);
}

void compose_model_close(struct run *run)
{
    struct language_model *model = model_of(run);
    const char *recording = run->config.model.recording;
    remark_law(run);
    if (!model)
        return;
    language_model_close(model);
    /* After the run, so that the run that made a recording and those that
     * replay it have the same digest. */
    if (recording)
        compose_file(run, "recording of the language model", recording, NULL);
}
