/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the watch share. A look (look.c) finds the logs,
 * reads what they gained (reader.c), judges the jobs (verdict.c, judge.c), and
 * stores all changes and their lines in one transaction. */
#ifndef SIM_WATCH_INTERNAL_H
#define SIM_WATCH_INTERNAL_H

#include <limits.h>

#include "base/json.h"
#include "schedmate/jobs/jobdb.h"
#include "schedmate/logs/diagnosis.h"
#include "schedmate/logs/job_end.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/watch/book.h"
#include "schedmate/watch/follow.h"
#include "schedmate/watch/outbox.h"
#include "schedmate/watch/store.h"
#include "schedmate/watch/watch.h"
#include "schedmate/watch/watch_clock.h"

/* Kinds of events; watch_events has their words. */
enum watch_event {
    EVENT_SEEN,
    EVENT_PROGRESS,
    EVENT_STALLED,
    EVENT_RECOVERED,
    EVENT_FAILED,
    EVENT_LOG,
    EVENT_ENDED,
    N_WATCH_EVENTS,
};
extern const char *const watch_events[];

/* Figures for the metrics: counters since the start of the program, except
 * `lag`, `old`, `over_limit` and `look_s`. */
struct watch_counts {
    uint64_t lines, bytes, looks;
    uint64_t events[N_WATCH_EVENTS];
    /* number of failures, by kind and part; the last kind: unknown */
    uint64_t failures[FAILURE_N_KINDS + 1][N_FAILURE_PARTS];
    uint64_t lag;          /* bytes that the last look left unread */
    uint64_t judged;       /* number of logs that were diagnosed */
    uint64_t slurm_failed; /* number of questions that Slurm did not answer */
    uint64_t bad_jobs; /* number of lines about jobs, and of paths of logs in
                        * them, that could not be used */
    /* number of GPU values out of range */
    uint64_t bad_gpu;
    /* numbers of samples, and of those that belong to no job that still runs */
    uint64_t gpu_samples, gpu_unknown;
    /* numbers of logs left out since the last full scan: too old, too many */
    uint64_t old, over_limit;
    double look_s; /* seconds that the last look took */
};

struct job_lines;  /* job_lines.h */
struct slurm_jobs; /* slurm_jobs.h */
struct gpu_files;  /* gpu_files.h */
struct metrics;    /* metrics_server.h */

/* A list of texts, which it owns. */
struct watch_names {
    char **at;
    size_t n, cap;
};

struct watch {
    const struct watch_settings *settings;
    const struct watch_config *config;
    struct watch_clock clock;
    struct store *store;
    struct outbox *outbox;
    struct book book;
    struct folders *folders; /* NULL: no directory is watched */
    struct job_lines *job_lines;
    struct slurm_jobs *slurm;
    struct gpu_files *gpu;
    struct metrics *metrics;
    struct jobdb *history;
    struct backend *backend;
    struct log_classifier *classifier;
    struct log_knowledge *knowledge;
    struct clues *clues; /* NULL: jobs are not described */
    bool has_model;      /* true if a model or a recording answers questions */
    struct arena scratch;
    struct watch_counts counts;
    struct watch_names gone_files, gone_jobs;
    /* lines of output that are not stored yet */
    struct watch_names lines;
    /* remarks that watch_say has made */
    struct watch_names said;
    sim_time full_scan, asked_slurm, read_gpu;
    size_t turn; /* index of the file that the next look reads first, modulo the
                  * number of files */
};

/* Writes a remark to standard error unless settings->quiet is true, each text
 * only once and at most 1,000 texts. */
