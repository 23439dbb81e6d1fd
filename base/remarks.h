/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks: what the user must know to read a result. Each thing that was
 * ignored, dropped, replaced, assumed or fallen back on is one sentence. The
 * first three stand below the table that a run prints, as "note: ..."; all are
 * in summary.json and manifest.json.
 *
 * A sentence names what happened, to how many, and the option that changes it:
 * "profiling: 879 of 960 jobs ask for more GPUs than the profiler nodes have
 * (4); they were never profiled (--profilers)". Count first and remark once at
 * the end, instead of once for each job. The code is in error.c. */
#ifndef SIM_BASE_REMARKS_H
#define SIM_BASE_REMARKS_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/* What a remark does to the conclusion of a reader who sees only the table.
 * The code that makes the remark gives its rank; the first is the gravest. */
enum remark_rank {
    /* The table alone misleads: jobs were rejected, the cluster is overloaded,
     * the policy knew little of what it asked for, a setting has no effect. */
    REMARK_CONCLUSION,
    /* An assumption, a replacement or an omission that moves numbers. */
    REMARK_NUMBERS,
    /* What was done as asked, or moves no number. */
    REMARK_DETAIL,
    REMARK_RANKS
};
/* Words of the ranks, by enum remark_rank. */
extern const char *const remark_rank_words[REMARK_RANKS];

/* Returns the rank of a remark on `part` of `whole` things, such as jobs that
 * no estimator knows: REMARK_CONCLUSION for more than half, else
 * REMARK_NUMBERS. */
enum remark_rank remark_rank_of(uint64_t part, uint64_t whole);
/* Returns the rank of a word of remark_rank_words; REMARK_DETAIL for any other
 * word and for NULL. */
enum remark_rank remark_rank_read(const char *word);

struct remark {
    const char *text;
    enum remark_rank rank;
};

/* Remarks ordered by rank and, within a rank, in the order in which they were
 * made. A struct with only the arena set is a valid empty list; the texts live
 * as long as the arena. */
struct remarks {
    struct arena *arena;
    struct remark *at; /* owned; remarks_fini frees it */
    size_t count, cap;
};

/* Adds one sentence without a full stop: one line of at most 1023 bytes, with
 * control characters and bytes that are not UTF-8 replaced by '?'. A sentence
 * that was already added is not repeated. `remarks` may be NULL: then the
 * remark is dropped (in unit tests). */
void remarks_add(struct remarks *remarks, enum remark_rank rank,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds the remarks of another list. */
void remarks_add_all(struct remarks *remarks, const struct remarks *more);
void remarks_fini(struct remarks *remarks);

#endif
