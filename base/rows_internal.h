/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a reader of rows, which rows*.c share. */
#ifndef SIM_BASE_ROWS_INTERNAL_H
#define SIM_BASE_ROWS_INTERNAL_H

#include <csv.h>

#include "base/rows.h"
#include "base/source.h"

/* number of bytes that rows_split looks at together */
#define WORD (size_t)64

struct rows {
    char *path;
    struct source *source;
    /* The window: buf[0] .. buf[end - 1] were read from the source. buf has
     * room for cap + WORD bytes, so that a whole word of WORD bytes can be read
     * at the end. */
    char *buf;
    size_t cap, end;
    size_t at;       /* index of the next byte to be read */
    size_t keep;     /* index of the first byte that is still needed */
    uint64_t passed; /* number of bytes of the source before the window */
    bool source_ended, has_quote, has_nul;
    char separator;       /* the character between cells */
    bool told;            /* true once `failure` was reported */
    struct error failure; /* status OK until the source fails */

    uint64_t line, next_line; /* number of the record's line, and of the line
                               * after the record */
    /* number of bytes of the record, which begins at `keep`; number of cells of
     * the record and of the header */
    size_t record_len, n_cells, n_header;
    /* The cells of the record. A word of WORD bytes holds at most WORD
     * separators, so up to WORD cells above the limit are stored before the
     * limit is checked. */
    struct text cells[ROWS_CELLS_MAX + WORD];
    char *header[ROWS_CELLS_MAX]; /* names of the columns */

    /* True if the record has quotes. Its cells then lie without quotes, one
     * after another, in `cooking`; cell i ends at offsets[i + 1]. */
    bool cooked;
    struct csv_parser csv;
    char *cooking;
    size_t cooking_len, cooking_cap, offsets[ROWS_CELLS_MAX + 1];
    bool row_done;      /* true if libcsv has seen the end of the record */
    unsigned n_rescans; /* number of records with a stray quote so far */
};

/* Cuts the line at r->at and moves r->at past it. *len leaves out the line end.
 * The record of the line begins at r->keep. Returns what rows_line returns. */
enum status rows_take_line(struct rows *r, size_t *len,
                           struct error *err) MUST_USE;

/* Cuts the record at r->keep, which has no quotes, into cells. Returns its line
 * feed; NULL if the window ends first, or if there are more cells than
 * ROWS_CELLS_MAX. */
const char *rows_split(struct rows *r);

/* Parses a record with quotes, whose first line has been taken; takes more
 * lines while a quote is open. STATUS_BAD_INPUT if a quote is not closed or
 * stands in a wrong place, or if the source fails. */
enum status rows_cook(struct rows *r, struct error *err) MUST_USE;
/* Returns the column, in bytes from 1, of cell `at` of a record with quotes. */
size_t rows_cooked_column(const struct rows *r, int at);

#endif
