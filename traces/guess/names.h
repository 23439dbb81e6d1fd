/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the name of a column tells: the key of the column map and the unit. */
#ifndef TRACES_GUESS_NAMES_H
#define TRACES_GUESS_NAMES_H

#include "traces/formats/csv.h"

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

#endif
