/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `advise`: finds what a job trains, from its directory and its launch command,
 * with SchedMate's Scheduling Advisor. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "schedmate/live/advise.h"
#include "schedmate/live/site.h"

struct advise_input {
    struct cli_call call;
    struct advise_settings settings;
    struct arg_list set, clue_files;
    struct clues *clues;
    const char *history;
    unsigned embed; /* index into embed_words */
    bool json, quiet;
};

static json_t *advise_rows_json(const struct advise_report *report, size_t from,
                                size_t to, bool where)
{
    json_t *object = json_object();
    for (size_t i = from; i < to; i++)
        json_put(
            object, report->rows[i].key,
            json_text(where ? report->rows[i].where : report->rows[i].value));
    return object;
}

/* Returns who named each field, as an object, or, if `quotes`, what stands at
 * the places that a model named. */
static json_t *advise_sources_json(const struct advise_report *report,
                                   bool quotes)
{
    json_t *object = json_object();
    for (size_t i = 0; i < report->n_fields; i++) {
        const struct advise_row *row = &report->rows[i];
        if (!quotes)
            json_put(object, row->key, json_text(row->quote ? "llm" : "rules"));
        else if (row->quote)
            json_put(object, row->key, json_text(row->quote));
    }
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

static void print_span(const char *name, const struct figures *f)
{
    char mean[TABLE_SPAN_MAX], spread[TABLE_SPAN_MAX];
    if (f->n)
        printf("  %-16s %s, spread %s (%" PRIu32 " jobs)\n", name,
               table_span(f->mean, mean), table_span(f->spread, spread), f->n);
}

static void print_lookup(const struct advise_report *report)
{
    const struct lookup *r = report->lookup;
    if (r->basis == LOOKUP_NOTHING) {
        puts("\nthe history has no similar job");
        return;
    }
    if (r->basis == LOOKUP_LITTLE) {
        puts("\nlittle is known of the job: it is not compared with others");
        return;
    }
    printf("\nestimated from the history: %s\n",
           r->basis == LOOKUP_RESUBMISSION ? "earlier runs of the same job"
                                           : "similar jobs");
    print_span("run time", &r->duration_s);
    print_figure("GPU utilisation", "%", &r->gpu_util);
    print_figure("GPU memory", "MiB", &r->mem_mib);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct jobdb_job *job = &r->matches[i].job;
        say(stdout, "  job %" PRId64 ", similarity %.3f: %.*s", job->id,
            r->matches[i].score, TEXT_ARGS(job->metadata));
    }
}

/* Returns the files of clues of a site and the digest of all clues, as an
 * object. */
static json_t *clues_json(const struct clues *clues)
{
    json_t *object = json_object(), *files = json_array();
    const struct clues_file *file;
    char digest[DIGEST_HEX_MAX];
    clues_digest(clues, digest);
    for (size_t i = 0; (file = clues_file(clues, i)); i++) {
        json_t *row = json_object();
        json_put(row, "file", json_text(file->path));
        json_put(row, "added", json_integer((json_int_t)file->added));
        json_put(row, "replaced", json_integer((json_int_t)file->replaced));
        json_array_append_new(files, row);
    }
    json_put(object, "files", files);
    json_put(object, "digest", json_text(digest));
    return object;
}

