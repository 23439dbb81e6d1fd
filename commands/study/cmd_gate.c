/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `gate`: executes the runs that a file names and compares their metrics with
 * the values that the file expects. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/cli.h"
#include "commands/policy_list.h"
#include "commands/study/gate_internal.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"

struct gate_input_of_command {
    struct cli_call call;
    struct run_options options;
    struct gate_first first;
    struct gate_choice choice;
    const char *reason, *date, *markdown, *junit;
    double tolerance;
    uint32_t threads;
    bool update, json, all, quiet, remarks;
};

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Returns the first given option that is only for --init; NULL: none is given.
 */
static const char *only_for_init(const struct gate_input_of_command *in)
{
    for (size_t i = 0; run_args[i].name; i++) {
        if (in->options.given[i])
            return run_args[i].name;
    }
    return in->first.policies.n     ? "policy"
           : in->first.metrics.n    ? "metric"
           : in->first.replications ? "replications"
                                    : NULL;
}

/* Refuses '-' as the gate file without --init, and more than one output that
 * goes to standard output. */
static enum status check_outputs(const struct gate_input_of_command *in,
                                 struct error *err)
{
    bool init = in->first.traces.n > 0;
    if (is_stdout(in->first.file) && !init)
        return error_set(err, STATUS_USAGE,
                         "gate: expected the name of a gate file; '-' "
                         "(standard output) is only for --init");
    if (is_stdout(in->markdown) + is_stdout(in->junit) + in->json +
            is_stdout(in->first.file) >
        1)
        return error_set(err, STATUS_USAGE,
                         "only one of the gate file, --markdown and --junit "
                         "can go to standard output");
    return STATUS_OK;
}

static enum status check_update(const struct gate_input_of_command *in,
                                struct error *err)
{
    sim_time at;
    bool zoned;
    if (in->first.traces.n)
        return error_set(err, STATUS_USAGE,
                         "--init makes a new file, --update changes one");
    if (!in->reason || !text_trim(text_from(in->reason)).len)
        return error_set(err, STATUS_USAGE,
                         "--update: say with --reason WORDS why the values "
                         "may change; the file keeps the words");
    if (!isnan(in->tolerance))
        return error_set(err, STATUS_USAGE,
                         "--update writes every value that differs, whatever "
                         "the --tolerance");
    if (in->date && !text_to_time(text_from(in->date), &at, &zoned))
        return error_set(err, STATUS_USAGE,
                         "--date: '%.60s' is not a date such as 2026-11-22",
                         in->date);
    return STATUS_OK;
}

static enum status check_options(const struct gate_input_of_command *in,
                                 struct error *err)
{
    bool init = in->first.traces.n > 0;
    const char *wrong = init ? NULL : only_for_init(in);
    if (wrong)
        return error_set(err, STATUS_USAGE,
                         "--%s: is only for --init; without it the gate file "
                         "says what is run",
                         wrong);
    if (in->update) {
        enum status st = check_update(in, err);
        return st == STATUS_OK ? check_outputs(in, err) : st;
    }
    if (!init && (in->reason || in->date))
        return error_set(err, STATUS_USAGE, "--%s: is only for --update",
                         in->reason ? "reason" : "date");
    return check_outputs(in, err);
}

/* Reads the gate file or, with --init, makes a new one in memory. A new file
 * takes over the tolerance, so in->tolerance becomes NaN. Refuses --init if the
 * file exists. */
