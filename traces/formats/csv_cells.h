/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a table of columns cannot express in the format csv: products of
 * columns, Slurm's lists of GPUs, amounts of memory, words for ends, words for
 * empty cells, and the character between cells. */
#ifndef TRACES_CSV_CELLS_H
#define TRACES_CSV_CELLS_H

#include "base/rows.h"
#include "traces/formats/csv_map.h"

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
