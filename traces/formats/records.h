/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of jobs that are not rows of cells between one character: JSON lines, a
 * JSON list, the accounting of PBS, blocks of qacct and scontrol, columns
 * between blanks, tables with borders, and tables with lines before the header.
 * They are rewritten in memory as the rows that the format csv reads. */
#ifndef TRACES_RECORDS_H
#define TRACES_RECORDS_H

#include "base/rows.h"

#define RECORDS_NOTE_MAX 128

/* Looks at the next bytes of `source`, which was just opened. If the file is
 * rows of cells already, sets *out to NULL and reads nothing. Otherwise reads
 * `source` to its end and sets *out to the rewritten rows, which the caller
 * closes, and writes into `note` what the file was taken for. In error messages
 * about *out, line N + 1 is record N. */
enum status records_open(struct rows *source, struct rows **out,
                         char note[RECORDS_NOTE_MAX],
                         struct error *err) MUST_USE;

#endif
