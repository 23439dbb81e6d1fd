/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output for people: aligned tables and lines. Text from a file can hold escape
 * sequences, which must not reach the terminal: cells and lines are cleaned
 * here (text_clean). Widths are counted in characters, not bytes. Colours are
 * those of tone.h. The code is in terminal.c. */
#ifndef SIM_TABLE_H
#define SIM_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/units.h"
#include "commands/tone.h"

#define TABLE_COLUMNS_MAX 32

struct table {
    struct arena arena;
    const char **cells; /* cells, row by row */
    size_t n_cells, cap_cells;
    unsigned char *tones; /* by cell: its enum tone */
    size_t cap_tones;
    unsigned n_columns;
    unsigned left; /* bit c: column c is aligned to the left */
};

void table_init(struct table *table, unsigned n_columns, unsigned left);
void table_fini(struct table *table);
/* Adds the next cell, cut to 511 bytes. The first row is the head of the table,
 * unless the table is printed plain. */
void table_add(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Colours the cell that was added last. */
void table_tone(struct table *table, enum tone tone);
void table_print(const struct table *table, FILE *to);
void table_print_plain(const struct table *table, FILE *to);

/* Prints one line of text and a line feed. */
void say(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints prose: as say, but in lines of at most PROSE_WIDTH characters, broken
 * at spaces, all but the first indented by two. A longer word, or words between
 * quotation marks such as a command, stay whole. */
enum { PROSE_WIDTH = 80 };
void say_prose(FILE *to, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Formats a length of time for people: "38.0 s", "12.4 min", "3.52 h", "41.0
 * d"; "-" for NaN. Returns `buf`. */
#define TABLE_SPAN_MAX 32
const char *table_span(double seconds, char buf[TABLE_SPAN_MAX]);
/* Formats a length of time as table_span does, but shows times between zero and
 * one second in milliseconds: "312 ms". */
const char *table_span_fine(double seconds, char buf[TABLE_SPAN_MAX]);
/* Formats a length of time in the unit and precision that table_span would
 * choose for `like`. */
const char *table_span_as(double seconds, double like,
                          char buf[TABLE_SPAN_MAX]);

/* Formats a number with at most four significant digits and two decimals:
 * "1.01", "24.99", "198.3", "4312", "198300"; "-" for NaN. table_figure_as uses
 * the number of decimals that `like` would have. */
const char *table_figure(double value, char buf[TABLE_SPAN_MAX]);
const char *table_figure_as(double value, double like,
                            char buf[TABLE_SPAN_MAX]);

#endif
