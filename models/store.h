/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job history of live use: what ended jobs were, how long they ran and what
 * they asked of their GPUs, in one SQLite file. Several programs may read and
 * write it at a time (a writer waits for another up to a minute), and a program
 * that is killed leaves whole jobs only: each change is a transaction. */
#ifndef MODELS_STORE_H
#define MODELS_STORE_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

/* What is not known is empty, 0 for counts, -1 for figures, STORE_NO_TIME. */
#define STORE_NO_TIME INT64_MIN
struct store_job {
    int64_t id; /* given by store_add, ascending */
    /* Where it came from: the SHA-256 of a trace and the id there. Both empty
     * for a job that was added by itself. */
    struct text source, source_id;
    struct text user, workdir, command, branch, name, vc, gpu_type;
    /* What the job trains, as `key=value` words; what is compared. */
    struct text metadata;
    struct text end;    /* completed, failed, cancelled, unknown */
    sim_time submitted; /* microseconds since 1970 UTC */
    sim_span duration;
    uint32_t gpus;
    double gpu_util; /* percent of one GPU */
    double mem_mib;  /* per GPU */
};

struct store;

/* The file is made if it does not exist and `create` says so. STATUS_BAD_INPUT
 * if it is no history, or one of a later version. */
enum status store_open(const char *path, bool create, struct store **out,
                       struct error *err) MUST_USE;
void store_close(struct store *store); /* accepts NULL; undoes what is open */

/* Everything up to the commit is added as one, or not at all. */
enum status store_begin(struct store *store, struct error *err) MUST_USE;
enum status store_commit(struct store *store, struct error *err) MUST_USE;

/* A job whose (source, source_id) is there already is left out: *added, which
 * may be NULL, becomes false. */
enum status store_add(struct store *store, struct store_job *job, bool *added,
                      struct error *err) MUST_USE;

/* Which jobs: what is empty does not restrict. */
struct store_filter {
    struct text user, workdir, command, branch;
    bool exactly;   /* the four as they are, empty ones too */
    uint64_t limit; /* 0: all */
};

/* The newest first, by submission, then id. Texts are valid during the call,
 * which ends the walk by returning false. */
typedef bool store_visit(void *self, const struct store_job *job);
enum status store_each(struct store *store, const struct store_filter *filter,
                       store_visit *visit, void *self,
                       struct error *err) MUST_USE;
enum status store_count(struct store *store, uint64_t *jobs,
                        struct error *err) MUST_USE;

#define STORE_VECTOR_MAX 65536
/* Vectors belong to a metadata text and the name of the embedding that made
 * them, because those of one embedding say nothing to another. */
enum status store_put_vector(struct store *store, struct text metadata,
                             const char *embedding, const float *values,
                             size_t n, struct error *err) MUST_USE;
/* Distinct metadata texts, in the order in which they were first seen, with
 * their vector, or NULL if that embedding has not seen it. `n_jobs` completed
 * jobs have it. */
typedef enum status store_visit_text(void *self, int64_t text_id,
                                     struct text metadata, uint64_t n_jobs,
                                     const float *values, size_t n,
                                     struct error *err);
enum status store_each_text(struct store *store, const char *embedding,
                            store_visit_text *visit, void *self,
                            struct error *err) MUST_USE;
/* The jobs with that text, the newest first. */
enum status store_each_of_text(struct store *store, int64_t text_id,
                               store_visit *visit, void *self,
                               struct error *err) MUST_USE;

#endif
