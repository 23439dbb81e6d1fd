/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Column maps of the format csv say which column of a file holds which fact of
 * a job. A map is a list of settings, KEY=VALUE, or a JSON object of the same
 * keys and values. A value is
 *
 *     TERM[*TERM...][:UNIT][:or=NUMBER][:ok=WORD+WORD...]
 *
 * A term is the name of a column, its number as in #3, or, for a key with
 * numeric values, a number. Only such keys take several terms. A name may be in
 * double quotes, and must be if it has a '*' or ':' or looks like a number. A
 * name in double quotes cannot contain a double quote. For gpus, UNIT may be
 * gres, tres, text, request or list (enum csv_form). ok= gives the words for
 * completed jobs; failed=, cancelled= and running= give those for other jobs.
 */
#ifndef SIM_CSV_H
#define SIM_CSV_H

#include <jansson.h>

#include "base/rows.h"
#include "traces/columns.h"
#include "traces/trace.h"

enum csv_key {
    CSV_SUBMIT,
    CSV_GPUS,
    CSV_DURATION,
    CSV_START,
    CSV_END,
    CSV_WAIT,
    CSV_LIMIT,
    CSV_DUE,
    CSV_DEADLINE,
    CSV_ID,
    CSV_USER,
    CSV_VC,
    CSV_NAME,
    CSV_MODEL,
    CSV_DATASET,
    CSV_GPU_TYPE,
    CSV_KIND,
    CSV_PRIORITY,
    CSV_STATE,
    CSV_CPUS,
    CSV_NODES,
    CSV_BATCH_SIZE,
    CSV_ATTEMPTS,
    CSV_MEM,
    CSV_GPU_MEM,
    CSV_GPU_UTIL,
    CSV_N_KEYS
};

/* Kinds of values that keys have. */
enum csv_class {
    CSV_TEXT,
    CSV_INSTANT,
    CSV_LENGTH,
    CSV_COUNT,
    CSV_AMOUNT, /* an amount of memory, MiB */
    CSV_NUMBER,
    CSV_WORDS, /* words that say how a job ended */
};

struct csv_key_info {
    const char *name;
    enum csv_class class;
    enum column_kind kind;
    size_t field; /* offset in struct trace_row, for amounts, counts and
                   * numbers */
};

extern const struct csv_key_info csv_keys[CSV_N_KEYS];

/* Settings of the format. Empty: not given. */
struct csv_config {
    const char *map; /* path of a JSON file */
    const char *sep, *header, *zone, *date, *origin, *missing, *same, *decimal;
    const char *values[CSV_N_KEYS];
};

extern const struct option csv_options[];

#define CSV_TERMS_MAX 4

struct csv_term {
    struct text column; /* name or number (#3) of the column; empty: the term
                         * is `number` */
    double number;
    int cell; /* index of the cell in a row; -1: the header was not read yet, or
               * the term is `number` */
};

/* How the first cell of a value writes a number of GPUs. */
enum csv_form {
    CSV_PLAIN,  /* as a number */
    CSV_GRES,   /* "gpu:a100:4" */
    CSV_TRES,   /* "cpu=8,gres/gpu=4" */
    CSV_WORDED, /* "4x A100", "A100 x 4", "4 GPUs" */
    CSV_ASKED,  /* "2:ncpus=8:ngpus=4", "gpu=2,h_vmem=16G" */
    CSV_LIST,   /* "0,1,2,3": a number of items */
};

/* Indices of csv_value.words: the ends of enum trace_end, but CSV_RUNNING, for
 * jobs that still run, in place of TRACE_END_UNKNOWN. */
enum { CSV_RUNNING = TRACE_END_UNKNOWN, CSV_N_ENDS };

/* The value that the map gives to a key. */
struct csv_value {
    size_t n_terms; /* 0: the map does not have the key */
    struct csv_term terms[CSV_TERMS_MAX];
    enum column_unit unit;
    enum csv_form form;
    double scale; /* size of one unit of memory, MiB */
    bool has_otherwise;
    double otherwise; /* the value if one of its cells is empty */
    /* Words for each end and for jobs that still run, separated by '+'; empty:
     * none. */
    struct text words[CSV_N_ENDS];
    bool has_words;
};

struct csv_map {
    struct csv_value values[CSV_N_KEYS];
    struct csv_config config;
    json_t *file; /* owns the texts of a map file; NULL: no file was read */
};

/* Reads what a table of columns cannot express in the format csv: products of
 * columns, Slurm's lists of GPUs, amounts of memory, words for ends, words for
 * empty cells, and the character between cells. */

/* Reads "4x A100", "A100 x 4", "4 GPUs", "A100:4" or "4". Sets *type to the
 * GPU type if the text names one. Returns false if it has no such number. */
bool csv_worded_gpus(struct text t, double *out, struct text *type);

/* Adds up the GPUs of a request: chunks times GPUs of "2:ncpus=8:ngpus=4"
 * (PBS), "gpu=2,h_vmem=16G" (Grid Engine, for the whole job),
 * "num=4:mode=shared" (LSF). Returns false, and *out is 0, if it names no GPUs.
 */
bool csv_asked_gpus(struct text t, double *out);

/* Returns how a job ended, by the words of the map, or by common words if the
 * map has none. *running: true if the job had not ended. *strange: true if the
 * word is not empty and unknown; then the end is TRACE_END_UNKNOWN. */
enum trace_end csv_end(const struct csv_value *value, struct text word,
                       bool *running, bool *strange);

/* Returns the separator that occurs most often outside quotes in the first line
 * that is not blank: comma, semicolon, tab or bar; a comma if none occurs. */
char csv_likely_separator(struct text head);

#define CSV_MISSING_MAX 32

/* Words that stand for an empty cell. */
struct csv_missing {
    struct text words[CSV_MISSING_MAX];
    size_t n, longest;
    bool first[256]; /* by byte: true if a word begins with it */
};

/* Adds the built-in words and `more`, the user's words separated by '+', to
 * `missing`, which must be zeroed. `more` must outlive it; NULL: no words of
 * the user. More than CSV_MISSING_MAX words in all are STATUS_USAGE. */
enum status csv_missing_set(struct csv_missing *missing, const char *more,
                            struct error *err) MUST_USE;

bool csv_is_missing(const struct csv_missing *missing, struct text cell);

#endif
