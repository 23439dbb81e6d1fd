/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts cells to values. Errors name line, column and field. A cell that is
 * empty or contains "None", "nan", "NaT" or "null" has no value; *out is then
 * unchanged. */
#ifndef TRACES_CELLS_H
#define TRACES_CELLS_H

#include "sim/base/error.h"
#include "sim/base/rows.h"
#include "sim/base/units.h"
#include "traces/trace.h"

/* Reads local dates. `offset`: local time minus UTC, us. The clock keeps the
 * day of the last date, because successive rows are mostly of one day. */
struct clock {
    sim_span offset;
    /* true: US Pacific time with daylight saving, in place of `offset` */
    bool pacific;
    char day[10];
    sim_time midnight;
};

/* Reads a date with its zone, or a local date. Returns false if the text is
 * neither. Of the two instants that a date in the repeated hour of autumn can
 * mean, takes the earlier one. */
bool clock_read(struct clock *clock, struct text t, sim_time *out) MUST_USE;
/* Writes "YYYY-MM-DD HH:MM:SS" in local time. */
void clock_write(const struct clock *clock, struct out *out, sim_time at);
/* True if local clocks showed the time of `at` twice, an hour apart. */
bool clock_is_ambiguous(const struct clock *clock, sim_time at);

bool cells_tell_nothing(struct text t);

/* Reads a whole number, 0 or more. "8.0", as pandas writes it, is 8. */
enum status cells_count(const struct rows *rows, int at, uint32_t *out,
                        struct error *err) MUST_USE;
/* Reads a number of GPUs; an empty cell is an error. */
enum status cells_gpus(const struct rows *rows, int at, uint32_t *out,
                       struct error *err) MUST_USE;
/* Reads a length of time in seconds. */
enum status cells_span(const struct rows *rows, int at, sim_span *out,
                       struct error *err) MUST_USE;
/* Reads whole milliseconds. `filled`: true if an empty cell is an error. */
enum status cells_milliseconds(const struct rows *rows, int at, bool filled,
                               sim_span *out, struct error *err) MUST_USE;
enum status cells_time(const struct rows *rows, int at, struct clock *clock,
                       sim_time *out, struct error *err) MUST_USE;
/* Reads a date; an empty cell is an error. */
enum status cells_submitted(const struct rows *rows, int at,
                            struct clock *clock, sim_time *out,
                            struct error *err) MUST_USE;
/* Reads a time in seconds since 1970; an empty cell is an error. */
enum status cells_since(const struct rows *rows, int at, sim_time *out,
                        struct error *err) MUST_USE;
enum status cells_number(const struct rows *rows, int at, double *out,
                         struct error *err) MUST_USE;

/* Reads a final state in the words of Slurm, Philly or schedsim. Any other word
 * means TRACE_END_UNKNOWN. */
enum trace_end cells_end(struct text t);
/* Returns Slurm's word for an end; "" for TRACE_END_UNKNOWN. */
const char *cells_end_word(enum trace_end end);

/* Writes each text as a cell, quoted if needed, followed by a comma. */
void cells_write_texts(struct out *out, const struct text *texts, size_t n);
/* Writes the dates of submission, start and end as three cells, each date
 * followed by `zone`. The cell of an unknown date is empty. */
void cells_write_dates(struct out *out, const struct clock *clock,
                       const char *zone, const struct trace_row *row);
/* Writes whole seconds; nothing for TRACE_NO_TIME. */
void cells_write_seconds(struct out *out, sim_span span);

#endif
