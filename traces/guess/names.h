/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the name of a column says: the key of the column map, and the unit. */
#ifndef TRACES_GUESS_NAMES_H
#define TRACES_GUESS_NAMES_H

#include "traces/formats/csv_map.h"

/* GPUs of one node, beside the keys of a map. */
enum { GUESS_GPUS_EACH = CSV_N_KEYS, GUESS_N_KEYS };

/* Returns how well a name fits a key: 0 not at all, up to 100. */
int names_fit(struct text name, int key);

/* Returns the unit that ends the name, as the word of a column map: "ms" for
 * "Runtime (ms)", "h" for "hours"; NULL: none. */
const char *names_unit(struct text name);

/* True if a word of the name is "UTC". */
bool names_say_utc(struct text name);

#endif
