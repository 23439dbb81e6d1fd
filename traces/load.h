/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns rows into a jobset: which rows count, in which order, from which
 * zero. Every row that does not become a job is counted by its reason. */
#ifndef TRACES_LOAD_H
#define TRACES_LOAD_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/state/job.h"

struct truth; /* sim/state/truth.h */
struct trace_reader;

#define LOAD_REASONS(X) \
    X(NO_GPU, "asks for no GPU") \
    X(NO_DURATION, "has no recorded run time") \
    X(NEGATIVE, "has a negative run time") \
    X(OUTSIDE_WINDOW, "submitted outside the window") \
    X(OTHER_VC, "belongs to another virtual cluster") \
    X(DUPLICATE, "repeats the id of an earlier row") \
    X(LIMIT, "comes after the job limit") \
    X(UNKNOWN_VC, "names a virtual cluster that the cluster does not have")

enum load_reason {
#define LOAD_ENUM(name, words) LOAD_##name,
    LOAD_REASONS(LOAD_ENUM)
#undef LOAD_ENUM
        LOAD_N_REASONS
};

const char *load_reason_words(enum load_reason reason);

struct load_options {
    sim_time from, to; /* keep from <= submitted <= to, microseconds since 1970;
                          0 or TRACE_NO_TIME: no bound */
    const char *vc;    /* keep this virtual cluster only; NULL: all */
    uint64_t limit;    /* keep the first `limit` jobs; 0: all */
    bool elastic; /* keep elastic jobs without a run time, with 0 s: the run
                     computes it from what they train */
};

/* Jobs sorted by (submitted, source row). Job times are relative to `zero`. */
struct jobset {
    struct job *jobs;
    struct truth *truths;
    uint32_t n_jobs;
    sim_time zero; /* the first kept submission, microseconds since 1970 */
    struct interner strings;
    struct interner vcs;   /* symbol 0: none named; job.vc holds the symbol */
    struct interner types; /* symbol 0: any; job.gpu_type: symbol - 1 or ANY */
    /* Until profiles are assigned, job.usage is twice the symbol of the data
     * set, plus 1 with mixed precision. */
    struct interner datasets;
    uint64_t n_rows, dropped[LOAD_N_REASONS];
    /* First and last submission of all rows, microseconds since 1970; last <
     * first: no row has one. */
    sim_time first, last;
    struct interner
        named_vcs; /* named by any row; filled only if load_options.vc is set */
    char digest[65]; /* SHA-256 of the source */
    const char *format;
    const char *recorded_on; /* preset of the cluster, or NULL */
    char note[256];          /* see trace_note */
};

/* Reads all of `path`. The first bad row ends the reading (STATUS_BAD_INPUT).
 * The caller owns *out; on failure there is nothing to free. */
enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *options, struct jobset *out,
                        struct error *err) MUST_USE;
/* Returns the run time that the trace gives the job, for results and checks;
 * policies never see a jobset. */
sim_span jobset_duration(const struct jobset *jobset, job_id job);
/* Returns true if the trace recorded that duration. */
bool jobset_recorded(const struct jobset *jobset, job_id job);
unsigned jobset_end(const struct jobset *jobset, job_id job);
/* Renumbers a job: the job at `from` and its truth become number `to` <=
 * from. */
void jobset_move(struct jobset *jobset, job_id from, job_id to);
void jobset_fini(struct jobset *jobset); /* accepts all zeroes */
const char *jobset_string(const struct jobset *jobset, uint32_t symbol);

/* A whole number below 2^31 is its own identifier and needs no string: its
 * symbol is the number with this bit set. */
#define SOURCE_ID_NUMBER (UINT32_C(1) << 31)
#define SOURCE_ID_MAX 12
/* Returns the identifier that the trace gave to the job, or the number of the
 * job in the jobset if the trace gives none. Borrowed from `buf` or from the
 * jobset. */
const char *jobset_source_id(const struct jobset *jobset, const struct job *job,
                             char buf[SOURCE_ID_MAX]);

#endif