static enum status gate_open_file(struct gate_input_of_command *in,
                                  struct gate_file *file, struct error *err)
{
    struct gate_first *first = &in->first;
    *file = (struct gate_file){0};
    if (!first->traces.n)
        return gate_file_open(first->file, in->options.trusts, file, err);
    if (!is_stdout(first->file) && access(first->file, F_OK) == 0)
        return error_set(err, STATUS_USAGE,
                         "--init: %s exists already; --update changes it",
                         first->file);
    struct out *out = out_to_memory();
    first->options = &in->options;
    first->tolerance = isnan(in->tolerance) ? 1 : in->tolerance;
    in->tolerance = NAN;
    enum status st = policy_list_expand(&first->policies, &in->call.arena, err);
    if (st == STATUS_OK)
        st = gate_init(first, out, err);
    struct text text = out_memory(out);
    char *copy = mem_alloc(text.len + 1);
    memcpy(copy, text.at, text.len);
    out_abandon(out);
    if (st == STATUS_OK)
        return gate_file_parse(first->file, copy, text.len, true, file, err);
    free(copy);
    return st;
}

/* Executes the cases. Changes into the directory of the file meanwhile, because
 * the paths in the file are relative to it. */
static enum status gate_execute(const struct gate_input_of_command *in,
                                struct gate_cases *cases, struct error *err)
{
    const char *path = in->first.file, *slash = strrchr(path, '/');
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t len = slash ? (size_t)(slash - path) + 1 : 1;
    char *directory = mem_alloc(len + 1);
    memcpy(directory, slash ? path : ".", len);
    directory[len] = '\0';
    enum status st = STATUS_OK;
    if (here < 0 || chdir(directory) != 0)
        st =
            error_set(err, STATUS_FAILED, "%s: %s", directory, strerror(errno));
    free(directory);
    if (st == STATUS_OK)
        st = gate_cases_execute(cases, in->threads,
                                !in->quiet && cli_is_terminal(), err);
    if (here >= 0 && fchdir(here) != 0 && st == STATUS_OK)
        st = error_set(err, STATUS_FAILED, "cannot return to the directory: %s",
                       strerror(errno));
    if (here >= 0)
        close(here);
    return st;
}

static enum status write_report(
    const char *path, void (*write)(const struct gate_cases *, struct out *),
    const struct gate_cases *cases, struct error *err)
{
    struct out *out;
    if (!path)
        return STATUS_OK;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    write(cases, out);
    return out_close(out, err);
}

static enum status gate_report(const struct gate_input_of_command *in,
                               const struct gate_cases *cases,
                               struct error *err)
{
    bool init = in->first.traces.n > 0;
    bool is_free =
        !is_stdout(in->markdown) && !is_stdout(in->junit) && !in->json;
    enum status st = write_report(in->markdown, gate_markdown, cases, err);
    if (st == STATUS_OK)
        st = write_report(in->junit, gate_junit, cases, err);
    if (st == STATUS_OK && in->json)
        st = write_report("-", gate_json, cases, err);
    if (is_free && !init)
        gate_table(cases, in->all, in->remarks, stdout);
    return st;
}

static void say_update(const struct gate_input_of_command *in,
                       const struct gate_cases *cases,
                       const struct gate_updated *u)
{
    const char *file = in->first.file;
    bool is_taken = is_stdout(file) || in->json || is_stdout(in->markdown) ||
                    is_stdout(in->junit);
    FILE *to = is_taken ? stderr : stdout;
    size_t n_metrics = cases->at[0].trace->n_metrics;
    if (!u->number)
        say(to, "%s: nothing has changed; the file is left as it is", file);
    else if (in->first.traces.n)
        say(to, "%s: %zu run%s of %zu metric%s; 'schedsim gate %s' checks them",
            is_stdout(file) ? "the gate file" : file, cases->n_runs,
            say_plural(cases->n_runs), n_metrics, say_plural(n_metrics),
            is_stdout(file) ? "FILE" : file);
    else
        say(to,
            "%s: update %llu: %zu value%s replaced, %zu run%s added, %zu "
            "removed, %zu input%s recorded",
            file, (unsigned long long)u->number, u->n_values,
            say_plural(u->n_values), u->n_rows, say_plural(u->n_rows),
            u->n_removed, u->n_inputs, say_plural(u->n_inputs));
}

/* Writes the file with the new values, unless nothing has changed, and says
 * what was done. */
