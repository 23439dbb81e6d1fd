/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A CSV file of a result, read row by row (base/rows.h), with its columns found
 * by name: by verify_csv_read, or by verify_csv_open, verify_csv_next for each
 * row, and verify_csv_close. */
#ifndef SIM_VERIFY_CSV_H
#define SIM_VERIFY_CSV_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "sim/verify/verify_rule.h"

enum { VERIFY_CELLS_MAX = 40 };

struct verify_csv {
    const char *path; /* with `tables` it has a directory */
    /* names of the columns; NULL: the cell is not wanted, and empty */
    const char *const *names;
    unsigned n_names; /* at most VERIFY_CELLS_MAX */
    /* The last n_optional of them may be missing; their cells are then
     * empty. */
    unsigned n_optional;
    /* Called by verify_csv_read for each row after the header. May call
     * verify_csv_fail. */
    void (*row)(struct verify_csv *csv, void *self);
    void *self;
    /* The columns with their rules, which are then checked; the last table has
     * no columns. NULL: rules are not checked. */
    const struct verify_table *tables;
    bool any_columns;             /* the file may have only some of them */
    const json_t *manifest;       /* for the rules */
    struct verify_report *report; /* receives what breaks a rule */
    struct verify_rules *rules;   /* set by verify_csv_open */
    struct rows *rows;
    /* Cells of the current row, in the order of the file; at[i] is the one of
     * names[i], -1 if the file lacks the column. Valid during the call. */
    const struct text *row_cells;
    int16_t at[VERIFY_CELLS_MAX];
    uint64_t line;
    enum status st; /* the first error; STATUS_OK: none so far */
    struct error *err;
};

/* Returns STATUS_BAD_INPUT if the file cannot be read, lacks a column or has a
 * row that cannot be understood; if rules are checked, STATUS_BROKEN for what
 * the file says and not for one that cannot be read. `err` says where. */
enum status verify_csv_read(struct verify_csv *csv) MUST_USE;

/* The parts of verify_csv_read. Opens the file and reads its header. */
enum status verify_csv_open(struct verify_csv *csv) MUST_USE;
/* Reads a row. Returns false after the last one (csv->st is STATUS_END) and
 * after an error, also one that the caller has put into csv->st. */
bool verify_csv_next(struct verify_csv *csv);
/* Closes the file, if it was opened. Returns as verify_csv_read does. */
enum status verify_csv_close(struct verify_csv *csv);

/* Returns the cell of names[i] in the current row. */
static inline struct text verify_csv_cell(const struct verify_csv *csv,
                                          unsigned i)
{
    return csv->at[i] < 0 ? (struct text){"", 0} : csv->row_cells[csv->at[i]];
}

/* Fails with "PATH:LINE: COLUMN: 'CELL' is not a value of this column", unless
 * an error came before. No further row is then read. */
void verify_csv_fail(struct verify_csv *csv, unsigned cell);

/* Reports "FILE:LINE: COLUMN: is 'CELL', but WHAT", a broken rule. */
void verify_csv_say(const struct verify_csv *csv, unsigned cell,
                    const char *what);

/* Reads a span. If the cell cannot be understood, calls verify_csv_fail and
 * returns 0. */
sim_span verify_csv_span(struct verify_csv *csv, unsigned cell);
/* Reads a span; returns -1 for an empty cell. If the cell cannot be understood,
 * calls verify_csv_fail and returns 0. */
sim_span verify_csv_optional_span(struct verify_csv *csv, unsigned cell);
uint32_t verify_csv_count(struct verify_csv *csv, unsigned cell);
/* Reads a cell that must be 0 or 1. Otherwise calls verify_csv_fail and returns
 * false. */
bool verify_csv_flag(struct verify_csv *csv, unsigned cell);
/* Reads a number. Returns false, and leaves *out as it is, if the cell is
 * empty. If the cell cannot be understood, calls verify_csv_fail and returns
 * true. */
bool verify_csv_ratio(struct verify_csv *csv, unsigned cell, double *out);

#endif
