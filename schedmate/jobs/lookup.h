/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up a new job in the job database: finds the user's earlier runs of the
 * same command, or the jobs with the nearest metadata. As in SchedMate, section
 * 4.1, the nearest jobs are the few whose vectors have the highest cosines with
 * that of the new job; a cosine below a threshold does not count. The figures
 * of the jobs found are averaged without weights. Finding no match is a normal
 * outcome. */
#ifndef MODELS_LOOKUP_H
#define MODELS_LOOKUP_H

#include "base/option.h"
#include "schedmate/jobs/jobdb.h"
#include "schedmate/llm/ngrams.h"

#define LOOKUP_TOP_MAX 64

struct lookup_config {
    uint32_t top;
    double threshold;
    /* smallest coverage of the metadata (metadata_coverage, 0..1) with which a
     * new job is compared with others */
    double coverage;
};
extern const struct option lookup_options[];

enum lookup_basis {
    LOOKUP_NOTHING,
    LOOKUP_RESUBMISSION,
    LOOKUP_SIMILAR,
    LOOKUP_LITTLE, /* too little is known of the job to compare it */
};
const char *lookup_basis_name(enum lookup_basis basis);

struct lookup_match {
    struct jobdb_job job; /* its texts lie in the arena */
    double score;         /* cosine; 1 for a resubmission */
};

struct figures {
    /* number of matches with a known figure; if 0, mean and spread are not
     * known, and 0 */
    uint32_t n;
    /* mean; sample standard deviation (divisor n - 1), 0 if n is 1 */
    double mean, spread;
};

struct lookup {
    enum lookup_basis basis;
    /* best first; of a resubmission, newest first */
    struct lookup_match matches[LOOKUP_TOP_MAX];
    uint32_t n;
    struct figures duration_s, gpu_util, mem_mib;
};

/* Finds the latest completed jobs, at most config->top, with the user,
 * directory, command and branch of `who`, whose other members are not used.
 * Without a user or a command nothing is found. If a job is found, the files of
 * the new job need not be read. The basis is LOOKUP_RESUBMISSION or
 * LOOKUP_NOTHING. Returns errors of the database. */
enum status lookup_resubmission(struct jobdb *jobdb,
                                const struct lookup_config *config,
                                const struct jobdb_filter *who,
                                struct arena *arena, struct lookup *out,
                                struct error *err) MUST_USE;

/* Finds the completed jobs with the nearest metadata, at most config->top and
 * with a cosine of at least config->threshold. `self` is passed to the
 * embedding. If `coverage` is below config->coverage, no job is compared and
 * the basis is LOOKUP_LITTLE; otherwise it is LOOKUP_SIMILAR or LOOKUP_NOTHING.
 * Texts with `command=` are not compared: little was known of their jobs.
 * Vectors of an embedding with another name are not compared. A text that is
 * compared and has no vector of this embedding gets one, which is stored, so
 * the caller must not be inside a transaction. Among equal scores, the text
 * that was added first comes first; within a text, the job that was submitted
 * last. Returns errors of the database and of the embedding. */
enum status lookup_similar(struct jobdb *jobdb,
                           const struct lookup_config *config,
                           const struct embed_ops *embedding, void *self,
                           struct text metadata, double coverage,
                           struct arena *arena, struct lookup *out,
                           struct error *err) MUST_USE;

#endif
