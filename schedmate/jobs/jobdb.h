/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job database: one SQLite file that stores for each ended job what it was,
 * how long it ran and how much of its GPUs it used. Several programs may read
 * and write it at the same time: each waits up to a minute while another has
 * locked the file, then fails. A killed program leaves no partial jobs, because
 * each change is a transaction. A function that returns a status returns
 * STATUS_BAD_INPUT if the file is damaged, and STATUS_FAILED if SQLite cannot
 * read or write it. */
#ifndef MODELS_JOBDB_H
#define MODELS_JOBDB_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

/* A job as the database stores it. Unknown texts are empty (but an unknown
 * `end` is "unknown"), an unknown number of GPUs is 0, unknown figures are -1,
 * an unknown time of submission is JOBDB_NO_TIME. The duration is always
 * known. */
#define JOBDB_NO_TIME INT64_MIN
struct jobdb_job {
    /* number in the database, ascending; set by jobdb_add, to 0 if the database
     * already had the job */
    int64_t id;
    /* What gave the job its id, such as "slurm:CLUSTER" or the SHA-256 of a
     * trace, and the id. Both are empty if they are unknown. */
    struct text source, source_id;
    struct text user, workdir, command, branch, name, vc, gpu_type;
    /* What the job trains, as `key=value` words. lookup_similar compares these
     * texts. */
    struct text metadata;
    /* how the job ended: "completed", "failed", "cancelled", "unknown" */
    struct text end;
    struct text state; /* the scheduler's word for the end, such as TIMEOUT */
    /* exit status and signal as the scheduler writes them, such as "1:0" */
    struct text exit_code;
    struct text hosts; /* nodes of the job, in the scheduler's notation */
    /* why the job failed, as `diagnose` words it */
    struct text failure;
    /* Time of submission, microseconds since 1970 UTC; for a simulated job,
     * simulated time. */
    sim_time submitted;
    sim_span duration;
    uint32_t gpus;
    double gpu_util; /* mean utilisation of the job's GPUs, percent */
    double mem_mib;  /* memory used per GPU, MiB */
};

struct jobdb;

/* Path of a database in memory, which no other program sees. */
#define JOBDB_MEMORY ":memory:"
/* Opens a job database. Makes the file if it does not exist and `create` is
 * true. Makes the tables in an empty file, and converts a database of version
 * 1. Returns STATUS_BAD_INPUT if the file is not a job database or has another
 * version, and STATUS_FAILED if it cannot be opened or SQLite cannot be loaded;
 * *out is then NULL. The caller closes *out. */
enum status jobdb_open(const char *path, bool create, struct jobdb **out,
                       struct error *err) MUST_USE;
/* Closes a job database and rolls back an open transaction. Accepts NULL. */
void jobdb_close(struct jobdb *jobdb);

/* Begin and end a transaction: all changes between the two calls are stored, or
 * none is. Transactions do not nest. After an error the caller closes the
 * database, which rolls the transaction back. */
enum status jobdb_begin(struct jobdb *jobdb, struct error *err) MUST_USE;
enum status jobdb_commit(struct jobdb *jobdb, struct error *err) MUST_USE;

/* Adds a job and sets job->id. If the database already has a job with this
 * source and source_id (not empty), sets *added to false and job->id to 0 and
 * stores only what was unknown of that job, because two programs may each know
 * a part: an accounting system the run time, an epilog the cause of a failure.
 * `added` may be NULL. */
enum status jobdb_add(struct jobdb *jobdb, struct jobdb_job *job, bool *added,
                      struct error *err) MUST_USE;

/* Selects the jobs to show. An empty text matches any job unless `exactly` is
 * true. */
struct jobdb_filter {
    struct text user, workdir, command, branch;
    bool exactly;   /* true: all four texts must match, empty ones too */
    uint64_t limit; /* largest number of jobs to show; 0: all */
};

/* Shows the selected jobs to `visit`, the last submitted first; jobs with an
 * unknown time of submission come last, and ties are ordered by descending id.
 * The texts are valid only during the call of `visit`. If `visit` returns
 * false, no more jobs are shown. */
typedef bool jobdb_visit(void *self, const struct jobdb_job *job);
enum status jobdb_each(struct jobdb *jobdb, const struct jobdb_filter *filter,
                       jobdb_visit *visit, void *self,
                       struct error *err) MUST_USE;
enum status jobdb_count(struct jobdb *jobdb, uint64_t *jobs,
                        struct error *err) MUST_USE;

#define JOBDB_VECTOR_MAX 65536
/* Stores a vector of n numbers (1..JOBDB_VECTOR_MAX) under its metadata text
 * and the name of the embedding that made it, because vectors of different
 * embeddings cannot be compared. Replaces an earlier vector of that text and
 * embedding. */
enum status jobdb_put_vector(struct jobdb *jobdb, struct text metadata,
                             const char *embedding, const float *values,
                             size_t n, struct error *err) MUST_USE;
/* Shows the distinct metadata texts in the order in which they were added, each
 * with its vector of this embedding, or NULL and n = 0 if there is none.
 * `n_jobs` is the number of completed jobs with that text, which may be 0. The
 * text and the vector are valid only during the call. A status other than
 * STATUS_OK ends the walk and is returned. */
typedef enum status jobdb_visit_text(void *self, int64_t text_id,
                                     struct text metadata, uint64_t n_jobs,
                                     const float *values, size_t n,
                                     struct error *err);
enum status jobdb_each_text(struct jobdb *jobdb, const char *embedding,
                            jobdb_visit_text *visit, void *self,
                            struct error *err) MUST_USE;
/* Shows the jobs with this metadata text, in the same order as jobdb_each. */
enum status jobdb_each_of_text(struct jobdb *jobdb, int64_t text_id,
                               jobdb_visit *visit, void *self,
                               struct error *err) MUST_USE;

#endif
