/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the rows of a trace into a jobset: decides which rows become jobs,
 * sorts them, and sets the time that counts as 0. Dropped rows are counted by
 * reason. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/state/job.h"
#include "base/state/plugin.h"
#include "base/text.h"

/* The jobs of one trace with their strings, and the numbers of rows that did
 * not become jobs. load.h fills a jobset from a file. */

struct footprint; /* defined in traces/footprint.h */

struct own_failure; /* defined in base/state/truth.h */

struct truth; /* defined in base/state/truth.h */

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

/* Names from the trace, as symbols of the jobset's interners. sim/run finds a
 * job's virtual cluster, GPU type and usage row by them and then drops them. */
struct job_names {
    uint16_t vc;      /* symbol of `vcs`; 0: none */
    uint16_t dataset; /* symbol of `datasets`; 0: none, the job has no model, or
                       * the trace has too many data sets */
    uint8_t gpu_type; /* symbol of `types`; 0: any */
    bool amp;         /* true: mixed precision; false if it has no model */
};

/* The jobs of a trace, sorted by (submitted, row). Job times are relative to
 * `zero`. */
struct jobset {
    struct job *jobs;
    struct truth *truths;
    struct job_names *names; /* by job; NULL after jobset_drop_names */
    struct job_terms *terms; /* by job; NULL: no job has a deadline or a
                              * priority */
    sim_span *waits; /* recorded wait by job, us; TIME_NEVER: unknown; NULL: not
                      * asked for, or no job has one */
    struct job_extras *extras; /* by job; NULL: not asked for, or no job has
                                * any */
    /* Recorded failures of all jobs. Those of one job begin at index
     * truth.first_failure. */
    struct own_failure *failures;
    size_t n_failures, cap_failures;
    uint32_t n_jobs;
    /* Submission of the first job, as in trace_row.submitted; 0 if there is no
     * job. */
    sim_time zero;
    struct interner strings; /* users, job names, models, identifiers */
    /* Names of virtual clusters, GPU types and data sets: the symbols of struct
     * job_names. */
    struct interner vcs, types, datasets;
    uint64_t n_rows; /* number of rows in the trace */
    /* By reason: number of rows that did not become jobs. */
    uint64_t dropped[LOAD_N_REASONS];
    /* Earliest and latest submission of all rows, also dropped ones, as in
     * trace_row.submitted. last < first if no row has a submission time. */
    sim_time first, last;
    /* Virtual clusters of all rows, also dropped ones. Filled only if
     * load_options.vc is set. */
    struct interner named_vcs;
    char digest[65];    /* SHA-256 of the trace file, in hexadecimal */
    const char *format; /* name of the trace format */
    /* Symbols of `strings`, as --cluster takes them: the cluster that recorded
     * the trace, or the one that is proposed if load_options.propose is set,
     * and why. 0: none. */
    uint32_t recorded_on, proposed, proposed_why;
    char note[256]; /* filled by trace_note */
};

/* Returns the run time of the job, us, recorded or computed; 0 if it is still
 * to be computed. For results and checks only: no policy may see a jobset,
 * because the run time is the truth. */
sim_span jobset_duration(const struct jobset *jobset, job_id job);

/* Returns true if the trace recorded the run time of the job; false if the run
 * time was computed or is still to be computed. */
bool jobset_recorded(const struct jobset *jobset, job_id job);

/* Returns how the job ends when its work is done: an enum trace_end. */
unsigned jobset_end(const struct jobset *jobset, job_id job);

/* Frees the names. Must be called after the jobs are bound to a cluster and a
 * usage table, which need the names. */
void jobset_drop_names(struct jobset *jobset);

/* Renumbers a job: moves job `from`, its truth and its names to the number
 * `to`, which must be <= from. Overwrites the job that had the number `to`. */
void jobset_move(struct jobset *jobset, job_id from, job_id to);

void jobset_fini(struct jobset *jobset); /* accepts all zeroes */

/* Makes *out a copy that shares no memory with `jobset` except constant texts.
 * The caller must call jobset_fini on it. */
void jobset_copy(const struct jobset *jobset, struct jobset *out);

/* Returns approximately how many bytes of memory a jobset needs. */
size_t jobset_bytes(const struct jobset *jobset);

const char *jobset_string(const struct jobset *jobset, uint32_t symbol);

/* Bit that marks the symbol of an identifier that is a whole number below 2^31
 * - 1 without leading zeros: the symbol is the number with this bit, and needs
 * no string. */
#define SOURCE_ID_NUMBER (UINT32_C(1) << 31)

#define SOURCE_ID_MAX 12

/* Returns the identifier that the trace gives the job, or the job's number in
 * the jobset if the trace gives none. The text is valid as long as both `buf`
 * and the jobset are. */
const char *jobset_source_id(const struct jobset *jobset, const struct job *job,
                             char buf[SOURCE_ID_MAX]);

/* Added to a bound that counts from the first submission; later than any date
 * that can be written. */
#define LOAD_SINCE_FIRST (INT64_C(1) << 60)

/* Makes bounds that count from the first submission count from 1970, for which
 * it reads the trace once; STATUS_USAGE if it is no file that can be read
 * twice. */
enum status load_resolve_window(const char *path, const char *format_spec,
                                sim_time *from, sim_time *to,
                                struct error *err) MUST_USE;

struct load_options {
    /* Keeps jobs with from <= submitted <= to, us since 1970. 0 or
     * TRACE_NO_TIME: no bound. LOAD_SINCE_FIRST and more counts from the first
     * submission of the trace. */
    sim_time from, to;
    const char *vc; /* keeps the jobs of this virtual cluster only; NULL: all */
    uint64_t limit; /* keeps the `limit` jobs submitted first; 0: all */
    /* A row that continues a failed job at most this long (us) after that job's
     * end becomes a part of that job (traces/chains.h). 0: rows are not linked.
     */
    sim_span chain_link;
    /* True: keeps elastic jobs that have no run time, with a run time of 0. The
     * run computes it later from the model that the job trains. */
    bool elastic;
    /* True: proposes a cluster (traces/footprint.h) if none is recorded. */
    bool propose;
    bool extras, waits; /* true: keeps the lists of that name in the jobset */
    bool accounts;      /* true: keeps the accounts, too, in the extras */
};

/* Reads the whole trace `path`. `format_spec`: as in trace_open. Stops at the
 * first bad row with STATUS_BAD_INPUT. The caller must call jobset_fini on
 * *out; after an error there is nothing to free. */
enum status jobset_load(const char *path, const char *format_spec,
                        const struct load_options *options, struct jobset *out,
                        struct error *err) MUST_USE;

/* Finds a job by its identifier in the trace, for side-cars and other files
 * that have one row per job. */

/* A table of identifiers. If several jobs have the same identifier, the table
 * gives the first of them. */
struct job_ids {
    struct interner texts;
    job_id *job; /* by symbol of the identifier */
    size_t cap;
};

/* Fills the table with the jobs of a run. Jobs without an identifier are left
 * out. The texts are copied. */
void job_ids_init(struct job_ids *ids, const struct run_env *env);

void job_ids_fini(struct job_ids *ids);

/* Returns the job with this identifier; JOB_NONE if there is none. */
job_id job_ids_find(const struct job_ids *ids, struct text id);

#endif
