/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that make a guess: guess.c gives columns to keys,
 * values.c finds the units and words of their values. */
#ifndef TRACES_GUESS_INTERNAL_H
#define TRACES_GUESS_INTERNAL_H

#include "traces/guess/guess.h"
#include "traces/guess/names.h"

/* A guess in the making. */
struct guessing {
    struct proposal *out;
    int column_of[GUESS_N_KEYS]; /* column of each key; -1: none */
    /* why the times and the GPUs are in these columns; NULL: their names */
    const char *why_times, *why_gpus;
};

/* Formats a text that lives as long as the guess. */
const char *guess_text(struct proposal *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void guess_choose(struct proposal *out, const char *key, const char *value,
                  const char *why);
/* Adds a line to what could not be told. */
void guess_open(struct proposal *out, const char *line);
/* Returns the column as a map names it: by name, in quotes if the name needs
 * them, or by number. */
const char *guess_column(struct proposal *out, size_t column);

/* True if the values of a column can be those of a key. */
bool values_fit(const struct sample_column *column, int key);
/* Choose the value of a key, with its unit or words, and say why. */
void values_instant(struct guessing *g, enum csv_key key, const char *why);
void values_length(struct guessing *g, enum csv_key key, const char *why);
void values_amount(struct guessing *g, enum csv_key key, const char *why);
void values_state(struct guessing *g, const char *why);
/* Returns the unit in which a number is a time between 1990 and 2070 since
 * 1970: "s", "ms", "us" or "ns"; NULL: in none. */
const char *values_epoch_unit(double number);
/* Find the times and the GPUs by their values, if no name tells them. */
void by_values_times(struct guessing *g);
void by_values_gpus(struct guessing *g);
/* Says what holds for all dates: their format, and whether they name zones. */
void values_dates(struct guessing *g);

#endif
