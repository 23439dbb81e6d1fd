/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a column or metric, kept next to the code that computes
 * it, and the numbers of summary.json, most of which are a field of a struct.
 * The reference page is printed from these descriptions. */
#ifndef SIM_COLUMNS_H
#define SIM_COLUMNS_H

#include <math.h>
#include <stddef.h>

#include "sim/results/meter.h"

struct column {
    const char *name; /* NULL ends the table */
    const char *unit; /* "" for words and for numbers without a unit */
    const char *help;
};

/* A column of a CSV file and what is always true of its cells, which `verify`
 * checks: "FORM, CHECK".
 *
 * FORM: text, flag (0 or 1), count (a whole number), time (seconds, not
 * negative, to the microsecond), "time or -1", span (seconds of any sign),
 * ratio or set ("0-3 8"); `?` after it: the cell may be empty;
 * `?COLUMN`: it is empty exactly if that one is.
 *
 * CHECK:
 *   given         copied from the trace or the settings; nothing else in the
 *                 result tells it, so only the digest of the file protects it
 *   always WORD   each cell is the word; `empty`: each is empty
 *   rises         never below the row before
 *   A - B, A / B  of the columns A and B of the row; empty if one of them
 *                 is, or for a division by 0; a quotient to six decimals
 *   as FILE       equals the cell of the job's row in that file
 *   manifest A.B  equals that text of manifest.json
 *   law NAME      the part NAME of `verify` computes it again: verify_laws
 *   bounds NAME   that part says which values are possible; only the digest
 *                 tells one possible value from another */
struct csv_column {
    const char *name; /* NULL ends the table */
    const char *unit;
    const char *rule;
    const char *help;
};

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
