/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `sweep` share: the grid of settings, tasks, the journal of
 * what has run, rows, Slurm. */
#ifndef COMMANDS_STUDY_SWEEP_INTERNAL_H
#define COMMANDS_STUDY_SWEEP_INTERNAL_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "base/text.h"
#include "commands/cmd_run.h"
#include "commands/made_trace.h"
#include "commands/run_options.h"
#include "sim/results/facts.h"
#include "sim/run/run.h"

/* == grid.c: The grid of a sweep: a JSON object whose members are axes
 * (docs/sweeps.md). The runs of the sweep are the product of the axes, the last
 * one changing fastest. */

struct shelf; /* defined in traces/shelf.h */

/* A trace of the grid: a file, a window of a file, or a replication made from a
 * file or a calibration. */
struct grid_trace {
    /* path of the file, or name of the calibration, such as "venus" */
    const char *source;
    /* how the trace is made from the source, such as "resample --set joint" or
     * "window of 30d"; "": the trace is the file */
    const char *made;
    /* name by which the shelf finds the trace: for a file or a window the path,
     * for a replication a name of its own */
    const char *name;
    /* maker of a replication; NULL: a file or a window */
    struct made_trace *maker;
    bool is_file; /* true: `source` is the path of a file */
    /* true for a replication or window; `replication` is its number */
    bool is_replication;
    uint64_t replication; /* seed, or number of the window from 1 */
    /* window, as the options --from and --to take it; NULL: no window */
    const char *from, *to;
};

/* A setting of `run`: index in run_args, and the value as the user wrote it. */
struct grid_setting {
    size_t row;
    const char *text;
};

/* A value of an axis: settings that vary together. */
struct grid_point {
    struct grid_setting *settings;
    size_t n_settings, cap_settings;
    /* trace of the point; NULL: the point names none */
    const struct grid_trace *trace;
    const char *load;  /* factor on the rate of submissions; NULL: not given */
    const char *label; /* value of "name"; NULL: none */
};

struct grid_axis {
    const char *key; /* key in the file, such as "policy" or "tuples" */
    struct grid_point *points;
    size_t n_points, cap_points;
};

/* A setting is numbered by its row of run_args, or by one of these numbers,
 * which are not rows of run_args. */
enum { GRID_TRACE = RUN_ARGS_MAX, GRID_NAME, GRID_LOAD, GRID_KEYS };

enum { GRID_AXES_MAX = 64, GRID_RUNS_MAX = 1000000 };

struct grid {
    const char *path;
    struct trust trust;
    struct arena arena;
    struct grid_axis axes[GRID_AXES_MAX];
    size_t n_axes;
    /* settings that the file names, in the order in which it first names them;
     * each is a column of runs.csv */
    size_t keys[GRID_KEYS];
    size_t n_keys;
    bool has_replications, has_made;
    /* makers of the replications of all traces; owned */
    struct made_trace **makers;
    size_t n_makers, cap_makers;
    size_t n_runs; /* number of runs: product of the lengths of the axes */
};

/* Reads a grid. Errors name the file and, for a wrong value, the key and its
 * line. `shelf` parses files that are cut into windows, and is given the makers
 * of replications; free it before the grid, which owns the makers. `path` is
 * borrowed. The caller calls grid_fini also after an error. `trusts`: true if
 * the grid may set what acts outside the simulation (commands/trust.h);
 * otherwise it is refused, or a person at the terminal is asked. */
enum status grid_read(struct grid *grid, const char *path, bool trusts,
                      struct shelf *shelf, struct error *err) MUST_USE;
void grid_fini(struct grid *grid);

/* Returns the name of a setting: that of its row of run_args, "trace", "name"
 * or "load". */
const char *grid_key_name(size_t key);

/* Shared by grid.c and grid_trace.c. */

/* The traces of one entry of the grid. */
struct grid_traces {
    struct grid_trace **at; /* in the arena of the grid; the array is owned */
    size_t n, cap;
};

/* Reads an entry: the path of a file, or an object. Appends one trace, or one
 * for each replication or window. Refuses "-", standard input. */
enum status grid_trace_read(struct grid *grid, const json_t *entry,
                            struct shelf *shelf, struct grid_traces *out,
                            struct error *err) MUST_USE;

