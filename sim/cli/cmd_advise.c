/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `advise`: finds what a job trains, from its directory and its launch command,
 * with SchedMate's Scheduling Advisor. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/json_out.h"
#include "sim/cli/cmd_history.h"
#include "sim/cli/table.h"
#include "sim/live/advise.h"

enum { SET_MAX = 32 };
enum {
    KEY_WORKDIR = 256,
    KEY_COMMAND,
    KEY_LLM,
    KEY_LLM_RECORDING,
    KEY_LLM_RECORDING_MODE,
    KEY_CACHE,
    KEY_HISTORY,
    KEY_USER,
    KEY_BRANCH,
    KEY_EMBED,
    KEY_SET,
    KEY_JSON,
    KEY_QUIET,
};

struct advise_input {
    struct cli_input head;
    struct advise_settings settings;
    const char *set[SET_MAX], *history;
    bool json, quiet;
};

/* Returns the place for the text of an option; NULL if the option needs more
 * than storing a text. */
static const char **text_at(struct advise_input *input, int key)
{
    struct advise_settings *settings = &input->settings;
    switch (key) {
    case KEY_WORKDIR:
        return &settings->workdir;
    case KEY_COMMAND:
        return &settings->command;
    case KEY_LLM:
        return &settings->backend.llm;
    case KEY_LLM_RECORDING:
        return &settings->backend.recording;
    case KEY_LLM_RECORDING_MODE:
        return &settings->backend.recording_mode;
    case KEY_CACHE:
        return &settings->versions;
    case KEY_HISTORY:
        return &input->history;
    case KEY_USER:
        return &settings->user;
    case KEY_BRANCH:
        return &settings->branch;
    default:
        return NULL;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct advise_input *input = state->input;
    const char **text = text_at(input, key);
    if (text) {
        *text = arg;
        return 0;
    }
    switch (key) {
    case KEY_EMBED:
        if (strcmp(arg, "hashed") != 0 && strcmp(arg, "llm") != 0)
            return cli_fail(state, "--embed: '%s' is not hashed or llm", arg);
        input->settings.embed_by_model = strcmp(arg, "llm") == 0;
        return 0;
    case KEY_SET:
        if (input->settings.n_set == SET_MAX)
            return cli_fail(state, "--set: at most %d times", SET_MAX);
        input->set[input->settings.n_set++] = arg;
        return 0;
    case KEY_JSON:
        input->json = true;
        return 0;
    case KEY_QUIET:
        input->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        return cli_fail(state, "advise: '%s' is no option; see --help", arg);
    case ARGP_KEY_END:
        if (!input->settings.workdir)
            return cli_fail(state, "advise: --workdir is missing");
        if (!input->settings.command)
            return cli_fail(state, "advise: --command is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_rows[] = {
    {"workdir", KEY_WORKDIR, "DIR", 0, "the directory of the job", 0},
    {"command", KEY_COMMAND, "TEXT", 0,
     "launch command of the job; it is read, never run", 0},
    {"llm", KEY_LLM, "SPEC", 0,
     "rules, http[:key=value,...] or replay; default rules; 'list llms' names "
     "the settings",
     0},
    {"llm-recording", KEY_LLM_RECORDING, "FILE", 0,
     "recording of the model's answers; default $SCHEDSIM_LLM_RECORDING", 0},
    {"llm-recording-mode", KEY_LLM_RECORDING_MODE, "MODE", 0,
     "off, auto, record, replay or strict", 0},
    {"cache", KEY_CACHE, "FILE", 0,
     "keep what was found, with digests of the files it was found in; read "
     "again only what changes",
     0},
    {"history", KEY_HISTORY, "FILE", 0,
     "estimate run time, GPU utilisation and memory from similar jobs of "
     "this history; default $SCHEDSIM_HISTORY, else none",
     0},
    {"user", KEY_USER, "NAME", 0,
     "user who submits the job: earlier runs of the same user, directory, "
     "command and branch are used first",
     0},
    {"branch", KEY_BRANCH, "NAME", 0, "git branch of the job", 0},
    {"embed", KEY_EMBED, "HOW", 0,
     "compare jobs by hashed n-grams (hashed, the default) or by the "
     "server's embeddings (llm)",
     0},
    {"set", KEY_SET, "KEY=VALUE", CLI_REPEATABLE,
     "a setting of the agent, the directory or the history; 'list advisor' "
     "names them",
     0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no account of the model on stderr", 0},
    {0},
};

static json_t *rows_json(const struct advise_report *report, size_t from,
                         size_t to, bool where)
{
    json_t *object = json_object();
    for (size_t i = from; i < to; i++)
        json_put(
            object, report->rows[i].key,
            json_text(where ? report->rows[i].where : report->rows[i].value));
    return object;
}

static json_t *figures_json(const struct figures *f)
{
    json_t *object = json_object();
    json_put(object, "mean", json_number(f->n ? f->mean : NAN));
    json_put(object, "spread", json_number(f->n ? f->spread : NAN));
    json_put(object, "jobs", json_integer(f->n));
    return object;
}

static json_t *lookup_json(const struct advise_report *report)
{
    const struct lookup *r = report->lookup;
    json_t *root = json_object(), *matches = json_array();
    for (uint32_t i = 0; i < r->n; i++) {
        const struct jobdb_job *job = &r->matches[i].job;
        json_t *row = json_object();
        json_put(row, "id", json_integer(job->id));
        json_put(row, "score", json_number(r->matches[i].score));
        json_put(row, "user", json_text(job->user.at));
        json_put(row, "text", json_text(job->metadata.at));
        json_put(row, "duration_s", json_number(span_seconds(job->duration)));
        json_array_append_new(matches, row);
    }
    json_put(root, "basis", json_text(lookup_basis_name(r->basis)));
    json_put(root, "embedding", json_text(report->embedding));
    json_put(root, "duration_s", figures_json(&r->duration_s));
    json_put(root, "gpu_util", figures_json(&r->gpu_util));
    json_put(root, "mem_mib", figures_json(&r->mem_mib));
    json_put(root, "matches", matches);
    return root;
}

static void print_figure(const char *name, const char *unit,
                         const struct figures *f)
{
    if (f->n)
        printf("  %-16s %.4g %s, spread %.3g (%" PRIu32 " jobs)\n", name,
               f->mean, unit, f->spread, f->n);
}

static void print_lookup(const struct advise_report *report)
{
    const struct lookup *r = report->lookup;
    if (r->basis == LOOKUP_NOTHING) {
        puts("\nthe history has no similar job");
        return;
    }
    printf("\nestimated from the history: %s\n",
           r->basis == LOOKUP_RESUBMISSION ? "earlier runs of the same job"
                                           : "similar jobs");
    print_figure("run time", "s", &r->duration_s);
    print_figure("GPU utilisation", "%", &r->gpu_util);
    print_figure("GPU memory", "MiB", &r->mem_mib);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct jobdb_job *job = &r->matches[i].job;
        say(stdout, "  job %" PRId64 ", similarity %.3f: %.*s", job->id,
            r->matches[i].score, TEXT_ARGS(job->metadata));
    }
}

static void print_json(const struct advise_report *report, struct out *out)
{
    json_t *root = json_object(), *files = json_array();
    for (size_t i = 0; i < report->n_files; i++)
        json_array_append_new(files, json_text(report->files[i]));
    json_put(root, "method", json_text(report->method));
    json_put(root, "why", json_text(report->why));
    json_put(root, "confidence", json_number(report->confidence));
    json_put(root, "agreement", json_number(report->agreement));
    json_put(root, "metadata", rows_json(report, 0, report->n_fields, false));
    json_put(root, "where", rows_json(report, 0, report->n_fields, true));
    json_put(root, "other",
             rows_json(report, report->n_fields, report->n_rows, false));
    json_put(root, "text", json_text(report->text));
    json_put(root, "version", json_text(report->version));
    json_put(root, "steps", json_number(report->steps));
    json_put(root, "latency_s", json_number(span_seconds(report->latency)));
    json_put(root, "files_read", files);
    json_put(root, "files_listed", json_number((double)report->n_listed));
    json_put(root, "left_out", json_number((double)report->n_left_out));
    if (report->lookup)
        json_put(root, "history", lookup_json(report));
    json_write(out, root);
    json_decref(root);
}

static void print_found(const struct advise_report *report)
{
    struct table table;
    table_init(&table, 3, 7);
    for (size_t i = 0; i < report->n_rows; i++) {
        table_add(&table, "%s", report->rows[i].key);
        table_add(&table, "%s", report->rows[i].value);
        table_add(&table, "%s", report->rows[i].where);
    }
    table_print_plain(&table, stdout);
    table_fini(&table);
    printf("%sby %s%s%s, confidence %.2f", report->n_rows ? "\n" : "",
           report->method, report->why ? ": " : "",
           report->why ? report->why : "", report->confidence);
    if (report->version)
        printf(", files %s", report->version);
    printf("\n%zu of %" PRIu64 " files read, %" PRIu64 " entries left out\n",
           report->n_files, report->n_listed, report->n_left_out);
}

static void print_text(const struct advise_report *report)
{
    if (report->files)
        print_found(report);
    if (report->lookup)
        print_lookup(report);
}

static enum status print(const struct advise_input *input,
                         const struct advise *advise, struct error *err)
{
    struct out *out;
    enum status st = STATUS_OK;
    if (!input->json) {
        print_text(advise_report_of(advise));
    } else {
        st = out_open("-", &out, err);
        if (st != STATUS_OK)
            return st;
        print_json(advise_report_of(advise), out);
        st = out_close(out, err);
    }
    if (st == STATUS_OK && !input->quiet) {
        struct out *account = out_to_memory();
        advise_account(advise, account);
        fwrite(out_memory(account).at, 1, out_memory(account).len, stderr);
        out_abandon(account);
    }
    return st;
}

static enum status cmd_advise(int argc, char **argv, struct error *err)
{
    const struct argp argp = {
        .options = option_rows,
        .parser = parse,
        .doc = "What a job trains: model, data, batch size, framework and what "
               "else tells it from other jobs, from its directory and its "
               "launch command. Nothing is run, and nothing outside the "
               "directory is read.\v"
               "A model reads the files if --llm names one; where it gives no "
               "answer, and by default, rules do. The result says which."};
    struct advise_input input = {0};
    struct advise *advise;
    input.settings.set = input.set;
    input.history = getenv("SCHEDSIM_HISTORY");
    enum status st = cli_parse(&argp, argc, argv, &input, err);
    if (st == STATUS_OK && input.history && *input.history)
        st = history_open(input.history, false, &input.settings.jobdb, err);
    if (st == STATUS_OK)
        st = advise_run(&input.settings, &advise, err);
    jobdb_close(input.settings.jobdb);
    if (st != STATUS_OK)
        return st;
    st = print(&input, advise, err);
    advise_free(advise);
    return st;
}

const struct command command_advise = {
    .name = "advise",
    .summary = "what a job trains, from its directory and launch command",
    .run = cmd_advise,
    .examples = "advise --workdir tests/advise/repos/vision --command "
                "\"python main.py -a resnet50\"",
};
