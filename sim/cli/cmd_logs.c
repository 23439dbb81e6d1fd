/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/cmd_logs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

/* A table of weights is 35 KiB. */
#define WEIGHTS_BYTES (1u << 20)

static const struct argp_option shared_rows[] = {
    {"classifier", LOGS_CLASSIFIER, "NAME", 0,
     "linear (trained; default) or cosine (to a text per category)", 0},
    {"embed", LOGS_EMBED, "HOW", 0,
     "vectors that cosine compares: hashed n-grams (default) or llm, the "
     "server's embeddings, as in SchedMate; one question per distinct line",
     0},
    {"weights", LOGS_WEIGHTS, "FILE", 0,
     "a classifier of your own, as bench/train_logs writes it", 0},
    {"llm", LOGS_LLM, "SPEC", 0,
     "rules (default), http[:key=value,...] or replay", 0},
    {"llm-recording", LOGS_RECORDING, "FILE", 0,
     "a recording of the model's answers", 0},
    {"llm-recording-mode", LOGS_RECORDING_MODE, "MODE", 0,
     "off, auto, record, replay or strict", 0},
    {"set", LOGS_SET, "KEY=VALUE", CLI_REPEATABLE,
     "any setting of 'schedsim list logs'", 0},
    {"json", LOGS_JSON, NULL, 0, "print JSON, one object per line", 0},
    {"quiet", LOGS_QUIET, NULL, 0, "no account of the model on stderr", 0},
    {0},
};

void logs_argp(const struct argp_option *own,
               struct argp_option out[LOGS_ARGP_MAX])
{
    size_t n = 0, shared = sizeof shared_rows / sizeof *shared_rows;
    for (; own->name; own++)
        out[n++] = *own;
    CHECK(n + shared <= LOGS_ARGP_MAX);
    memcpy(out + n, shared_rows, sizeof shared_rows);
}

error_t logs_set(struct logs_input *input, const struct option *table,
                 void *config, const char *name, char *arg,
                 struct argp_state *state)
{
    if (option_set(table, config, state->name, text_from(name), text_from(arg),
                   &input->arena, input->cli.err) == STATUS_OK)
        return 0;
    input->cli.failed = true; /* the message was printed already */
    return EINVAL;
}

static bool has_row(const struct option *rows, struct text key)
{
    while (rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows->kind != OPTION_END;
}

error_t logs_set_any(struct logs_input *input, const struct logs_table *first,
                     const struct logs_table *second, char *arg,
                     struct argp_state *state)
{
    struct text value, key = text_split(text_from(arg), '=', &value);
    bool other = second && !has_row(first->rows, key);
    const struct logs_table *table = other ? second : first;
    if (!memchr(arg, '=', strlen(arg)))
        return cli_fail(state, "--set: '%s' is not KEY=VALUE", arg);
    if (!has_row(table->rows, key)) {
        const struct option *both[] = {first->rows,
                                       second ? second->rows : NULL};
        option_unknown(both, 2, state->name, key, input->cli.err);
    } else if (option_set(table->rows, table->config, state->name, key, value,
                          &input->arena, input->cli.err) == STATUS_OK) {
        return 0;
    }
    input->cli.failed = true; /* the message was printed already */
    return EINVAL;
}

error_t logs_parse(struct logs_input *input, int key, char *arg,
                   struct argp_state *state)
{
    switch (key) {
    case LOGS_CLASSIFIER:
        if (strcmp(arg, "linear") != 0 && strcmp(arg, "cosine") != 0)
            return cli_fail(
                state, "--classifier: '%s' is neither linear nor cosine", arg);
        input->method = arg[0] == 'l' ? LOG_LINEAR : LOG_COSINE;
        return 0;
    case LOGS_EMBED:
        if (strcmp(arg, "hashed") != 0 && strcmp(arg, "llm") != 0)
            return cli_fail(state, "--embed: '%s' is not hashed or llm", arg);
        input->embed_by_model = strcmp(arg, "llm") == 0;
        return 0;
    case LOGS_WEIGHTS:
        input->weights = arg;
        return 0;
    case LOGS_LLM:
        input->llm.llm = arg;
        return 0;
    case LOGS_RECORDING:
        input->llm.recording = arg;
        return 0;
    case LOGS_RECORDING_MODE:
        input->llm.recording_mode = arg;
        return 0;
    case LOGS_JSON:
        input->json = true;
        return 0;
    case LOGS_QUIET:
        input->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (input->path)
            return cli_fail(state, "%s: one log at a time", state->name);
        input->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!input->path)
            return cli_fail(state, "%s: a log is missing", state->name);
        if (input->embed_by_model && input->method != LOG_COSINE)
            return cli_fail(state, "--embed llm: is for --classifier cosine");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum status open_classifier(struct logs_input *input, struct error *err)
{
    struct log_file *file = NULL;
    struct text json = {0};
    if (!input->weights)
        return log_classifier_new(input->method, NULL, &input->classifier, err);
    enum status st = log_file_open(input->weights, &file, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, 0, WEIGHTS_BYTES, &json, err);
    if (st == STATUS_OK)
        st = log_classifier_new(input->method, &json, &input->classifier, err);
    if (st != STATUS_OK && json.at)
        st = error_prefix(err, "%s: ", input->weights);
    free((char *)(uintptr_t)json.at);
    log_file_close(file);
    return st;
}

enum status logs_open(struct logs_input *input, struct error *err)
{
    enum status st = open_classifier(input, err);
    if (st == STATUS_OK)
        st = backend_open(&input->llm, &input->backend, err);
    if (st == STATUS_OK && input->embed_by_model)
        st = embed_llm_init(&input->embed, backend_client(input->backend), err);
    if (st == STATUS_OK && input->embed_by_model)
        st = log_classifier_embed(input->classifier, &input->embed.ops,
                                  &input->embed, err);
    if (st == STATUS_OK)
        st = log_file_open(input->path, &input->file, err);
    return st;
}

void logs_close(struct logs_input *input)
{
    log_file_close(input->file);
    log_classifier_free(input->classifier);
    backend_free(input->backend);
    arena_fini(&input->arena);
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
