/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and CSV cells of a text file, such as a trace, each with its line and
 * column. Lines count from 1; columns count bytes from 1. A byte order mark is
 * skipped. LF or CR LF ends a line. Blank lines are no records. Memory is
 * bounded: a line or quoted record longer than ROWS_LINE_MAX is an error. */
#ifndef TRACES_ROWS_H
#define TRACES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define ROWS_LINE_MAX (size_t)(1024 * 1024)
#define ROWS_CELLS_MAX 256
#define ROWS_HEAD_MAX (size_t)(64 * 1024)

struct rows; /* opaque */

/* Opens a file of rows; "-" is standard input. STATUS_BAD_INPUT if it cannot be
 * read, is empty, or is UTF-16 text. The caller owns *out. */
enum status rows_open(const char *path, struct rows **out,
                      struct error *err) MUST_USE;
/* Takes over an open file, as source_take does. Messages call it `name`. */
enum status rows_take(int fd, const char *name, struct rows **out,
                      struct error *err) MUST_USE;
void rows_close(struct rows *rows); /* accepts NULL */
/* Returns what messages call the file. */
const char *rows_path(const struct rows *rows);

/* Returns the next bytes to be read, at most ROWS_HEAD_MAX, for recognising the
 * format of a file that was just opened. Valid until the next read. */
struct text rows_head(const struct rows *rows);
const char *rows_digest(const struct rows *rows); /* see source_digest */
void rows_skip_digest(struct rows *rows);         /* see source_skip_digest */
/* Estimates the number of lines from the size of the file and the length of the
 * lines read so far; 0: the size is not known, or nothing was read yet. */
uint64_t rows_expected(const struct rows *rows);

/* Reads the next line, which may be blank, without its end. STATUS_END after
 * the last line; STATUS_BAD_INPUT for a line that is too long or holds a NUL
 * byte, or if the source fails. *line is valid until the next call. */
enum status rows_line(struct rows *rows, struct text *line,
                      struct error *err) MUST_USE;

/* Returns the next byte, or -1 at the end and on an error; rows_byte_status
 * distinguishes the two. For formats that are not made of lines. */
int rows_byte(struct rows *rows);
enum status rows_byte_status(const struct rows *rows,
                             struct error *err) MUST_USE;

/* Sets the character between cells, which is a comma by default. Call it before
 * the header is read. */
void rows_separate(struct rows *rows, char separator);

/* A column that a reader knows: its names in the order of preference, separated
 * by '|'. "" is a column without a name, such as the row numbers that pandas
 * writes first; rows_header_known accepts it, and rows_header does not find
 * it. */
struct rows_column {
    const char *names;
    bool required;
};

/* Reads the header line; at[i] becomes the cell of column i, or -1 if the
 * header lacks it. From then on every record must have as many cells as the
 * header. STATUS_BAD_INPUT if there is no header line or it cannot be read, a
 * required column is missing, or the header names one of `columns` twice. */
enum status rows_header(struct rows *rows, const struct rows_column *columns,
                        size_t n, int16_t *at, struct error *err) MUST_USE;

/* For a file without a header line, in place of rows_header: the columns are
 * called "#1", "#2", ..., as many as the first record has cells. The first
 * record is then read as a row. STATUS_BAD_INPUT if there is no record or the
 * first one cannot be read. */
enum status rows_header_numbers(struct rows *rows, struct error *err) MUST_USE;

/* Returns the name of a cell of the header; NULL after the last cell. */
const char *rows_header_name(const struct rows *rows, size_t cell);

/* For schedsim's own formats, right after rows_header: every column of the
 * header must be one of `columns` or of `skip`, names separated by '+' ("*":
 * any; NULL: none). Otherwise returns STATUS_BAD_INPUT; the error names the
 * nearest column, if one is near enough; `ask`, such as "native:skip=", tells
 * the user how to skip the unknown one. If `ask` is NULL, the user cannot skip
 * a column. */
enum status rows_header_known(const struct rows *rows,
                              const struct rows_column *columns, size_t n,
                              const char *skip, const char *ask,
                              struct error *err) MUST_USE;

/* Reads the next record. STATUS_END after the last record. After
 * STATUS_BAD_INPUT the next call goes on after the bad record, if the source
 * can still be read. */
enum status rows_next(struct rows *rows, struct error *err) MUST_USE;

/* Returns cell `at` of the record; an empty text for -1. Valid until
 * rows_next. */
struct text rows_cell(const struct rows *rows, int at);
/* Returns the cells of the record, in the order in which they stand in it. The
 * array stays where it is; rows_next overwrites its cells. */
const struct text *rows_cells(const struct rows *rows);
/* Replaces a cell of the record. For readers that trim cells, or treat words as
 * empty cells. `value` is a part of the cell. */
void rows_set_cell(struct rows *rows, int at, struct text value);
uint64_t rows_line_number(const struct rows *rows);

/* Fills err with "path:line:column: field: " and the message. `at` is a cell,
 * and the field its name in the header; -1 is the whole record, with the field
 * "row". Returns STATUS_BAD_INPUT. */
enum status rows_bad(const struct rows *rows, int at, struct error *err,
                     const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Fills err and returns STATUS_BAD_INPUT as rows_bad does, but with a line and
 * a column that the caller counted. */
enum status rows_bad_at(const struct rows *rows, uint64_t line, size_t column,
                        const char *field, struct error *err, const char *fmt,
                        ...) __attribute__((format(printf, 6, 7)));

/* True if the first line of `head` names all these columns, each written as in
 * rows_column; `names` ends with NULL. For trace_ops.recognise. */
bool rows_head_names(struct text head, const char *const *names);

#endif
