/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Column maps of the format csv: which column of a file says what of a job. A
 * map is a list of settings, KEY=VALUE, or a JSON object of the same keys and
 * values. A value is
 *
 *     TERM[*TERM...][:UNIT][:or=NUMBER][:ok=WORD+WORD...]
 *
 * A term is the name of a column, its number as in #3, or, in a product, a
 * number. A name may be in double quotes, and must be if it has one of the
 * characters * : " or looks like a number. */
#ifndef TRACES_CSV_MAP_H
#define TRACES_CSV_MAP_H

#include <jansson.h>

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

/* What the value of a key is. */
enum csv_class {
    CSV_TEXT,
    CSV_INSTANT,
    CSV_LENGTH,
    CSV_COUNT,
    CSV_AMOUNT, /* of memory, MiB */
    CSV_NUMBER,
    CSV_WORDS, /* how a job ended */
};

struct csv_key_info {
    const char *name;
    enum csv_class class;
    enum column_kind kind;
    size_t field; /* offset in struct trace_row, for counts and numbers */
};
extern const struct csv_key_info csv_keys[CSV_N_KEYS];

/* Settings of the format. NULL or empty: not given. */
struct csv_config {
    const char *map; /* path of a JSON file */
    const char *sep, *header, *zone, *date, *origin, *missing;
    const char *values[CSV_N_KEYS];
};
extern const struct option csv_options[];

#define CSV_TERMS_MAX 4
struct csv_term {
    struct text column; /* name or number; empty: a number */
    double number;
    int cell; /* index of the cell in a row; set when the header was read */
};

/* How GPUs or memory are written. */
enum csv_form {
    CSV_PLAIN,
    CSV_GRES, /* "gpu:a100:4" */
    CSV_TRES, /* "cpu=8,gres/gpu=4" */
};

/* How a job can have ended, and that it goes on. */
enum { CSV_RUNNING = TRACE_END_UNKNOWN, CSV_N_ENDS };

/* What the map says of a key. */
struct csv_value {
    size_t n_terms; /* 0: the map does not have the key */
    struct csv_term terms[CSV_TERMS_MAX];
    enum column_unit unit;
    enum csv_form form;
    double scale; /* MiB of one unit of memory */
    bool has_otherwise;
    double otherwise; /* value of an empty cell */
    /* words for each end (enum trace_end) and for jobs that still run,
     * separated by '+'; empty: none */
    struct text words[CSV_N_ENDS];
    bool has_words;
};

struct csv_map {
    struct csv_value values[CSV_N_KEYS];
    struct csv_config config;
    json_t *file; /* owns the texts of a map file; NULL: there is none */
};

/* Fills *out from the settings and the file that they name; a setting takes
 * precedence over the file. STATUS_USAGE or, for the file, STATUS_BAD_INPUT if
 * a value is malformed or something is missing. */
enum status csv_map_read(const struct csv_config *config, struct csv_map *out,
                         struct error *err) MUST_USE;
void csv_map_close(struct csv_map *map);

/* Takes the next word of a list separated by '+'. A word may be in double
 * quotes. Returns false at the end. */
bool csv_take_word(struct text *list, struct text *word);

#endif
