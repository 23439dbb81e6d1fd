/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `watch` share: the book of jobs and logs, what is
 * followed, GPUs, Slurm, the store, messages. */
#ifndef SCHEDMATE_WATCH_WATCH_INTERNAL_H
#define SCHEDMATE_WATCH_WATCH_INTERNAL_H

#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "schedmate/jobs/jobdb.h"
#include "schedmate/logs/diagnosis.h"
#include "schedmate/logs/job_end.h"
#include "schedmate/logs/log_classifier.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/watch/watch.h"

/* == book.c: The jobs that are watched and their logs, in memory. A job is
 * found by its id, a file by its path. The book owns both. */

/* The state that was reported last for a job. */
enum watch_phase { WATCH_RUNNING, WATCH_STALLED, WATCH_FAILED, WATCH_ENDED };
/* Names, indexed by enum watch_phase; ends with NULL. */
extern const char *const watch_phases[];

/* What the GPUs of a job did, over all samples of all its GPUs. */
struct gpu_use {
    int64_t samples; /* number of samples of the utilisation */
    double sum, max; /* sum and largest of the utilisations, percent */
    int64_t mem_samples;
    double mem_sum, mem_max; /* sum and largest of the samples of the memory in
                              * use, MiB per GPU */
};

struct watch_file;
struct watch_job {
    char *id;
    /* Facts about the job, owned: a JSON object with the keys that
     * watch_internal.h lists except `job`, `log` and `logs`, those that Slurm
     * adds ("from", "cluster", "array"), and "failure", the cause of the
     * failure that was reported last. */
    json_t *facts;
    enum watch_phase phase;
    /* true if Slurm or --job-list reports the job; its end is then not guessed
     * from its last step or from a deleted log */
    bool scheduled;
    /* true if the job has ended according to Slurm or --job-list */
    bool over;
    /* number of the last question to Slurm whose answer listed the job */
    uint64_t listed;
    /* time at which sacct first did not answer a question about the job, which
     * squeue no longer lists, us since 1970; 0: none. Not kept on disk. */
    sim_time lost;
    bool keep; /* true if the job is to be added to the history */
    /* Times, microseconds since 1970; 0: never. `seen`: the job was reported.
     * `grown`: a log was written last. `progressed`: a log showed progress
     * last. `judged`: value of `grown` when the logs were diagnosed last while
     * the job ran. `measured`: last attempt to read the step time. `over_at`:
     * `over` became true. */
    sim_time seen, grown, progressed, judged, measured, over_at;
    /* mean time between signs of progress, weighted towards the latest, us; 0:
     * not known */
    sim_span gap;
    /* longest stall after which the job went on, us; 0: none */
    sim_span longest;
    int64_t progress; /* number of progress lines */
    /* value of `progress` at the last attempt to read the step time */
    int64_t read_at;
    /* number of progress lines since the job stalled, failed or ended */
    int64_t again;
    /* step time that was reported last, seconds; 0: none */
    double step_s;
    /* A step time that differs from step_s and was read once; 0: none. It is
     * reported if the next reading agrees with it. */
    double candidate_s;
    /* step number and number of all steps, as the log last showed them; 0: not
     * known */
    double step, steps;
    struct gpu_use gpu;
    struct watch_file *files; /* linked by next_of_job */
    size_t index;             /* index in book.jobs */
    bool dirty;               /* true if the job differs from the state on
                               * disk */
};

