/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs SchedMate's Scheduling Advisor on a directory: opens the jail, the chain
 * of models and the file of earlier results, and reports what was found as
 * texts and numbers. */
#ifndef SIM_ADVISE_H
#define SIM_ADVISE_H

#include <stdbool.h>

#include "models/jobs/lookup.h"
#include "sim/base/option.h"
#include "sim/base/out.h"
#include "sim/live/backend.h"

struct advise_settings {
    const char *workdir, *command;
    struct backend_settings backend;
    /* file of advisor_versions.h; NULL: nothing is kept */
    const char *versions;
    struct jobdb *jobdb;       /* borrowed; NULL: nothing is looked up */
    const char *user, *branch; /* of the job; or NULL */
    /* True: jobs are compared by the embeddings of a server, not by n-grams. */
    bool embed_by_model;
    const char *const *set; /* settings "key=value" of advise_options */
    size_t n_set;
};

struct advise_row {
    const char *key, *value, *where;
};

/* The texts are borrowed from the struct advise. */
struct advise_report {
    /* "llm", "rules", or "history" if an earlier run of the same job answered
     * and no file was read. */
    const char *method;
    /* Why no model answered or why no file was read; NULL if all is well. */
    const char *why;
    const char *backend;
    const char *version; /* "new", "same", "changed"; NULL: nothing is kept */
    /* 0 to 1; as in struct advisor_result */
    double confidence, agreement;
    uint32_t steps;
    sim_span latency;
    const char *text; /* words key=value, which are embedded and compared */
    /* The fields, then the free pairs, whose `where` is "". */
    const struct advise_row *rows;
    size_t n_fields, n_rows;
    const char *const *files; /* files that were read */
    size_t n_files;
    /* files of the directory; entries that were left out */
    uint64_t n_listed, n_left_out;
    const struct lookup *lookup; /* NULL: nothing was looked up */
    /* Name of the embedding that compared the texts, or NULL. */
    const char *embedding;
};

struct advise;

/* The caller owns *out. */
enum status advise_run(const struct advise_settings *settings,
                       struct advise **out, struct error *err) MUST_USE;
void advise_free(struct advise *advise); /* accepts NULL */
const struct advise_report *advise_report_of(const struct advise *advise);

/* Writes the account of the model as text for people: questions, hits, tokens,
 * seconds. */
void advise_account(const struct advise *advise, struct out *out);

/* Returns table of settings number i, counted from 0: agent, jail, history.
 * NULL after the last. */
const struct option *advise_options(size_t i, const char **name,
                                    size_t *config_size);

#endif
