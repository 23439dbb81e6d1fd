/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CSV formats by a table of columns. A row of the table says how the
 * header names a column, what kind of value it holds, in which unit, and which
 * words it may contain; columns_next fills a struct trace_row from it. A format
 * adds code only where a row means more than its cells say. The table can also
 * be made at run time. */
#ifndef TRACES_COLUMNS_H
#define TRACES_COLUMNS_H

#include "traces/cells.h"

/* What a column says of a job. Each kind fills the field of struct trace_row
 * that has its name, unless noted. */
enum column_kind {
    COLUMN_OTHER, /* not read, or read by the format itself */
    /* texts */
    COLUMN_ID, /* source_id */
    COLUMN_USER,
    COLUMN_VC,
    COLUMN_NAME,
    COLUMN_MODEL,
    COLUMN_DATASET,
    COLUMN_GPU_TYPE,
    COLUMN_JOB_KIND, /* kind */
    /* whole numbers, >= 0 */
    COLUMN_GPUS, /* a number in each row */
    COLUMN_CPUS,
    COLUMN_NODES,
    COLUMN_BATCH_SIZE,
    COLUMN_ATTEMPTS,
    /* times; COLUMN_START and COLUMN_END are read only in rows that lack a
     * duration or a waiting time, which they then give */
    COLUMN_SUBMITTED, /* a time in each row */
    COLUMN_START,
    COLUMN_END,
    /* lengths of time */
    COLUMN_DURATION,
    COLUMN_QUEUE,
    COLUMN_DECLARED,
    /* other values */
    COLUMN_STATE,      /* end */
    COLUMN_ELASTICITY, /* one of `words` */
    COLUMN_GPU_UTIL,   /* percent */
    COLUMN_GPU_MEM,    /* MiB: gpu_mem_mib */
    COLUMN_AMP,        /* true, false, yes, no, on, off, 1 or 0 */
    COLUMN_N_KINDS
};

/* How a time or a length of time is written. */
enum column_unit {
    UNIT_SECONDS,      /* decimals allowed; times count from columns.epoch */
    UNIT_MILLISECONDS, /* whole; times count from columns.epoch */
    UNIT_DATE,         /* YYYY-MM-DD HH:MM:SS, with a zone or columns.clock's */
};

/* A word of a cell and the value that it stands for (enum trace_end, enum
 * job_elasticity). The word "" gives the value of an empty cell and of a column
 * that the file lacks. */
struct column_word {
    const char *word; /* NULL ends the list */
    unsigned value;
};

/* Returns the first word that stands for the value; "" if none does. */
const char *column_word_of(const struct column_word *words, unsigned value);

/* If several columns of one kind are in the file, the first in the table
 * counts. The table must have a column of kind COLUMN_SUBMITTED, and so must
 * the file. */
struct trace_column {
    const char *names; /* see struct rows_column */
    enum column_kind kind;
    enum column_unit unit;
    /* The words that the cell may contain; NULL for COLUMN_STATE: those of
     * cells_end, and any other word is an unknown end. */
    const struct column_word *words;
    bool required; /* the header must name the column */
    bool filled;   /* an empty cell is an error */
    /* For the documentation: the unit in words ("" for texts), the meaning of
     * the column and of an empty cell. NULL where there is none. */
    const char *doc_unit, *help;
};

#define COLUMNS_MAX 64

/* A column that is read. */
struct column_read {
    const struct trace_column *column; /* NULL: the file lacks it */
    int16_t cell;                      /* of the file; -1: the file lacks it */
    uint8_t value;     /* how its cells are read: enum value of columns.c */
    bool may_be_empty; /* an empty cell leaves the row as it is */
    size_t field;      /* offset in struct trace_row */
};

struct columns {
    struct rows *rows; /* borrowed */
    const struct trace_column *table;
    size_t n_table;
    int16_t cell_of[COLUMNS_MAX]; /* by row of the table; -1: not in the file */
    struct column_read reads[COLUMNS_MAX];
    size_t n_reads;
    struct column_read start, end;
    struct clock clock; /* the zone of dates that name none; UTC at first */
    sim_time epoch;     /* time 0 of times that are numbers; 1970 at first */
};

/* Reads the header. `rows` and `table` outlive the reader. */
enum status columns_open(struct columns *columns,
                         const struct trace_column *table, size_t n_table,
                         struct rows *rows, struct error *err) MUST_USE;
/* Checks that the table has each column of the header: rows_header_known. */
enum status columns_known(const struct columns *columns, const char *skip,
                          const char *ask, struct error *err) MUST_USE;
/* Returns the cell of the column that the table calls `names`; -1 if the file
 * lacks it. */
int columns_find(const struct columns *columns, const char *names);
/* Reads the next row; as trace_ops.next. */
enum status columns_next(struct columns *columns, struct trace_row *row,
                         struct error *err) MUST_USE;

#endif
