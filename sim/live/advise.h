/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs SchedMate's Scheduling Advisor on a directory: composes the jail, the
 * backend and the cache of versions, and reports what was found in plain words
 * and numbers. */
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
    const char *versions;      /* file of the version manager, or NULL */
    struct jobdb *jobdb;       /* borrowed; NULL: no history is searched */
    const char *user, *branch; /* user and branch of the job; or NULL */
    /* compare by the backend's embeddings, not by n-grams */
    bool embed_by_model;
    const char *const *set; /* "key=value" of advise_options */
    size_t n_set;
};

struct advise_row {
    const char *key, *value, *where;
};

/* The texts are borrowed from the struct advise. */
struct advise_report {
    /* "llm", "rules", or "history": an earlier run of the same job answered,
     * and no file was read */
    const char *method;
    /* Why no model answered, or why nothing was read; or NULL. */
    const char *why;
    const char *backend;
    const char *version; /* "new", "same", "changed", NULL without a cache */
    double confidence, agreement; /* 0 .. 1 */
    uint32_t steps;
    sim_span latency;
    const char *text; /* key=value words, which are embedded and compared */
    /* fields, then free pairs (their `where` is "") */
    const struct advise_row *rows;
    size_t n_fields, n_rows;
    const char *const *files; /* files that were read */
    size_t n_files;
    uint64_t n_listed, n_left_out;
    const struct lookup *lookup; /* NULL: no history was searched */
    /* the embedding that compared the texts, or NULL */
    const char *embedding;
};

struct advise;

/* The caller owns *out. */
enum status advise_run(const struct advise_settings *settings,
                       struct advise **out, struct error *err) MUST_USE;
void advise_free(struct advise *advise); /* accepts NULL */
const struct advise_report *advise_report_of(const struct advise *advise);

/* Writes what the backend did, for people to read: questions, hits, tokens,
 * seconds. */
void advise_account(const struct advise *advise, struct out *out);

/* The tables of settings: agent, jail, history. i counts from 0; NULL after the
 * last. */
const struct option *advise_options(size_t i, const char **name,
                                    size_t *config_size);

#endif