struct folder; /* watch.h */
struct watch_file {
    char *path;
    /* the job whose log this is; NULL: a log that is not followed (rotated or
     * ignored), kept so that it is not taken for a new one, or a file of
     * --job-list or --set gpu-metrics */
    struct watch_job *job;
    struct folder *folder; /* borrowed; NULL: no scan has found the file, for
                            * example because only a scheduler named it */
    uint64_t dev, inode;   /* identity of the file; both 0: no file of this name
                            * was seen yet */
    uint32_t uid; /* user who must own the file; UINT32_MAX: any user */
    /* offset after the last line that was read */
    uint64_t offset;
    uint64_t size; /* size when the file was seen last, bytes */
    sim_time mtime;
    uint64_t head;     /* hash of the first head_len bytes */
    uint64_t head_len; /* at most FOLLOW_HEAD */
    struct log_context context;
    /* true if the rest of an overlong line comes next */
    bool skip;
    uint64_t lines; /* number of lines read */
    uint64_t hash;  /* hash of the last progress line */
    /* above 0: a line since the last progress may be an error */
    int64_t suspects;
    int64_t progress; /* number of progress lines */
    /* number of the look that found the file last; UINT64_MAX: the file is gone
     * and no scan covers it */
    uint64_t visit;
    struct watch_file *next_of_job;
    size_t index; /* index in book.files */
    bool dirty;
    /* true if the file may hold lines that were not read */
    bool stale;
    bool renewed; /* true if the path now names another file, the one of
                   * next_dev and next_inode */
    uint64_t next_dev, next_inode;
};

struct book {
    struct watch_job **jobs;
    struct watch_file **files;
    size_t n_jobs, cap_jobs, n_files, cap_files;
    void *jobs_by_id, *files_by_path; /* search trees (tsearch) */
};

void book_fini(struct book *book);
struct watch_job *book_job(const struct book *book, const char *id);
struct watch_file *book_file(const struct book *book, const char *path);
/* Add a job or a file that the book does not have. `job` and `facts` may be
 * NULL; the job takes over `facts`. */
struct watch_job *book_add_job(struct book *book, const char *id,
                               json_t *facts);
struct watch_file *book_add_file(struct book *book, const char *path,
                                 struct watch_job *job);
/* Gives the file to another job, or to none if `job` is NULL. */
void book_move_file(struct watch_file *file, struct watch_job *job);
void book_rename_file(struct book *book, struct watch_file *file,
                      const char *path);
/* Remove a job or a file and free it. A job must have no files. The last one in
 * the array takes its index. */
void book_drop_job(struct book *book, struct watch_job *job);
void book_drop_file(struct book *book, struct watch_file *file);
/* Return a fact of the job as a text or a number; "" or `unknown` if the job
 * has no fact of this name, or one of another type. */
const char *job_fact(const struct watch_job *job, const char *key);
double job_number(const struct watch_job *job, const char *key, double unknown);

/* == follow.c: Reads what was added to a log since the last look. An unfinished
 * line is read again at the next look, unless it has LOG_LINE_KEPT bytes or
 * more or follow_request.to_end is true. */

/* Largest number of bytes at the beginning of a log whose hash shows whether
 * the log is still the file that was read. */
#define FOLLOW_HEAD 256

enum follow_end {
    FOLLOW_READ,  /* read up to the limit or the last whole line */
    FOLLOW_GONE,  /* no regular file has this path, or opening it fails */
    FOLLOW_OTHER, /* the path now names another file */
    /* the file is shorter than what was read of it, or its head differs */
    FOLLOW_TRUNCATED,
    /* The file is compressed (gzip, zstd) or UTF-16 and is not read. */
    FOLLOW_COMPRESSED,
    FOLLOW_UTF16,
    FOLLOW_FOREIGN, /* the file does not belong to the user of its job */
};

struct follow_request {
    const char *path; /* path at which the file is now */
    /* after this many bytes no further block is read */
    uint64_t limit;
    /* true: an unfinished last line counts as a line */
    bool to_end;
    void (*line)(void *self, struct watch_file *file, struct text line);
    void *self;
};

/* Reads from file->offset, moves it, and calls request->line for each line,
 * whose text is valid during the call only. On any end but FOLLOW_READ no line
 * was read. *bytes becomes the number of bytes by which the offset moved. */
enum follow_end follow_read(struct watch_file *file,
                            const struct follow_request *request,
                            uint64_t *bytes);
