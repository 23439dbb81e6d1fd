/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: the runs of a grid, the records of those that are done, and the runs
 * that are left. The files sweep_*.c share it. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include <stdio.h>

#include "commands/study/row.h"
#include "commands/study/runs.h"
#include "commands/study/tasks.h"

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

#endif
