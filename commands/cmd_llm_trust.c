/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `mate trust INDEX...`: asks a model about labelled logs and source trees and
 * counts, by class of answers of the rules and by field, who was right
 * (schedmate/llm/llm_trust.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rows.h"
#include "commands/commands_internal.h"
#include "commands/terminal.h"
#include "commands/trust_trees.h"
#include "schedmate/live/job_logs.h"
#include "schedmate/live/log_speed.h"
#include "schedmate/live/site.h"
#include "schedmate/live/trust_file.h"

/* A step time is right if it is off by at most this share, as for the
 * confidence of `track`. */
#define STEP_RIGHT 0.25

struct trust_input {
    struct logs_input logs;
    struct arg_words indexes;
    const char *to;
    /* what stands for `indexes` if none is named */
    char paths[2][PATH_MAX + 64];
    const char *installed[2];

    struct job_logs job; /* how a log is judged */
    struct tracker_config tracker;
    struct llm_trust counts;
    struct trust_trees trees;
    uint32_t n_logs, n_unanswered;
};

/* What a labelled log is, from its row. */
struct trust_label {
    const char *file;
    bool failed;
    enum failure_kind kind;
    enum failure_part part;
    bool step_known;
    double step_s[8]; /* accepted step times; none: the log has none */
    size_t n_steps;
};

static void trust_count(struct trust_input *input, enum llm_trust_class c,
                        bool rules, bool model)
{
    struct llm_trust_count *count = &input->counts.counts[c];
    count->n++;
    count->rules += rules;
    count->model += model;
}

static bool opinion_is_right(const struct handler_opinion *o,
                             const struct trust_label *label)
{
    if (o->failed != label->failed)
        return false;
    return !o->failed || (o->has_kind && o->kind == label->kind);
}

static enum status judge_failure_of(struct trust_input *input, const char *path,
                                    const struct trust_label *label,
                                    struct error *err)
{
    struct job_logs *job = &input->job;
    struct job_finding found = {0};
    struct judged_log log = {.path = path, .rank = -1};
    job->all = &log;
    job->n = 1;
    enum status st = log_file_open(path, &job->file, err);
    if (st == STATUS_OK)
        st = job_logs_judge(job, &found, err);
    const struct diagnosis *d = &found.diagnosis;
    if (st == STATUS_OK && d->asked && d->model.given)
        trust_count(input, d->class, opinion_is_right(&d->rules, label),
                    opinion_is_right(&d->model, label));
    else if (st == STATUS_OK)
        input->n_unanswered++;
    bool infra = label->failed && label->kind == FAILURE_INFRASTRUCTURE;
    if (st == STATUS_OK && infra && opinion_is_right(&d->rules, label) &&
        opinion_is_right(&d->model, label) && d->model.given)
        trust_count(input, LLM_TRUST_PART, d->rules.part == label->part,
                    d->model.part == label->part);
    log_window_fini(&found.window);
    log_file_close(job->file);
    job->file = NULL;
    job->all = NULL;
    job->n = 0;
    return st;
}

/* True if a step time (NaN or 0: none) is what the label says. */
static bool step_is_right(double step_s, const struct trust_label *label)
{
    if (!(step_s > 0))
        return label->n_steps == 0;
    for (size_t i = 0; i < label->n_steps; i++) {
        if (fabs(step_s / label->step_s[i] - 1) <= STEP_RIGHT)
            return true;
    }
    return false;
}

static enum status judge_speed_of(struct trust_input *input, const char *path,
                                  const struct trust_label *label,
                                  struct error *err)
{
    struct logs_input *logs = &input->logs;
    struct log_file *file = NULL;
    struct track rules, track;
    struct llm_client *client = backend_client(logs->backend);
    enum status st = log_file_open(path, &file, err);
    if (st == STATUS_OK)
        st = log_speed_read(file, logs->classifier, &input->tracker, NULL, NULL,
                            &rules, err);
    if (st == STATUS_OK)
        st = log_speed_read(file, logs->classifier, &input->tracker, client,
                            &logs->scratch, &track, err);
    bool found = st == STATUS_OK && rules.source != TRACKER_NOT_FOUND;
    if (st == STATUS_OK && track.model_given)
        trust_count(input, track.class,
                    step_is_right(found ? rules.seconds_per_step : NAN, label),
                    step_is_right(track.model_s, label));
    log_file_close(file);
    return st;
}

static unsigned trust_index(const char *const *names, const char *word)
{
    unsigned i = 0;
    while (names[i] && (!word || strcmp(names[i], word) != 0))
        i++;
    return i;
}

static void llm_trust_add_step(const json_t *value, struct trust_label *out)
{
    size_t room = sizeof out->step_s / sizeof *out->step_s;
    if (json_is_number(value) && json_number_value(value) > 0 &&
        out->n_steps < room)
        out->step_s[out->n_steps++] = json_number_value(value);
}

/* Reads the labels of a row: {"file", "failure": null or {"cls", "sub"},
 * "step_time": null or {"seconds_per_step", "accepted"}, "step_known"}. */
static bool read_label(const json_t *row, struct trust_label *out)
{
    const json_t *failure = json_object_get(row, "failure");
    const json_t *step = json_object_get(row, "step_time"), *value;
    const json_t *known = json_object_get(row, "step_known");
    const char *cls = json_string_value(json_object_get(failure, "cls"));
    const char *sub = json_string_value(json_object_get(failure, "sub"));
    unsigned kind = trust_index(failure_kinds, cls);
    unsigned part = trust_index(failure_parts, sub);
    size_t i;
    *out = (struct trust_label){
        .file = json_string_value(json_object_get(row, "file")),
        .failed = failure && !json_is_null(failure),
        .kind = (enum failure_kind)kind,
        .part = part < PART_NONE ? (enum failure_part)part : PART_OTHER,
        .step_known = !json_is_false(known)};
    llm_trust_add_step(json_object_get(step, "seconds_per_step"), out);
    json_array_foreach(json_object_get(step, "accepted"), i, value)
        llm_trust_add_step(value, out);
    if (json_is_object(step) && out->n_steps == 0)
        out->step_known = false;
    return out->file && (!out->failed || kind < FAILURE_N_KINDS);
}

static enum status judge_row(struct trust_input *input, const char *index,
                             const json_t *row, uint64_t line,
                             struct error *err)
{
    struct trust_label label;
    char path[PATH_MAX];
    const char *slash = strrchr(index, '/');
    if (!read_label(row, &label))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%" PRIu64 ": expected 'file' and 'failure' (null, "
                         "or cls: infrastructure, framework, user_script or "
                         "other)",
                         index, line);
    int folder = slash && label.file[0] != '/' ? (int)(slash + 1 - index) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, index, label.file);
    input->n_logs++;
    enum status st = judge_failure_of(input, path, &label, err);
    if (st == STATUS_OK && label.step_known)
        st = judge_speed_of(input, path, &label, err);
    arena_reset(&input->logs.scratch);
    return st;
}

