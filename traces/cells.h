/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells -> values, with an error that names line, column and field. A cell that
 * is empty or says "None", "nan", "NaT" or "null" tells nothing: it leaves
 * *out as it was. */
#ifndef TRACES_CELLS_H
#define TRACES_CELLS_H

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "traces/rows.h"
#include "traces/trace.h"

/* Reads local dates. `offset`: of local time from UTC. The day of the last date
 * is remembered, because rows come day by day. */
struct clock {
    sim_span offset;
    bool pacific; /* US Pacific time, with daylight saving, instead */
    char day[10];
    sim_time midnight;
};

/* A date with its zone, or a local one; false if it is none. Of the hour that
 * exists twice in autumn the earlier one is taken. */
bool clock_read(struct clock *clock, struct text t, sim_time *out) MUST_USE;
/* "YYYY-MM-DD HH:MM:SS" in local time. */
void clock_write(const struct clock *clock, struct out *out, sim_time at);
/* Was the local time of `at` shown twice, an hour apart? */
bool clock_is_ambiguous(const struct clock *clock, sim_time at);

bool cells_tell_nothing(struct text t);

/* Whole and not negative; "8.0", as pandas writes it, is 8. */
enum status cells_count(const struct rows *rows, int at, uint32_t *out,
                        struct error *err) MUST_USE;
/* The same, and it must be there. */
enum status cells_gpus(const struct rows *rows, int at, uint32_t *out,
                       struct error *err) MUST_USE;
/* Seconds. */
enum status cells_span(const struct rows *rows, int at, sim_span *out,
                       struct error *err) MUST_USE;
enum status cells_time(const struct rows *rows, int at, struct clock *clock,
                       sim_time *out, struct error *err) MUST_USE;
/* The same, and it must be there. */
enum status cells_submitted(const struct rows *rows, int at,
                            struct clock *clock, sim_time *out,
                            struct error *err) MUST_USE;
/* Seconds from 1970, and it must be there. */
enum status cells_since(const struct rows *rows, int at, sim_time *out,
                        struct error *err) MUST_USE;
enum status cells_number(const struct rows *rows, int at, double *out,
                         struct error *err) MUST_USE;

/* Slurm's, Philly's and our own words; others are TRACE_END_UNKNOWN. */
enum trace_end cells_end(struct text t);
/* Slurm's word; empty for TRACE_END_UNKNOWN. */
const char *cells_end_word(enum trace_end end);

/* Writes the texts, quoted where they have to be, each with a comma behind. */
void cells_write_texts(struct out *out, const struct text *texts, size_t n);

#endif
