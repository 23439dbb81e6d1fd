/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proposes a column map (traces/formats/csv.h) for a file of jobs, from the
 * names of its columns and the values of its first rows. What these do not tell
 * is listed as an open question, or the reason for a choice says what was
 * assumed. */
#ifndef TRACES_GUESS_GUESS_H
#define TRACES_GUESS_GUESS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/rows.h"
#include "base/text.h"
#include "traces/formats/csv.h"
#include "traces/formats/records.h"
#include "traces/same_rows.h"

/* == evidence.c: Judges a proposal by the whole log: what the rows that it
 * gives contradict.
 */

struct guess_columns {
    /* Columns as the user knows them, for the answer; "" if there is none. */
    const char *submit, *start, *end, *duration, *gpus, *id;
    /* True: the name, the values or another column tell the unit; false: it is
     * assumed to be seconds. */
    bool submit_unit_known, duration_unit_known;
};

struct guess_evidence {
    enum same_rule same; /* what rows of one id are */
    char why_same[160];  /* one line */
    /* One line: the column in doubt, what contradicts it, and what would settle
     * it; "": nothing is in doubt. */
    char doubt[512];
};

/* Reads the whole log at `path` by `spec` (trace_open). Returns the error of a
 * row that cannot be read. */
enum status evidence_weigh(const char *path, const char *spec,
                           const struct guess_columns *columns,
                           struct guess_evidence *out,
                           struct error *err) MUST_USE;

/* == sample.c: The first rows of a file, split into cells, and facts about the
 * values of each column. */

#define SAMPLE_ROWS_MAX (size_t)1000
#define SAMPLE_WORDS_MAX 12

/* Facts about the values of a column. Cells that stand for a missing value do
 * not count. */
struct sample_column {
    struct text name; /* from the header, or "#3" */
    size_t n;         /* number of values */
    size_t n_numbers; /* number of values that are numbers */
    size_t n_whole;   /* number of values that are whole numbers from 0 to
                       * UINT32_MAX */
    size_t n_dates;   /* number of values such as YYYY-MM-DD HH:MM:SS,
                       * with or without a zone */
    size_t n_zoned;   /* number of these dates that name a zone */
    size_t n_clocks;  /* number of values that cells_is_clock accepts,
                       * such as [D-]HH:MM:SS */
    /* numbers of values such as Slurm's "gpu:4" and such as "gres/gpu=4" */
    size_t n_gres, n_tres;
    /* numbers of texts such as "4x A100", and of lists such as "0,1,2" */
    size_t n_worded, n_lists;
    size_t n_asked;     /* number of requests such as "2:ngpus=4", "gpu=2" */
    size_t n_two;       /* number of clocks with one colon, such as 01:30 */
    size_t n_fractions; /* numbers that are not whole */
    double least, most; /* smallest and largest number; 0 if there is none */
    /* A format of strptime that fits all values; NULL: none that is known, or
     * some value is a number or a date that n_dates counts. or_format: another
     * one that fits all, such as day before month; NULL: none. */
    const char *format, *or_format;
    struct text words[SAMPLE_WORDS_MAX]; /* the first distinct values, in the
                                          * order in which they occur */
    size_t n_words; /* number of distinct values; SAMPLE_WORDS_MAX + 1: more
                     * than SAMPLE_WORDS_MAX */
};

struct sample {
    struct arena arena; /* owns `columns` and all texts of the file */
    char separator;
    bool decimal_comma;            /* numbers are written as in 1.234,5 */
    char layout[RECORDS_NOTE_MAX]; /* see records_open; "": rows of cells */
    bool has_header;
    size_t n_columns, n_rows;
    struct sample_column *columns;
    struct text *cells; /* row by row; an empty text is a missing value */
    size_t cap_cells;
};

/* Reads the first SAMPLE_ROWS_MAX rows. The caller must call sample_free, also
 * after an error. */
enum status sample_read(const char *path, struct sample *out,
                        struct error *err) MUST_USE;
void sample_free(struct sample *sample);
/* Returns a cell; an empty text if it stands for a missing value. */
struct text sample_cell(const struct sample *sample, size_t row, size_t column);

/* == guess.c */

#define GUESS_CHOICES_MAX (CSV_N_KEYS + 4)
#define GUESS_OPEN_MAX 16

/* A setting of the proposed map. */
struct guess_choice {
    const char *key, *value;
    const char *why; /* reason for the choice, one line */
};

struct proposal {
    struct sample sample; /* its arena owns the texts that are not constants */
    struct guess_choice choices[GUESS_CHOICES_MAX];
    size_t n_choices;
    const char *open[GUESS_OPEN_MAX]; /* questions that the user must answer,
                                       * one line each */
    size_t n_open;
    /* Column in doubt, what contradicts it and what would settle it, one line;
     * NULL: nothing is in doubt. Set by guess_map from the sample, and by
     * guess_weigh from the whole log. */
    const char *doubt;
    /* The first column that a map needs and that was not found, with columns
     * that may be it, one line; NULL: none lacks. */
    const char *lacking;
    struct guess_columns columns;
    const char *unread; /* names of the columns that the map does not read,
                         * separated by commas */
    /* "csv:KEY=VALUE,..."; NULL: no column was found for the submission, the
     * GPUs or the run time, or the text is too long. */
    const char *spec;
};

/* Reads the first rows of a file and proposes a map. The caller must call
 * guess_free, also after an error. */
enum status guess_map(const char *path, struct proposal *out,
                      struct error *err) MUST_USE;
/* Reads the whole log by the proposed map. Adds the setting `same` if rows of
 * one id are parts or attempts of a job, and sets `doubt` if rows contradict
 * the map. */
enum status guess_weigh(const char *path, struct proposal *guess,
                        struct error *err) MUST_USE;
void guess_free(struct proposal *guess);

#endif
