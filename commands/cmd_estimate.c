/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `estimate`: measures the error of an estimator on a trace without simulating,
 * on the jobs that were submitted after a split in time. */
#include <stdio.h>
#include <stdlib.h>

#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "commands/summary_table.h"
#include "sim/run/registry.h"
#include "sim/run/rehearse.h"
#include "traces/trace.h"

struct estimate_input {
    struct cli_call call;
    struct run_options options;
    double split;
    sim_time split_at;
    const char *learned, *out, *errors;
    bool json;
};

/* Makes the error that asks for an estimator. The default of `run`, the oracle,
 * would be pointless here: its error is 0. */
static enum status estimate_ask(struct error *err)
{
    char names[512] = "";
    size_t len = 0;
    for (size_t i = 0; estimators[i] && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s",
                                i ? ", " : "", estimators[i]->name);
    return error_set(
        err, STATUS_USAGE,
        "trace estimate: --estimators is missing; give one or more of "
        "%s ('schedsim list estimators')",
        names);
}

static uint32_t first_tested(const struct estimate_input *input,
                             const struct jobset *w)
{
    if (input->split_at == TRACE_NO_TIME)
        return (uint32_t)(input->split * w->n_jobs);
    uint32_t i = 0;
    while (i < w->n_jobs && w->jobs[i].submitted + w->zero < input->split_at)
        i++;
    return i;
}

static enum status write_predictions(const char *path, bool force,
                                     const struct jobset *w,
                                     const struct guess *guesses,
                                     uint32_t first, struct error *err)
{
    struct out *out;
    enum status st = out_open_sparing(path, force, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "job_id,prediction,spread_s,duration_s\n");
    for (uint32_t i = first; i < w->n_jobs; i++) {
        char buf[SOURCE_ID_MAX];
        if (!guesses[i].known)
            continue;
        out_csv(out, text_from(jobset_source_id(w, &w->jobs[i], buf)));
        out_char(out, ',');
        out_span(out, guesses[i].mean);
        out_char(out, ',');
        if (guesses[i].spread >= 0)
            out_span(out, guesses[i].spread);
        out_char(out, ',');
        out_span(out, jobset_duration(w, i));
        out_char(out, '\n');
    }
    return out_close(out, err);
}

static enum status write_learned(const char *path, bool force, struct run *run,
                                 struct error *err)
{
    struct out *out;
    enum status st = out_open_sparing(path, force, &out, err);
    if (st != STATUS_OK)
        return st;
    if (!rehearse_explain(run, out)) {
        out_abandon(out);
        return error_set(err, STATUS_USAGE,
                         "--learned: none of these estimators can write what "
                         "it learned; ga2m can");
    }
    return out_close(out, err);
}

static enum status write_errors(const char *path, bool force,
                                const struct accuracy *accuracy,
                                struct error *err)
{
    struct out *out;
    enum status st = out_open_sparing(path, force, &out, err);
    if (st != STATUS_OK)
        return st;
    accuracy_write_errors(accuracy, out);
    return out_close(out, err);
}

/* Warns the user that errors which were drawn from a published distribution
 * only repeat that distribution. */
static void warn_of_law(const struct ledger *ledger)
{
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++)
        n += ledger->advices[i].basis == ADVICE_LAW;
    if (n)
        fprintf(stderr,
                "note: the errors of %zu answers were drawn from the published "
                "distribution (fidelity=calibrated), so these figures repeat "
                "it and do not confirm it\n",
                n);
}

static enum status estimate_measure(const struct estimate_input *input,
                                    struct run *run, struct guess *guesses,
                                    struct error *err)
{
    const struct jobset *w = &run_result(run)->jobset;
    struct accuracy accuracy;
    struct out *out;
    enum status st = rehearse(run, guesses, err);
    if (st != STATUS_OK)
        return st;
    uint32_t first = first_tested(input, w);
    if (!accuracy_of(w, guesses, first, &accuracy))
        return error_set(
            err, STATUS_BAD_INPUT,
            "%s: the estimators answered for no job after the split",
            input->options.config.trace);
    st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    accuracy_print(&accuracy, input->json, out);
    st = out_close(out, err);
    if (st == STATUS_OK && input->out)
        st = write_predictions(input->out, input->call.force, w, guesses, first,
                               err);
    if (st == STATUS_OK && input->errors)
        st = write_errors(input->errors, input->call.force, &accuracy, err);
    if (st == STATUS_OK && input->learned)
        st = write_learned(input->learned, input->call.force, run, err);
    warn_of_law(&run_result(run)->ledger);
    return st;
}

/* Refuses options of `run` that would change nothing here. */
static enum status estimate_check(const struct estimate_input *input,
                                  struct error *err)
{
    const struct run_config *config = &input->options.config;
    if (config->warmup || config->cooldown)
        return error_set(err, STATUS_USAGE,
                         "trace estimate: --%s is for metrics of a simulation; "
                         "--split says which jobs are tested",
                         config->warmup ? "warmup" : "cooldown");
    return STATUS_OK;
}

static enum status estimate_run(void *self, struct error *err)
{
    struct estimate_input *input = self;
    struct run *prepared = NULL;
    struct backend *model;
    struct guess *guesses = NULL;
    if (!input->options.config.estimators)
        return estimate_ask(err);
    enum status st = estimate_check(input, err);
    if (st != STATUS_OK)
        return st;
    st = run_model_open(&input->options.config, &model, err);
    if (st == STATUS_OK)
        st = run_prepare(&input->options.config, &prepared, err);
    if (st == STATUS_OK) {
        guesses = mem_zalloc(run_result(prepared)->jobset.n_jobs + 1u,
                             sizeof *guesses);
        st = estimate_measure(input, prepared, guesses, err);
    }
    free(guesses);
    run_free(prepared);
    backend_free(model);
    return st;
}

static const struct arg estimate_args[] = {
    TAKE_WORD(struct estimate_input, options.config.trace, "TRACE", "trace"),
    TAKE_DOUBLE(
        struct estimate_input, split, "split", "SHARE",
        "use the first SHARE of the jobs for learning only, 0 to below 1",
        .initial = "0.5", .hi = 1, .below_hi = true),
    TAKE_TIME(struct estimate_input, split_at, "split-at", "TIME",
              "use the jobs submitted before this date for learning only"),
    TAKE_TEXT(
        struct estimate_input, learned, "learned", "FILE",
        "write what the estimators learned, as CSV; - is standard output"),
    TAKE_TEXT(
        struct estimate_input, out, "out", "FILE",
        "write the predictions as CSV, which the estimator 'file' can read",
        .letter = 'o'),
    TAKE_FORCE(struct estimate_input),
    TAKE_TEXT(struct estimate_input, errors, "errors", "FILE",
              "write the distribution of the relative errors as CSV: for each "
              "percent of the jobs the error that they do not exceed"),
    TAKE_FLAG(struct estimate_input, json, "json", "print JSON", .letter = 'j'),
    {0},
};

const struct command command_estimate = {
    .name = "estimate",
    .summary =
        "measure the error of an estimator on a trace, without simulating",
    .about = "Measures the error of run-time estimators (--estimators X) on "
             "the jobs submitted after a split in time. Nothing is scheduled: "
             "each job starts when it is submitted, or when the answer about "
             "it comes if that takes time.",
    .parts = {{.rows = estimate_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct estimate_input, options)},
    .input_size = sizeof(struct estimate_input),
    .run = estimate_run,
    .examples =
        "trace estimate traces/samples/venus.csv --estimators gbdt,history\n"
        "trace estimate traces/samples/venus.csv --estimators ga2m --learned "
        "shapes.csv",
};
