/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a column or metric, kept next to the code that computes
 * it, and the numbers of summary.json, most of which are a field of a struct.
 * The reference page is printed from these descriptions. */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

#include <math.h>
#include <stddef.h>

#include "sim/results/meter.h"

/* A column of a CSV file or a key of a JSON file, and what is always true of
 * its cells or values, which `verify` checks: "FORM, CHECK".
 *
 * FORM of a cell: text, flag (0 or 1), count (a whole number), time (seconds,
 * not negative, to the microsecond), "time or -1", span (seconds of any sign),
 * ratio or set ("0-3 8"); `?` after it: the cell may be empty; `?COLUMN`: it is
 * empty exactly if that one is. FORM of a value: text, flag (true or false),
 * count, time, number (not negative), signed (a number of any sign), share (0
 * to 1), digest (64 hexadecimal digits), date, object or list; `or null` after
 * it: null is possible; `?` after it: the key may be missing. Elements of lists
 * are named by their places, from 0.
 *
 * CHECK:
 *   given          copied from the trace or the settings, or counted by a
 *                  policy: only the digest of the file tells another value, of
 *                  manifest.json only `verify --again`
 *   always WORD    each cell is the word; `empty`: each is empty
 *   one of A B C   is one of the words
 *   rises          never below the row before
 *   A - B, A / B   of the columns or keys A and B beside it; empty or null if
 *                  one of them is, or for a division by 0; a quotient in a CSV
 *                  file has six decimals
 *   as FILE        equals the cell of the job's row in that file
 *   manifest A.B   equals that value of manifest.json; `*` stands for the key
 *   law NAME       the part NAME of `verify` computes it again: verify_laws
 *   bounds NAME    that part says which values are possible; only the digest
 *                  tells one possible value from another */
struct column {
    const char *name; /* NULL ends the table; in JSON "*" stands for any name */
    const char *unit; /* "" for words and for numbers without a unit */
    const char *rule; /* NULL: of the names of files, which have none */
    const char *help;
};

/* A row of a table of keys. */
#define KEY(key, unit_of, rule_of, words) \
    { \
        .name = (key), .unit = (unit_of), .rule = (rule_of), .help = (words) \
    }

/* The columns of a file, or the keys of one kind of object in it. */
struct result_table {
    const char *file, *path; /* path: as "packing.pairs.*", several separated by
                              * spaces; "": the whole file; NULL: a CSV file */
    const struct column *at; /* ends with a NULL name */
    size_t stride;           /* bytes from one row of the table to the next */
    const char *words;       /* for readers: what it is, and when it exists */
};
/* All tables of all files, in the order of the reference page (tables.c); ends
 * with a NULL file. */
extern const struct result_table result_tables[];

static inline const struct column *result_column(
    const struct result_table *table, size_t i)
{
    return (const void *)((const char *)table->at + i * table->stride);
}

/* Some columns of jobs.csv, by their place among all that any run has. */
struct column_choice {
    uint64_t columns; /* bit c: column c; 0: all columns of the run */
};
/* Chooses columns: "short", which are twelve of Batsim's, or names separated by
 * commas; "" are all. STATUS_USAGE for an unknown name. */
enum status column_choice_read(const char *words, struct column_choice *out,
                               struct error *err) MUST_USE;
/* True if a column is chosen that needs load_options.extras. */
bool column_choice_has_extras(const struct column_choice *choice);
/* Returns the name of the first column from place *at on that is chosen, and
 * moves *at after it; NULL at the end. */
const char *column_choice_next(const struct column_choice *choice,
                               unsigned *at);

/* A field of a struct, by its place and type. */
struct field {
    size_t at;
    enum {
        FIELD_NONE,
        FIELD_BOOL,
        FIELD_U32,
        FIELD_U64,
        FIELD_SPAN,
        FIELD_GPU_TIME,
        FIELD_DOUBLE,
    } type;
};
#define FIELD(type, member) \
    { \
        offsetof(type, member), _Generic(((type *)0)->member, bool \
                                         : FIELD_BOOL, uint32_t \
                                         : FIELD_U32, uint64_t \
                                         : FIELD_U64, sim_span \
                                         : FIELD_SPAN, gpu_time \
                                         : FIELD_GPU_TIME, double \
                                         : FIELD_DOUBLE) \
    }

/* A single number of a part of summary.json, made from the struct of that
 * part. */
struct scalar {
    struct column column;
    struct field of; /* the number, in the unit of the struct */
    /* what one unit of the number is in the unit of the struct, such as
     * SPAN_HOUR for times in microseconds; 0: the units are the same */
    sim_span unit;
    struct field over; /* if set: the number is `of` / `over`, or NaN if `over`
                          is 0 */
    double (*compute)(const void *part); /* if set: used in place of `of` */
    struct field when; /* if set: the number is written only if this is true */
};
/* What a row of a table of scalars has after its column. */
#define SCALAR_FIELD(type, member) .of = FIELD(type, member)
#define SCALAR_TIME(type, member, unit_of) \
    .of = FIELD(type, member), .unit = unit_of
#define SCALAR_RATIO(type, part, whole) \
    .of = FIELD(type, part), .over = FIELD(type, whole)
#define SCALAR_TIME_RATIO(type, part, unit_of, whole) \
    SCALAR_TIME(type, part, unit_of), .over = FIELD(type, whole)

static inline double scalar_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

double scalar_value(const struct scalar *scalar, const void *part);

struct json_stream;
/* Writes the scalars of a table that ends with a NULL name. */
void report_scalars(struct json_stream *js, const struct scalar *rows,
                    const void *part);

#endif
