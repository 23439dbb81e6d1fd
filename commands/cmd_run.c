/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `run`: replays one trace through one policy and prints the summary. With
 * --out it also writes a result directory. */

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/find.h"
#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/commands_internal.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "schedmate/llm/llm.h"
#include "sim/results/report.h"
#include "sim/when/state_of.h"

static enum status run_command_run(void *self, struct error *err);

enum status run_model_open(struct run_config *config, struct backend **out,
                           struct error *err)
{
    const struct backend_settings settings = {
        .llm = config->llm,
        .recording = config->llm_recording,
        .recording_mode = config->llm_recording_mode,
        .remembers = config->asks_once};
    *out = NULL;
    if (!settings.llm && !settings.recording && !settings.recording_mode)
        return STATUS_OK;
    enum status st = backend_open(&settings, out, err);
    if (st == STATUS_OK && strcmp(backend_name(*out), "rules") != 0)
        config->model = (struct run_model){
            .client = backend_client(*out),
            .recording = backend_recording(*out),
        };
    return st;
}

void run_model_account(struct backend *backend, struct provenance_model *out)
{
    *out = (struct provenance_model){0};
    if (!backend || strcmp(backend_name(backend), "rules") == 0)
        return;
    struct llm_account all = llm_client_total(backend_client(backend));
    *out = (struct provenance_model){
        .backend = backend_name(backend),
        .asked = all.calls,
        .hits = all.hits,
        .served = all.asked,
        .misses = all.unknown,
    };
}

/* Opens the language model and makes the run. */
static enum status prepare(const struct run_config *config, struct replay *out,
                           struct error *err)
{
    struct run_config own = *config;
    *out = (struct replay){0};
    enum status st = run_model_open(&own, &out->model, err);
    if (st == STATUS_OK)
        st = run_prepare(&own, &out->run, err);
    if (st != STATUS_OK)
        backend_free(out->model);
    return st;
}

/* Makes a time that counts from the first submission count from 1970. */
static sim_time replay_date(const struct run_result *result, sim_time at)
{
    return at >= LOAD_SINCE_FIRST ? at - LOAD_SINCE_FIRST + result->jobset.zero
                                  : at;
}

enum status replay_open(const struct run_config *config,
                        const struct replay_options *options,
                        struct replay *out, struct error *err)
{
    enum status st = prepare(config, out, err);
    if (st != STATUS_OK)
        return st;
    struct run_result *result = run_result(out->run);
    if (options->timeline && options->timeline->wanted)
        st = timeline_open(&out->timeline, options->timeline, result, err);
    if (st != STATUS_OK) {
        run_free(out->run);
        backend_free(out->model);
        *out = (struct replay){0};
        return st;
    }
    meter_init(&out->meter, &result->cluster, result->jobset.n_jobs);
    if (options->series) {
        /* The series reads the state from the meter. A sample shows the state
         * before a job moves, so the series must see each move before the
         * meter. */
        series_init(&out->series, &out->meter, options->series,
                    options->interval);
        out->has_series = true;
        ledger_read_by(&result->ledger, series_reader(&out->series));
    }
    for (unsigned k = 0; k < SERIES_SPLITS; k++) {
        if (!options->series_by[k])
            continue;
        series_by_init(&out->series_by[k], (enum series_split)k, &out->meter,
                       &result->cluster, options->series_by[k],
                       options->interval);
        ledger_read_by(&result->ledger, series_by_reader(&out->series_by[k]));
    }
    ledger_read_by(&result->ledger, meter_reader(&out->meter));
    alone_init(&out->alone, &result->ledger, result->jobset.n_jobs);
    ledger_read_by(&result->ledger, alone_reader(&out->alone));
    if (result->cluster.share_limit > 1) {
        coloc_init(&out->coloc, &result->cluster, result->jobset.n_jobs);
        ledger_read_by(&result->ledger, coloc_reader(&out->coloc));
    }
    if (options->decisions)
        run_log_decisions(out->run, options->decisions);
    if (options->keep_until)
        run_keep_plans(out->run, replay_date(result, options->keep_until));
    return STATUS_OK;
}

void replay_close(struct replay *replay)
{
    struct run_result *result = run_result(replay->run);
    bool shares = result->cluster.share_limit > 1;
    meter_close(&replay->meter, result->ledger.last);
    if (shares)
        coloc_close(&replay->coloc, &result->ledger, result->ledger.last);
    if (replay->has_series)
        series_close(&replay->series, result->ledger.last);
    for (unsigned k = 0; k < SERIES_SPLITS; k++) {
        if (replay->series_by[k].out)
            series_by_close(&replay->series_by[k], result->ledger.last);
    }
    replay->results = results_of(result, &replay->meter);
    replay->results.alone = &replay->alone;
    if (replay->timeline.wish.wanted) {
        timeline_close(&replay->timeline);
        replay->results.timeline = &replay->timeline;
    }
    replay->results.coloc = shares ? &replay->coloc : NULL;
}

