/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language model that the live modules ask inside a simulation (fidelity
 * `replay`), and counts of what they asked. Without a model, the rules of the
 * modules answer.
 *
 * An error that the user must correct, such as a missing record in the mode
 * `strict` of a recording, stops the run after the instant in which the error
 * happened. From then on no module asks anything. */
#ifndef SCHEDMATE_LANGUAGE_MODEL_H
#define SCHEDMATE_LANGUAGE_MODEL_H

#include "base/state/ledger.h"
#include "base/state/plugin.h"
#include "schedmate/llm/llm.h"

/* Longest time for which a server may work on one question. */
#define LANGUAGE_MODEL_SERVICE_MAX (4000 * SPAN_SECOND)

struct language_model {
    struct llm_client *client; /* NULL: rules answer */
    struct error error;        /* reason why the run stops; STATUS_OK: none */
    /* Numbers of questions of the advisor about jobs whose command is unknown
     * (or that came after an error had stopped the run), whose directory cannot
     * be read, and whose metadata were not found. */
    uint32_t n_no_command, n_unreadable, n_unknown;
    const char *unreadable; /* the first directory that could not be read */
    /* Numbers of readings of logs by the tracker: all that were made, those of
     * them that found no speed, and readings that were not made, because there
     * was no log or an error had stopped the run. */
    uint32_t n_logs, n_logs_unknown, n_no_log;
    uint32_t n_failures_unlogged; /* failures whose log could not be read */
    struct run_env env;           /* copy of the run's; its owner is "llm" */
};

void language_model_init(struct language_model *model,
                         const struct run_env *env);

/* Stops the run with this error, unless an earlier error stops it already. */
void language_model_fail(struct language_model *model, const struct error *err);
static inline bool language_model_failed(const struct language_model *model)
{
    return model->error.status != STATUS_OK;
}

/* Counts a job whose directory cannot be read. The path must live as long as
 * the run. */
void language_model_unreadable(struct language_model *model, const char *path);

/* Returns the tokens of all questions of the run so far; 0 without a model. */
struct advice_tokens language_model_tokens(const struct language_model *model);
/* Returns the time for which a server of the station works on questions that
 * took `latency`: at most LANGUAGE_MODEL_SERVICE_MAX. -1 (no model was asked)
 * stays -1. */
sim_span language_model_service(sim_span latency);

/* Records in the manifest which model answered and how often it was asked, and
 * adds remarks on what was not found. Called once, after the run. */
void language_model_close(struct language_model *model);

#endif