static enum status judge_index(struct trust_input *input, const char *index,
                               struct error *err)
{
    struct rows *rows = NULL;
    struct text line;
    enum status st = rows_open(index, &rows, err);
    while (st == STATUS_OK && (st = rows_line(rows, &line, err)) == STATUS_OK) {
        json_error_t where;
        uint64_t number = rows_line_number(rows);
        json_t *row =
            json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &where);
        st = row ? judge_row(input, index, row, number, err)
                 : error_set(err, STATUS_BAD_INPUT, "%s:%" PRIu64 ": %s", index,
                             number, where.text);
        json_decref(row);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

/* Adds a row: counts, and the shares of right answers of rules and model. */
static void trust_row(struct table *table, const char *name,
                      const struct llm_trust_count *count, double rules,
                      double model)
{
    bool wins = model > rules;
    table_add(table, "%s", name);
    table_add(table, "%u", count->n);
    table_add(table, "%u", count->rules);
    table_add(table, "%u", count->model);
    table_add(table, "%s", wins ? "model" : "rules");
    table_add(table, "%.2f against %.2f", wins ? model : rules,
              wins ? rules : model);
}

static void trust_head(struct table *table, const char *what, const char *of)
{
    const char *const head[] = {what,          of,        "rules right",
                                "model right", "decides", ""};
    table_init(table, 6, UINT_MAX);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_add(table, "%s", head[i]);
}

static void trust_print(const struct trust_input *input)
{
    const struct llm_trust *counts = &input->counts;
    struct table table;
    trust_head(&table, "answer of the rules", "logs");
    for (unsigned i = 0; i < LLM_TRUST_N && input->n_logs; i++) {
        enum llm_trust_class c = (enum llm_trust_class)i;
        trust_row(&table, llm_trust_names[c], &counts->counts[c],
                  llm_trust_rules(counts, c), llm_trust_model(counts, c, true));
    }
    if (input->n_logs)
        table_print(&table, stdout);
    table_fini(&table);
    trust_head(&table, "field of advise", "jobs");
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        if (counts->fields[i].n)
            trust_row(&table, metadata_name(i), &counts->fields[i],
                      llm_trust_field_rules(counts, i, ANSWER_RULES_USUAL),
                      llm_trust_field_model(counts, i, ANSWER_MODEL_USUAL));
    }
    if (llm_trust_has_fields(counts))
        table_print(&table, stdout);
    table_fini(&table);
    if (input->n_unanswered)
        say(stdout, "%u of %u logs got no answer and do not count",
            input->n_unanswered, input->n_logs);
    if (input->trees.n_unanswered)
        say(stdout, "%u of %u source trees got no answer and do not count",
            input->trees.n_unanswered, input->trees.n);
}