static enum status cmd_gate_update(const struct gate_input_of_command *in,
                                   const struct gate_cases *cases,
                                   struct error *err)
{
    const struct gate_reason reason = {
        .reason = in->reason ? in->reason : "first values", .date = in->date};
    struct gate_updated updated;
    struct out *memory = out_to_memory(), *out;
    enum status st = gate_update(cases, &reason, memory, &updated, err);
    if (st == STATUS_OK && updated.number) {
        st = out_open(in->first.file, &out, err);
        if (st == STATUS_OK) {
            struct text text = out_memory(memory);
            out_bytes(out, text.at, text.len);
            st = out_close(out, err);
        }
    }
    out_abandon(memory);
    if (st == STATUS_OK)
        say_update(in, cases, &updated);
    return st;
}

/* Sets an error that describes the first failure and counts the others. */
static enum status outside(const struct gate_cases *cases, struct error *err)
{
    size_t n = cases->n_outside + cases->n_incomparable + cases->n_new +
               cases->n_gone + cases->stale.count;
    char words[1024] = "";
    gate_first_failure(cases, words, sizeof words);
    error_set(err, STATUS_TOLERANCE, "%s: %s", cases->file->path, words);
    size_t len = strlen(err->message);
    if (n > 1)
        snprintf(err->message + len, sizeof err->message - len,
                 "; %zu more fail%s", n - 1, n == 2 ? "s" : "");
    return STATUS_TOLERANCE;
}

static enum status gate_failed(const struct gate_cases *cases,
                               struct error *err)
{
    const struct gate_case *whose = NULL;
    const struct gate_run *run = gate_cases_failed(cases, &whose);
    return error_set(err, run->status, "%s: %zu of %zu runs failed; %s, %s: %s",
                     cases->file->path, cases->n_failed, cases->n,
                     whose->trace->name, whose->policy->name, run->message);
}

static enum status cmd_gate_judge(const struct gate_input_of_command *in,
                                  struct gate_cases *cases, struct error *err)
{
    const bool writes = cases->is_update;
    cases->tolerance = in->tolerance;
    gate_cases_judge(cases);
    enum status st = gate_report(in, cases, err);
    if (st != STATUS_OK)
        return st;
    if (cases->n_failed && writes) {
        st = gate_failed(cases, err);
        error_prefix(err, "the file is left as it is: ");
        return st;
    }
    if (cases->is_missing && writes)
        return error_set(err, STATUS_USAGE, "the file is left as it is: %s",
                         cases->causes.at[cases->causes.count - 1].text);
    if (writes)
        return cmd_gate_update(in, cases, err);
    if (gate_cases_moved(cases))
        return outside(cases, err);
    return cases->n_failed ? gate_failed(cases, err) : STATUS_OK;
}

static enum status cmd_gate_run(void *self, struct error *err)
{
    struct gate_input_of_command *in = self;
    struct gate_file file = {0};
    struct gate_cases cases = {0};
    enum status st = check_options(in, err);
    if (st == STATUS_OK)
        st = gate_open_file(in, &file, err);
    if (st == STATUS_OK)
        st = gate_cases_make(&file, &in->choice, &cases, err);
    cases.is_update = in->update || in->first.traces.n;
    if (st == STATUS_OK)
        st = gate_execute(in, &cases, err);
    if (st == STATUS_OK)
        st = cmd_gate_judge(in, &cases, err);
    gate_cases_free(&cases);
    gate_file_close(&file);
    return st;
}

