/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory. It is written beside its final place
 * (sim/results/result_dir.c) and takes the place of an older result when it is
 * complete and on the disk. If the run is stopped, or the machine loses its
 * power, the place holds either the old or the new result, never a part of one.
 * (On a file system that cannot exchange names the place is empty for a moment;
 * the older result is then in PLACE.partial/older.) If two runs write to the
 * same place at the same time, the second is refused. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "base/out.h"
#include "sim/results/summary.h"
#include "sim/results/timeline.h"

/* The files of a result directory. A directory that holds any other file does
 * not count as a result and is never replaced. */
#define RESULT_FILES(X) \
    X(JOBS, "jobs.csv", "what became of each job, in the order of submission") \
    X(ATTEMPTS, "attempts.csv", \
      "every stay of a job on GPUs, job by job; written if it says more than " \
      "jobs.csv, or on request (--attempts)") \
    X(FAILURES, "failures.csv", \
      "each fault of hardware and each failure of a job, in the order of " \
      "time; written if the run has a fault model or a job failed") \
    X(ADVICE, "advice.csv", \
      "each question that a module of SchedMate asked about a job, in the " \
      "order of time; written if the run has such a module") \
    X(SERIES, "series.csv", "the state of the cluster over time") \
    X(SERIES_VC, "series_vc.csv", \
      "the state of each virtual cluster over time (--series by=vc)") \
    X(SERIES_TYPE, "series_type.csv", \
      "the state of the nodes of each GPU type over time (--series by=type)") \
    X(SUMMARY, "summary.json", "the metrics") \
    X(DECISIONS, "decisions.log", "every plan of the policy (--decisions)") \
    X(TIMELINE, "timeline.json", \
      "the run as Chrome trace events, for Perfetto (--timeline): attempts " \
      "by " \
      "GPU, states of nodes, faults, failures, evictions, rejections, " \
      "questions to the language model, and counters; see timeline.md") \
    X(TIMELINE_GZIP, "timeline.json.gz", \
      "timeline.json, compressed (--timeline=gzip)") \
    X(FIRST_STAGE, "first_stage.csv", \
      "attempts of the run that a policy made before this one, if it makes " \
      "one") \
    X(MANIFEST, "manifest.json", \
      "what the results were made from: every effective setting, seed, " \
      "cluster, SHA-256 of inputs and outputs; by which program and how; " \
      "`verify --again` and `--config` read it")

enum result_file {
#define RESULT_ENUM(name, file, help) RESULT_##name,
    RESULT_FILES(RESULT_ENUM)
#undef RESULT_ENUM
        RESULT_N
};

/* names and meanings of these files; ends with a NULL name */
extern const struct column result_files[];

struct result_dir; /* an open result directory; opaque */

/* Opens a result directory; called before the simulation starts. STATUS_FAILED
 * if it cannot be written or another run writes into it; STATUS_USAGE if the
 * path is empty, too long or no directory, or holds files which are not a
 * result of this program. Missing parent directories are made, and removed
 * again if the result is abandoned. */
enum status result_dir_open(const char *path, struct result_dir **out,
                            struct error *err) MUST_USE;

/* Opens a file for writing; call it at most once per file. Fails as
 * out_open_part does. The directory owns the stream. */
enum status result_dir_file(struct result_dir *dir, enum result_file file,
                            struct out **out, struct error *err) MUST_USE;

/* Closes a file if it is open. The file is then complete and its digest is
 * known, unless STATUS_FAILED is returned; only result_dir_commit waits until
 * it is on the disk. */
enum status result_dir_seal(struct result_dir *dir, enum result_file file,
                            struct error *err) MUST_USE;

/* Returns the SHA-256 digest of a file; NULL if the file was not written or is
 * still open. */
const char *result_dir_digest(const struct result_dir *dir,
                              enum result_file file);

/* Closes the open files, puts the result in place and removes the older result.
 * STATUS_FAILED if that fails. Frees `dir`, after an error too. */
enum status result_dir_commit(struct result_dir *dir,
                              struct error *err) MUST_USE;

void result_dir_abandon(struct result_dir *dir); /* accepts NULL */

/* The columns of jobs.csv and attempts.csv; both lists end with a NULL name. */
extern const struct column job_columns[], attempt_columns[];

/* Further columns of jobs.csv, of runs whose jobs have deadlines or priorities,
 * of runs with spot jobs, and on request; and all columns of jobs.csv of a run.
 */
extern const struct column job_terms_columns[], job_class_columns[],
    job_extra_columns[];

const struct column *job_columns_of(const struct run_result *run);

/* Both lists end with a NULL name. */
extern const struct column manifest_keys[], provenance_keys[];

/* True if attempts.csv has information that jobs.csv lacks: jobs may change
 * their size, or an attempt shared a GPU, was for profiling or did not run to
 * the recorded end of its job. */
bool attempts_say_more(const struct run_result *run);

/* Writes the timeline; results.timeline must not be NULL. */
void report_timeline(struct out *out, struct results results);

void report_summary(struct out *out, struct results results,
                    const struct summary *summary);

struct json_stream;

/* Writes the metrics of the whole run, under "metrics". */
void report_metrics(struct json_stream *js, const struct summary *summary);

/* Writes the remarks (base/remarks.h), under "remarks", the gravest first, and
 * the word of each one's rank under "remark_ranks". */
void report_remarks(struct json_stream *js, const struct remarks *remarks);

/* Writes what the policy knew, under "knowledge"; nothing if it asked for no
 * belief. */
void report_knowledge(struct json_stream *js, const struct knowledge *k);

/* The keys of "knowledge"; ends with a NULL name. */
extern const struct column knowledge_columns[];

/* Writes manifest.json. Call it when all other files are closed. */
void report_manifest(struct out *out, struct results results,
                     const struct result_dir *dir);

/* Files that the user asks for. */
struct report_wishes {
    bool attempts; /* true: writes attempts.csv, even if it adds nothing to
                    * jobs.csv */
    struct column_choice columns; /* of jobs.csv */
    struct timeline_wish timeline;
};

/* Closes the files of the result that the simulation wrote and writes the
 * others, the manifest last. Fills `summary`, which must be all zeroes before;
 * the caller frees it, after an error too. STATUS_FAILED if a file cannot be
 * written. */
enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, struct report_wishes wishes,
                         struct error *err) MUST_USE;

/* The one pass over all jobs of a run. For each job it reads the ledger, writes
 * the rows of the job, adds the job to the totals, and keeps its values of the
 * metrics. */

/* Writes jobs.csv and attempts.csv, each unless its stream is NULL, and makes
 * the summary, which the caller frees with summary_fini. */
void job_pass(struct out *jobs, struct out *attempts, struct results results,
              struct summary *summary);

#endif