enum status replay_run(const struct run_config *config,
                       const struct replay_options *options, struct replay *out,
                       struct error *err)
{
    struct progress_line line;
    enum status st = replay_open(config, options, out, err);
    if (st != STATUS_OK)
        return st;
    progress_line_init(&line, stderr, options->label,
                       run_result(out->run)->jobset.n_jobs);
    if (options->progress)
        run_on_instant(out->run, progress_line_instant, &line);
    st = run_execute(out->run, err);
    progress_line_fini(&line);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE)
        replay_close(out);
    else
        replay_fini(out);
    return st;
}

void replay_fini(struct replay *replay)
{
    if (!replay->run)
        return;
    for (unsigned k = 0; k < SERIES_SPLITS; k++)
        series_by_fini(&replay->series_by[k]);
    meter_fini(&replay->meter);
    coloc_fini(&replay->coloc);
    alone_fini(&replay->alone);
    if (replay->timeline.cluster)
        timeline_fini(&replay->timeline);
    run_free(replay->run);
    if (replay->model)
        backend_free(replay->model);
    replay->run = NULL;
}

static enum status run_simulate(struct run_report *report,
                                struct result_dir *dir, struct error *err)
{
    const struct run_config *config = &report->options->config;
    struct replay_options options = {
        .progress = report->progress,
        .label = config->policy ? config->policy : "fifo",
        .interval = report->provenance.interval,
        .timeline = &report->wishes.timeline,
        .keep_until = report->keep_until,
    };
    enum status st = STATUS_OK;
    if (dir)
        st = result_dir_file(dir, RESULT_SERIES, &options.series, err);
    for (unsigned k = 0; k < SERIES_SPLITS && dir; k++) {
        if (st == STATUS_OK && report->series_by[k])
            st = result_dir_file(dir, k ? RESULT_SERIES_TYPE : RESULT_SERIES_VC,
                                 &options.series_by[k], err);
    }
    if (st == STATUS_OK && report->decisions)
        st = result_dir_file(dir, RESULT_DECISIONS, &options.decisions, err);
    if (st != STATUS_OK)
        return st;
    return replay_run(config, &options, &report->replay, err);
}

/* Copies the options that the user gave to the provenance, so that `rerun` can
 * repeat them. */
static void tell_options(struct run_report *report)
{
    struct provenance *p = &report->provenance;
    p->trace = report->options->config.trace;
    for (size_t i = 0; run_args[i].name; i++) {
        CHECK(p->n_options < PROVENANCE_OPTIONS_MAX);
        if (report->options->given[i])
            p->options[p->n_options++] = (struct provenance_option){
                run_args[i].name, report->options->given[i]};
    }
}

enum status run_report_make(struct run_report *report, struct result_dir *dir,
                            struct error *err)
{
    enum status done = run_simulate(report, dir, err), st = STATUS_OK;
    if (done != STATUS_OK && done != STATUS_INCOMPLETE) {
        result_dir_abandon(dir);
        return done;
    }
    struct results *results = &report->replay.results;
    tell_options(report);
    report->provenance.timeline = &report->wishes.timeline;
    run_model_account(report->replay.model, &report->provenance.model);
    results->provenance = &report->provenance;
    if (!dir) {
        job_pass(NULL, NULL, *results, &report->summary);
        return done;
    }
    st = report_write(dir, *results, &report->summary, report->wishes, err);
    if (st == STATUS_OK)
        st = result_dir_commit(dir, err);
    else
        result_dir_abandon(dir);
    return st == STATUS_OK ? done : st;
}

void run_report_fini(struct run_report *report)
{
    summary_fini(&report->summary);
    replay_fini(&report->replay);
}

struct run_input {
    struct cli_call call;
    struct run_options options;
    const char *out, *file;
    struct arg_list timeline_vcs;
    struct timeline_wish timeline;
    sim_span interval;
    const char *series_by; /* "vc", "type" or both, separated by commas */
    const char *columns;   /* as column_choice_read takes them; NULL: all */
    struct column_choice choice;
    sim_time state_at; /* as an ARG_TIME; ARG_NO_TIME: none */
    const char *save;  /* file for the state at that time */
    bool splits[SERIES_SPLITS];
    bool json, attempts, decisions, quiet, dump, remarks;
};

/* Passes on the virtual clusters of the timeline, and requests it if the user
 * gave any option about it. */
static void want_timeline(struct run_input *input)
{
    struct timeline_wish *wish = &input->timeline;
    wish->vcs = input->timeline_vcs.at;
    wish->n_vcs = input->timeline_vcs.n;
    wish->wanted |= wish->gzip || wish->from || wish->to || wish->n_vcs;
}