/* Sets an error whose message begins with the place of a key in the file.
 * Returns STATUS_BAD_INPUT. */
enum status grid_refuse(const struct grid *grid, const char *key,
                        struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns a value as it would be typed on the command line, in the arena of the
 * grid; NULL if it is neither a text nor a number. */
const char *grid_value_text(struct grid *grid, const json_t *value);

/* == journal.c: Keeps the records of a sweep's runs in DIR/journal: log files
 * of lines, each with a checksum. A process appends lines when a run has ended,
 * so that a sweep which is killed at any moment loses only the runs in
 * execution. A line that was written in part is recognised and ignored. Each
 * shard writes a log of its own, which it locks; all logs are read. When a
 * sweep is complete, its logs are replaced by one, done.log, whose bytes depend
 * only on the records.
 *
 * A record is found by the key of its run: a digest of the settings. It also
 * names the version of the program and the digests of the files that the run
 * read. */

enum { JOURNAL_KEY_MAX = 33, JOURNAL_FILES_MAX = 64 };

/* A file that a run read. */
struct journal_file {
    const char *path, *sha256;
};

struct journal_record {
    const char *key, *version;
    int status; /* exit status of the run; 4: some job did not finish */
    const char *columns; /* names of the cells, with commas between them */
    const char *cells;   /* a line of CSV without its end */
    const struct journal_file *const *files;
    size_t n_files;
};

struct journal; /* an open journal; opaque */

/* Reads the logs of a sweep. `dir`: the directory of the sweep; NULL: nothing
 * is kept on the disk. Makes the directories that are missing. Returns
 * STATUS_USAGE if the directory holds files but no journal, or if the path is
 * empty or too long; STATUS_FAILED if a directory cannot be made or a log
 * cannot be read. `writes`: false for a dry run, which makes no directories.
 * The caller owns *out, which is set only on success. */
enum status journal_open(const char *dir, bool writes, struct journal **out,
                         struct error *err) MUST_USE;
void journal_close(struct journal *journal); /* accepts NULL */

/* Locks the log NAME.log, to which the journal appends from then on. Reads it
 * again, and removes what follows its last valid line. Returns STATUS_FAILED if
 * another process appends to that log, or if it cannot be opened, read or
 * truncated. Does nothing if the sweep has no directory. */
enum status journal_begin(struct journal *journal, const char *name,
                          struct error *err) MUST_USE;
/* Stores a record and the real time that its run took, seconds, in place of an
 * earlier record with the same key. Copies the texts. The record has at most
 * JOURNAL_FILES_MAX files. After journal_begin, also appends both to the log.
 * What was appended survives the end of the process at once, and a crash of the
 * machine after journal_sync, which journal_add calls if the last call was more
 * than 2 s ago. Returns STATUS_FAILED if the log cannot be written; the record
 * is stored all the same. */
enum status journal_add(struct journal *journal,
                        const struct journal_record *record, double seconds,
                        struct error *err) MUST_USE;
enum status journal_sync(struct journal *journal, struct error *err) MUST_USE;

/* Returns the last record of a key that was read or added; NULL: there is none.
 * When logs are read, the record of a failed run does not replace that of a run
 * that did not fail. The record is valid until the next one is read or added.
 */
const struct journal_record *journal_find(const struct journal *journal,
                                          const char *key);
/* Returns the real time that the run with this key took, seconds; NaN: not
 * known. */
double journal_seconds(const struct journal *journal, const char *key);
/* Returns the number of damaged lines. The last line of a log does not count,
 * because it may have been cut off. */
uint64_t journal_n_damaged(const struct journal *journal);

struct out;
/* Writes what is in `bytes`, a stream in memory, to a file of the sweep's
 * directory, which it replaces. Removes NAME.partial first, which a killed
 * process may have left. Does nothing if the sweep has no directory. */
enum status journal_write_file(const struct journal *journal, const char *name,
                               struct out *bytes, struct error *err) MUST_USE;

/* Replaces all logs by done.log and writes DIR/seconds.csv. A log that another
 * process writes is left alone, and *busy is set to true. Does nothing if the
 * sweep has no directory. */
enum status journal_compact(struct journal *journal, bool *busy,
                            struct error *err) MUST_USE;

/* Shared by journal.c, which keeps the records, journal_read.c, which reads a
 * log, and journal_write.c, which writes logs. */

/* A record, and where its texts and files are in the lists of struct journal.
 */
struct journal_entry {
    struct journal_record record; /* key NULL: there is no record */
    /* version and columns, as symbols of `texts` */
    uint32_t version, columns;
    /* files of the record, as indexes of journal.files */
    uint32_t *files;
    /* real time of the run, seconds; NaN: not known */
    double seconds;
};

struct journal {
    /* directory of the sweep; NULL: nothing is kept on the disk */
    const char *dir;
    struct arena arena;
    /* keys of runs; a symbol is an index of `entries` */
    struct interner keys;
    struct journal_entry *entries; /* entry 0 is not used */
    size_t cap_entries;
    struct interner texts; /* versions and lists of columns */
    /* texts "SHA256 PATH"; a symbol is an index of `files` */
    struct interner paths;
    /* files, in the arena; the list is owned */
    const struct journal_file **files;
    size_t cap_files;
    uint64_t n_damaged;
    /* true: records that are read do not replace those that are there */
    bool keeps;
    /* The following fields describe the log to which records are appended. */
    int fd; /* descriptor of the log; -1: none */
    char *log_path;
    /* by index of `files`: true if this process has written its definition */
    bool *has_file;
    /* by symbol of `texts`: true if this process has written its definition */
    bool *has_text;
    size_t cap_has_file, cap_has_text;
    /* symbol of the version that this process wrote last; 0: none */
    uint32_t version;
    double synced; /* time of the last sync, seconds */
};

/* Ends a line with its checksum. `begin`: length of `out` before the line. */
void journal_end_line(struct out *out, size_t begin);
/* Writes a path. Bytes below 32 and '%' become %XX. */
void journal_put_path(struct out *out, const char *path);
/* Returns the entry of a key. Makes the entry if there is none. The entry is
 * valid until the next call. */
struct journal_entry *journal_entry_of(struct journal *journal,
                                       struct text key);
/* Returns the index of a file. Adds the file if it is new. */
uint32_t journal_file_of(struct journal *journal, struct text sha256,
                         struct text path);
/* Stores a record in place of the one with its key, and copies its texts.
 * `files`: indexes of its files, which are used instead of record->files. */
void journal_store(struct journal *journal, const struct journal_record *record,
                   const uint32_t *files);
/* Opens a log, which it makes if there is none, and locks it. Returns STATUS_OK
 * with *fd -1 if another process has locked it. */
enum status journal_lock(const char *path, int *fd, struct error *err) MUST_USE;
/* Reads a log into the journal. *end: length of the log up to the end of its
 * last valid line. Returns STATUS_FAILED if the log cannot be read. */
enum status journal_read_log(struct journal *journal, const char *path,
                             size_t *end, struct error *err) MUST_USE;
/* Reads all logs, then seconds.csv. The last record of a run counts, but the
 * record of a failed run does not replace that of one that did not fail. */
enum status journal_read_all(struct journal *journal,
                             struct error *err) MUST_USE;
/* Reads all logs again, for what other processes have added to them. Records
 * that the journal has already stay as they are, and damaged lines do not
 * count. */
enum status journal_read_others(struct journal *journal,
                                struct error *err) MUST_USE;
/* Reads how long runs took, from DIR/seconds.csv if there is one. */
enum status journal_read_seconds(struct journal *journal,
                                 struct error *err) MUST_USE;

/* == runs.c: Executes many runs on several threads. Each run is executed by one
 * thread from its preparation to its summary, and its results are those of
 * `schedsim run` with the same configuration, to the byte: they depend neither
 * on the number of threads nor on what else is executed. Each trace is parsed
 * once, as long as all fit onto the shelf (traces/shelf.h).
 *
 *     struct study_task tasks[N] = {{.config = {.trace = "a.csv", ...}}, ...};
 *     struct study study = {.tasks = tasks, .n = N, .self = &mine,
 *                           .take = ...};
 *     enum status st = study_execute(&study, err);
 *
 * `take` is called for each run on the thread that executed it, for several
 * runs at the same time, in any order: it stores its results in a place of the
 * run's own, such as mine->means[run->index]. `note` is called for each run
 * after `take`, on the thread that called study_execute, one call at a time, in
 * the order in which the runs ended: it writes journals and draws progress. A
 * caller that needs the order of the tasks reads its places after study_execute
 * has returned. */

struct shelf; /* defined in traces/shelf.h */

struct study_task {
    /* strings are borrowed; `shelf` is set by study_execute */
    struct run_config config;
    /* what to observe, such as a series into memory (out_to_memory). `progress`
     * must be false. */
    struct replay_options observe;
};

/* A run that has ended. Borrowed for the call. */
struct study_run {
    size_t index; /* index of the task */
    /* STATUS_OK or STATUS_INCOMPLETE: the results are valid. Any other: the run
     * failed, and err->message says why. */
    enum status status;
    const struct error *err;
    /* The run with results in replay->results; NULL for a run that failed, and
     * in `note`. For the summary call job_pass(NULL, NULL, replay->results,
     * &summary). It is freed after `take`. */
    struct replay *replay;
    double seconds; /* real time that the run took; must not reach any result */
};

struct study {
    const struct study_task *tasks; /* tasks, which are begun in this order */
    size_t n;
    unsigned n_threads;  /* number of threads; 0: study_processors() */
    struct shelf *shelf; /* parsed traces; NULL: one for this call */
    bool stop_at_error;  /* true: begin no further run after one failed */
    void *self;          /* first argument of the calls; borrowed */
    /* Each of the four may be NULL. `begin` may change the copies of
     * configuration and observers before a run, on its thread, for example to
     * open files; a status other than STATUS_OK makes the run fail. After
     * `begin` returned STATUS_OK, `take` is called exactly once. `note` returns
     * false to end the study without an error; runs in execution are then
     * dropped: `take` gets STATUS_FAILED for them, and `note` is not called.
     * `tick` is called at least 5 times a second while runs are executed, on
     * the thread of `note`. */
    enum status (*begin)(void *self, size_t index, struct run_config *config,
                         struct replay_options *observe, struct error *err);
    void (*take)(void *self, const struct study_run *run);
    bool (*note)(void *self, const struct study_run *run);
    void (*tick)(void *self);
    /* Set by study_execute. */
    size_t n_done; /* runs for which `note` was called */
    size_t n_failed, n_incomplete;
    int signal; /* the signal that ended the study; 0: none did */
};

/* Executes the runs. Returns STATUS_OK if each of them ended, whether or not
 * some failed or are incomplete (n_failed, n_incomplete), and if `note` ended
 * the study. With stop_at_error, if a run failed, returns the status and the
 * error of the failed run with the smallest index. Returns STATUS_FAILED if no
 * thread can be started or the files for waiting cannot be opened.
 *
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end the study: no run is begun,
 * runs in execution are dropped after their present instant, threads are
 * joined, `signal` is set, and STATUS_FAILED is returned. The caller then puts
 * its own affairs in order and calls study_die. A signal that was ignored stays
 * ignored. */
enum status study_execute(struct study *study, struct error *err) MUST_USE;

/* Ends the program by the signal, so that the parent process sees which it was
 * (base/interrupt.h removes temporary files); returns if signal is 0. */
void study_die(int signal);

/* If a signal ended the study, says after how many runs and what is kept of
 * them, and ends the program by the signal. */
void study_end(const struct study *study, const char *command,
               const char *kept);

/* Returns the number of processors that this process may use, at least 1. */
unsigned study_processors(void);

/* Draws how many of the runs have ended on standard error, over what it drew
 * before; the second erases it. */
void study_progress(const struct study *study);
void study_progress_end(void);

/* The option --threads of a command that executes a study. */
#define TAKE_THREADS(type, field) \
    TAKE_U32(type, field, "threads", "N", \
             "runs at a time; default: one for each processor that this " \
             "process may use; no result depends on it", \
             .lo = 1, .hi = 1024)

/* == row.c: Makes the line that a sweep keeps of a run: cells with their names,
 * from the numbers of summary.json. */

/* A line, and the files that the run read. The arena owns the texts that
 * row_of_run made. */
struct row_kept {
    struct arena arena;
    struct journal_record record; /* the caller sets key and version */
};

/* Makes the line of a run that has ended. Its columns: status, error,
 * knowledge and knowledge_mark (its words and mark in summary.json), the
 * numbers of summary.json except those of its identity and of groups of jobs
 * (nested names are joined by _, without the name "metrics"), remarks,
 * remark_ranks, jobs_sha256 (of jobs.csv as `run --out` writes it). A run that
 * failed has the columns status and error. `is_made`: true if the trace is not
 * a file of the user, so that its digest is not kept. */
struct row_kept *row_of_run(const struct study_run *run, bool is_made);
void row_kept_free(struct row_kept *row); /* accepts NULL */

/* Separates two remarks of a run. */
#define ROW_BETWEEN_REMARKS " | "

/* Splits a line of CSV into cells without quotes, which live in the arena.
 * Returns the number of cells. */
size_t row_split(const char *line, struct arena *arena, const char ***cells);

/* == tasks.c: Makes and checks the runs of a grid, each with its settings and
 * its key. */

struct task {
    const struct grid_trace *trace;
    /* by key of the grid: the value as the user wrote it; NULL: not given */
    const char *texts[GRID_KEYS];
    /* Digest of the settings without the name, and of how the trace is made:
     * equal settings have equal keys, wherever they stand in a grid. */
    char key[JOURNAL_KEY_MAX];
    bool is_twin; /* true if an earlier run of the grid has the same key */
};

/* Returns the runs of the grid, the last axis changing fastest; the caller
 * frees the array. Strings are borrowed from the grid. A run that the grid has
 * twice is twice in the array, with one key. */
struct task *tasks_make(struct grid *grid);

/* Fills the configuration of a run. New texts live in `arena`. Returns an error
 * if the value of a setting is not valid. */
enum status task_config(const struct task *task, struct arena *arena,
                        struct run_config *out, struct error *err) MUST_USE;

/* Checks the settings of all runs without reading a trace. If a value of an
 * axis is wrong, so that no run with it can be made, returns the error of the
 * first such run. If only some combinations cannot be made, their runs fail
 * later. */
enum status tasks_check(struct grid *grid, const struct task *tasks,
                        struct error *err) MUST_USE;

/* == sweep.c: A sweep: the runs of a grid, the records of those that are done,
 * and the runs that are left. The files sweep_*.c share it. */

/* What to do with records that another version of the program has made. */
enum sweep_versions { VERSIONS_REFUSE, VERSIONS_REDO, VERSIONS_KEEP };

struct sweep_options {
    /* file of the grid; directory for results, NULL: nothing is written */
    const char *grid, *out;
    /* shard, from 1; number of shards, 0: the sweep is not divided */
    uint32_t shard, n_shards;
    uint32_t threads; /* number of threads; 0: study_processors() */
    /* treatment of records of another version, enum sweep_versions */
    unsigned other_version;
    bool collect, dry_run, keep, quiet;
    bool all_remarks; /* print all remarks, not only the gravest */
    bool trusts;      /* true: the grid may act outside (commands/trust.h) */
    bool submits;     /* true: Slurm jobs make the runs, not this process */
};

/* A file that runs read, and the digest of its present content. */
struct sweep_file {
    const char *path, *sha256; /* sha256 "": the file cannot be read */
    /* number of runs that read another content of the file */
    size_t n_stale;
    /* true: a run of this process read another content */
    bool has_changed;
};

struct sweep {
    const struct sweep_options *options;
    struct arena arena;
    struct grid grid;
    struct task *tasks; /* array of grid.n_runs tasks */
    struct shelf *shelf;
    struct journal *journal;
    /* paths of the files; a symbol is an index of `files` */
    struct interner paths;
    struct sweep_file *files;
    size_t cap_files;
    /* Runs that this process makes, as indexes of tasks, in the order in which
     * they are begun: grouped by trace. */
    size_t *todo;
    size_t n_todo;
    size_t n_mine; /* number of runs of this shard */
    /* number of runs of this shard that were done before */
    size_t n_before;
    size_t n_others;           /* number of records of another version */
    const char *other_version; /* version that made one of these records */
    /* rows of runs that have ended and are not in the journal yet, by position
     * in `todo`; NULL: none */
    struct row_kept **rows;
    /* numbers of runs of this process that ended, and that failed, so far */
    size_t n_made, n_failed;
    double begun_s; /* time of the next progress line, s; 0: none was due yet */
    struct error lost; /* why the journal could not be written */
    int signal;        /* the signal that ended the sweep; 0: none did */
    /* number of runs that repeat an earlier one of the grid */
    size_t n_duplicates;
};

/* Reads the grid and the journal and finds the runs that are left. Returns
 * STATUS_USAGE also if there are records that VERSIONS_REFUSE refuses. The
 * caller calls sweep_fini also after an error. */
enum status sweep_plan(struct sweep *sweep, const struct sweep_options *options,
                       struct error *err) MUST_USE;
/* Locks the log of the sweep or of its shard. sweep_plan does this, except for
 * a dry run and for a sweep that Slurm jobs make. Returns STATUS_FAILED if
 * another process has locked the log. */
enum status sweep_begin(struct sweep *sweep, struct error *err) MUST_USE;
void sweep_fini(struct sweep *sweep);

/* Makes the runs that are left. Returns an error only if the sweep cannot go on
 * or a signal ended it; a failed run gets a record. */
enum status sweep_make(struct sweep *sweep, struct error *err) MUST_USE;

/* Returns the record of a run if the record is valid: it is of this version, or
 * of another that the user keeps, and the run read files with their present
 * content. A failed run has a record too, although the next sweep makes it
 * again. NULL: there is no valid record. */
const struct journal_record *sweep_record(struct sweep *sweep,
                                          const struct task *task);
/* Returns the entry of a file, which is valid until the next call. Computes the
 * digest of the file at the first call for it. */
struct sweep_file *sweep_file(struct sweep *sweep, const char *path);

/* sweep_progress.c. Returns the expected real time, seconds on one thread, of
 * the last n_left runs of `todo`; NaN: no run has been timed. */
double sweep_left_s(const struct sweep *sweep, size_t n_left);
unsigned sweep_threads(const struct sweep *sweep);

/* Draw the progress while runs are made, and end its line. */
void sweep_progress(struct sweep *sweep);
void sweep_progress_end(void);

/* kept_run.c: the result directory of one run. All zeroes, and an arena that
 * the owner has begun, is one that is not open. */
struct kept_run {
    struct result_dir *dir; /* NULL: none is open */
    struct provenance provenance;
    struct arena arena; /* owns the texts of the provenance */
    bool is_written;    /* true once the directory is complete */
};
/* Returns the four texts as one, in the arena. */
const char *kept_run_path(struct arena *arena, const char *dir,
                          const char *between, const char *name,
                          const char *end);
/* Opens the directory and its series.csv. `texts`: the values of the options
 * that make this run alone, by row of run_args; NULL: not given. */
enum status kept_run_begin(struct kept_run *kept, const char *path,
                           const char *trace,
                           const char *const texts[RUN_ARGS_MAX],
                           struct replay_options *observe,
                           struct error *err) MUST_USE;
/* Writes the results; if the run failed or they cannot be written, removes the
 * directory. Returns an error only if they cannot be written. */
enum status kept_run_end(struct kept_run *kept, const struct study_run *run,
                         struct error *err) MUST_USE;
void kept_run_fini(struct kept_run *kept);

/* sweep_keep.c. A keeper writes the result directories of single runs,
 * DIR/runs/KEY. */
struct keeper;
struct keeper *keeper_new(const struct sweep *sweep);
void keeper_free(struct keeper *keeper); /* accepts NULL */
enum status keeper_begin(struct keeper *keeper, size_t at,
                         struct run_config *config,
                         struct replay_options *observe,
                         struct error *err) MUST_USE;
/* Writes the results; if the run failed or they cannot be written, removes the
 * result directory that keeper_begin has begun. Returns an error only if they
 * cannot be written. */
enum status keeper_take(struct keeper *keeper, const struct study_run *run,
                        struct error *err) MUST_USE;
/* True if a run has a complete result directory. */
bool keeper_has(const struct sweep *sweep, const struct task *task);

/* sweep_write.c. Writes runs.csv, with a row for each run of the grid that has
 * a valid record, and sweep.json. Sets *n_lack to the number of runs without a
 * valid record. */
enum status sweep_write(struct sweep *sweep, size_t *n_lack,
                        struct error *err) MUST_USE;

/* sweep_print.c. Print means over the runs that differ only in seed and
 * replication. */
struct row_remarks;
/* Adds a remark on settings without intervals to `notes`. */
void sweep_print_table(struct sweep *sweep, struct row_remarks *notes);
enum status sweep_print_json(struct sweep *sweep, struct error *err) MUST_USE;

/* sweep_say.c. Print what the journal and the files say before a run is made,
 * the runs of a dry run, and the errors and remarks of the runs. */
void sweep_say_found(const struct sweep *sweep, FILE *to);
void sweep_say_plan(struct sweep *sweep);
/* Prints `notes`, too. */
void sweep_say_runs(struct sweep *sweep, struct row_remarks *notes, FILE *to);
/* Judges the sweep by its records, by n_lack, the number of runs without a
 * valid record, and by whether files have changed meanwhile. Returns the status
 * of the sweep, and sets the error. */
enum status sweep_judge(struct sweep *sweep, size_t n_lack,
                        struct error *err) MUST_USE;

/* == slurm.c: Submits to Slurm what a sweep has not run yet: arrays of tasks
 * that each make one shard of the sweep, and after them a job that collects. A
 * task that Slurm requeues goes on where it stopped, because a shard does. */

struct slurm_options {
    double task_minutes; /* approximate length of a task, minutes, > 0 */
    uint32_t n_tasks;    /* number of tasks; 0: chosen by task_minutes */
    /* true: collect only if all tasks ended with status 0 */
    bool only_ok;
    /* options for sbatch, as given after -- */
    const char *const *sbatch;
    size_t n_sbatch;
};

/* Returns the number of shards for the runs that are left. *seconds becomes the
 * estimated time of a task; NaN if no run has been timed. */
uint32_t slurm_shards(const struct sweep *sweep,
                      const struct slurm_options *options, double *seconds);

/* Refuses, with STATUS_USAGE, words that are no options of sbatch, the options
 * --array, --dependency, --parsable and --wrap, on which the sweep depends, and
 * too many words. */
enum status slurm_check(const struct slurm_options *options,
                        struct error *err) MUST_USE;

/* Submits the runs that are left. Returns STATUS_FAILED if jobs of an earlier
 * submission are still in the queue, or if a program of Slurm fails. If
 * sweep->options->dry_run is set, only prints what it would submit. */
enum status slurm_submit(const struct sweep *sweep,
                         const struct slurm_options *options,
                         struct error *err) MUST_USE;

/* State and functions that the files of `sweep --slurm` share. */

/* A submission while it is made. */
struct slurm_submission {
    const struct sweep *sweep;
    const struct slurm_options *options;
    uint32_t n_shards;
    uint32_t max_index; /* largest index that the site allows in an array */
    /* by shard, from 0: true if the shard has runs to make */
    bool *has_work;
    char program[PATH_MAX], here[PATH_MAX];
    struct out *jobs; /* job ids of the arrays, each after a colon */
    size_t n_arrays, n_tasks;
};

/* The words of a call of sbatch (slurm_sbatch.c). sbatch_add puts copies into
 * the arena. */
enum { SBATCH_WORDS_MAX = 96 };
struct sbatch_words {
    const char *at[SBATCH_WORDS_MAX]; /* words; ends with NULL */
    size_t n;
    struct arena *arena;
};
void sbatch_add(struct sbatch_words *words, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds --output for a file of DIR/slurm, then the options of the user. */
void sbatch_add_last(struct sbatch_words *words,
                     const struct slurm_submission *sub, const char *name);
/* Returns the script of a task, which computes its shard with the shell
 * expression `shard`; NULL: the script of the job that collects. */
const char *sbatch_script(const struct slurm_submission *sub, const char *shard,
                          struct arena *arena);
/* Calls sbatch; `job` becomes the id of the job. Returns STATUS_FAILED if
 * sbatch cannot be started or fails. A dry run prints the call instead, and
 * `job` becomes "JOB". */
enum status sbatch_submit(const struct slurm_submission *sub,
                          const struct sbatch_words *words, const char *script,
                          char job[32], struct error *err) MUST_USE;
/* Copies the bytes of a stream in memory to the arena and frees the stream. */
const char *sbatch_text(struct out *out, struct arena *arena);

#endif