/* Opens the log and checks that it is the file that was read and that its owner
 * is the right one. On FOLLOW_READ *out is a descriptor that the caller closes;
 * on any other end *out is unchanged. Renews file->size on any end but
 * FOLLOW_GONE, and the hash of the head on FOLLOW_READ. */
enum follow_end follow_open(struct watch_file *file, const char *path,
                            int *out);
/* True if the file at `path` is at least as long as what was read of `file` and
 * has the same head. An inode alone is not enough: a new file may get the inode
 * of a deleted one. */
bool follow_begins_same(const struct watch_file *file, const char *path);
/* Makes the next read begin at offset 0, and forgets what was kept of the lines
 * read: the head, the context, the last progress line and the suspect lines. */
void follow_restart(struct watch_file *file);

/* == store.c: The state of the watch on disk: one SQLite database with a
 * write-ahead log. All changes of one look are one transaction: where each log
 * was read to, what is known of each job, and the lines that report the
 * changes. So a change and its line are durable together, and a program that is
 * killed at any point loses nothing and reports nothing twice (watch_internal.h
 * describes what holds for the reader of the lines). */

struct store; /* opaque */

/* Opens the state; makes the file, readable by its owner only, if it does not
 * exist. STATUS_FAILED if another program uses it, it cannot be opened or
 * SQLite cannot be loaded, STATUS_BAD_INPUT if it is not the state of a watch,
 * or the state of another version. *out is NULL on an error. */
enum status store_open(const char *path, struct store **out,
                       struct error *err) MUST_USE;
void store_close(struct store *store); /* accepts NULL */

/* Returns 16 hexadecimal digits that name this state; each line carries
 * them. */
const char *store_id(const struct store *store);
/* Returns the time at which the state was made, microseconds since 1970, cut to
 * whole seconds. */
sim_time store_made(const struct store *store);
/* Returns the number of the last line that the state notes as written to the
 * output; 0: none. */
int64_t store_told(const struct store *store);
/* Returns the number of the last line that was ever added; 0: none. */
int64_t store_last(const struct store *store);

/* Adds all jobs and files of the state to the book. */
enum status store_read(struct store *store, struct book *book,
                       struct error *err) MUST_USE;

enum status store_begin(struct store *store, struct error *err) MUST_USE;
enum status store_commit(struct store *store, struct error *err) MUST_USE;
/* Each of the next four functions writes or removes one row. Call them inside a
 * transaction. */
enum status store_put_job(struct store *store, const struct watch_job *job,
                          struct error *err) MUST_USE;
enum status store_put_file(struct store *store, const struct watch_file *file,
                           struct error *err) MUST_USE;
enum status store_drop_job(struct store *store, const char *id,
                           struct error *err) MUST_USE;
enum status store_drop_file(struct store *store, const char *path,
                            struct error *err) MUST_USE;
/* Adds a line, whose number is store_last() + 1. Call it inside a
 * transaction. */
enum status store_add_line(struct store *store, struct text line,
                           struct error *err) MUST_USE;
/* Notes that all lines up to this one were written to the output, and removes
 * them. Call it inside a transaction. */
enum status store_set_told(struct store *store, int64_t told,
                           struct error *err) MUST_USE;

/* Calls `show` for the lines after the number `told`, in their order. Stops
 * with the error of `show` if it fails. */
typedef enum status store_line(void *self, int64_t number, struct text line,
                               struct error *err);
enum status store_each_line(struct store *store, int64_t told, store_line *show,
                            void *self, struct error *err) MUST_USE;

/* == outbox.c: Writes the lines of the watch to a file or to standard output.
 * Each line begins with {"seq":N,"watch":"ID", where N counts from 1 without
 * gaps and ID names the state.
 *
 * A file gets each line exactly once, whenever the program is killed: the file
 * itself shows which line came last, an unfinished line at its end is removed,
 * and the lines of the state after it are appended. This holds as long as no
 * other program writes to the file. Standard output gets each line at least
 * once: lines whose arrival was not yet noted are written again after a
 * restart, with the same numbers. */