static const struct arg gate_args[] = {
    TAKE_WORD(struct gate_input_of_command, first.file, "FILE", "gate file"),
    TAKE_LIST(struct gate_input_of_command, choice.only, "only", "PATTERN",
              "check only the runs whose trace, policy or \"TRACE POLICY\" "
              "matches a pattern such as 'venus*'; may be given more than once",
              .often = true),
    TAKE_LIST(struct gate_input_of_command, choice.except, "except", "PATTERN",
              "leave out the runs that match a pattern; may be given more "
              "than once",
              .often = true),
    TAKE_DOUBLE(struct gate_input_of_command, tolerance, "tolerance", "PCT",
                "replaces all tolerances of the file; with --init: tolerance "
                "of metrics without their own, default 1",
                .hi = INFINITY, .often = true),
    TAKE_FLAG(struct gate_input_of_command, all, "all",
              "show also values that have not moved"),
    TAKE_FLAG(struct gate_input_of_command, json, "json", "print JSON",
              .letter = 'j', .often = true),
    TAKE_TEXT(struct gate_input_of_command, markdown, "markdown", "FILE",
              "write Markdown for a pull request; -: standard output",
              .often = true),
    TAKE_TEXT(struct gate_input_of_command, junit, "junit", "FILE",
              "write JUnit XML; -: standard output", .often = true),
    TAKE_FLAG(struct gate_input_of_command, update, "update",
              "write the values of this run into the file; exit status 0 if "
              "no run failed",
              .often = true),
    TAKE_TEXT(struct gate_input_of_command, reason, "reason", "WORDS",
              "why the values may change; --update needs it, and the file "
              "keeps it",
              .often = true),
    TAKE_TEXT(struct gate_input_of_command, date, "date", "DATE",
              "date of the update, kept with the reason; default none"),
    TAKE_THREADS(struct gate_input_of_command, threads),
    TAKE_FLAG(struct gate_input_of_command, options.trusts, "trust",
              TRUST_HELP),
    TAKE_FLAG(struct gate_input_of_command, remarks, "remarks",
              ROW_REMARKS_HELP),
    TAKE_FLAG(struct gate_input_of_command, quiet, "quiet",
              "draw no progress line", .letter = 'q', .often = true),
    TAKE_LIST(struct gate_input_of_command, first.traces, "init", "TRACE",
              "make FILE from this trace and the options below, which become "
              "its settings; may be given more than once; -: write the file "
              "to standard output",
              .often = true),
    TAKE_LIST(struct gate_input_of_command, first.policies, "policy", "SPEC",
              "with --init: a policy of the file; may be given more than once; "
              "default fifo",
              .letter = 'p', .group = RUN_OF_SCHEDULER),
    TAKE_LIST(struct gate_input_of_command, first.metrics, "metric",
              "NAME[:PCT]",
              "with --init: a metric of the file ('schedsim list columns') and "
              "its tolerance; default jct_s.mean, jct_s.p99 and makespan_s"),
    TAKE_U32(struct gate_input_of_command, first.replications, "replications",
             "N",
             "with --init: run each policy on N traces that `trace resample` "
             "makes of each trace, and check means",
             .lo = 2, .hi = GATE_REPLICATIONS_MAX),
    {0},
};

static const struct gate_input_of_command gate_defaults = {.tolerance = NAN};

const struct command command_gate = {
    .name = "gate",
    .summary = "check the metrics of many runs against expected values",
    .about = "Executes the runs that a file names and compares their metrics "
             "with the values\nthat it expects. Exit status 6 if one is "
             "worse by more than its tolerance; docs/gates.md describes the "
             "file.",
    .notes = "A change for the better passes, unless the file says that the "
             "metric may not\nchange either way.",
    .parts = {{.rows = gate_args, .group = RUN_OF_COMMAND},
              {.rows = run_args,
               .offset = offsetof(struct gate_input_of_command, options.config),
               .given = offsetof(struct gate_input_of_command, options.given),
               .is_rare = true}},
    .input_size = sizeof(struct gate_input_of_command),
    .defaults = &gate_defaults,
    .run = cmd_gate_run,
    .examples =
        "gate gate.json --init traces/samples/venus.csv -c 16x8 -p fifo -p "
        "srtf\n"
        "gate gate.json\n"
        "gate gate.json --update --reason 'jobs end a tick later'",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN) | CLI_ENDS(TOLERANCE),
};
