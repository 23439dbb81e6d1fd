/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first half of SchedMate's Scheduling Advisor: finds what a job trains
 * (SchedMate, section 4.1). Rules read the launch command, the sources that it
 * reaches, and configuration files. With a model, an agent (Yao et al., ReAct,
 * 2023) sees what they found and the files that matter most, asks for more
 * (look.h) and answers with a quote for each field; what both found is merged
 * field by field (answer.h). Nothing is run, and the content of a file can
 * affect only the metadata. */
#ifndef MODELS_SCHEDMATE_ADVISOR_H
#define MODELS_SCHEDMATE_ADVISOR_H

#include "schedmate/advisor/clues.h"
#include "schedmate/advisor/jail.h"
#include "schedmate/advisor/metadata.h"
#include "schedmate/llm/llm.h"

struct advisor_config {
    uint32_t steps;    /* largest number of questions, the answer included */
    uint32_t context;  /* tokens of the largest question with its answer */
    uint32_t read_kib; /* largest number of KiB that the agent sees at a time */
    uint32_t votes;    /* number of answers to vote on; 1: no vote */
    double vote_temperature; /* temperature of all answers but the first */
    double trust; /* weight of the model against the rules (answer.h), 0..1 */
};
extern const struct option advisor_options[];

#define ADVISOR_FILES_MAX 64
#define ADVISOR_REFUSED_MAX 32

/* The result of an earlier extraction, for an update: the agent sees it and is
 * asked to read only the changed files again. */
struct advisor_memory {
    const char *text; /* the metadata as metadata_text writes them */
    struct metadata metadata;
    const char *const *changed; /* files that have changed since that result */
    size_t n_changed;
    const char *const *seen; /* all files that were read for that result */
    size_t n_seen;
};

struct advisor_input {
    const char *command;
    const struct workspace *workspace;
    struct llm_client *llm; /* model to ask; NULL: rules only */
    const struct advisor_config *config;
    const struct clues *clues;           /* NULL: the built-in ones */
    const struct advisor_memory *before; /* the earlier result; NULL: none */
    struct arena *arena;                 /* receives the texts of the result */
};

struct advisor_result {
    struct metadata metadata;
    enum llm_method method;
    /* If the model answered (by_model): what the rules found, and what the
     * model said with a verified quote or withdrew. */
    struct metadata rules, model;
    bool withdrawn[METADATA_FIELDS], by_model;
    /* Reason why the model gave no answer or why the rules found nothing to
     * read; NULL: neither happened. */
    const char *why;
    /* What the answer leaves out, such as further runs that the command starts;
     * NULL: nothing is known to be left out. */
    const char *note;
    double coverage; /* 0..1, metadata_coverage */
    /* mean share of votes for the chosen values of the model, 0..1; 1 if the
     * rules gave the result, 0 if the answers of the model have no field */
    double agreement;
    uint32_t steps;   /* number of questions of the agent */
    sim_span latency; /* time of all questions together, us */
    /* Files in the order in which they were read, then those of the earlier
     * result. Paths belong to the workspace or to the earlier result. */
    const char *files[ADVISOR_FILES_MAX];
    size_t n_files;
    /* What the model said and a check refused, one sentence each. */
    const char *refused[ADVISOR_REFUSED_MAX];
    size_t n_refused;
};

/* Extracts metadata by the model, or by the rules if there is no model or it
 * gives no answer. Returns an error only if llm_client_ask does. */
enum status advisor_extract(const struct advisor_input *input,
                            struct advisor_result *out,
                            struct error *err) MUST_USE;

/* Extracts metadata by the rules only. The caller has cleared *out, but may
 * have set `why`, `steps` and `latency`, which are kept. */
void advisor_by_rules(const struct advisor_input *input,
                      struct advisor_result *out);

/* Adds a file to the list of files read, unless the list has it already or is
 * full. Keeps the pointer `path`. */
void advisor_note_file(struct advisor_result *result, const char *path);

#endif
