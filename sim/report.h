/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory. It is written beside its place (sim/staging.h) and
 * exchanged with the older result when it is whole and on the disk, so a run
 * that is stopped, and a machine that loses its power, leave the one or the
 * other, and no half result. (On a file system that cannot exchange names the
 * place is empty for a moment; the older result is in PLACE.partial/older
 * then.) Two runs into one place at a time: the second is refused. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "sim/base/out.h"
#include "sim/metrics.h"

/* What lies in a result directory: the list decides what is ours. */
#define RESULT_FILES(X) \
    X(JOBS, "jobs.csv", "what became of each job, in the order of submission") \
    X(ATTEMPTS, "attempts.csv", "every stay of a job on GPUs, job by job") \
    X(SERIES, "series.csv", "the state of the cluster over time") \
    X(SUMMARY, "summary.json", "the metrics") \
    X(DECISIONS, "decisions.log", "every plan of the policy (--decisions)") \
    X(TIMELINE, "timeline.json", \
      "attempts by GPU as Chrome trace events, for Perfetto (--timeline)") \
    X(FIRST_STAGE, "first_stage.csv", \
      "what a policy did in a run of its own before this one, if it has such") \
    X(MANIFEST, "manifest.json", \
      "what the results were made from: every effective setting, seed, " \
      "cluster, SHA-256 of inputs and outputs; by whom and how; `rerun` and " \
      "`--config` read it")

enum result_file {
#define RESULT_ENUM(name, file, help) RESULT_##name,
    RESULT_FILES(RESULT_ENUM)
#undef RESULT_ENUM
        RESULT_N
};
extern const struct column result_files[]; /* name and help */

struct result_dir; /* opaque */

/* Refuses, before anything is simulated, a place that cannot be written, that
 * holds files which are not a result of this program, or into which another
 * run writes. Directories above it that are missing are made, and removed
 * again if the result is abandoned. */
enum status result_dir_open(const char *path, struct result_dir **out,
                            struct error *err) MUST_USE;
/* Each file at most once; the stream belongs to the directory. */
enum status result_dir_file(struct result_dir *dir, enum result_file file,
                            struct out **out, struct error *err) MUST_USE;
/* Closes a file, if it is open: it is complete, on the disk, and its digest
 * known. */
enum status result_dir_seal(struct result_dir *dir, enum result_file file,
                            struct error *err) MUST_USE;
/* NULL for a file that was not written, or is not closed yet. */
const char *result_dir_digest(const struct result_dir *dir,
                              enum result_file file);
/* Closes what is open, puts it in place, removes the older result, frees. */
enum status result_dir_commit(struct result_dir *dir,
                              struct error *err) MUST_USE;
void result_dir_abandon(struct result_dir *dir); /* accepts NULL */

extern const struct column job_columns[];     /* ends with a NULL name */
extern const struct column attempt_columns[]; /* likewise */
extern const struct column manifest_keys[], provenance_keys[]; /* likewise */

/* jobs.csv and attempts.csv. Makes the summary, because all of them read the
 * facts of all jobs. */
void report_jobs(struct out *jobs, struct out *attempts, struct results results,
                 struct summary *summary);
/* Of a run that had a first stage. */
void report_first_stage(struct out *out, const struct run_result *run);
void report_timeline(struct out *out, struct results results);
void report_summary(struct out *out, struct results results,
                    const struct summary *summary);
/* The metrics of the whole run, under "metrics". */
struct json_stream;
void report_metrics(struct json_stream *js, const struct summary *summary);
/* The sentences of sim/base/remarks.h, under "remarks". */
void report_remarks(struct json_stream *js, const struct remarks *remarks);
/* When all other files are closed. */
void report_manifest(struct out *out, struct results results,
                     const struct result_dir *dir);

/* The rest of it, file by file, each closed when it is complete: jobs, summary,
 * what a first stage did, timeline if asked for, manifest. Makes the summary,
 * which is to be freed whatever happens. */
enum status report_write(struct result_dir *dir, struct results results,
                         struct summary *summary, bool timeline,
                         struct error *err) MUST_USE;

#endif