struct outbox; /* opaque */

/* Opens the file, or standard output if `path` is NULL. The store is borrowed.
 * Refuses a file that ends in an unfinished line of another program, one that
 * holds a line of this state with a larger number than store_last(), and one
 * that another program has locked. *out is NULL on an error. */
enum status outbox_open(const char *path, struct store *store,
                        struct outbox **out, struct error *err) MUST_USE;
void outbox_close(struct outbox *outbox); /* accepts NULL */

/* Opens the file again, because it may have been rotated, with the same checks.
 * Does nothing for standard output. */
enum status outbox_renew(struct outbox *outbox, struct error *err) MUST_USE;
/* Writes all stored lines that were not written yet, and waits until those of a
 * file are on the disk. */
enum status outbox_flush(struct outbox *outbox, struct error *err) MUST_USE;
/* Returns the number of the last line that was written; 0: none. After an error
 * of outbox_flush it may count lines that were not. */
int64_t outbox_told(const struct outbox *outbox);

/* == watch_clock.c: The time by which jobs are watched. The system's clock
 * begins at the date of the start and then follows CLOCK_BOOTTIME, so that a
 * corrected date stalls no job. The clock of tests takes each instant from a
 * line of standard input and answers the line when the instant is done. */

struct watch_clock {
    bool stepped;    /* true: the clock of tests */
    sim_time now;    /* microseconds since 1970 UTC; set by the calls below */
    sim_time offset; /* date at the zero of CLOCK_BOOTTIME, us since 1970 */
};

/* Opens the clock and sets `now`. A stepped clock has no time before its first
 * wait: `now` is 0. */
void watch_clock_open(struct watch_clock *clock, bool stepped);

/* Waits until `span` microseconds are over, one of the n descriptors has an
 * event or a signal comes, then renews `now`. The stepped clock waits for its
 * next instant in any case. Returns STATUS_END at the end of the instants,
 * STATUS_BAD_INPUT for a line that is not an instant or lies before the last
 * one. */
enum status watch_clock_wait(struct watch_clock *clock, sim_span span,
                             struct pollfd *fds, nfds_t n,
                             struct error *err) MUST_USE;
/* Renews `now` without waiting; does nothing to a stepped clock. */
void watch_clock_renew(struct watch_clock *clock);
/* Prints a stepped clock's `now`, in whole seconds since 1970, on standard
 * output: the instant is done. Does nothing for the system's clock. */
void watch_clock_done(const struct watch_clock *clock);

/* What the files of the watch share. A look (look.c) finds the logs,
 * reads what they gained (reader.c), judges the jobs (verdict.c, judge.c), and
 * stores all changes and their lines in one transaction. */

