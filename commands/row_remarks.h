/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks below a table whose rows are runs: each remark once, with the rows
 * that it is about. */
#ifndef SIM_ROW_REMARKS_H
#define SIM_ROW_REMARKS_H

#include <stdio.h>

#include "base/remarks.h"

struct row_remarks {
    const char *row; /* name of the row in the table */
    const struct remarks *remarks;
};

/* Prints "note: REMARK" or, if only some rows have the remark, "note (ROW,
 * ROW): REMARK". */
void row_remarks_print(const struct row_remarks *rows, size_t n, FILE *to);

struct row_words {
    const char *row;
    const char *words; /* what the policy knew; NULL: it asked for nothing */
};

/* Prints "ROW, ROW: WORDS", one line for each different text. */
void row_words_print(const struct row_words *rows, size_t n, FILE *to);

#endif
