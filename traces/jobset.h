/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs of one trace with their strings, and the count of rows that became
 * no job. load.h makes one from a file. */
#ifndef TRACES_JOBSET_H
#define TRACES_JOBSET_H

#include <stdbool.h>

#include "sim/base/text.h"
#include "sim/state/job.h"

struct own_failure; /* sim/state/truth.h */
struct truth;       /* sim/state/truth.h */

#define LOAD_REASONS(X) \
    X(NO_GPU, "asks for no GPU") \
    X(NO_DURATION, "has no recorded run time") \
    X(NEGATIVE, "has a negative run time") \
    X(OUTSIDE_WINDOW, "submitted outside the window") \
    X(OTHER_VC, "belongs to another virtual cluster") \
    X(DUPLICATE, "repeats the id of an earlier row") \
    X(LIMIT, "comes after the job limit") \
    X(LINKED, "continues a failed job") \
    X(UNKNOWN_VC, "names a virtual cluster that the cluster does not have")

enum load_reason {
#define LOAD_ENUM(name, words) LOAD_##name,
    LOAD_REASONS(LOAD_ENUM)
#undef LOAD_ENUM
        LOAD_N_REASONS
};

const char *load_reason_words(enum load_reason reason);

/* What a trace calls the things that a job asks for and trains, as symbols of
 * the jobset, until the cluster and the table of usage give them numbers. */
struct job_names {
    uint16_t vc;      /* symbol of `vcs`; 0: none */
    uint16_t dataset; /* symbol of `datasets`; 0: none, or more than fit */
    uint8_t gpu_type; /* symbol of `types`; 0: any */
    bool amp;         /* mixed precision */
};

/* Jobs sorted by (submitted, source row). Job times are relative to `zero`. */
struct jobset {
    struct job *jobs;
    struct truth *truths;
    struct job_names *names;      /* by job; NULL after jobset_drop_names */
    struct own_failure *failures; /* of jobs that fail by themselves; see
                                     truth.first_failure */
    size_t n_failures, cap_failures;
    uint32_t n_jobs;
    sim_time zero; /* the first kept submission, microseconds since 1970 */
    struct interner strings; /* users, job names, models, identifiers */
    struct interner vcs, types, datasets; /* see struct job_names */
    uint64_t n_rows;                      /* rows of the source */
    uint64_t dropped[LOAD_N_REASONS];     /* rows that became no job */
    /* First and last submission of all rows, microseconds since 1970; last <
     * first: no row has one. */
    sim_time first, last;
    /* Virtual clusters that any row names; filled only if load_options.vc is
     * set. */
    struct interner named_vcs;
    char digest[65];         /* SHA-256 of the source */
    const char *format;      /* name of the trace format */
    const char *recorded_on; /* preset of the cluster, or NULL */
    char note[256];          /* see trace_note */
};

/* Returns the run time that the trace gives the job, for results and checks;
 * policies never see a jobset. */
sim_span jobset_duration(const struct jobset *jobset, job_id job);
/* Returns true if the trace recorded that duration. */
bool jobset_recorded(const struct jobset *jobset, job_id job);
/* Returns how the job ends when its work is done (enum trace_end). */
unsigned jobset_end(const struct jobset *jobset, job_id job);
/* Frees the names, which nothing needs once the jobs are bound. */
void jobset_drop_names(struct jobset *jobset);
/* Renumbers a job: the job at `from`, its truth and its names become number
 * `to` <= from. */
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
