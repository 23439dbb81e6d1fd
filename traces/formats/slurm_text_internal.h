/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the reader of `sacct -P`: slurm.c finds jobs and steps
 * in the lines, slurm_fields.c reads the cells of a job. */
#ifndef TRACES_SLURM_TEXT_INTERNAL_H
#define TRACES_SLURM_TEXT_INTERNAL_H

#include "base/rows.h"
#include "traces/cells.h"
#include "traces/formats/slurm_internal.h"

/* Fields of sacct that the reader uses. */
enum slurm_field {
    JOB_ID,
    JOB_ID_RAW,
    JOB_NAME,
    USER,
    ACCOUNT,
    PARTITION,
    QOS,
    CLUSTER,
    SUBMIT,
    START,
    END,
    ELAPSED,
    ELAPSED_RAW,
    LIMIT,
    LIMIT_RAW,
    STATE,
    EXIT_CODE,
    ALLOC_TRES,
    REQ_TRES,
    ALLOC_GRES,
    REQ_GRES,
    ALLOC_CPUS,
    ALLOC_NODES,
    NODES,
    N_TASKS,
    RESTARTS,
    NODE_LIST,
    WORK_DIR,
    SUBMIT_LINE,
    USE,
    PRIORITY,
    N_FIELDS
};

#define SLURM_CELLS_MAX 256

struct slurm_config {
    unsigned vc; /* index of slurm_vcs: which field names the virtual cluster */
    double zone;
    const char *same;
};

/* A line that was read. Cells point into `bytes`. */
struct slurm_line {
    char *bytes; /* owned */
    size_t cap, len;
    uint64_t number;
};

struct slurm {
    struct rows *rows; /* borrowed */
    struct slurm_config config;
    struct clock clock;
    char delimiter;
    int16_t at[N_FIELDS]; /* by field: index of its cell; -1: the file lacks
                           * the field */
    size_t n_cells;       /* number of cells of the header */
    struct slurm_line job, next;
    bool has_next, ended;
    /* Error in reading the lines after the current job; valid if `failed`. The
     * next call of slurm_next returns it. */
    struct error failure;
    bool failed;
    /* Cells of the line that is being read. */
    struct text cell[SLURM_CELLS_MAX];
    struct slurm_counts counts;
    struct trace_record record;
};

/* Returns the field with this name, ignoring case; -1 if there is none. */
int slurm_field_of(struct text name);

/* Returns the text of a field in the current line; empty if the file lacks the
 * field or sacct does not know the value. */
struct text slurm_text(const struct slurm *self, int field);

/* Reads the cells of self->job, which self->cell must hold, into a row. */
enum status slurm_read_job(struct slurm *self, struct trace_row *row,
                           struct error *err) MUST_USE;

#endif
