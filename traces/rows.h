/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and CSV cells of a trace, each with its line and column. Lines count
 * from 1; columns count bytes from 1. A byte order mark is skipped, CRLF is a
 * line end, blank lines are no rows. Memory is bounded: no line, and no quoted
 * record, is longer than ROWS_LINE_MAX. */
#ifndef TRACES_ROWS_H
#define TRACES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

#define ROWS_LINE_MAX (size_t)(1024 * 1024)
#define ROWS_CELLS_MAX 256
#define ROWS_HEAD_MAX (size_t)(64 * 1024)

struct rows; /* opaque */

/* "-" is standard input. An empty file is STATUS_BAD_INPUT. Owned by the
 * caller. */
enum status rows_open(const char *path, struct rows **out,
                      struct error *err) MUST_USE;
void rows_close(struct rows *rows); /* accepts NULL */

/* The first bytes, for recognising the format; valid until something is read.
 * rows_head_whole: is that all there is? */
struct text rows_head(const struct rows *rows);
const char *rows_digest(const struct rows *rows); /* see source_digest */
/* How many lines there will be, if those to come are as long as those read; 0
 * if nobody can tell. */
uint64_t rows_expected(const struct rows *rows);

/* The next line without its end. STATUS_END behind the last one. Valid until
 * the next call. */
enum status rows_line(struct rows *rows, struct text *line,
                      struct error *err) MUST_USE;

/* The next byte, or -1 at the end and on an error, which rows_byte_status
 * tells apart. For formats that are not made of lines. */
int rows_byte(struct rows *rows);
enum status rows_byte_status(const struct rows *rows,
                             struct error *err) MUST_USE;

/* A column that a reader knows: its names in the order of preference, divided
 * by '|'; "" is a column without a name, such as the numbers that pandas puts
 * in front. */
struct rows_column {
    const char *names;
    bool required;
};

/* Reads the header line; at[i] becomes the cell of column i, or -1. From then
 * on every record must have as many cells as the header. */
enum status rows_header(struct rows *rows, const struct rows_column *columns,
                        size_t n, int16_t *at, struct error *err) MUST_USE;

/* The name of a cell of the header, NULL behind the last one. */
const char *rows_header_name(const struct rows *rows, size_t cell);

/* For formats of our own, right after rows_header: every column of the header
 * must be one of `columns` or of `skip`, names divided by '+' ("*": any). The
 * error names the nearest column, and how to pass over the one that nobody
 * reads: `ask`, as in "native:skip=". NULL: it cannot be passed over. */
enum status rows_header_known(const struct rows *rows,
                              const struct rows_column *columns, size_t n,
                              const char *skip, const char *ask,
                              struct error *err) MUST_USE;

/* The next record. STATUS_END behind the last one. After STATUS_BAD_INPUT it
 * goes on behind the bad record, if the source can still be read. */
enum status rows_next(struct rows *rows, struct error *err) MUST_USE;

/* Cell `at` of the record; an empty text for -1. Valid until rows_next. */
struct text rows_cell(const struct rows *rows, int at);
uint64_t rows_line_number(const struct rows *rows);

/* Fills err with "path:line:column: field: " and the words. `at` is a cell, and
 * the field its name in the header. Returns STATUS_BAD_INPUT. */
enum status rows_bad(const struct rows *rows, int at, struct error *err,
                     const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same at a line and column that the caller counted. */
enum status rows_bad_at(const struct rows *rows, uint64_t line, size_t column,
                        const char *field, struct error *err, const char *fmt,
                        ...) __attribute__((format(printf, 6, 7)));

/* Does the first line of `head` name all these columns? As in rows_column;
 * `names` ends with NULL. For trace_ops.recognise. */
bool rows_head_names(struct text head, const char *const *names);

#endif
