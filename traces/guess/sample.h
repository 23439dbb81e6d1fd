/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows of a file, cut into cells, and what the values of a column
 * look like. */
#ifndef TRACES_GUESS_SAMPLE_H
#define TRACES_GUESS_SAMPLE_H

#include "sim/base/arena.h"
#include "sim/base/error.h"
#include "sim/base/rows.h"
#include "sim/base/text.h"

#define SAMPLE_ROWS_MAX (size_t)1000
#define SAMPLE_WORDS_MAX 12

/* What the values of a column look like. Cells that say "no value" do not
 * count. */
struct sample_column {
    struct text name;      /* of the header, or "#3" */
    size_t n;              /* values */
    size_t n_numbers;      /* those that are numbers */
    size_t n_whole;        /* those that are whole numbers, 0 or more */
    size_t n_dates;        /* YYYY-MM-DD..., with or without a zone */
    size_t n_zoned;        /* those of them that name a zone */
    size_t n_clocks;       /* [D-]HH:MM:SS and other lengths with ':' */
    size_t n_gres, n_tres; /* Slurm's "gpu:4" and "gres/gpu=4" */
    double least, most;    /* of the numbers */
    /* a format of strptime that all values have; NULL: none of those known.
     * `or_format`: another one that all have too, such as day before month */
    const char *format, *or_format;
    struct text words[SAMPLE_WORDS_MAX]; /* different values, in order */
    size_t n_words; /* SAMPLE_WORDS_MAX + 1: there are more */
};

struct sample {
    struct arena arena; /* owns all texts */
    char separator;
    bool has_header;
    size_t n_columns, n_rows;
    struct sample_column *columns;
    struct text *cells; /* row by row; an empty text is no value */
    size_t cap_cells;
};

/* Reads the first rows. The caller frees the sample, also after an error. */
enum status sample_read(const char *path, struct sample *out,
                        struct error *err) MUST_USE;
void sample_free(struct sample *sample);
/* Returns a cell; an empty text if it says that there is no value. */
struct text sample_cell(const struct sample *sample, size_t row, size_t column);

#endif
