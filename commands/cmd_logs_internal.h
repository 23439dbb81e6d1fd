/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that read logs (`track`, `diagnose`) share: the log, the
 * classifier, the model, and parts of the output. */
#ifndef SIM_CMD_LOGS_INTERNAL_H
#define SIM_CMD_LOGS_INTERNAL_H

#include "base/json.h"
#include "commands/cli.h"
#include "schedmate/live/backend.h"
#include "schedmate/live/log_file.h"
#include "schedmate/llm/embed_llm.h"
#include "schedmate/logs/log_classifier.h"

struct logs_input {
    struct cli_call call;
    const char *path, *weights;
    unsigned method; /* a value of enum log_method */
    unsigned embed;  /* index into embed_words */
    struct backend_settings llm;
    bool json, quiet;

    struct arena scratch; /* owns the texts of one answer */
    struct embed_llm embedding;
    struct log_file *file;
    struct log_classifier *classifier;
    struct backend *backend;
};

/* Rows for a struct logs_input: the log and the options that all these commands
 * have. */
extern const struct arg logs_args[];
/* The words of --embed: the first means hashed n-grams, the second the
 * embeddings of a server. Ends with NULL. */
extern const char *const embed_words[];

/* Opens log (unless its path is NULL), classifier and model. logs_close may be
 * called after a failure too. */
enum status logs_open(struct logs_input *input, struct error *err) MUST_USE;
void logs_close(struct logs_input *input);
/* Writes to standard error what asking the model cost. Writes nothing if `st`
 * is not STATUS_OK, if there is no model, or with --quiet. */
void logs_account(const struct logs_input *input, enum status st);
/* Writes how the log was read: as lines of text that begin with `head`, or as
 * an array that the caller owns. */
void logs_write_read_as(const struct log_file *file, const char *head,
                        struct out *out);
json_t *logs_read_as_json(const struct log_file *file);

/* True if a model or a recording answers, not only rules. */
bool logs_has_model(const struct logs_input *input);

/* Rounds to two decimal places, because a confidence is no more precise than
 * that. */
double logs_confidence(double x);
/* Writes an object on one line, without blanks. Takes over `row` and frees
 * it. */
void logs_write_row(struct out *out, json_t *row);

#endif