void watch_say(struct watch *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes one look at everything: stores all changes and writes their lines. */
enum status watch_look(struct watch *w, struct error *err) MUST_USE;

/* Adds a name to the list, which takes over `name`. */
void watch_names_add(struct watch_names *names, char *name);
void watch_names_clear(struct watch_names *names);

/* events.c: begins a line about a job, with its id, those of user, node and
 * array that are known, and for EVENT_SEEN its first 8 logs. The caller adds to
 * the line and passes it to event_tell, which takes it over. */
json_t *event_begin(const struct watch_job *job, enum watch_event event);
void event_tell(struct watch *w, enum watch_event event, json_t *row);
/* Reports a change of a log. `job`: its job; may be NULL. `change`: "rotated",
 * "truncated", ... `words`: more about the change; may be NULL. */
void event_log(struct watch *w, const struct watch_job *job, const char *path,
               const char *change, const char *words);
/* Returns a new JSON text: a copy of `text`, cut to 300 bytes, in which '?'
 * replaces control characters and bytes that are not UTF-8. */
json_t *event_text(const char *text);

/* find_logs.c: finds logs that appeared, disappeared, were renamed or
 * rotated. */
void watch_find_logs(struct watch *w);
/* Makes the job own the log at `path`, unless another scheduled job that has
 * not ended owns it, the log is in the book as one that is not followed, or the
 * book is full. If the log was the only one of a job that no scheduler named,
 * that job is reported as ended and freed. `uid`: user who must own the file;
 * UINT32_MAX: any user. */
void watch_give_log(struct watch *w, struct watch_job *job, const char *path,
                    uint32_t uid);
/* Forget a log, or a job with its logs. */
void watch_drop_file(struct watch *w, struct watch_file *file);
void watch_drop_job(struct watch *w, struct watch_job *job);

/* reader.c: reads what the logs gained. */
void watch_read_logs(struct watch *w);
/* Reads the rest of a log that is at another path now, up to
 * watch_config.look_mib. Returns the number of bytes. */
uint64_t watch_read_rest(struct watch *w, struct watch_file *file,
                         const char *path);

/* verdict.c: reports step times, stalls, failures, recoveries and ends, and
 * drops ended jobs that can be forgotten. */
void watch_tell_jobs(struct watch *w);
/* Reports a job as seen, once. */
void watch_tell_seen(struct watch *w, struct watch_job *job);
/* Merges what a scheduler or --job-list reported into the job's facts. Notes
 * the end of the job, or resets a job that had ended and runs again. `facts` is
 * borrowed. */
void watch_take_facts(struct watch *w, struct watch_job *job, json_t *facts);
/* Returns the history's word for how the job ended: "completed", "failed",
 * "cancelled" or "unknown". */
const char *watch_end_word(struct watch *w, const struct watch_job *job);

/* judge.c: what the modules of SchedMate find in the logs of a job. */
struct log_judgement {
    struct diagnosis diagnosis;
    const struct watch_file *file; /* the log that gave the diagnosis; NULL:
                                    * none */
    char host[256]; /* the host that the log names as the cause; "": none */
    uint64_t cause_line; /* number of the line of the cause, from 1; 0: not
                          * known */
    uint64_t skipped;    /* bytes at the beginning of the log that were not
                          * judged */
    /* The kernel logs of the job's nodes: their finding, and the path of the
     * one that has it or was read last; "": none was read. */
    struct kernel_finding kernel;
    char kernel_log[PATH_MAX];
};
void judge_failure(struct watch *w, struct watch_job *job,
                   struct log_judgement *out);
/* Reads the end of a job from its facts. Words that are not understood are
 * reported on standard error and decide nothing. */
void judge_end(struct watch *w, const struct watch_job *job,
               struct job_end *out);
void judge_speed(struct watch *w, struct watch_job *job, struct track *out);
/* Return the kind of failure, FAILURE_N_KINDS if it is unknown, and its
 * name. */
unsigned judgement_kind(const struct diagnosis *d);
const char *judgement_kind_name(unsigned kind);
/* Adds to `row` the members of a `failed` event that a judgement gives. */
void judgement_put(const struct watch *w, const struct log_judgement *j,
                   json_t *row);

/* watch_history.c: adds each job whose `keep` is true to the history and sets
 * its `keep` to false. */
enum status watch_keep_ended(struct watch *w, struct error *err) MUST_USE;

#endif
