/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor up to the point where it knows what a job
 * trains (SchedMate, section 4.1): an agent that reasons and acts (Yao et al.,
 * ReAct, 2023) reads the job's files through two tools, `file_tree` and
 * `file_read`, and answers with metadata. Without a model, or where the model
 * gives no answer, rules read the launch command, the defaults of declared
 * options and configuration files. Text in, metadata out: nothing is run, and
 * what a file says changes nothing but the metadata. */
#ifndef MODELS_SCHEDMATE_ADVISOR_H
#define MODELS_SCHEDMATE_ADVISOR_H

#include "models/llm_client.h"
#include "models/metadata.h"
#include "models/workspace.h"

struct advisor_config {
    uint32_t steps;          /* of the agent */
    uint32_t read_kib;       /* of one file shown to it */
    uint32_t total_kib;      /* of all that is shown to it */
    uint32_t votes;          /* extractions to choose from; 1: no vote */
    double vote_temperature; /* of all but the first */
    bool evaluate;           /* ask which fields the files do not support */
};
extern const struct option advisor_options[];

#define ADVISOR_FILES_MAX 64

/* What an earlier extraction found, for an update: the agent is shown it and
 * asked to read again only what changed. */
struct advisor_memory {
    const char *text; /* of the metadata, as metadata_text writes it */
    const char *const *changed;
    size_t n_changed;
    const char *const *seen; /* all files that it was read from */
    size_t n_seen;
};

struct advisor_input {
    const char *command;
    const struct workspace *workspace;
    struct llm_client *llm; /* NULL: rules alone */
    const struct advisor_config *config;
    const struct advisor_memory *before; /* or NULL */
    struct arena *arena;                 /* of all that the result holds */
};

struct advisor_result {
    struct metadata metadata;
    enum llm_method method;
    const char *why;   /* why the model gave no answer, or the rules found
                        * nothing to read; NULL if all is well */
    double confidence; /* known share of the required fields x agreement */
    double agreement;  /* of the votes, 1 if there was none */
    uint32_t steps;    /* of the agent */
    sim_span latency;  /* of all questions, as if one after the other */
    const char *files[ADVISOR_FILES_MAX]; /* that were read, in that order */
    size_t n_files;
};

/* Asks the model, else follows the rules. */
enum status advisor_extract(const struct advisor_input *input,
                            struct advisor_result *out,
                            struct error *err) MUST_USE;

/* The rules alone. */
void advisor_by_rules(const struct advisor_input *input,
                      struct advisor_result *out);

/* Notes that a file was read, once. */
void advisor_note_file(struct advisor_result *result, const char *path);

#endif
