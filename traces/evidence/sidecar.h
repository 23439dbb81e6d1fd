/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The side-car of a trace: a CSV file with one row per job that says what the
 * user submitted and what the job's log looks like. sidecar_help describes the
 * columns. A job without a row has no evidence. */
#ifndef TRACES_SIDECAR_H
#define TRACES_SIDECAR_H

#include "base/out.h"
#include "base/rows.h"
#include "traces/evidence/evidence_log.h"

enum sidecar_column {
    SIDECAR_JOB,
    SIDECAR_DIRECTORY,
    SIDECAR_COMMAND,
    SIDECAR_BRANCH,
    SIDECAR_STYLE,
    SIDECAR_LOG,
    SIDECAR_STEP_S,
    SIDECAR_START_S,
    SIDECAR_STEPS,
    SIDECAR_STEPS_PER_EPOCH,
    SIDECAR_LOG_EVERY,
    SIDECAR_BATCH_SIZE,
    SIDECAR_STEP_TIME,
    SIDECAR_COLUMNS
};

/* The columns, by enum sidecar_column. */
extern const struct rows_column sidecar_columns[SIDECAR_COLUMNS];
/* Unit ("": none) and meaning of each column, by enum sidecar_column. */
struct sidecar_help {
    const char *unit, *help;
};
extern const struct sidecar_help sidecar_help[SIDECAR_COLUMNS];

/* A row of the side-car. The texts are borrowed from the reader of rows, except
 * those of `log`. */
struct sidecar_row {
    struct text job; /* identifier of the job in the trace */
    /* working directory, relative to the side-car; empty: unknown */
    struct text directory;
    struct text command;     /* empty: unknown */
    struct text branch;      /* empty: unknown */
    bool has_log;            /* true if the row names a style or a real log */
    struct evidence_log log; /* log.path is relative to the side-car */
};

/* Reads the cells of the current record of `rows`. `at`: indices of the cells,
 * as rows_header gave them. The path of the log is copied to the arena; the
 * other texts are valid until the next record. Errors name line and column, and
 * for an unknown style a similar known one if there is one. */
enum status sidecar_read(const struct rows *rows,
                         const int16_t at[SIDECAR_COLUMNS], struct arena *arena,
                         struct sidecar_row *out, struct error *err) MUST_USE;

void sidecar_write_head(struct out *out);
void sidecar_write(struct out *out, const struct sidecar_row *row);

/* Returns the path of the side-car of a trace, such as "a/b.evidence.csv" for
 * "a/b.csv.gz": first an ending .gz or .zst is cut off, then one more ending.
 */
char *sidecar_path(const char *trace, struct arena *arena);

#endif
