/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: the runs of a grid, those of them that are done, and what is left to
 * do. The files of this room that begin with sweep_ share it. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include <stdio.h>

#include "study/row.h"
#include "study/runs.h"
#include "study/tasks.h"

/* What to do with records that another version of the program has made. */
enum sweep_versions { VERSIONS_REFUSE, VERSIONS_REDO, VERSIONS_KEEP };

struct sweep_options {
    const char *grid, *out;   /* out NULL: nothing is written */
    uint32_t shard, n_shards; /* n_shards 0: the sweep is not divided */
    uint32_t threads;         /* 0: study_processors() */
    unsigned other_version;   /* enum sweep_versions */
    bool collect, dry_run, keep, quiet;
    bool submits; /* other processes make the runs */
};

/* A file that runs read, and its content now. */
struct sweep_file {
    const char *path, *sha256; /* "": it cannot be read */
    size_t n_stale;            /* runs that read another content of it */
    bool has_changed;          /* a run of this process read other content */
};

struct sweep {
    const struct sweep_options *options;
    struct arena arena;
    struct grid grid;
    struct task *tasks; /* grid.n_runs */
    struct shelf *shelf;
    struct journal *journal;
    struct interner paths; /* symbol: index of files */
    struct sweep_file *files;
    size_t cap_files;
    /* Runs that this process makes, as indexes of tasks, in the order in which
     * they are begun: grouped by trace. */
    size_t *todo;
    size_t n_todo;
    size_t n_mine;             /* runs of this shard */
    size_t n_before;           /* runs of this shard that were done before */
    size_t n_others;           /* records of another version that were found */
    const char *other_version; /* version that made one of these records */
    struct row_kept **rows;    /* by position in todo; NULL: not there */
    size_t n_made, n_failed;   /* runs of this process that ended so far */
    double begun_s;
    struct error lost;   /* why the journal could not be written */
    int signal;          /* the signal that ended the sweep; 0: none did */
    size_t n_duplicates; /* runs that the grid has twice */
};

/* Reads the grid and the journal and finds out what is to be done. The caller
 * calls sweep_fini in any case. */
enum status sweep_plan(struct sweep *sweep, const struct sweep_options *options,
                       struct error *err) MUST_USE;
/* Locks the log of the sweep or of its shard. sweep_plan does so, unless
 * nothing or another process makes the runs. */
enum status sweep_begin(struct sweep *sweep, struct error *err) MUST_USE;
void sweep_fini(struct sweep *sweep);

/* Makes the runs that are to be done. Returns an error only if the sweep cannot
 * go on; failed runs are records. */
enum status sweep_make(struct sweep *sweep, struct error *err) MUST_USE;

/* Returns the record of a run if it counts as done: of this version, or of
 * another that the user keeps, with files as they are now. A failed run has a
 * record too. NULL: the run is to be made. */
const struct journal_record *sweep_record(struct sweep *sweep,
                                          const struct task *task);
/* Returns the entry of a file, which is digested when it is first asked for. */
struct sweep_file *sweep_file(struct sweep *sweep, const char *path);

/* sweep_progress.c: expected real time of the runs that are left, seconds, on
 * one thread; NaN: no run has been timed. `n_left`: number of runs at the end
 * of todo that are left. */
double sweep_left_s(const struct sweep *sweep, size_t n_left);
unsigned sweep_threads(const struct sweep *sweep);

/* What is said while runs are made. */
void sweep_progress(struct sweep *sweep);
void sweep_progress_end(void);

/* sweep_keep.c: result directories of single runs, DIR/runs/KEY. */
struct keeper;
struct keeper *keeper_new(const struct sweep *sweep);
void keeper_free(struct keeper *keeper); /* accepts NULL */
enum status keeper_begin(struct keeper *keeper, size_t at,
                         struct run_config *config,
                         struct replay_options *observe,
                         struct error *err) MUST_USE;
/* Writes the results, or removes what was begun if the run failed. */
enum status keeper_take(struct keeper *keeper, const struct study_run *run,
                        struct error *err) MUST_USE;
/* True if the results of a run are there. */
bool keeper_has(const struct sweep *sweep, const struct task *task);

/* sweep_write.c: runs.csv and sweep.json, in the order of the grid. Sets
 * *n_lack to the number of runs that are not done. */
enum status sweep_write(struct sweep *sweep, size_t *n_lack,
                        struct error *err) MUST_USE;

/* sweep_print.c: means over the runs that differ only in seed and
 * replication. */
void sweep_print_table(struct sweep *sweep);
enum status sweep_print_json(struct sweep *sweep, struct error *err) MUST_USE;

/* sweep_say.c: what was found before a run was made; the runs of a dry run;
 * errors and remarks of the runs. */
void sweep_say_found(const struct sweep *sweep, FILE *to);
void sweep_say_plan(struct sweep *sweep);
void sweep_say_runs(struct sweep *sweep, FILE *to);
/* Returns the exit status of a sweep whose records are as they are. */
enum status sweep_judge(struct sweep *sweep, size_t n_lack,
                        struct error *err) MUST_USE;

#endif
