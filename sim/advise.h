/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor on a directory: composes the jail, the backend
 * and the cache of versions, and says what was found in plain words and
 * numbers. */
#ifndef SIM_ADVISE_H
#define SIM_ADVISE_H

#include <stdbool.h>

#include "models/recall.h"
#include "sim/backend.h"
#include "sim/base/option.h"
#include "sim/base/out.h"

struct advise_settings {
    const char *workdir, *command;
    struct backend_settings backend;
    const char *versions;      /* file of the version manager, or NULL */
    struct store *history;     /* borrowed; NULL: nothing is recalled */
    const char *user, *branch; /* of the job, for the history; or NULL */
    bool embed_by_model; /* compare by the backend's embeddings, not hashed */
    const char *const *set; /* "key=value" of advise_options */
    size_t n_set;
};

struct advise_row {
    const char *key, *value, *where;
};

/* Texts are borrowed from the advise. */
struct advise_report {
    const char *method; /* "llm", "rules", or "history": a resubmission, whose
                         * files were not read */
    const char *why; /* why no model answered, or nothing was read; or NULL */
    const char *backend;
    const char *version; /* "new", "same", "changed", NULL without a cache */
    double confidence, agreement; /* 0 .. 1 */
    uint32_t steps;
    sim_span latency;
    const char *text; /* key=value words, what is embedded and compared */
    const struct advise_row *rows; /* fields, then free pairs (where: "") */
    size_t n_fields, n_rows;
    const char *const *files; /* that were read */
    size_t n_files;
    uint64_t n_listed, n_left_out;
    const struct recall *recall; /* NULL: no history was asked */
    const char *embedding;       /* what the texts were compared by, or NULL */
};

struct advise;

/* Owned by the caller. */
enum status advise_run(const struct advise_settings *settings,
                       struct advise **out, struct error *err) MUST_USE;
void advise_free(struct advise *advise); /* accepts NULL */
const struct advise_report *advise_report_of(const struct advise *advise);

/* What the backend did, for people: questions, hits, tokens, seconds. */
void advise_account(const struct advise *advise, struct out *out);

/* Tables of settings: agent, jail, history; i from 0, NULL behind the last. */
const struct option *advise_options(size_t i, const char **name,
                                    size_t *config_size);

#endif
