/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the commands that read logs (`track`, `diagnose`): the log, the
 * classifier, the model, and the printing of a confidence. */
#ifndef SIM_CMD_LOGS_H
#define SIM_CMD_LOGS_H

#include "models/llm/embed_llm.h"
#include "models/logs/log_classifier.h"
#include "sim/base/json_out.h"
#include "sim/cli/cli.h"
#include "sim/live/backend.h"
#include "sim/live/log_file.h"

enum {
    LOGS_CLASSIFIER = 0x5000,
    LOGS_EMBED,
    LOGS_WEIGHTS,
    LOGS_LLM,
    LOGS_RECORDING,
    LOGS_RECORDING_MODE,
    LOGS_SET, /* handled by the command itself: logs_set_any */
    LOGS_JSON,
    LOGS_QUIET,
};

/* A command's own rows, then the rows of the keys above, ended by a row of
 * zeroes. */
#define LOGS_ARGP_MAX 32
void logs_argp(const struct argp_option *own,
               struct argp_option out[LOGS_ARGP_MAX]);

struct logs_input {
    struct cli_input cli; /* first: see cli_parse */
    const char *path, *weights;
    enum log_method method;
    struct backend_settings llm;
    bool json, quiet, embed_by_model;

    struct embed_llm embed;
    struct arena arena;
    struct log_file *file;
    struct log_classifier *classifier;
    struct backend *backend;
};

/* Handles the keys above and the LOG argument; ARGP_ERR_UNKNOWN for others. */
error_t logs_parse(struct logs_input *input, int key, char *arg,
                   struct argp_state *state);
/* Sets one row of an option table from the command line. */
error_t logs_set(struct logs_input *input, const struct option *table,
                 void *config, const char *name, char *arg,
                 struct argp_state *state);

/* Handles "KEY=VALUE" of --set, for the first of the two tables that has the
 * key; `second` may be NULL. */
struct logs_table {
    const struct option *rows;
    void *config;
};
error_t logs_set_any(struct logs_input *input, const struct logs_table *first,
                     const struct logs_table *second, char *arg,
                     struct argp_state *state);

/* Opens log, classifier and model. logs_close accepts an input whose logs_open
 * failed half-way. */
enum status logs_open(struct logs_input *input, struct error *err) MUST_USE;
void logs_close(struct logs_input *input);
/* Writes the cost of the model to standard error, if all went well and a model
 * was asked. */
void logs_account(const struct logs_input *input, enum status st);
/* Returns true if there is a model to ask. */
bool logs_has_model(const struct logs_input *input);

/* Rounds to two digits, because a confidence is no more exact than that. */
double logs_confidence(double x);
/* Writes one object per line, without blanks. */
void logs_write_row(struct out *out, json_t *row); /* steals */

#endif
