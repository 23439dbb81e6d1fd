/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CSV formats that a table of columns describes. A row of the table gives
 * the names of a column in the header, the kind and unit of its value, and the
 * words that it may contain; columns_next fills a struct trace_row by this
 * table. A format needs its own code only where a row means more than its cells
 * say. The table may also be built at run time. */
#ifndef SIM_TRACES_COLUMNS_H
#define SIM_TRACES_COLUMNS_H

#include "base/error.h"
#include "base/rows.h"
#include "base/units.h"
#include "traces/trace.h"

/* Functions that convert the cells of a trace to values. Errors name line,
 * column and field. A cell has no value (cells_tell_nothing) if it is empty or
 * is the word "none", "nan", "nat", "null" or "n/a", ignoring case. Then *out
 * stays unchanged, unless a function says that this is an error. */

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

/* What a column says about a job. A kind fills the field of struct trace_row
 * that has its name, unless a comment names another field. */
enum column_kind {
    COLUMN_OTHER, /* not read, or read by the format itself */
    /* Texts. */
    COLUMN_ID, /* fills source_id */
    COLUMN_USER,
    COLUMN_VC,
    COLUMN_NAME,
    COLUMN_MODEL,
    COLUMN_DATASET,
    COLUMN_GPU_TYPE,
    COLUMN_JOB_KIND, /* fills kind */
    COLUMN_PRIORITY,
    COLUMN_CLUSTER,
    /* Whole numbers, >= 0. */
    COLUMN_GPUS, /* each row must have a number */
    COLUMN_CPUS,
    COLUMN_NODES,
    COLUMN_BATCH_SIZE,
    COLUMN_ATTEMPTS,
    /* Times. Start and end fill no field of their own: they are read in rows
     * without a duration or a waiting time, to compute what is missing. An end
     * is read only if the file also has a column of starts. */
    COLUMN_SUBMITTED, /* each row must have a time */
    COLUMN_START,
    COLUMN_END,
    COLUMN_DUE, /* time of the deadline; fills deadline */
    /* Lengths of time. */
    COLUMN_DURATION,
    COLUMN_QUEUE,
    COLUMN_DECLARED,
    COLUMN_DEADLINE, /* time from the submission; fills deadline */
    /* Times from the submission, joined with '-'; the first fills deadline. */
    COLUMN_DEADLINES,
    /* Other values. */
    COLUMN_STATE,      /* fills end */
    COLUMN_ELASTICITY, /* one of the column's `words` */
    COLUMN_GPU_UTIL,   /* percent */
    COLUMN_GPU_MEM,    /* MiB; fills gpu_mem_mib */
    COLUMN_MEM,        /* MiB; fills mem_mib */
    COLUMN_AMP,        /* true, false, yes, no, on, off, 1 or 0 */
    COLUMN_N_KINDS
};

/* A word that a cell may contain, and its value (enum trace_end, enum
 * job_elasticity). The word "" stands for an empty cell and for a column that
 * the file lacks. */
struct column_word {
    const char *word; /* NULL ends the list */
    unsigned value;
};

/* Returns the first word with this value; "" if there is none. */
const char *column_word_of(const struct column_word *words, unsigned value);

/* A column of the table. If the file has several columns of one kind, the one
 * that comes first in the table is read. Both the table and the file must have
 * a column of kind COLUMN_SUBMITTED. */
struct trace_column {
    const char *names; /* names in the header; see struct rows_column */
    enum column_kind kind;
    enum column_unit unit;
    /* Words that the cell may contain. NULL for COLUMN_STATE: cells_end reads
     * the word, and any word that it does not know is an unknown end. */
    const struct column_word *words;
    bool required; /* true if the header must name the column */
    /* True if a cell without a value is an error; used for counts and for
     * lengths of time in milliseconds. A submission and a number of GPUs must
     * always have a value. */
    bool filled;
    /* For the documentation: the unit in words ("" for texts), and the meaning
     * of the column and of an empty cell. NULL: nothing to say. */
    const char *doc_unit, *help;
};

#define COLUMNS_MAX 64

/* A column that is read, and the field of struct trace_row that it fills. */
struct column_read {
    const struct trace_column *column; /* NULL: nothing is read (only in
                                        * columns.start, end and due) */
    /* index of the column's cell in a row; -1: the file lacks the column */
    int16_t cell;
    /* conversion of the cell: enum value of columns.c */
    uint8_t value;
    /* true: an empty cell is not converted and leaves the field unchanged */
    bool may_be_empty;
    /* offset of the field in struct trace_row */
    size_t field;
};

struct columns {
    struct rows *rows;        /* borrowed */
    const struct text *cells; /* cells of the row that `rows` has read last */
    const struct trace_column *table;
    size_t n_table;
    /* by row of the table: index of the cell; -1: the file lacks the column */
    int16_t cell_of[COLUMNS_MAX];
    struct column_read reads[COLUMNS_MAX];
    size_t n_reads;
    struct column_read start, end, due;
    struct clock clock; /* zone of dates that name none; UTC by default */
    /* instant from which times in numbers count; 1970 by default */
    sim_time epoch;
};

/* Reads the header and prepares the reading of rows. `rows` and `table` must
 * outlive `columns`. */
enum status columns_open(struct columns *columns,
                         const struct trace_column *table, size_t n_table,
                         struct rows *rows, struct error *err) MUST_USE;

/* Prepares the reading of rows for a caller that has read the header. `cells`:
 * by row of the table, index of its cell; -1: the file lacks the column. `rows`
 * and `table` must outlive `columns`. */
enum status columns_use(struct columns *columns,
                        const struct trace_column *table, size_t n_table,
                        const int16_t *cells, struct rows *rows,
                        struct error *err) MUST_USE;

/* Returns an error if the header has a column that neither the table nor `skip`
 * names. `skip` and `ask`: as in rows_header_known. */
enum status columns_known(const struct columns *columns, const char *skip,
                          const char *ask, struct error *err) MUST_USE;

/* Returns the index of the cell of the column with exactly these
 * trace_column.names; -1 if the table or the file lacks the column. */
int columns_find(const struct columns *columns, const char *names);

/* Returns the bits of TRACE_RARE for the facts that the columns of the file may
 * tell. */
uint32_t columns_rare(const struct columns *columns);

/* Reads the next record and fills the row as columns_fill does. Returns
 * STATUS_END after the last record. */
enum status columns_next(struct columns *columns, struct trace_row *row,
                         struct error *err) MUST_USE;

/* Fills the row from the record that the last rows_next has read. Fields that
 * the record does not give stay unchanged, so the caller clears the row first.
 */
enum status columns_fill(struct columns *columns, struct trace_row *row,
                         struct error *err) MUST_USE;

#endif