static void advise_print_json(const struct advise_report *report,
                              const struct clues *clues, struct out *out)
{
    json_t *root = json_object(), *files = json_array();
    json_t *refused = json_array();
    for (size_t i = 0; i < report->n_files; i++)
        json_array_append_new(files, json_text(report->files[i]));
    for (size_t i = 0; i < report->n_refused; i++)
        json_array_append_new(refused, json_text(report->refused[i]));
    json_put(root, "method", json_text(report->method));
    json_put(root, "why", json_text(report->why));
    json_put(root, "note", json_text(report->note));
    json_put(root, "root", json_text(report->above));
    json_put(root, "coverage", json_number(report->coverage));
    /* the name of `coverage` in earlier releases */
    json_put(root, "confidence", json_number(report->coverage));
    json_put(root, "agreement", json_number(report->agreement));
    json_put(root, "metadata",
             advise_rows_json(report, 0, report->n_fields, false));
    json_put(root, "where",
             advise_rows_json(report, 0, report->n_fields, true));
    json_put(root, "by", advise_sources_json(report, false));
    json_put(root, "quotes", advise_sources_json(report, true));
    json_put(root, "refused", refused);
    json_put(root, "other",
             advise_rows_json(report, report->n_fields, report->n_rows, false));
    json_put(root, "text", json_text(report->text));
    json_put(root, "version", json_text(report->version));
    json_put(root, "steps", json_number(report->steps));
    json_put(root, "latency_s", json_number(span_seconds(report->latency)));
    json_put(root, "files_read", files);
    json_put(root, "files_listed", json_number((double)report->n_listed));
    json_put(root, "left_out", json_number((double)report->n_left_out));
    json_put(root, "clues", clues_json(clues));
    if (report->lookup)
        json_put(root, "history", lookup_json(report));
    json_write(out, root);
    json_decref(root);
}

static void print_found(const struct advise_report *report,
                        const struct clues *clues)
{
    const struct clues_file *file;
    struct table table;
    table_init(&table, 3, 7);
    for (size_t i = 0; i < report->n_rows; i++) {
        table_add(&table, "%s", report->rows[i].key);
        table_add(&table, "%s", report->rows[i].value);
        table_add(&table, "%s", report->rows[i].where);
    }
    table_print_plain(&table, stdout);
    table_fini(&table);
    printf("%sby %s%s%s, coverage %.2f", report->n_rows ? "\n" : "",
           report->method, report->why ? ": " : "",
           report->why ? report->why : "", report->coverage);
    if (report->version)
        printf(", files %s", report->version);
    printf("\n%zu of %" PRIu64 " files read, %" PRIu64 " entries left out\n",
           report->n_files, report->n_listed, report->n_left_out);
    if (report->above)
        printf("paths begin in %s, which the command reaches\n", report->above);
    if (report->note)
        printf("note: %s\n", report->note);
    for (size_t i = 0; i < report->n_refused; i++)
        say(stdout, "refused: %s", report->refused[i]);
    for (size_t i = 0; (file = clues_file(clues, i)); i++)
        say(stdout, "clues also of %s: %zu added, %zu replaced", file->path,
            file->added, file->replaced);
}

static void advise_print_text(const struct advise_report *report,
                              const struct clues *clues)
{
    if (report->files)
        print_found(report, clues);
    if (report->lookup)
        print_lookup(report);
}

