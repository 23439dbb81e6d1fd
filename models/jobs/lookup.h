/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up a new job in the job database: finds the user's earlier runs of the
 * same command, or else the jobs with the nearest metadata. As in SchedMate,
 * section 4.1, these are the few jobs whose vectors have the highest cosine
 * above a threshold, and their figures are averaged without weights. Finding no
 * match is a normal outcome. */
#ifndef MODELS_LOOKUP_H
#define MODELS_LOOKUP_H

#include "models/jobs/jobdb.h"
#include "models/llm/embed.h"
#include "sim/base/option.h"

#define LOOKUP_TOP_MAX 64

struct lookup_config {
    uint32_t top;
    double threshold;
    /* least coverage of its metadata, 0..1 (metadata_coverage), at which a new
     * job is compared with others */
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
    struct jobdb_job job; /* the job; its texts lie in the arena */
    double score;         /* cosine; 1 for a resubmission */
};

struct figures {
    /* number of matches with a known figure; if 0, the rest is undefined */
    uint32_t n;
    /* mean; sample standard deviation (divisor n - 1), 0 if n is 1 */
    double mean, spread;
};

struct lookup {
    enum lookup_basis basis;
    struct lookup_match matches[LOOKUP_TOP_MAX]; /* matches, best first */
    uint32_t n;
    struct figures duration_s, gpu_util, mem_mib;
};

/* Finds the latest completed jobs of a user with the same directory, command
 * and branch. If there is such a job, the files of the new job need not be
 * read. */
enum status lookup_resubmission(struct jobdb *jobdb,
                                const struct lookup_config *config,
                                const struct jobdb_filter *who,
                                struct arena *arena, struct lookup *out,
                                struct error *err) MUST_USE;

/* Finds the completed jobs with the nearest metadata; `self` belongs to the
 * embedding. If the coverage of the metadata is below that of `config`, no job
 * is compared and the basis is LOOKUP_LITTLE. Texts of jobs of which little was
 * known, which have the words of a command, are not compared either. Vectors of
 * an embedding with another name are not compared. A text without a vector of
 * this embedding gets one, which is stored. Among equal scores, the text that
 * was seen first comes first; within a text, the latest job. */
enum status lookup_similar(struct jobdb *jobdb,
                           const struct lookup_config *config,
                           const struct embed_ops *embedding, void *self,
                           struct text metadata, double coverage,
                           struct arena *arena, struct lookup *out,
                           struct error *err) MUST_USE;

#endif