/* Asks about an index of logs or a folder of source trees. */
static enum status trust_judge(struct trust_input *input, const char *path,
                               struct error *err)
{
    struct stat what;
    return stat(path, &what) == 0 && S_ISDIR(what.st_mode)
               ? trust_trees_judge(&input->trees, path, err)
               : judge_index(input, path, err);
}

/* Names the labelled logs and source trees that are installed beside the
 * program, if no others are named. */
static enum status trust_installed(struct trust_input *input, struct error *err)
{
    static const char *const parts[] = {"logs/index.jsonl", "trees"};
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (input->indexes.n)
        return STATUS_OK;
    for (int up = 0; up < 2 && n > 0; up++) {
        while (n > 0 && program[n - 1] != '/')
            n--;
        n -= n > 0;
    }
    program[n > 0 ? n : 0] = 0;
    for (size_t i = 0; i < 2; i++) {
        snprintf(input->paths[i], sizeof input->paths[i],
                 "%s/share/schedsim/labelled/%s", program, parts[i]);
        if (access(input->paths[i], R_OK) != 0)
            return error_set(err, STATUS_USAGE,
                             "name an index of labelled logs or a folder of "
                             "labelled source trees; none is installed as "
                             "%.4000s",
                             input->paths[i]);
        input->installed[i] = input->paths[i];
    }
    input->indexes.at = input->installed;
    input->indexes.n = 2;
    return STATUS_OK;
}

static enum status trust_open(struct trust_input *input, struct error *err)
{
    struct logs_input *logs = &input->logs;
    enum status st = logs_open(logs, err);
    if (st == STATUS_OK && !logs_has_model(logs))
        st = error_set(err, STATUS_USAGE,
                       "--llm: name the model to measure, such as "
                       "http:base_url=URL,model=NAME");
    if (st == STATUS_OK)
        st = site_knowledge_open(NULL, 0, &input->job.knowledge, err);
    if (st != STATUS_OK)
        return st;
    option_defaults(locator_options, &input->job.locator);
    option_defaults(handler_options, &input->job.handler);
    option_defaults(tracker_options, &input->tracker);
    input->job.handler.ask = ASK_ALWAYS;
    input->job.end.knowledge = input->job.knowledge;
    input->job.classifier = logs->classifier;
    input->job.client = backend_client(logs->backend);
    input->job.arena = &logs->scratch;
    input->trees.client = input->job.client;
    input->trees.counts = &input->counts;
    return trust_installed(input, err);
}

static enum status trust_run(void *self, struct error *err)
{
    struct trust_input *input = self;
    enum status st = trust_open(input, err);
    for (size_t i = 0; i < input->indexes.n && st == STATUS_OK; i++)
        st = trust_judge(input, input->indexes.at[i], err);
    if (st == STATUS_OK && input->n_logs == input->n_unanswered &&
        input->trees.n == input->trees.n_unanswered)
        st = error_set(err, STATUS_FAILED,
                       "the model answered about none of %u logs and %u source "
                       "trees",
                       input->n_logs, input->trees.n);
    if (input->logs.json && !input->to)
        input->to = "-";
    if (st == STATUS_OK && input->to)
        st = trust_file_write(input->to,
                              backend_client(input->logs.backend)->answered_by,
                              &input->counts, err);
    if (st == STATUS_OK && (!input->to || strcmp(input->to, "-") != 0))
        trust_print(input);
    logs_account(&input->logs, st);
    log_knowledge_free(input->job.knowledge);
    logs_close(&input->logs);
    return st;
}

static const struct arg llm_trust_args[] = {
    TAKE_OPTIONAL_WORDS(struct trust_input, indexes, "INDEX",
                        "index of labelled logs or folder of labelled source "
                        "trees; default: those that are installed"),
    TAKE_TEXT(struct trust_input, to, "out", "FILE",
              "write the counts, for --llm-trust of advise, diagnose, track "
              "and watch",
              .letter = 'o', .often = true),
    {0},
};

const struct command command_llm_trust = {
    .name = "trust",
    .summary = "measure on labelled logs and jobs how far to trust a model",
    .about = "Asks a model about labelled logs and source trees and counts how "
             "often it and the rules were right. An index has one JSON object "
             "per line: file, failure (null, or cls and sub), step_time (null, "
             "or seconds_per_step). A folder of trees has NAME.json beside "
             "NAME/: command, expect (values by field), absent (fields without "
             "a value).",
    /* without the row LOG */
    .parts = {{.rows = llm_trust_args}, {.rows = logs_args + 1}},
    .input_size = sizeof(struct trust_input),
    .run = trust_run,
    .examples = "mate trust tests/logs/index.jsonl --llm "
                "http:base_url=http://localhost:8000/v1,model=M --out "
                "trust.json",
};
