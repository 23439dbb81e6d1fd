/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `run`: one trace, one policy. With --out it writes the results to a
 * directory; without, it prints the summary. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/huge_pages.h"
#include "sim/cli/run_report.h"
#include "sim/cli/summary_table.h"

struct run_input {
    struct cli_input head;
    struct run_options options;
    const char *out, *file;
    sim_span interval;
    bool json, decisions, timeline, quiet;
};

enum {
    KEY_OUT = 'o',
    KEY_QUIET = 'q',
    KEY_JSON = COMMAND_OPTION_KEYS,
    KEY_DECISIONS,
    KEY_TIMELINE,
    KEY_SERIES,
    KEY_CONFIG,
};

static const struct argp_option own_options[] = {
    {.name = "out",
     .key = KEY_OUT,
     .arg = "DIR",
     .doc = "write the results to this directory"},
    {.name = "json",
     .key = KEY_JSON,
     .doc = "print the summary as JSON instead of a table"},
    {.name = "decisions",
     .key = KEY_DECISIONS,
     .doc = "also write decisions.log (needs --out)"},
    {.name = "timeline",
     .key = KEY_TIMELINE,
     .doc = "also write timeline.json for Perfetto (needs --out)"},
    {.name = "series-interval",
     .key = KEY_SERIES,
     .arg = "S",
     .doc = "seconds between rows of series.csv; default 600"},
    {.name = "config",
     .key = KEY_CONFIG,
     .arg = "FILE",
     .doc = "read options from a JSON object, or from the manifest.json of a "
            "result; options of the command line take precedence"},
    {.name = "quiet",
     .key = KEY_QUIET,
     .doc = "print no table and draw no progress line"},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_input *input = state->input;
    switch (key) {
    case KEY_OUT:
        input->out = arg;
        return 0;
    case KEY_JSON:
        input->json = true;
        return 0;
    case KEY_DECISIONS:
        input->decisions = true;
        return 0;
    case KEY_TIMELINE:
        input->timeline = true;
        return 0;
    case KEY_QUIET:
        input->quiet = true;
        return 0;
    case KEY_CONFIG:
        input->file = arg;
        return 0;
    case KEY_SERIES:
        if (!text_to_span(text_from(arg), &input->interval) ||
            input->interval <= 0)
            return cli_fail(state,
                            "--series-interval: '%s' is not a number "
                            "of seconds above 0",
                            arg);
        return 0;
    default:
        return run_options_parse(&input->options, key, arg, state);
    }
}

static enum status read_arguments(struct run_input *input, int argc,
                                  char **argv, struct error *err)
{
    struct argp_option rows[RUN_ARGP_MAX];
    run_options_argp(own_options, rows);
    const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "TRACE",
        .doc = "Replays a trace through a scheduling policy.\vTRACE is a file "
               "(plain, gzip or zstd), or - for standard input. 'schedsim "
               "list' lists policies, formats, clusters and models, 'schedsim "
               "list --explain NAME' the settings of one of them. SPEC is "
               "NAME[:KEY=VALUE,...]; SPECS is several of them, separated by "
               "commas. 'schedsim compare' runs several policies."};
    enum status st = cli_parse(&argp, argc, argv, input, err);
    if (st == STATUS_OK && input->file)
        st = run_options_file(&input->options, input->file, err);
    if (st != STATUS_OK)
        return st;
    if (!input->interval)
        input->interval = input->options.interval ? input->options.interval
                                                  : 600 * SPAN_SECOND;
    if (!input->options.config.trace)
        return error_set(err, STATUS_USAGE,
                         "run: a trace is missing; see --help");
    if ((input->decisions || input->timeline) && !input->out)
        return error_set(err, STATUS_USAGE, "--%s: needs --out DIR",
                         input->decisions ? "decisions" : "timeline");
    return STATUS_OK;
}

static enum status show(const struct run_input *input, struct results results,
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
        summary_table_print(stdout, results, summary);
    if (!input->quiet && input->out)
        fprintf(stderr, "results in %s\n", input->out);
    return STATUS_OK;
}

static enum status run_and_report(struct run_report *report,
                                  const struct run_input *input,
                                  struct result_dir *dir, struct error *err)
{
    enum status done = run_report_make(report, dir, err), st = STATUS_OK;
    if (done == STATUS_OK || done == STATUS_INCOMPLETE)
        st = show(input, report->replay.results, &report->summary, err);
    if (st != STATUS_OK || done != STATUS_INCOMPLETE)
        return st == STATUS_OK ? done : st;
    /* the table has reported it */
    if (!input->quiet && !input->json)
        err->message[0] = '\0';
    return done;
}

static enum status cmd_run(int argc, char **argv, struct error *err)
{
    struct run_input input = {0};
    struct result_dir *dir = NULL;
    /* Keep a copy, because argp changes the order of argv. */
    const char **given = mem_zalloc((size_t)argc + 1, sizeof *given);
    memcpy(given, argv, (size_t)argc * sizeof *given);
    huge_pages_prepare();
    run_options_init(&input.options);
    enum status st = read_arguments(&input, argc, argv, err);
    struct run_report report = {
        .options = &input.options,
        .provenance = {.argc = argc, .argv = given, .interval = input.interval},
        .decisions = input.decisions,
        .timeline = input.timeline,
        .progress = !input.quiet && cli_is_terminal(),
    };
    if (st == STATUS_OK && input.out)
        st = result_dir_open(input.out, &dir, err);
    if (st == STATUS_OK)
        st = run_and_report(&report, &input, dir, err);
    run_report_fini(&report);
    run_options_fini(&input.options);
    free(given);
    return st;
}

const struct command command_run = {
    .name = "run",
    .summary = "replay a trace through a policy (the default command)",
    .run = cmd_run,
    .examples =
        "run traces/samples/venus.csv --policy srtf\n"
        "run traces/samples/native.csv --cluster 16x8:A100 --policy "
        "tiresias:promote=4 --out results\n"
        "run traces/samples/venus.csv --policy qssf --estimators gbdt,history "
        "--json",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN),
};
