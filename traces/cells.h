/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that convert the cells of a trace to values. Errors name line,
 * column and field. A cell has no value (cells_tell_nothing) if it is empty or
 * is the word "none", "nan", "nat", "null" or "n/a", ignoring case. Then *out
 * stays unchanged, unless a function says that this is an error. */
#ifndef TRACES_CELLS_H
#define TRACES_CELLS_H

#include "base/error.h"
#include "base/rows.h"
#include "base/units.h"
#include "traces/trace.h"

/* How a cell writes a time or a length of time. */
enum column_unit {
    UNIT_SECONDS,      /* decimals allowed; a time counts from columns.epoch */
    UNIT_MILLISECONDS, /* whole; a time counts from columns.epoch */
    /* A date that text_to_time reads, such as YYYY-MM-DD HH:MM:SS, with its
     * zone or in the zone of columns.clock. */
    UNIT_DATE,
    /* Only column maps use the units from here on. */
    /* A time: a date or seconds. A length: seconds, or a text that
     * cells_is_clock accepts, such as [D-]HH:MM:SS. */
    UNIT_ANY,
    /* Numbers, decimals allowed. A time counts from columns.epoch. */
    UNIT_MAP_SECONDS,
    UNIT_MAP_MILLISECONDS,
    UNIT_MICROSECONDS,
    UNIT_NANOSECONDS,
    UNIT_MINUTES,
    UNIT_HOURS,
    UNIT_DAYS,
    UNIT_MAP_DATE, /* a time: date only */
    UNIT_CLOCK,    /* a length: only a text that cells_is_clock accepts */
    UNIT_HM,       /* a length: hours and minutes, HH:MM */
};

/* Finds the unit of a word of column maps: s, ms, us, ns, min, h, d, date,
 * clock or hm. Returns false for any other word. */
bool unit_find(struct text word, enum column_unit *out) MUST_USE;

struct zone; /* traces/zone.h */

/* Converts local dates to UTC and back. `offset`: local time minus UTC, us. The
 * clock remembers the day of the last local date in `day`, and its beginning in
 * `midnight`: successive rows mostly have the same day, whose date need not be
 * computed again. */
struct clock {
    sim_span offset;
    /* true: US Pacific time with daylight saving, in place of `offset` */
    bool pacific;
    /* zone with daylight saving, in place of `offset` and `pacific`; NULL:
     * none. Only clock_read uses it. */
    const struct zone *zone;
    /* format of dates for strptime; NULL: as text_to_time reads them, such as
     * YYYY-MM-DD HH:MM:SS */
    const char *format;
    uint64_t n_local; /* number of dates without a zone that were read */
    uint64_t n_twice; /* number of them that mean two instants in `zone` */
    char day[10];
    sim_time midnight;
};

/* Reads a date that has a zone, or a local date; with clock.format, all dates
 * are local. Returns false for any other text and for dates more than 100 years
 * from 1970. A local date in the repeated hour of autumn means two instants;
 * *out is the earlier one. */
bool clock_read(struct clock *clock, struct text t, sim_time *out) MUST_USE;
/* Writes "YYYY-MM-DD HH:MM:SS" in local time. */
void clock_write(const struct clock *clock, struct out *out, sim_time at);
/* Returns true if the clock is `pacific` and `at` is in one of the two hours of
 * autumn that such a clock shows alike, because it is set back by an hour. The
 * text of such a time means two instants. */
bool clock_is_ambiguous(const struct clock *clock, sim_time at);

/* Convert between UTC and the local time of the clock by `offset` or `pacific`,
 * not by `zone`. Both times are in us since 1970. A local time in the hour that
 * Pacific clocks skip in spring is taken as an hour earlier. */
sim_time clock_to_local(const struct clock *clock, sim_time at);
sim_time clock_from_local(const struct clock *clock, sim_time local);

bool cells_tell_nothing(struct text t);

/* Returns true if the cell is a length of time such as "1-02:03:04", "03:04",
 * "1 day, 2:03:04", "2 days", "1h 30m" or "PT1H30M". */
bool cells_is_clock(struct text t);
/* Reads such a length; "MM:SS" is minutes and seconds. */
bool cells_clock(struct text t, sim_span *out);

/* Reads a final state in the words of Slurm, Philly or schedsim. Returns
 * TRACE_END_UNKNOWN for any other word. */
enum trace_end cells_end(struct text t);
/* Returns Slurm's word for an end; "" for TRACE_END_UNKNOWN. */
const char *cells_end_word(enum trace_end end);

/* Writes each text as a cell, quoted if needed, and a comma after each. */
void cells_write_texts(struct out *out, const struct text *texts, size_t n);
/* Writes the dates of submission, start and end as three cells, each date
 * followed by the text `zone`. The cell of an unknown date is empty. */
void cells_write_dates(struct out *out, const struct clock *clock,
                       const char *zone, const struct trace_row *row);
/* Writes whole seconds and cuts off fractions; writes nothing for
 * TRACE_NO_TIME. */
void cells_write_seconds(struct out *out, sim_span span);

#endif