/* Kinds of events; watch_events has their words. */
enum watch_event {
    WATCH_EVENT_SEEN,
    WATCH_EVENT_PROGRESS,
    WATCH_EVENT_STALLED,
    WATCH_EVENT_RECOVERED,
    WATCH_EVENT_FAILED,
    WATCH_EVENT_LOG,
    WATCH_EVENT_ENDED,
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

struct job_lines;  /* watch_internal.h */
struct slurm_jobs; /* watch_internal.h */
struct gpu_files;  /* watch_internal.h */
struct metrics;    /* watch_internal.h */

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
 * array that are known, and for WATCH_EVENT_SEEN its first 8 logs. The caller
 * adds to the line and passes it to event_tell, which takes it over. */
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
    char host[256];                /* the host to blame; "": none */
    enum host_basis host_basis;
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

/* == gpu_files.c: Reads GPU figures from a file or from the files of a
 * directory and adds them to the jobs that hold these GPUs. In a directory, the
 * name of a file up to its first '.' is the node, unless the text itself names
 * one. A file that grows is read on; one that was replaced or truncated, was
 * written again with the same size, or holds the text of dcgm-exporter is read
 * anew. */

struct gpu_files *gpu_files_new(const char *path);
void gpu_files_free(struct gpu_files *gpu); /* accepts NULL */
/* Reads what was added since the last read. Does nothing until watch_config.gpu
 * has passed since then. */
void gpu_files_read(struct gpu_files *gpu, struct watch *w);

/* == gpu_text.c: Reads utilisation and memory of GPUs from the texts of
 * NVIDIA's tools and of other exporters for Prometheus:
 *
 *   dcgm-exporter   DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",...} 87
 *   dcgmi dmon      a table with columns such as GPUTL and FBUSD
 *   nvidia-smi --query-gpu=index,utilization.gpu,memory.used --format=csv
 *   nvidia-smi dmon a table with columns gpu, sm and fb
 *
 * A value out of its range is refused. A value that the tool does not know
 * ("-", "N/A", DCGM's blank values) is left out. */

/* One reading of one GPU. Numbers that are not known are -1. */
struct gpu_sample {
    struct text node, index, uuid; /* empty: not known */
    struct text job;               /* the job or pod that the tool names, or
                                    * empty */
    double util;                   /* percent, 0 to 100 */
    double mem_mib;                /* used memory, MiB */
};

enum { GPU_COLUMNS_MAX = 64 };
/* What the lines of a text mean; all zeroes before its first line. */
struct gpu_format {
    enum { GPU_UNKNOWN, GPU_PROMETHEUS, GPU_TABLE, GPU_CSV } kind;
    /* number of the column, from 0; -1: none */
    int index, uuid, util, mem;
    double mem_unit;  /* unit of the column `mem`, MiB */
    uint64_t refused; /* values out of range */
    bool strange;     /* true if a header without usable columns was read */
};

/* Reads one line. Returns true if it gives a sample, whose texts point into the
 * line. Lines of dcgm-exporter give one figure each. */
bool gpu_text_line(struct gpu_format *format, struct text line,
                   struct gpu_sample *out);

/* == job_lines.c: Reads what another scheduler reports about its jobs: JSON
 * Lines in a file that grows or is replaced, or on standard input. A line is an
 * object:
 *
 *   job        id of the job, required
 *   log        path of its log; absolute if the log does not exist yet
 *   logs       list of paths of its logs; those after the 64th are ignored
 *   user, node, name, workdir, command, branch, metadata, vc, gpu_type: texts
 *   gpus       its GPUs: list of indices on the node, "NODE:INDEX", or UUIDs
 *   state, exit_code, signal, reason: as `diagnose` takes them
 *   submitted, started, ended: dates in UTC, or seconds since 1970
 *
 * A later line of a job replaces the values that it names. If its state is that
 * of an ended job, the job ends. A file that is replaced or truncated is read
 * from its beginning. */

/* Prepares to read the file, or standard input, which becomes non-blocking, if
 * `path` is "-". STATUS_BAD_INPUT if the file does not exist or its path cannot
 * be resolved; *out is then NULL. */
enum status job_lines_open(const char *path, struct job_lines **out,
                           struct error *err) MUST_USE;
void job_lines_close(struct job_lines *lines); /* accepts NULL */
/* Returns a descriptor to wait on; -1: there is none. */
int job_lines_fd(const struct job_lines *lines);
/* Reads the new lines and updates the jobs of `w`. */
void job_lines_read(struct job_lines *lines, struct watch *w);

/* == metrics_server.c: Gives figures about the watch to Prometheus: GET
 * /metrics on a Unix socket or a TCP port, served by libmicrohttpd in a thread
 * of its own. A request sees the figures of the last look. */

/* Begins to serve the figures; *out is NULL on an error. `where`: "unix:PATH"
 * or "ADDRESS:PORT", IPv6 addresses in brackets. An address that is not
 * loopback is refused unless `open` is true, because the figures name jobs and
 * users and no password protects them. At a loopback address, requests whose
 * Host is a name other than localhost are refused, because a web page could
 * have sent them. */
enum status metrics_open(const char *where, bool open, struct metrics **out,
                         struct error *err) MUST_USE;
void metrics_close(struct metrics *metrics); /* accepts NULL */
void metrics_publish(struct metrics *metrics, const struct watch *w);

/* Writes the figures in Prometheus' text format 0.0.4. */
void metrics_write(const struct watch *w, struct out *out);

/* == program_output.c: Runs a program without a shell and reads its standard
 * output. */

/* Runs argv[0], found by $PATH, with empty input, times in UTC, whole lists of
 * array tasks (SLURM_BITSTR_LEN=0), and without the variables by which a user
 * chooses what Slurm's commands list. *out becomes its
 * output, whose `at` the caller frees. STATUS_FAILED if the program cannot be
 * run, does not end within `limit` microseconds, writes more than 256 MiB, or
 * ends with a status other than 0; *out is then empty, and the error ends with
 * what the program said. Otherwise its messages go to standard error. A program
 * that does not end in time or writes too much is killed, and waited for at
 * most five seconds more. */
enum status program_output(const char *const *argv, sim_span limit,
                           struct text *out, struct error *err) MUST_USE;

/* == service.c: What a service manager such as systemd needs from a daemon:
 * signals, and messages about its state, sent as datagrams to the socket that
 * $NOTIFY_SOCKET names. */

/* Blocks SIGTERM, SIGINT and SIGHUP, ignores SIGPIPE, and sets *fd to a
 * descriptor that reports the blocked signals. The caller closes it. */
enum status service_signals(int *fd, struct error *err) MUST_USE;

struct service_wishes {
    bool end, renew; /* `end`: SIGTERM or SIGINT came. `renew`: SIGHUP came. */
};
/* Takes the signals that have come; never waits. */
struct service_wishes service_take(int fd);

/* Sends a message such as "READY=1". Does nothing without a service manager. */
void service_tell(const char *message);

/* == slurm_jobs.c: Asks Slurm for its jobs: squeue for state, user and nodes,
 * scontrol for logs, exit codes and GPUs, and sacct for jobs that squeue no
 * longer lists.
 *
 * Users choose the names of jobs and of logs. The user of a job is therefore
 * never read from scontrol's text, and a log is read only if the user of the
 * job owns it. */

struct slurm_jobs *slurm_jobs_new(void);
void slurm_jobs_free(struct slurm_jobs *slurm); /* accepts NULL */
/* Asks Slurm if watch_config.slurm has passed since the last question. If
 * squeue or scontrol fails, no job changes. If only sacct fails, it is asked
 * again; if it fails for ten minutes, the jobs that squeue no longer lists end
 * without a state. */
void slurm_jobs_ask(struct slurm_jobs *slurm, struct watch *w);

/* == slurm_text.c: Parses the output of Slurm's commands. */

/* The format of squeue that slurm_queue_line reads. */
#define SLURM_QUEUE_FORMAT "%A|%i|%T|%U|%u|%N|%r"

struct slurm_row {
    /* `id`: job number. `shown`: the job number as users see it, such as 12_3
     * for an element of an array. */
    struct text id, shown;
    struct text state, user, nodes, reason;
    uint32_t uid;
};
bool slurm_queue_line(struct text line, struct slurm_row *out) MUST_USE;

/* Returns the value of a key in a line of `scontrol -o show job`; the last
 * occurrence of the key counts, and the value ends before the next key. Empty
 * if there is none or the value is "(null)". */
struct text slurm_value(struct text line, const char *key);
/* Converts a date in Slurm's format, in UTC, to seconds since 1970. Returns -1
 * if the text is not a date. */
double slurm_time(struct text date);
/* Returns the names of a list of nodes, such as "n[1-3,07],m1", as a new list
 * of texts, at most 4,096. */
json_t *slurm_nodes(struct text nodes);
/* Returns the GPUs that a line of `scontrol -o -d show job` names as a new list
 * of "NODE:INDEX"; empty if it names none. */
json_t *slurm_gpus(struct text line);

#endif
