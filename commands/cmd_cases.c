/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cases list` and `cases replay`: the diagnoses that a person called right or
 * wrong, and what the rules answer now. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/cli.h"
#include "commands/terminal.h"
#include "schedmate/live/case_file.h"
#include "schedmate/live/site.h"
#include "schedmate/logs/log_classifier.h"

struct cases_input {
    struct cli_call call;
    const char *folder;
    bool json;
    struct arg_list signatures;

    struct table table;
    struct out *out;
    struct log_knowledge *knowledge;
    struct log_classifier *classifier;
    uint32_t n, skipped, was_right, is_right, mended, broken;
};

static const struct arg list_args[] = {
    TAKE_TEXT(struct cases_input, folder, "cases", "DIR",
              "folder of the kept cases; default schedsim/cases in "
              "$XDG_DATA_HOME or ~/.local/share"),
    TAKE_FLAG(struct cases_input, json, "json",
              "print JSON, one object per line", .letter = 'j'),
    {0},
};

static const struct arg replay_args[] = {
    TAKE_LIST(struct cases_input, signatures, "signatures", "FILE",
              "JSON: signatures and causes of a site, as for 'diagnose'; may "
              "be given more than once"),
    {0},
};

/* Writes an answer as text, such as "infrastructure gpu: ECC error", cut to
 * CASES_WORDS_MAX - 1 bytes. */
#define CASES_WORDS_MAX 160
static const char *cases_words(const struct case_answer *a,
                               char out[CASES_WORDS_MAX])
{
    snprintf(out, CASES_WORDS_MAX, "%s%s%s%s%s", a->kind ? a->kind : "-",
             a->part ? " " : "", a->part ? a->part : "", a->cause ? ": " : "",
             a->cause ? a->cause : "");
    return out;
}

static json_t *cases_row_json(const struct case_row *row)
{
    json_t *json = json_object();
    json_put(json, "case", json_text(row->name));
    json_put(json, "unix_s", json_integer(row->unix_s));
    json_put(json, "log", json_text(row->log));
    json_put(json, "feedback", json_text(row->right ? "right" : "wrong"));
    json_put(json, "note", json_text(row->note));
    json_put(json, "answer", case_answer_json(&row->answer));
    json_put(json, "truth", case_answer_json(&row->truth));
    return json;
}

static void cases_print_json(struct cases_input *input, json_t *row)
{
    char *line = json_dumps(row, JSON_COMPACT);
    out_text(input->out, line);
    out_char(input->out, '\n');
    free(line);
    json_decref(row);
}

static enum status see_listed(void *self, const struct case_row *row,
                              struct error *err)
{
    struct cases_input *input = self;
    char said[CASES_WORDS_MAX], truth[CASES_WORDS_MAX];
    (void)err;
    input->n++;
    if (input->json) {
        cases_print_json(input, cases_row_json(row));
        return STATUS_OK;
    }
    table_add(&input->table, "%s", row->name);
    table_add(&input->table, "%s", row->right ? "right" : "wrong");
    table_add(&input->table, "%s", cases_words(&row->answer, said));
    table_add(&input->table, "%s", cases_words(&row->truth, truth));
    table_add(&input->table, "%s", row->log);
    return STATUS_OK;
}

/* True if the rules now give the right answer. If the truth of the case is not
 * known, each answer but the wrong one counts as right. */
static bool is_mended(const struct case_row *row, const struct case_answer *now)
{
    bool told = row->truth.kind || row->truth.part || row->truth.cause ||
                row->truth.action;
    return told ? case_is_right(now, &row->truth)
                : !case_is_right(now, &row->answer);
}

static enum status see_replayed(void *self, const struct case_row *row,
                                struct error *err)
{
    struct cases_input *input = self;
    struct diagnosis d;
    char said[CASES_WORDS_MAX], now_words[CASES_WORDS_MAX],
        truth[CASES_WORDS_MAX];
    input->n++;
    if (!row->by_rules) {
        input->skipped++;
        return STATUS_OK;
    }
    enum status st =
        case_judge(row, input->knowledge, input->classifier, &d, err);
    if (st != STATUS_OK)
        return st;
    struct case_answer now = case_words(&d);
    bool right = is_mended(row, &now);
    input->was_right += row->right;
    input->is_right += right;
    input->mended += right && !row->right;
    input->broken += !right && row->right;
    const char *change = right == row->right ? "" : right ? "mended" : "broken";
    if (input->json) {
        json_t *json = cases_row_json(row);
        json_put(json, "now", case_answer_json(&now));
        json_put(json, "now_right", json_boolean(right));
        json_put(json, "signature",
                 json_text(d.signature ? d.signature->name : NULL));
        cases_print_json(input, json);
        return STATUS_OK;
    }
    table_add(&input->table, "%s", row->name);
    table_add(&input->table, "%s", row->right ? "right" : "wrong");
    table_add(&input->table, "%s", right ? "right" : "wrong");
    table_add(&input->table, "%s", change);
    table_add(&input->table, "%s", cases_words(&row->answer, said));
    table_add(&input->table, "%s", cases_words(&now, now_words));
    table_add(&input->table, "%s", cases_words(&row->truth, truth));
    return STATUS_OK;
}

/* Prints the cases as a table, or with --json as lines of JSON. `head`: names
 * of the columns, ending with NULL. `see` adds or prints one case. */
static enum status print_cases(struct cases_input *input,
                               const char *const *head, case_see see,
                               struct error *err)
{
    char folder[PATH_MAX];
    const char *from = input->folder;
    unsigned columns = 0;
    enum status st = STATUS_OK;
    while (head[columns])
        columns++;
    if (!from) {
        st = home_path(HOME_DATA, "cases",
                       " to keep cases in; name a folder with --cases DIR",
                       folder, err);
        from = folder;
    }
    if (st == STATUS_OK)
        st = out_open("-", &input->out, err);
    if (st != STATUS_OK)
        return st;
    table_init(&input->table, columns, UINT_MAX);
    for (unsigned i = 0; i < columns; i++)
        table_add(&input->table, "%s", head[i]);
    st = case_each(from, see, input, err);
    if (st == STATUS_OK)
        st = out_close(input->out, err);
    else
        out_abandon(input->out);
    if (st == STATUS_OK && !input->json && input->n)
        table_print(&input->table, stdout);
    table_fini(&input->table);
    return st;
}

static enum status cases_list(void *self, struct error *err)
{
    static const char *const head[] = {"case",  "feedback", "answer",
                                       "truth", "log",      NULL};
    struct cases_input *input = self;
    enum status st = print_cases(input, head, see_listed, err);
    if (st == STATUS_OK && !input->json)
        say(stdout, "%s%u cases", input->n ? "\n" : "", input->n);
    return st;
}

static enum status replay(void *self, struct error *err)
{
    static const char *const head[] = {"case",   "was", "is",    "",
                                       "answer", "now", "truth", NULL};
    struct cases_input *input = self;
    enum status st = site_knowledge_open(
        input->signatures.at, input->signatures.n, &input->knowledge, err);
    if (st == STATUS_OK)
        st = log_classifier_new(LOG_LINEAR, NULL, &input->classifier, err);
    if (st == STATUS_OK)
        st = print_cases(input, head, see_replayed, err);
    if (st == STATUS_OK)
        say(input->json ? stderr : stdout,
            "%s%u cases: right %u when they were kept, %u now; mended %u, "
            "broken %u, not judged %u",
            input->n && !input->json ? "\n" : "", input->n, input->was_right,
            input->is_right, input->mended, input->broken, input->skipped);
    log_classifier_free(input->classifier);
    log_knowledge_free(input->knowledge);
    if (st == STATUS_OK && input->broken)
        st = error_set(err, STATUS_TOLERANCE,
                       "%u cases that were right are wrong now", input->broken);
    return st;
}

static const struct command command_list_cases = {
    .name = "list",
    .summary = "print the cases that are kept, the oldest first",
    .about = "Prints the diagnoses that a person called right or wrong "
             "('mate diagnose LOG --feedback').",
    .parts = {{.rows = list_args}},
    .input_size = sizeof(struct cases_input),
    .run = cases_list,
    .examples = "mate cases list --json",
};

static const struct command command_replay_cases = {
    .name = "replay",
    .summary = "judge the kept cases by the signatures of today",
    .about = "Judges each kept case again by the rules and the signatures of "
             "today. A case whose truth was not told counts as mended if the "
             "answer has changed. A case that a model or a line of the kernel "
             "decided is not judged.",
    .parts = {{.rows = list_args}, {.rows = replay_args}},
    .input_size = sizeof(struct cases_input),
    .run = replay,
    .ends = CLI_ENDS(TOLERANCE),
    .examples = "mate cases replay --signatures site.json",
};

static const struct command *const members[] = {&command_list_cases,
                                                &command_replay_cases, NULL};

const struct command command_cases = {
    .name = "cases",
    .summary = "diagnoses that a person called right or wrong: list, replay",
    .members = members,
};
