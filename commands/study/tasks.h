/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and checks the runs of a grid, each with its settings and its key. */
#ifndef STUDY_TASKS_H
#define STUDY_TASKS_H

#include "commands/study/grid.h"
#include "commands/study/journal.h"

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

#endif
