/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs SchedMate's Scheduling Advisor on a directory: opens the jail
 * (schedmate/advisor/jail.h), the chain of models and the file of earlier
 * results, and reports what it found as texts and numbers. */
#ifndef SIM_ADVISE_H
#define SIM_ADVISE_H

#include <stdbool.h>

#include "base/option.h"
#include "base/out.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/jobs/lookup.h"
#include "schedmate/live/backend.h"

struct advise_settings {
    const char *workdir, *command;
    /* The folder whose files the command may name with ".." (repository.h);
     * NULL: that of the repository. */
    const char *root;
    struct backend_settings backend;
    const struct clues *clues; /* borrowed; NULL: the built-in ones */
    /* Path of the file of earlier results (advisor_versions.h); NULL: results
     * are not kept. */
    const char *versions;
    /* job database, borrowed; NULL: no search for earlier jobs is made */
    struct jobdb *jobdb;
    const char *user, *branch; /* user and branch of the job; NULL: not known */
    /* True: texts of jobs are compared by embeddings from a server; false: by
     * n-grams. */
    bool embed_by_model;
    /* settings "key=value" from the tables of advise_options */
    const char *const *set;
    size_t n_set;
};

struct advise_row {
    const char *key, *value, *where;
    /* what stands there, if a model named the value; NULL: the rules did */
    const char *quote;
};

/* All pointers are borrowed from the struct advise. If `method` is "history",
 * only `method` and `lookup` are set. */
struct advise_report {
    /* How the answer was found: "llm", "rules", or "history" if an earlier run
     * of the same job answered and no file was read. */
    const char *method;
    /* Why the model gave no answer or why the rules found nothing to read;
     * NULL: neither happened. */
    const char *why;
    const char *backend;
    /* how the files compare with those of the last result: "new" (there was
     * none), "same" or "changed"; NULL: results are not kept, or `method` is
     * "history" */
    const char *version;
    /* The root of the repository, if the command names files above the
     * directory: paths begin there. NULL: they begin in the directory. */
    const char *above;
    /* What the answer leaves out; NULL: nothing is known to be left out. */
    const char *note;
    /* 0 to 1, from struct advisor_result */
    double coverage, agreement;
    uint32_t steps;
    sim_span latency;
    /* the metadata as words "key=value"; this text is embedded and compared
     * with earlier jobs */
    const char *text;
    /* One row per field that has a value (n_fields), then one row per free
     * key=value pair, with "" as `where`. */
    const struct advise_row *rows;
    size_t n_fields, n_rows;
    const char *const *files; /* files that were read */
    size_t n_files;
    /* what the model said and a check refused, one sentence each */
    const char *const *refused;
    size_t n_refused;
    /* Number of files in the directory; number of entries that were left
     * out. */
    uint64_t n_listed, n_left_out;
    /* result of the search for earlier jobs; NULL: there is no job database */
    const struct lookup *lookup;
    /* Name of the embedding that compared the texts; NULL: none was used. */
    const char *embedding;
};

struct advise;

/* Runs the advisor. The caller owns *out, which is NULL on an error. */
enum status advise_run(const struct advise_settings *settings,
                       struct advise **out, struct error *err) MUST_USE;
void advise_free(struct advise *advise); /* accepts NULL */
const struct advise_report *advise_report_of(const struct advise *advise);

/* Writes for the user what the model cost, such as questions, tokens and
 * seconds; see backend_report. */
void advise_account(const struct advise *advise, struct out *out);

/* Returns the i-th table of settings, from 0: agent, jail, history. Sets *name
 * and *config_size, the size of the struct that the table fills. Returns NULL
 * if there is no such table. */
const struct option *advise_options(size_t i, const char **name,
                                    size_t *config_size);

#endif
