/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job database: one SQLite file that stores for each ended job what it was,
 * how long it ran and how much of its GPUs it used. Several programs may read
 * and write it at one time (a writer waits up to a minute for another). A
 * killed program leaves no partial jobs, because each change is a
 * transaction. */
#ifndef MODELS_JOBDB_H
#define MODELS_JOBDB_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

/* A job as the database stores it. Unknown texts are empty, unknown counts 0,
 * unknown figures -1, unknown times JOBDB_NO_TIME. */
#define JOBDB_NO_TIME INT64_MIN
struct jobdb_job {
    int64_t id; /* ascending number, set by jobdb_add */
    /* Where the job came from: the SHA-256 of a trace and the job's id there.
     * Both are empty for a job that did not come from a trace. */
    struct text source, source_id;
    struct text user, workdir, command, branch, name, vc, gpu_type;
    /* What the job trains, as `key=value` words. Similar jobs are found by
     * comparing this text. */
    struct text metadata;
    /* how the job ended: "completed", "failed", "cancelled", "unknown" */
    struct text end;
    struct text state; /* the scheduler's word for the end, such as TIMEOUT */
    /* exit status and signal as Slurm writes them, such as "1:0" */
    struct text exit_code;
    struct text hosts; /* nodes of the job, in the scheduler's notation */
    /* why the job failed, as `diagnose` judged, in a few declared words */
    struct text failure;
    sim_time submitted; /* time of submission, microseconds since 1970 UTC */
    sim_span duration;
    uint32_t gpus;
    double gpu_util; /* mean utilisation of each GPU, percent */
    double mem_mib;  /* memory used on each GPU, MiB */
};

struct jobdb;

/* Path of a database in memory, which no other program sees. */
#define JOBDB_MEMORY ":memory:"
/* Opens a job database. Makes the file if it does not exist and `create` is
 * true. Returns STATUS_BAD_INPUT if the file is not a job database or one of a
 * later version. */
enum status jobdb_open(const char *path, bool create, struct jobdb **out,
                       struct error *err) MUST_USE;
/* Closes a job database and rolls back an open transaction. Accepts NULL. */
void jobdb_close(struct jobdb *jobdb);

/* Begin and end a transaction: all changes between the two calls are stored, or
 * none is. */
enum status jobdb_begin(struct jobdb *jobdb, struct error *err) MUST_USE;
enum status jobdb_commit(struct jobdb *jobdb, struct error *err) MUST_USE;

/* Adds a job. If the database has a job with this (source, source_id), sets
 * *added to false and stores only what was unknown of that job, because two
 * programs may each know a part: an accounting system the run time, an epilog
 * the cause of a failure. `added` may be NULL. */
enum status jobdb_add(struct jobdb *jobdb, struct jobdb_job *job, bool *added,
                      struct error *err) MUST_USE;

/* The jobs to show. An empty text matches any job unless `exactly` is true. */
struct jobdb_filter {
    struct text user, workdir, command, branch;
    bool exactly;   /* true: all four texts must match, empty ones too */
    uint64_t limit; /* most jobs that are shown; 0: all */
};

/* Shows jobs to `visit`, ordered by submission and then by id, both descending.
 * Texts are valid only during the call. If `visit` returns false, no more jobs
 * are shown. */
typedef bool jobdb_visit(void *self, const struct jobdb_job *job);
enum status jobdb_each(struct jobdb *jobdb, const struct jobdb_filter *filter,
                       jobdb_visit *visit, void *self,
                       struct error *err) MUST_USE;
enum status jobdb_count(struct jobdb *jobdb, uint64_t *jobs,
                        struct error *err) MUST_USE;

#define JOBDB_VECTOR_MAX 65536
/* Stores a vector under its metadata text and the name of the embedding that
 * made it, because vectors of different embeddings cannot be compared. */
enum status jobdb_put_vector(struct jobdb *jobdb, struct text metadata,
                             const char *embedding, const float *values,
                             size_t n, struct error *err) MUST_USE;
/* Shows the distinct metadata texts in the order in which they were first seen,
 * each with its vector of this embedding, or NULL if there is none. `n_jobs` is
 * the number of completed jobs with that text. */
typedef enum status jobdb_visit_text(void *self, int64_t text_id,
                                     struct text metadata, uint64_t n_jobs,
                                     const float *values, size_t n,
                                     struct error *err);
enum status jobdb_each_text(struct jobdb *jobdb, const char *embedding,
                            jobdb_visit_text *visit, void *self,
                            struct error *err) MUST_USE;
/* Shows the jobs with this metadata text, the newest first. */
enum status jobdb_each_of_text(struct jobdb *jobdb, int64_t text_id,
                               jobdb_visit *visit, void *self,
                               struct error *err) MUST_USE;

#endif
