/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that read logs (`track`, `diagnose`) share: the log, the
 * classifier, the model, and how a confidence is printed. */
#ifndef SIM_CMD_LOGS_H
#define SIM_CMD_LOGS_H

#include "models/log_classifier.h"
#include "sim/backend.h"
#include "sim/cli.h"
#include "sim/json_out.h"
#include "sim/log_file.h"

enum {
    LOGS_CLASSIFIER = 0x5000,
    LOGS_WEIGHTS,
    LOGS_LLM,
    LOGS_CACHE,
    LOGS_CACHE_MODE,
    LOGS_JSON,
};

/* Rows for a command's argp_option table. */
#define LOGS_ROWS \
    {"classifier", \
     LOGS_CLASSIFIER, \
     "NAME", \
     0, \
     "linear (trained; default) or cosine (to a text per category)", \
     0}, \
        {"weights", \
         LOGS_WEIGHTS, \
         "FILE", \
         0, \
         "a classifier of your own, as bench/train_logs writes it", \
         0}, \
        {"llm", \
         LOGS_LLM, \
         "SPEC", \
         0, \
         "rules (default), http[:key=value,...] or replay", \
         0}, \
        {"llm-cache", \
         LOGS_CACHE, \
         "FILE", \
         0, \
         "a recording of the model's answers", \
         0}, \
        {"llm-cache-mode", \
         LOGS_CACHE_MODE, \
         "MODE", \
         0, \
         "off, auto, record, replay or strict", \
         0}, \
    { \
        "json", LOGS_JSON, NULL, 0, "as JSON, one object a line", 0 \
    }

struct logs_input {
    struct cli_input cli; /* first: see cli_parse */
    const char *path, *weights;
    enum log_method method;
    struct backend_settings llm;
    bool json;

    struct arena arena;
    struct log_file *file;
    struct log_classifier *classifier;
    struct backend *backend;
};

/* The keys above and the LOG argument; ARGP_ERR_UNKNOWN for others. */
error_t logs_parse(struct logs_input *input, int key, char *arg,
                   struct argp_state *state);
/* One row of an option table from the command line. */
error_t logs_set(struct logs_input *input, const struct option *table,
                 void *config, const char *name, char *arg,
                 struct argp_state *state);

/* Opens log, classifier and model; logs_close accepts what failed half-way. */
enum status logs_open(struct logs_input *input, struct error *err) MUST_USE;
void logs_close(struct logs_input *input);
/* Is there a model to ask? */
bool logs_has_model(const struct logs_input *input);

/* Two digits: more would tell more than a confidence holds. */
double logs_confidence(double x);
/* One object a line, without blanks. */
void logs_write_row(struct out *out, json_t *row); /* steals */

#endif