static enum status read_splits(struct run_input *input, struct error *err)
{
    static const char *const names[SERIES_SPLITS] = {"vc", "type"};
    struct text rest = text_from(input->series_by ? input->series_by : "");
    while (rest.len) {
        size_t i;
        struct text word = text_trim(text_split(rest, ',', &rest));
        enum status st =
            find_in("--series-by", names, SERIES_SPLITS, word, &i, err);
        if (st != STATUS_OK)
            return st;
        input->splits[i] = true;
    }
    return STATUS_OK;
}

static enum status run_read_columns(struct run_input *input, struct error *err)
{
    enum status st = column_choice_read(input->columns ? input->columns : "",
                                        &input->choice, err);
    input->options.config.load.extras =
        column_choice_has_extras(&input->choice);
    return st == STATUS_OK ? st : error_prefix(err, "--columns: ");
}

/* Reads the options about files of the result, and refuses them without
 * --out. */
static enum status run_read_files(struct run_input *input, struct error *err)
{
    want_timeline(input);
    const char *file = input->attempts          ? "attempts"
                       : input->decisions       ? "decisions"
                       : input->timeline.wanted ? "timeline"
                       : input->series_by       ? "series-by"
                       : input->columns         ? "columns"
                                                : NULL;
    if (file && !input->out)
        return error_set(err, STATUS_USAGE, "--%s: needs --out DIR", file);
    enum status st = read_splits(input, err);
    if (st == STATUS_OK)
        st = run_read_columns(input, err);
    if (st == STATUS_OK && input->timeline.wanted)
        st = timeline_check(&input->timeline, err);
    return st;
}

/* Adds the options in the file of --config to those of the command line, and
 * refuses options that are missing or contradict each other. */
static enum status run_read_config(struct run_input *input, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->file)
        st = run_options_file(&input->options, input->file, NULL,
                              &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    if (!input->interval)
        input->interval = input->options.interval ? input->options.interval
                                                  : 600 * SPAN_SECOND;
    if (!input->options.config.trace && !input->options.config.state)
        return error_set(err, STATUS_USAGE,
                         "run: a trace is missing; see --help");
    if ((input->state_at == ARG_NO_TIME) != !input->save)
        return error_set(err, STATUS_USAGE,
                         "--state-at, --save: give both: the time and the "
                         "file");
    return run_read_files(input, err);
}

static enum status run_show(const struct run_input *input,
                            struct results results,
                            const struct summary *summary, struct error *err)
{
    if (input->json) {
        struct out *out;
        enum status st = out_open("-", &out, err);
        if (st != STATUS_OK)
            return st;
        report_summary(out, results, summary);
        return out_close(out, err);
    }
    if (!input->quiet)
        summary_table_print(stdout, results, summary, input->remarks);
    if (!input->quiet && input->out)
        fprintf(stderr, "results in %s\n", input->out);
    return STATUS_OK;
}

/* Writes the state at --state-at to --save. */
static enum status run_save_state(const struct run_input *input,
                                  struct run *run, struct error *err)
{
    struct state state;
    struct out *out;
    if (!input->save)
        return STATUS_OK;
    enum status st = out_open(input->save, &out, err);
    if (st != STATUS_OK)
        return st;
    state_of_run(run, replay_date(run_result(run), input->state_at), &state);
    state_write(&state, out);
    state_fini(&state);
    return out_close(out, err);
}

static enum status run_and_report(struct run_report *report,
                                  const struct run_input *input,
                                  struct result_dir *dir, struct error *err)
{
    enum status done = run_report_make(report, dir, err), st = STATUS_OK;
    if (done == STATUS_OK || done == STATUS_INCOMPLETE)
        st = run_save_state(input, report->replay.run, err);
    if (st == STATUS_OK && (done == STATUS_OK || done == STATUS_INCOMPLETE))
        st = run_show(input, report->replay.results, &report->summary, err);
    if (st != STATUS_OK || done != STATUS_INCOMPLETE)
        return st == STATUS_OK ? done : st;
    /* The table has reported the unfinished jobs already. */
    if (!input->quiet && !input->json)
        err->message[0] = '\0';
    return done;
}

