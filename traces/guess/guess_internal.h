/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that make a guess: guess.c finds columns for keys by
 * names, by_values.c by values, and values.c finds the units and words of the
 * values. */
#ifndef TRACES_GUESS_GUESS_INTERNAL_H
#define TRACES_GUESS_GUESS_INTERNAL_H

#include "traces/formats/csv.h"
#include "traces/guess/guess.h"

/* == names.c: What the name of a column tells: the key of the column map and
 * the unit. */

/* GUESS_GPUS_EACH: GPUs of one node, which no key of a map names directly. */
enum { GUESS_GPUS_EACH = CSV_N_KEYS, GUESS_N_KEYS };

/* Returns how well a name fits a key: 100 for the best name of the key, less
 * for others, 0 if it does not fit. */
int names_fit(struct text name, int key);

/* Returns the unit at the end of the name, as a column map writes it, such as
 * "ms" for "Runtime (ms)"; NULL if there is none. */
const char *names_unit(struct text name);

/* Returns true if a word of the name is "UTC". */
bool names_say_utc(struct text name);

/* A proposal that is being made. */
struct guessing {
    struct proposal *out;
    int column_of[GUESS_N_KEYS]; /* by key: its column; -1: none */
    /* Reasons why the times and the GPUs are in these columns. NULL: the names
     * of the columns say so. */
    const char *why_times, *why_gpus;
    /* Unit of the times that are numbers, from the name of one of them; NULL:
     * none says it. */
    const char *instant_unit;
    bool serial_days; /* true: times are the days of a spreadsheet */
};

/* Formats a text of at most 1023 bytes, which lives as long as the proposal.
 * Cuts off longer texts. */
const char *guess_text(struct proposal *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void guess_choose(struct proposal *out, const char *key, const char *value,
                  const char *why);
/* Adds a question that the user must answer. `line` must live as long as the
 * proposal. Questions beyond GUESS_OPEN_MAX are dropped. */
void guess_open(struct proposal *out, const char *line);
/* Sets out->doubt unless it is set. */
void guess_doubt(struct proposal *out, const char *line);
/* Returns a column as a map names it: by its name, in quotes if needed, or, if
 * the name cannot serve, by its number, such as #3. */
const char *guess_column(struct proposal *out, size_t column);

/* Returns true if a key has this column already. */
bool guess_takes(const struct guessing *g, size_t column);

/* Returns true if the values of a column fit a key. */
bool values_fit(const struct sample_column *column, int key);
/* Add the setting of a key that has a column in column_of, with the unit that
 * its values need. `why`: reason for the column, to which they add the reason
 * for the unit, or what the words of the column mean. They may also add
 * questions for the user, such as about a unit that they had to assume or a
 * word that they do not know. */
void values_instant(struct guessing *g, enum csv_key key, const char *why);
void values_length(struct guessing *g, enum csv_key key, const char *why);
void values_amount(struct guessing *g, enum csv_key key, const char *why);
void values_state(struct guessing *g, const char *why);
/* Returns the unit ("s", "ms", "us" or "ns") in which a number since 1970 is a
 * time between 1990 and 2070; NULL if there is none. */
const char *values_epoch_unit(double number);
/* Find the columns of times and the column of GPUs by their values. They do
 * nothing if names told one of these columns already, or if the values allow
 * several choices. */
void by_values_times(struct guessing *g);
void by_values_gpus(struct guessing *g);
/* Chooses the format of all dates, if they need one. Asks the user which of two
 * formats is right if both fit, and which zone the dates have if they do not
 * name it. */
void values_dates(struct guessing *g);

#endif
