/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `estimate`: measures the error of an estimator on a trace without simulating,
 * on the jobs that were submitted after a split in time. */
#include <stdio.h>
#include <stdlib.h>

#include "models/registry.h"
#include "sim/cli/accuracy.h"
#include "sim/cli/run_options.h"
#include "sim/run/rehearse.h"
#include "traces/trace.h"

enum {
    KEY_SPLIT = COMMAND_OPTION_KEYS,
    KEY_SPLIT_AT,
    KEY_LEARNED,
    KEY_OUT,
    KEY_JSON,
};

struct estimate_input {
    struct cli_input cli;
    struct run_options options;
    double split;
    sim_time split_at;
    const char *learned, *out;
    bool json;
};

/* The default of `run` is the oracle, whose error is 0, so an estimator must be
 * named. */
static error_t ask(struct argp_state *state)
{
    char names[512] = "";
    size_t len = 0;
    for (size_t i = 0; estimators[i] && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s",
                                i ? ", " : "", estimators[i]->name);
    return cli_fail(state,
                    "estimate: --estimators is missing; give one or more of %s "
                    "('schedsim list estimators')",
                    names);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct estimate_input *input = state->input;
    bool zoned;
    switch (key) {
    case KEY_SPLIT:
        if (!text_to_double(text_from(arg), &input->split) ||
            input->split < 0 || input->split >= 1)
            return cli_fail(state, "--split: '%s' is not in [0, 1)", arg);
        return 0;
    case KEY_SPLIT_AT:
        if (!text_to_time(text_from(arg), &input->split_at, &zoned))
            return cli_fail(state, "--split-at: '%s' is not a date", arg);
        return 0;
    case KEY_LEARNED:
        input->learned = arg;
        return 0;
    case KEY_OUT:
        input->out = arg;
        return 0;
    case KEY_JSON:
        input->json = true;
        return 0;
    case ARGP_KEY_END:
        if (!input->options.config.trace)
            return cli_fail(state, "estimate: a trace is missing");
        if (!input->options.config.estimators)
            return ask(state);
        return 0;
    default:
        return run_options_parse(&input->options, key, arg, state);
    }
}

static const struct argp_option own_options[] = {
    {"split", KEY_SPLIT, "SHARE", 0,
     "use the first SHARE of the jobs for learning only; 0 to below 1, default "
     "0.5",
     0},
    {"split-at", KEY_SPLIT_AT, "TIME", 0,
     "use the jobs submitted before this date for learning only", 0},
    {"learned", KEY_LEARNED, "FILE", 0,
     "write what the estimators learned, as CSV; - is standard output", 0},
    {"out", KEY_OUT, "FILE", 0,
     "write the predictions as CSV, which the estimator 'file' can read", 0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {0},
};

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

static enum status write_predictions(const char *path, const struct jobset *w,
                                     const struct guess *guesses,
                                     uint32_t first, struct error *err)
{
    struct out *out;
    enum status st = out_open(path, &out, err);
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

static enum status write_learned(const char *path, struct run *run,
                                 struct error *err)
{
    struct out *out;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    if (!rehearse_explain(run, out)) {
        out_abandon(out);
        return error_set(err, STATUS_USAGE,
                         "--learned: none of these estimators can say what it "
                         "learned; ga2m can");
    }
    return out_close(out, err);
}

static enum status measure(const struct estimate_input *input, struct run *run,
                           struct guess *guesses, struct error *err)
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
        st = write_predictions(input->out, w, guesses, first, err);
    if (st == STATUS_OK && input->learned)
        st = write_learned(input->learned, run, err);
    return st;
}

static enum status cmd_estimate(int argc, char **argv, struct error *err)
{
    struct argp_option rows[RUN_ARGP_MAX];
    struct estimate_input input = {.split = 0.5, .split_at = TRACE_NO_TIME};
    struct run *run = NULL;
    struct guess *guesses = NULL;
    const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "TRACE",
        .doc = "Measures the error of run-time estimators (--estimators X) on "
               "the jobs submitted after a split in time. Nothing is "
               "scheduled: each job starts when it is submitted."};
    run_options_init(&input.options);
    run_options_argp(own_options, rows);
    enum status st = cli_parse(&argp, argc, argv, &input, err);
    if (st == STATUS_OK)
        st = run_prepare(&input.options.config, &run, err);
    if (st != STATUS_OK)
        goto out;
    guesses = mem_zalloc(run_result(run)->jobset.n_jobs + 1u, sizeof *guesses);
    st = measure(&input, run, guesses, err);
out:
    free(guesses);
    run_free(run);
    run_options_fini(&input.options);
    return st;
}

const struct command command_estimate = {
    .name = "estimate",
    .summary =
        "measure the error of an estimator on a trace, without simulating",
    .run = cmd_estimate,
    .examples = "estimate traces/samples/venus.csv --estimators gbdt,history\n"
                "estimate traces/samples/venus.csv --estimators ga2m --learned "
                "shapes.csv",
};
