/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that read logs share: options, opening and closing of the
 * log, the classifier and the model. */
#include "commands/commands_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of bytes that are read from a file of weights. The built-in
 * table is much smaller. */
#define WEIGHTS_BYTES (1u << 20)

const char *const embed_words[] = {"hashed", "llm", NULL};
static const char *const classifiers[] = {
    [LOG_LINEAR] = "linear", [LOG_COSINE] = "cosine", NULL};

const struct arg logs_args[] = {
    TAKE_WORD(struct logs_input, path, "LOG", "log"),
    TAKE_CHOICE(struct logs_input, method, "classifier", "NAME", classifiers,
                "linear (trained; default) or cosine (to a text per category)"),
    TAKE_CHOICE(
        struct logs_input, embed, "embed", "HOW", embed_words,
        "vectors that cosine compares: hashed n-grams (default) or llm, the "
        "server's embeddings, as in SchedMate; one question per distinct line"),
    TAKE_TEXT(
        struct logs_input, weights, "weights", "FILE",
        "the weights of another classifier, as bench/train_logs writes them"),
    TAKE_TEXT(struct logs_input, llm.llm, "llm", "SPEC",
              "rules (default), http[:key=value,...] or replay", .often = true),
    TAKE_TEXT(struct logs_input, llm.recording, "llm-recording", "FILE",
              "a recording of the model's answers"),
    TAKE_TEXT(struct logs_input, llm.recording_mode, "llm-recording-mode",
              "MODE", "off, auto, record, replay or strict"),
    TAKE_TEXT(struct logs_input, llm.trust, "llm-trust", "FILE",
              "how far the model is trusted, as 'mate trust' measured it"),
    TAKE_FLAG(struct logs_input, json, "json",
              "print JSON, one object per line", .letter = 'j', .often = true),
    TAKE_FLAG(struct logs_input, quiet, "quiet",
              "do not print on stderr what the model cost", .letter = 'q',
              .often = true),
    {0},
};

static enum status open_classifier(struct logs_input *input, struct error *err)
{
    struct log_file *file = NULL;
    struct text json = {0};
    if (!input->weights)
        return log_classifier_new((enum log_method)input->method, NULL,
                                  &input->classifier, err);
    enum status st = log_file_open(input->weights, &file, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, 0, WEIGHTS_BYTES + 1, &json, err);
    if (st == STATUS_OK && json.len > WEIGHTS_BYTES)
        st = error_set(err, STATUS_BAD_INPUT, "longer than 1 MiB");
    if (st == STATUS_OK)
        st = log_classifier_new((enum log_method)input->method, &json,
                                &input->classifier, err);
    if (st != STATUS_OK && json.at)
        st = error_prefix(err, "%s: ", input->weights);
    free((char *)(uintptr_t)json.at);
    log_file_close(file);
    return st;
}

enum status logs_open(struct logs_input *input, struct error *err)
{
    if (input->embed && input->method != LOG_COSINE)
        return error_set(err, STATUS_USAGE,
                         "--embed llm: is for --classifier cosine");
    arena_init(&input->scratch);
    enum status st = open_classifier(input, err);
    if (st == STATUS_OK)
        st = backend_open(&input->llm, &input->backend, err);
    if (st == STATUS_OK && input->embed)
        st = embed_llm_init(&input->embedding, backend_client(input->backend),
                            err);
    if (st == STATUS_OK && input->embed)
        st = log_classifier_embed(input->classifier, &input->embedding.ops,
                                  &input->embedding, err);
    if (st == STATUS_OK && input->path)
        st = log_file_open(input->path, &input->file, err);
    return st;
}

void logs_close(struct logs_input *input)
{
    log_file_close(input->file);
    log_classifier_free(input->classifier);
    backend_free(input->backend);
    arena_fini(&input->scratch);
}

void logs_account(const struct logs_input *input, enum status st)
{
    if (st != STATUS_OK || input->quiet || !logs_has_model(input))
        return;
    struct out *account = out_to_memory();
    backend_report(input->backend, account);
    fwrite(out_memory(account).at, 1, out_memory(account).len, stderr);
    out_abandon(account);
}

bool logs_has_model(const struct logs_input *input)
{
    return strcmp(backend_name(input->backend), "rules") != 0;
}

double logs_confidence(double x)
{
    return round(x * 100) / 100;
}

void logs_write_row(struct out *out, json_t *row)
{
    char *line = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(10));
    out_text(out, line);
    out_char(out, '\n');
    free(line);
    json_decref(row);
}

struct remark_printer {
    const char *head;
    struct out *out;
};

static void print_remark(void *self, const char *remark)
{
    struct remark_printer *p = self;
    out_printf(p->out, "%-12s %s\n", p->head, remark);
}

void logs_write_read_as(const struct log_file *file, const char *head,
                        struct out *out)
{
    log_file_say(file, print_remark, &(struct remark_printer){head, out});
}

static void add_remark(void *self, const char *remark)
{
    json_array_append_new(self, json_text(remark));
}

json_t *logs_read_as_json(const struct log_file *file)
{
    json_t *list = json_array();
    log_file_say(file, add_remark, list);
    return list;
}
