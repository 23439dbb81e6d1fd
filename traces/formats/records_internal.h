/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by records.c and records_tidy.c. */
#ifndef TRACES_RECORDS_INTERNAL_H
#define TRACES_RECORDS_INTERNAL_H

#include "base/out.h"
#include "base/rows.h"
#include "base/text.h"

enum records_layout {
    RECORDS_TABLE, /* rows of cells between one character */
    RECORDS_JSON,
    RECORDS_PBS,
    RECORDS_BLOCKS,
    RECORDS_PAIRS,
    RECORDS_SGE,    /* the accounting of Grid Engine */
    RECORDS_UNTIDY, /* a table that records_tidy makes readable */
};

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Returns true if the line is a rule or a border, such as "---- ----". */
bool records_is_rule(struct text line);
/* Returns true if a table has lines before its header, borders, or blanks
 * between its columns. `head`: its first bytes. */
bool records_is_untidy(struct text head);
/* Writes the table without these. `source`: for messages. */
enum status records_tidy(const struct rows *source, struct text t,
                         struct out *out, struct error *err) MUST_USE;
/* Returns true if the line is one of Grid Engine's file `accounting`. */
bool records_is_sge(struct text line);
/* Writes these lines as a table. */
enum status records_sge(const struct rows *source, struct text t,
                        struct out *out, struct error *err) MUST_USE;
/* Returns the number of the line of byte `at`. */
uint64_t records_line(struct text t, size_t at);

#endif
