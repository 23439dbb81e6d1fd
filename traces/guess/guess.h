/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Proposes a column map (traces/formats/csv.h) for a file of jobs, from the
 * names of its columns and the values of its first rows. What these do not tell
 * is listed as an open question, or the reason for a choice says what was
 * assumed. */
#ifndef TRACES_GUESS_H
#define TRACES_GUESS_H

#include "traces/formats/csv.h"
#include "traces/guess/evidence.h"
#include "traces/guess/sample.h"

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
