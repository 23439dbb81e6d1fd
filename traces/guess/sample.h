/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows of a file, split into cells, and facts about the values of
 * each column. */
#ifndef TRACES_GUESS_SAMPLE_H
#define TRACES_GUESS_SAMPLE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/rows.h"
#include "base/text.h"
#include "traces/formats/records.h"

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

#endif
