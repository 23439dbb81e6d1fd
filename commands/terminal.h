/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a terminal shows: tables and prose, colours, the line of progress.
 *
 * Colours of the output for people: headings, better and worse values, errors.
 * --color chooses when: `auto` colours a stream if it is a terminal, NO_COLOR
 * (no-color.org) is not set and TERM is not "dumb". */
#ifndef SIM_TERMINAL_H
#define SIM_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/units.h"

enum tone {
    TONE_PLAIN,
    TONE_HEADING, /* bold */
    TONE_BETTER,  /* green */
    TONE_WORSE,   /* red */
    TONE_ERROR,   /* bold red */
};

enum tone_when { TONE_AUTO, TONE_ALWAYS, TONE_NEVER };

/* Words of --color, by enum tone_when; ends with NULL. */
extern const char *const tone_when_words[];

/* Sets for the whole process when colours are used; at first TONE_AUTO. */
void tone_choose(enum tone_when when);

/* Return the escape codes that begin and end a tone on this stream: "" for
 * TONE_PLAIN or if the stream gets no colours. */
const char *tone_on(FILE *to, enum tone tone);

const char *tone_off(FILE *to, enum tone tone);

/* The progress line on a terminal: simulated time, jobs done, jobs per second,
 * time left. It appears after one second, overwrites itself and is erased at
 * the end. The real time that it reads reaches no result. */

struct progress_line {
    FILE *to;
    const char *label; /* name of the run on the line; borrowed */
    uint32_t n_jobs, n_instants;
    int64_t begun, drawn; /* times on the monotonic clock, ns */
    bool visible;
};

/* Starts the clock of the progress line. */
void progress_line_init(struct progress_line *line, FILE *to, const char *label,
                        uint32_t n_jobs);

/* Draws the line if enough real time has passed. A callback for run_on_instant;
 * always returns true, so that the run goes on. */
bool progress_line_instant(void *self, sim_time now, uint32_t n_done);

/* Erases the line if it was drawn. */
void progress_line_fini(struct progress_line *line);

/* Output for people: aligned tables and lines. Text from a file can hold escape
 * sequences, which must not reach the terminal: cells and lines are cleaned
 * here (text_clean). Widths are counted in characters, not bytes. Colours are
 * those of terminal.h. */

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

/* The ending of a noun after a number: "s", or "" after 1. */
const char *say_plural(uint64_t n);

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
