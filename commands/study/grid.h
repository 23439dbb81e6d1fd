/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of a sweep: a JSON object whose members are axes (docs/sweeps.md).
 * The runs of the sweep are the product of the axes, the last one changing
 * fastest. */
#ifndef STUDY_GRID_H
#define STUDY_GRID_H

#include "base/arena.h"
#include "commands/made_trace.h"
#include "commands/run_options.h"

struct shelf; /* defined in traces/shelf.h */

/* A trace of the grid: a file, a window of a file, or a replication made from a
 * file or a calibration. */
struct grid_trace {
    /* path of the file, or name of the calibration, such as "venus" */
    const char *source;
    /* how the trace is made from the source, such as "resample --joint" or
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

#endif
