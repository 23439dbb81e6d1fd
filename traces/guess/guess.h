/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proposes a column map (traces/formats/csv_map.h) for a file of jobs, from the
 * names of its columns and the values of its first rows. What neither tells is
 * said, not guessed silently. */
#ifndef TRACES_GUESS_H
#define TRACES_GUESS_H

#include "traces/formats/csv_map.h"
#include "traces/guess/sample.h"

#define GUESS_CHOICES_MAX (CSV_N_KEYS + 4)
#define GUESS_OPEN_MAX 16

/* A setting of the proposed map. */
struct guess_choice {
    const char *key, *value;
    const char *why; /* one line */
};

struct proposal {
    struct sample sample; /* its arena owns all texts */
    struct guess_choice choices[GUESS_CHOICES_MAX];
    size_t n_choices;
    const char *open[GUESS_OPEN_MAX]; /* what could not be told */
    size_t n_open;
    const char *unread; /* names of the columns that the map leaves out */
    /* "csv:KEY=VALUE,..."; NULL: what a map needs was not found */
    const char *spec;
};

/* The caller frees the guess, also after an error. */
enum status guess_map(const char *path, struct proposal *out,
                      struct error *err) MUST_USE;
void guess_free(struct proposal *guess);

#endif