static enum status advise_print(const struct advise_input *input,
                                const struct advise *advise, struct error *err)
{
    struct out *out;
    enum status st = STATUS_OK;
    if (!input->json) {
        advise_print_text(advise_report_of(advise), input->clues);
    } else {
        st = out_open("-", &out, err);
        if (st != STATUS_OK)
            return st;
        advise_print_json(advise_report_of(advise), input->clues, out);
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

static enum status cmd_advise_run(void *self, struct error *err)
{
    struct advise_input *input = self;
    struct advise_settings *settings = &input->settings;
    struct advise *advise = NULL;
    enum status st;
    settings->set = input->set.at;
    settings->n_set = input->set.n;
    settings->embed_by_model = input->embed != 0;
    if (!input->history)
        input->history = getenv("SCHEDSIM_HISTORY");
    st = site_clues_open(input->clue_files.at, input->clue_files.n,
                         &input->clues, err);
    settings->clues = input->clues;
    if (st == STATUS_OK && input->history && *input->history)
        st = history_open(input->history, false, &settings->jobdb, err);
    if (st == STATUS_OK)
        st = advise_run(settings, &advise, err);
    jobdb_close(settings->jobdb);
    if (st == STATUS_OK)
        st = advise_print(input, advise, err);
    advise_free(advise);
    clues_free(input->clues);
    return st;
}

static const struct arg advise_args[] = {
    TAKE_TEXT(struct advise_input, settings.workdir, "workdir", "DIR",
              "the directory of the job", .is_required = true, .often = true),
    TAKE_TEXT(struct advise_input, settings.root, "root", "DIR",
              "a folder above it whose files the command may name with '..'; "
              "default: the repository, of the same owner"),
    TAKE_TEXT(struct advise_input, settings.command, "command", "TEXT",
              "launch command of the job; it is read, never run",
              .is_required = true, .often = true),
    TAKE_TEXT(struct advise_input, settings.backend.llm, "llm", "SPEC",
              "rules, http[:key=value,...] or replay; default rules; 'list "
              "llms' names the settings",
              .often = true),
    TAKE_TEXT(
        struct advise_input, settings.backend.recording, "llm-recording",
        "FILE",
        "recording of the model's answers; default $SCHEDSIM_LLM_RECORDING"),
    TAKE_TEXT(struct advise_input, settings.backend.recording_mode,
              "llm-recording-mode", "MODE",
              "off, auto, record, replay or strict"),
    TAKE_TEXT(struct advise_input, settings.backend.trust, "llm-trust", "FILE",
              "how far the model is trusted, by field, as 'mate trust' "
              "measured it"),
    TAKE_TEXT(struct advise_input, settings.versions, "cache", "FILE",
              "keep the answers, with digests of the files on which they "
              "rest, in this file; ask again only where one of those files "
              "changed"),
    TAKE_TEXT(struct advise_input, history, "history", "FILE",
              "estimate run time, GPU utilisation and memory from similar jobs "
              "of this history; default $SCHEDSIM_HISTORY, else none",
              .often = true),
    TAKE_TEXT(struct advise_input, settings.user, "user", "NAME",
              "user who submits the job: earlier runs of the same user, "
              "directory, command and branch are used first",
              .often = true),
    TAKE_TEXT(struct advise_input, settings.branch, "branch", "NAME",
              "git branch of the job"),
    TAKE_CHOICE(struct advise_input, embed, "embed", "HOW", embed_words,
                "compare jobs by hashed n-grams (hashed, the default) or by "
                "the server's embeddings (llm)"),
    TAKE_LIST(struct advise_input, clue_files, "clues", "FILE",
              "JSON: names of models, data, libraries and options that a site "
              "knows, beside those of $XDG_CONFIG_HOME/schedsim/clues.d and "
              "the built-in ones; may be given more than once",
              .often = true),
    TAKE_LIST(struct advise_input, set, "set", "KEY=VALUE",
              "a setting of the agent, the directory or the history; 'list "
              "advisor' names them",
              .often = true),
    TAKE_FLAG(struct advise_input, json, "json", "print JSON", .letter = 'j',
              .often = true),
    TAKE_FLAG(struct advise_input, quiet, "quiet",
              "do not print on stderr what the model cost", .letter = 'q'),
    {0},
};

const struct command command_advise = {
    .name = "advise",
    .summary = "find what a job trains, from its directory and launch command",
    .about =
        "Finds what a job trains: model, data, batch size, framework and what "
        "else "
        "tells it from other jobs, from its directory and its launch command. "
        "Nothing is run, and nothing outside the directory is read, except "
        "files of the same repository that the command names with \"..\".",
    .notes = "A model reads the files if --llm names one; where it gives no "
             "answer, and by default, rules do. The result says which.",
    .parts = {{.rows = advise_args}},
    .input_size = sizeof(struct advise_input),
    .run = cmd_advise_run,
    .examples =
        "mate advise --workdir tests/advise/repos/vision --command \"python "
        "main.py -a resnet50\"",
};