static enum status run_command_run(void *self, struct error *err)
{
    struct run_input *input = self;
    struct result_dir *dir = NULL;
    enum status st = run_read_config(input, err);
    if (st == STATUS_OK && input->dump)
        return dump_config_run(&input->options, input->interval, err);
    struct run_report report = {
        .options = &input->options,
        .provenance = {.argc = input->call.argc,
                       .argv = input->call.argv,
                       .interval = input->interval},
        .decisions = input->decisions,
        .keep_until = input->save ? input->state_at : 0,
        .series_by = {input->splits[0], input->splits[1]},
        .wishes = {.attempts = input->attempts,
                   .columns = input->choice,
                   .timeline = input->timeline},
        .progress = !input->quiet && cli_is_terminal(),
    };
    if (st == STATUS_OK && input->out)
        st = result_dir_open(input->out, &dir, err);
    if (st == STATUS_OK)
        st = run_and_report(&report, input, dir, err);
    run_report_fini(&report);
    return st;
}

static const struct arg run_cmd_args[] = {
    TAKE_OPTIONAL_WORD(struct run_input, options.config.trace, "TRACE",
                       "trace"),
    TAKE_TEXT(struct run_input, out, "out", "DIR",
              "write the results to this directory", .letter = 'o',
              .often = true),
    TAKE_FLAG(struct run_input, json, "json",
              "print the summary, with all metrics, as JSON instead of a "
              "table",
              .often = true, .letter = 'j'),
    TAKE_FLAG(struct run_input, remarks, "remarks", ROW_REMARKS_HELP,
              .often = true),
    TAKE_FLAG(
        struct run_input, attempts, "attempts",
        "write attempts.csv even if it adds nothing to jobs.csv (needs --out)"),
    TAKE_TEXT(struct run_input, columns, "columns", "short|NAME",
              "write only these columns of jobs.csv ('schedsim list columns'); "
              "short: twelve of Batsim's; may be given more than once; default "
              "all; verify, report and explain need all (needs --out)",
              .joint = ","),
    TAKE_FLAG(struct run_input, decisions, "decisions",
              "also write decisions.log (needs --out)"),
    TAKE_VALUE(ARG_FLAG, bool, struct run_input, timeline.wanted, "timeline",
               "KEY=VALUE,...",
               "also write timeline.json for Perfetto (needs --out)",
               .often = true),
    TAKE_TEXT(struct run_input, timeline.from, "timeline-from", "TIME",
              "draw the run from this time on: a date, or the time since the "
              "first submission (5400, 90min, 36h, 2d); implies --timeline",
              .of = "timeline"),
    TAKE_TEXT(struct run_input, timeline.to, "timeline-to", "TIME",
              "draw the run up to this time; implies --timeline",
              .of = "timeline"),
    TAKE_LIST(struct run_input, timeline_vcs, "timeline-vc", "NAME",
              "draw this virtual cluster only; may be given more than once; "
              "implies --timeline",
              .of = "timeline"),
    TAKE_FLAG(struct run_input, timeline.gzip, "timeline-gzip",
              "write timeline.json.gz in place of timeline.json; implies "
              "--timeline",
              .of = "timeline"),
    TAKE_KEYS("series", "how series.csv is written"),
    TAKE_SPAN(struct run_input, interval, "series-interval", "S",
              "seconds between rows of series.csv; default 600",
              .above_lo = true, .hi = INFINITY, .of = "series"),
    TAKE_TEXT(struct run_input, series_by, "series-by", "vc|type",
              "also write series_vc.csv or series_type.csv, the state of each "
              "virtual cluster or GPU type over time (needs --out); may be "
              "given more than once",
              .joint = ",", .of = "series"),
    TAKE_TIME(struct run_input, state_at, "state-at", "TIME",
              "write the state before this time, as an operator would have "
              "seen it, to --save; a date, or a time after the first "
              "submission (2d, 36h)",
              .may_be_since = true),
    TAKE_TEXT(struct run_input, save, "save", "FILE",
              "the file for --state-at, which `when` and --state read"),
    TAKE_TEXT(struct run_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct run_input, options.trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct run_input, dump, "dump-config", DUMP_CONFIG_HELP),
    TAKE_FLAG(struct run_input, quiet, "quiet",
              "print no table and draw no progress line", .letter = 'q',
              .often = true),
    {0},
};

const struct command command_run = {
    .name = "run",
    .summary = "replay a trace through a policy (the default command)",
    .about = "Replays a trace through a scheduling policy.",
    .notes = "TRACE is a file (plain, gzip or zstd), or - for standard input. "
             "SPEC is NAME[:KEY=VALUE,...], SPECS several of them. 'schedsim "
             "list' has the names, 'schedsim list --explain NAME' the settings "
             "of one.",
    .parts = {{.rows = run_cmd_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct run_input, options)},
    .input_size = sizeof(struct run_input),
    .run = run_command_run,
    .is_simulation = true,
    .examples = "run traces/samples/venus.csv --policy srtf\n"
                "run traces/samples/native.csv --cluster 16x8:A100 --policy "
                "tiresias:promote=4 --out results\n"
                "run traces/samples/venus.csv --policy qssf --estimators "
                "gbdt,history --json",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN),
};
