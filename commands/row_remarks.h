/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remarks below a table whose rows are runs: each remark once, with the rows
 * that it is about, the gravest first. The code is in summary_table.c. */
#ifndef SIM_ROW_REMARKS_H
#define SIM_ROW_REMARKS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/remarks.h"
#include "base/text.h"

enum {
    ROW_REMARKS_SHOWN = 3, /* number of remarks that are printed unasked */
    ROW_REMARKS_NAMES = 3, /* most rows that a remark names; else it counts */
};
/* Help of --remarks. */
#define ROW_REMARKS_HELP \
    "print all remarks below the table; default: the three that matter most"

/* Remarks by symbol of `texts`; element 0 is not used. Zero is an empty list
 * that row_remarks_init must still prepare. */
struct row_remarks {
    struct interner texts;
    struct row_remark *at; /* owned */
    size_t cap;
};

void row_remarks_init(struct row_remarks *all);
void row_remarks_fini(struct row_remarks *all);
/* Adds a remark on a row of the table; `row` NULL: on the whole table; "": on a
 * row without a name, which is only counted. The names are not copied. Call it
 * once for a row and a remark. */
void row_remarks_add(struct row_remarks *all, const char *row,
                     enum remark_rank rank, const char *text);
/* Adds a remark on the whole table. */
void row_remarks_say(struct row_remarks *all, enum remark_rank rank,
                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the remarks of the run that is `row`. */
void row_remarks_add_run(struct row_remarks *all, const char *row,
                         const struct remarks *remarks);
/* Prints by rank, and within a rank in the order of adding, "note: REMARK" or,
 * if only some of the `n_rows` rows have the remark, "note (ROW, ROW): REMARK";
 * at most ROW_REMARKS_SHOWN of them unless `is_full`, and then how many more
 * there are. */
void row_remarks_print(const struct row_remarks *all, size_t n_rows,
                       bool is_full, FILE *to);

struct row_words {
    const char *row;
    const char *words; /* what the policy knew; NULL: it asked for nothing */
};

/* Prints "ROW, ROW: WORDS", once for each different text. */
void row_words_print(const struct row_words *rows, size_t n, FILE *to);

#endif
