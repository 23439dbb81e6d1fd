/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/check.h"
#include "traces/zone.h"

bool cells_tell_nothing(struct text t)
{
    static const char *const words[] = {"none", "nan", "nat", "null", "n/a"};
    if (t.len == 0)
        return true;
    if (t.len > 4 || (t.at[0] | 0x20) != 'n')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is_nocase(t, words[i]))
            return true;
    }
    return false;
}

/* Returns the n-th Sunday of a month in days since 1970-01-01, which was a
 * Thursday. `n`: from 1. */
static int64_t nth_sunday(int64_t year, unsigned month, int n)
{
    int64_t first = civil_to_days(year, month, 1);
    int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 0: Sunday */
    return first + (7 - weekday) % 7 + 7 * (n - 1);
}

/* Sets *from and *to to the beginning and the end of daylight saving time in
 * the year of `local`, by the US rule since 2007: from 02:00 on the second
 * Sunday of March to 02:00 on the first Sunday of November. Both times are
 * local. */
static void summer(sim_time local, sim_time *from, sim_time *to)
{
    int64_t year;
    unsigned month, day;
    civil_from_days(local / SPAN_DAY - (local % SPAN_DAY < 0), &year, &month,
                    &day);
    *from = nth_sunday(year, 3, 2) * SPAN_DAY + 2 * SPAN_HOUR;
    *to = nth_sunday(year, 11, 1) * SPAN_DAY + 2 * SPAN_HOUR;
}

static sim_span offset_of_local(const struct clock *clock, sim_time local)
{
    sim_time from, to;
    if (!clock->pacific)
        return clock->offset;
    summer(local, &from, &to);
    return (local >= from && local < to ? -7 : -8) * SPAN_HOUR;
}

static sim_span offset_of(const struct clock *clock, sim_time at)
{
    sim_time from, to;
    if (!clock->pacific)
        return clock->offset;
    summer(at - 8 * SPAN_HOUR, &from, &to);
    bool dst = at >= from + 8 * SPAN_HOUR && at < to + 7 * SPAN_HOUR;
    return (dst ? -7 : -8) * SPAN_HOUR;
}

sim_time clock_to_local(const struct clock *clock, sim_time at)
{
    return at + offset_of(clock, at);
}

sim_time clock_from_local(const struct clock *clock, sim_time local)
{
    return local - offset_of_local(clock, local);
}

bool clock_is_ambiguous(const struct clock *clock, sim_time at)
{
    sim_time from, to;
    if (!clock->pacific)
        return false;
    summer(at - 8 * SPAN_HOUR, &from, &to);
    return at >= to + 6 * SPAN_HOUR && at < to + 8 * SPAN_HOUR;
}

/* Reads "HH:MM:SS". A leap second (60) is not a time here. */
static bool read_time_of_day(const char *at, sim_span *out)
{
    unsigned parts[3];
    for (unsigned i = 0; i < 3; i++, at += 3) {
        if (!ascii_is_digit(at[0]) || !ascii_is_digit(at[1]) ||
            (i < 2 && at[2] != ':'))
            return false;
        parts[i] = (unsigned)(at[0] - '0') * 10 + (unsigned)(at[1] - '0');
    }
    const unsigned hour = parts[0], minute = parts[1], second = parts[2];
    *out = (sim_span)(hour * 3600 + minute * 60 + second) * SPAN_SECOND;
    return hour <= 23 && minute <= 59 && second <= 59;
}

/* Reads "YYYY-MM-DD?HH:MM:SS", where ? is a blank or T, if it is a time of the
 * day that the clock remembers. Returns false for any other text. */
static bool same_day(const struct clock *clock, struct text t, sim_time *local)
{
    sim_span time;
    if (t.len != 19 || memcmp(t.at, clock->day, sizeof clock->day) != 0 ||
        (t.at[10] != ' ' && t.at[10] != 'T') ||
        !read_time_of_day(t.at + 11, &time))
        return false;
    *local = clock->midnight + time;
    return true;
}

/* Reads a date by a format of strptime. */
static bool read_format(const char *format, struct text t, sim_time *local)
{
    char copy[64];
    struct tm tm = {.tm_mday = 1};
    if (t.len >= sizeof copy)
        return false;
    memcpy(copy, t.at, t.len);
    copy[t.len] = '\0';
    const char *end = strptime(copy, format, &tm);
    if (!end || *end)
        return false;
    const int64_t days =
        civil_to_days(tm.tm_year + INT64_C(1900), (unsigned)tm.tm_mon + 1,
                      (unsigned)tm.tm_mday);
    *local = days * SPAN_DAY +
             (sim_span)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) *
                 SPAN_SECOND;
    return true;
}

bool clock_read(struct clock *clock, struct text t, sim_time *out)
{
    sim_time local;
    bool zoned = false;
    if (!same_day(clock, t, &local)) {
        if (!(clock->format ? read_format(clock->format, t, &local)
                            : text_to_time(t, &local, &zoned)) ||
            fabs(span_seconds(local)) > SECONDS_MAX)
            return false;
        if (!zoned && !clock->format) {
            memcpy(clock->day, t.at, sizeof clock->day);
            clock->midnight =
                local - ((local % SPAN_DAY) + SPAN_DAY) % SPAN_DAY;
        }
    }
    bool twice = false;
    if (zoned)
        *out = local;
    else if (clock->zone)
        *out = zone_to_utc(clock->zone, local, &twice);
    else
        *out = local - offset_of_local(clock, local);
    clock->n_local += !zoned;
    clock->n_twice += twice;
    return true;
}

void clock_write(const struct clock *clock, struct out *out, sim_time at)
{
    char date[TIME_TEXT_MAX];
    time_to_text(at + offset_of(clock, at), date);
    out_text(out, date);
}

/* Reads a whole number. Accepts "8.0" too, because pandas writes whole numbers
 * with a decimal point if the column has empty cells. */
static bool whole_number(struct text t, uint32_t *out)
{
    struct text fraction, whole = text_split(text_trim(t), '.', &fraction);
    for (size_t i = 0; i < fraction.len; i++) {
        if (fraction.at[i] != '0')
            return false;
    }
    return text_to_u32(whole, out);
}

/* Reads a whole number, >= 0. Accepts "8.0" as 8, because pandas writes whole
 * numbers with a decimal point if the column has empty cells. */
static enum status cells_count(const struct rows *rows, int at, uint32_t *out,
                               struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || text_to_u32(t, out) || cells_tell_nothing(t) ||
        whole_number(t, out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a whole number from 0 to %u",
                    TEXT_ARGS(t), UINT32_MAX);
}

/* Reads a number of GPUs as cells_count does; a cell without a value is an
 * error. */
static enum status cells_gpus(const struct rows *rows, int at, uint32_t *out,
                              struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (text_to_u32(t, out) || whole_number(t, out))
        return STATUS_OK;
    return rows_bad(rows, at, err,
                    t.len ? "'%.*s' is not a number of GPUs"
                          : "%.*sempty; a number of GPUs is expected",
                    TEXT_ARGS(t));
}

/* Reads a length of time in seconds, decimals allowed; it may be negative. */
static enum status cells_span(const struct rows *rows, int at, sim_span *out,
                              struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || text_to_span(t, out) || cells_tell_nothing(t) ||
        text_to_span(text_trim(t), out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a number of seconds",
                    TEXT_ARGS(t));
}

/* Reads a length of time in whole milliseconds. `filled`: true if a cell
 * without a value is an error. */
static enum status cells_milliseconds(const struct rows *rows, int at,
                                      bool filled, sim_span *out,
                                      struct error *err)
{
    const int64_t most = (int64_t)(SECONDS_MAX * 1000);
    struct text t = rows_cell(rows, at);
    int64_t ms;
    if (!filled && cells_tell_nothing(t))
        return STATUS_OK;
    if (!text_to_i64(t, &ms) || ms > most || ms < -most)
        return rows_bad(rows, at, err, "'%.*s' is not a number of milliseconds",
                        TEXT_ARGS(t));
    *out = ms * (SPAN_SECOND / 1000);
    return STATUS_OK;
}

static enum status cells_time(const struct rows *rows, int at,
                              struct clock *clock, sim_time *out,
                              struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || clock_read(clock, t, out) || cells_tell_nothing(t))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a date (YYYY-MM-DD HH:MM:SS)",
                    TEXT_ARGS(t));
}

/* Reads a date; a cell without a value is an error. */
static enum status cells_submitted(const struct rows *rows, int at,
                                   struct clock *clock, sim_time *out,
                                   struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (clock_read(clock, t, out))
        return STATUS_OK;
    if (cells_tell_nothing(t))
        return rows_bad(rows, at, err, "empty; a date is expected");
    return cells_time(rows, at, clock, out, err);
}

/* Reads a time in seconds, to which the caller adds its epoch; a cell without a
 * value is an error. */
static enum status cells_since(const struct rows *rows, int at, sim_time *out,
                               struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (text_to_span(t, out))
        return STATUS_OK;
    if (cells_tell_nothing(t))
        return rows_bad(rows, at, err,
                        "empty; a number of seconds is expected");
    return cells_span(rows, at, out, err);
}

static enum status cells_number(const struct rows *rows, int at, double *out,
                                struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || text_to_double(t, out) || cells_tell_nothing(t) ||
        text_to_double(text_trim(t), out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a number", TEXT_ARGS(t));
}

enum trace_end cells_end(struct text t)
{
#define WORD(word, end) \
    { \
        {word, sizeof word - 1}, TRACE_END_##end \
    }
    static const struct {
        struct text word;
        enum trace_end end;
    } words[] = {
        WORD("COMPLETED", COMPLETED), WORD("CANCELLED", CANCELLED),
        WORD("FAILED", FAILED),       WORD("TIMEOUT", FAILED),
        WORD("NODE_FAIL", FAILED),    WORD("OUT_OF_MEMORY", FAILED),
        WORD("CANCELED", CANCELLED),  WORD("Pass", COMPLETED),
        WORD("Killed", CANCELLED),
    };
#undef WORD
    const size_t n = t.len ? sizeof words / sizeof *words : 0;
    for (size_t i = 0; i < n; i++) {
        if (t.at[0] == words[i].word.at[0] && text_equal(t, words[i].word))
            return words[i].end;
    }
    for (size_t i = 0; i < n; i++) { /* final states of Slurm may be in lower
                                      * case */
        if (text_is_nocase(t, words[i].word.at))
            return words[i].end;
    }
    return TRACE_END_UNKNOWN;
}

const char *cells_end_word(enum trace_end end)
{
    static const char *const words[] = {
        [TRACE_END_COMPLETED] = "COMPLETED",
        [TRACE_END_FAILED] = "FAILED",
        [TRACE_END_CANCELLED] = "CANCELLED",
        [TRACE_END_UNKNOWN] = "",
    };
    return words[end];
}

void cells_write_dates(struct out *out, const struct clock *clock,
                       const char *zone, const struct trace_row *row)
{
    bool started = row->queue != TRACE_NO_TIME;
    bool ended = started && row->duration != TRACE_NO_TIME;
    clock_write(clock, out, row->submitted);
    out_text(out, zone);
    out_char(out, ',');
    if (started) {
        clock_write(clock, out, row->submitted + row->queue);
        out_text(out, zone);
    }
    out_char(out, ',');
    if (ended) {
        clock_write(clock, out, row->submitted + row->queue + row->duration);
        out_text(out, zone);
    }
}

void cells_write_seconds(struct out *out, sim_span span)
{
    if (span != TRACE_NO_TIME)
        out_i64(out, span / SPAN_SECOND);
}

void cells_write_texts(struct out *out, const struct text *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out_csv(out, texts[i]);
        out_char(out, ',');
    }
}

/* Converts cells with the units of column maps: dates, numbers from an epoch,
 * and lengths of time in several forms. */

/* The units, by enum column_unit. word: as column maps write the unit; NULL:
 * they cannot. name: as messages call it. micros: length of the unit in
 * microseconds; 0: cells with this unit are not numbers. */
static const struct {
    const char *word, *name;
    double micros;
} columns_units[] = {
    [UNIT_SECONDS] = {.name = "seconds", .micros = 1e6},
    [UNIT_MILLISECONDS] = {.name = "milliseconds", .micros = 1e3},
    [UNIT_DATE] = {.name = "dates"},
    [UNIT_ANY] = {.name = "seconds", .micros = 1e6},
    [UNIT_MAP_SECONDS] = {.word = "s", .name = "seconds", .micros = 1e6},
    [UNIT_MAP_MILLISECONDS] = {.word = "ms",
                               .name = "milliseconds",
                               .micros = 1e3},
    [UNIT_MICROSECONDS] = {.word = "us", .name = "microseconds", .micros = 1},
    [UNIT_NANOSECONDS] = {.word = "ns", .name = "nanoseconds", .micros = 1e-3},
    [UNIT_MINUTES] = {.word = "min", .name = "minutes", .micros = 60e6},
    [UNIT_HOURS] = {.word = "h", .name = "hours", .micros = 3600e6},
    [UNIT_DAYS] = {.word = "d", .name = "days", .micros = 86400e6},
    [UNIT_MAP_DATE] = {.word = "date", .name = "dates"},
    [UNIT_CLOCK] = {.word = "clock", .name = "[D-]HH:MM:SS"},
    [UNIT_HM] = {.word = "hm", .name = "HH:MM"},
};

bool unit_find(struct text word, enum column_unit *out)
{
    for (unsigned i = 0; i < sizeof columns_units / sizeof *columns_units;
         i++) {
        if (columns_units[i].word && text_is(word, columns_units[i].word)) {
            *out = (enum column_unit)i;
            return true;
        }
    }
    return false;
}

/* Reads a number with a unit, rounded to the microsecond. Returns false if the
 * text is not a number, if cells with this unit are not numbers, or if the time
 * is longer than 200 years: spreadsheets count days from 1899. */
static bool columns_read_number(struct text t, enum column_unit unit,
                                sim_span *out)
{
    const double micros = columns_units[unit].micros;
    double number;
    if (micros == 0)
        return false;
    if (micros == 1e6)
        return text_to_span(t, out);
    if (!text_to_double(t, &number) ||
        fabs(number) * micros > 2 * SECONDS_MAX * 1e6)
        return false;
    *out = (sim_span)(number * micros + (number < 0 ? -0.5 : 0.5));
    return true;
}

/* Returns the unit finer than seconds in which a number since 1970 would be a
 * time between 1990 and 2068; NULL if there is none. A message proposes this
 * unit. */
static const char *finer_unit(struct text t)
{
    double number;
    const double low = 6.3e8, high = 3.1e9;
    if (!text_to_double(t, &number))
        return NULL;
    return number > low * 1e3 && number < high * 1e3   ? "ms"
           : number > low * 1e6 && number < high * 1e6 ? "us"
           : number > low * 1e9 && number < high * 1e9 ? "ns"
                                                       : NULL;
}

static enum status no_instant(const struct rows *rows, int at, struct text t,
                              enum column_unit unit, const struct clock *clock,
                              struct error *err)
{
    const char *finer = finer_unit(t);
    if (finer && columns_units[unit].micros == 1e6)
        return rows_bad(rows, at, err,
                        "'%.*s' s is more than 100 years; if the column counts "
                        "in smaller units, write ':%s' after its name",
                        TEXT_ARGS(t), finer);
    if (unit == UNIT_ANY || unit == UNIT_MAP_DATE)
        return rows_bad(rows, at, err, "'%.*s' is not a date (%s)%s",
                        TEXT_ARGS(t),
                        clock->format ? clock->format : "YYYY-MM-DD HH:MM:SS",
                        unit == UNIT_ANY ? " and not a number of seconds" : "");
    return rows_bad(rows, at, err, "'%.*s' is not a number of %s", TEXT_ARGS(t),
                    columns_units[unit].name);
}

/* Reads a time with a unit of column maps. Numbers count from `epoch`.
 * `filled`: true if a cell without a value is an error. */
static enum status cells_instant(const struct rows *rows, int at,
                                 enum column_unit unit, struct clock *clock,
                                 sim_time epoch, bool filled, sim_time *out,
                                 struct error *err)
{
    const struct text t = rows_cell(rows, at);
    const bool may_be_date = unit == UNIT_ANY || unit == UNIT_MAP_DATE;
    sim_span since;
    if (cells_tell_nothing(t))
        return filled ? rows_bad(rows, at, err, "empty; a time is expected")
                      : STATUS_OK;
    if (may_be_date && clock_read(clock, t, out))
        return STATUS_OK;
    if (!columns_read_number(t, unit, &since) ||
        fabs(span_seconds(epoch + since)) > SECONDS_MAX)
        return no_instant(rows, at, t, unit, clock, err);
    *out = epoch + since;
    return STATUS_OK;
}

/* Takes the days with which a length of time may begin, such as "3-",
 * "3 days " or "1 day, ". Sets *out to 0 and returns true if there are none.
 * Returns false for more than 36500 days, and for a '-' or " day" without a
 * number before it. */
static bool take_days(struct text *t, sim_span *out)
{
    size_t n = 0;
    uint32_t days;
    while (n < t->len && ascii_is_digit(t->at[n]))
        n++;
    *out = 0;
    struct text rest = text_skip(*t, n);
    if (text_char(rest, 0) == '-')
        rest = text_skip(rest, 1);
    else if (text_starts(rest, " day"))
        rest = text_skip(rest, text_starts(rest, " days") ? 5 : 4);
    else
        return true;
    if (!text_to_u32((struct text){t->at, n}, &days) || days > 36500)
        return false;
    *out = days * SPAN_DAY;
    if (text_char(rest, 0) == ',')
        rest = text_skip(rest, 1);
    *t = text_trim(rest);
    return true;
}

/* Finds the length of the unit that a word names. Returns false if it names
 * none. */
static bool word_span(struct text word, sim_span *out)
{
    static const struct {
        sim_span span;
        const char *words;
    } units_of[] = {{SPAN_DAY, "d day days tag tage"},
                    {SPAN_HOUR, "h hr hrs hour hours std"},
                    {60 * SPAN_SECOND, "m min mins minute minutes minuten"},
                    {SPAN_SECOND, "s sec secs sek second seconds"}};
    for (size_t i = 0; i < sizeof units_of / sizeof *units_of; i++) {
        struct text rest = text_from(units_of[i].words);
        while (rest.len) {
            struct text one = text_split(rest, ' ', &rest);
            if (one.len == word.len &&
                strncasecmp(one.at, word.at, one.len) == 0) {
                *out = units_of[i].span;
                return true;
            }
        }
    }
    return false;
}

/* Takes a number and the word of its unit, such as "30m", and adds them. */
static bool take_worded(struct text *t, sim_span *sum)
{
    size_t n = 0, w = 0;
    double number;
    sim_span unit;
    while (n < t->len && (ascii_is_digit(t->at[n]) || t->at[n] == '.'))
        n++;
    if (!text_to_double((struct text){t->at, n}, &number) || number > 1e9)
        return false;
    *t = text_trim(text_skip(*t, n));
    while (w < t->len && ascii_is_letter(t->at[w]))
        w++;
    /* The T of ISO 8601 separates days from hours. */
    if (w == 2 && text_starts(*t, "DT"))
        w = 1;
    if (!word_span((struct text){t->at, w}, &unit))
        return false;
    *sum += (sim_span)(number * (double)unit + 0.5);
    *t = text_trim(text_skip(*t, w));
    return true;
}

/* Reads numbers with words, such as "1h 30m", "2 d 4 h", "45 min" or ISO 8601's
 * "P1DT2H30M". */
static bool worded_read(struct text t, sim_span *out)
{
    sim_span sum = 0;
    if (text_char(t, 0) == 'P')
        t = text_skip(t, 1);
    const size_t whole = t.len;
    while (t.len) {
        if (memchr(" ,T", t.at[0], 3))
            t = text_skip(t, 1);
        else if (!take_worded(&t, &sum))
            return false;
    }
    *out = sum;
    return whole > 1;
}

/* Reads "[D-]HH:MM:SS[.f]", "MM:SS", whole days such as "2 days", or a length
 * as Python writes it, such as "1 day, 2:03:04". */
static bool length_read(struct text t, sim_span *out)
{
    sim_span days, sum = 0, part;
    int n = 0;
    t = text_trim(t);
    const struct text whole = t;
    if (!t.len || !ascii_is_digit(t.at[0]) || !take_days(&t, &days))
        return false;
    if (!t.len && whole.at[whole.len - 1] != '-') { /* "2 days" */
        *out = days;
        return days > 0;
    }
    for (; t.len && n < 3; n++) {
        struct text rest, number = text_split(t, ':', &rest);
        if (!number.len || !ascii_is_digit(number.at[0]) ||
            !text_to_span(number, &part) || part > 36500 * SPAN_DAY / 3600)
            return false;
        sum = sum * 60 + part;
        t = rest;
    }
    *out = days + sum;
    return !t.len && n >= 2;
}

bool cells_is_clock(struct text t)
{
    sim_span span;
    return cells_clock(t, &span);
}

bool cells_clock(struct text t, sim_span *out)
{
    return length_read(t, out) || worded_read(t, out);
}

/* Reads a length in the words of its unit. */
static bool text_length(struct text t, enum column_unit unit, sim_span *out)
{
    if (unit != UNIT_ANY && unit != UNIT_CLOCK && unit != UNIT_HM)
        return false;
    if (length_read(t, out)) {
        const char *colon = memchr(t.at, ':', t.len);
        const bool two = colon && !memchr(colon + 1, ':',
                                          (size_t)(t.at + t.len - colon) - 1);
        *out *= unit == UNIT_HM && two ? 60 : 1;
        return true;
    }
    return worded_read(t, out);
}

/* Reads a length of time with a unit of column maps. */
static enum status cells_length(const struct rows *rows, int at,
                                enum column_unit unit, sim_span *out,
                                struct error *err)
{
    const struct text t = rows_cell(rows, at);
    if (cells_tell_nothing(t) || columns_read_number(t, unit, out))
        return STATUS_OK;
    if (text_length(t, unit, out))
        return STATUS_OK;
    if (unit == UNIT_ANY || unit == UNIT_CLOCK)
        return rows_bad(rows, at, err, "'%.*s' is not a time [D-]HH:MM:SS%s",
                        TEXT_ARGS(t),
                        unit == UNIT_ANY ? " and not a number of seconds" : "");
    return rows_bad(rows, at, err, "'%.*s' is not a number of %s", TEXT_ARGS(t),
                    columns_units[unit].name);
}

/* How a cell is converted to a value. */
enum columns_value {
    VALUE_NONE,
    VALUE_TEXT,
    VALUE_GPUS,
    VALUE_COUNT,
    VALUE_TIME,
    VALUE_SPAN,
    VALUE_FIRST,
    VALUE_NUMBER,
    VALUE_FLAG,
    VALUE_STATE,
    VALUE_ELASTICITY,
};

#define INTO(of, into) \
    { \
        .value = (of), .field = offsetof(struct trace_row, into) \
    }

static const struct {
    enum columns_value value;
    size_t field;
} columns_kinds[COLUMN_N_KINDS] = {
    [COLUMN_ID] = INTO(VALUE_TEXT, source_id),
    [COLUMN_USER] = INTO(VALUE_TEXT, user),
    [COLUMN_VC] = INTO(VALUE_TEXT, vc),
    [COLUMN_NAME] = INTO(VALUE_TEXT, name),
    [COLUMN_MODEL] = INTO(VALUE_TEXT, model),
    [COLUMN_DATASET] = INTO(VALUE_TEXT, dataset),
    [COLUMN_GPU_TYPE] = INTO(VALUE_TEXT, gpu_type),
    [COLUMN_JOB_KIND] = INTO(VALUE_TEXT, kind),
    [COLUMN_PRIORITY] = INTO(VALUE_TEXT, priority),
    [COLUMN_CLUSTER] = INTO(VALUE_TEXT, cluster),
    [COLUMN_GPUS] = INTO(VALUE_GPUS, gpus),
    [COLUMN_CPUS] = INTO(VALUE_COUNT, cpus),
    [COLUMN_NODES] = INTO(VALUE_COUNT, nodes),
    [COLUMN_BATCH_SIZE] = INTO(VALUE_COUNT, batch_size),
    [COLUMN_ATTEMPTS] = INTO(VALUE_COUNT, attempts),
    [COLUMN_SUBMITTED] = INTO(VALUE_TIME, submitted),
    [COLUMN_DURATION] = INTO(VALUE_SPAN, duration),
    [COLUMN_QUEUE] = INTO(VALUE_SPAN, queue),
    [COLUMN_DECLARED] = INTO(VALUE_SPAN, declared),
    [COLUMN_DEADLINE] = INTO(VALUE_SPAN, deadline),
    [COLUMN_DEADLINES] = INTO(VALUE_FIRST, deadline),
    [COLUMN_STATE] = INTO(VALUE_STATE, end),
    [COLUMN_ELASTICITY] = INTO(VALUE_ELASTICITY, elasticity),
    [COLUMN_GPU_UTIL] = INTO(VALUE_NUMBER, gpu_util),
    [COLUMN_GPU_MEM] = INTO(VALUE_NUMBER, gpu_mem_mib),
    [COLUMN_MEM] = INTO(VALUE_NUMBER, mem_mib),
    [COLUMN_AMP] = INTO(VALUE_FLAG, amp),
};

static const struct column_word *columns_find_word(
    const struct column_word *words, struct text t)
{
    for (; words && words->word; words++) {
        if (text_is(t, words->word))
            return words;
    }
    return NULL;
}

const char *column_word_of(const struct column_word *words, unsigned value)
{
    while (words->word && words->value != value)
        words++;
    return words->word ? words->word : "";
}

static bool has_default(const struct trace_column *column)
{
    return columns_find_word(column->words, (struct text){0}) != NULL;
}

static enum status not_a_word(const struct columns *c,
                              const struct column_read *read, struct text t,
                              struct error *err)
{
    const struct column_word *last = NULL;
    char list[256] = "";
    size_t n = 0;
    for (const struct column_word *w = read->column->words; w->word; w++)
        last = w->word[0] ? w : last;
    for (const struct column_word *w = read->column->words; w <= last; w++) {
        const char *between = n == 0 ? "" : w == last ? " or " : ", ";
        if (w->word[0] && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", between,
                                  w->word);
    }
    return rows_bad(c->rows, read->cell, err, "'%.*s' is not %s", TEXT_ARGS(t),
                    list);
}

static enum status read_word(const struct columns *c,
                             const struct column_read *read, unsigned *out,
                             struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell);
    const struct column_word *word = columns_find_word(read->column->words, t);
    if (!word && t.len)
        return not_a_word(c, read, t, err);
    if (word)
        *out = word->value;
    return STATUS_OK;
}

static enum status read_state(const struct columns *c,
                              const struct column_read *read,
                              enum trace_end *out, struct error *err)
{
    unsigned value = *out;
    enum status st = STATUS_OK;
    if (read->column->words)
        st = read_word(c, read, &value, err);
    else
        value = cells_end(rows_cell(c->rows, read->cell));
    *out = (enum trace_end)value;
    return st;
}

static enum status read_elasticity(const struct columns *c,
                                   const struct column_read *read,
                                   enum job_elasticity *out, struct error *err)
{
    unsigned value = *out;
    enum status st = read_word(c, read, &value, err);
    *out = (enum job_elasticity)value;
    return st;
}

static enum status columns_read_span(const struct columns *c,
                                     const struct column_read *read,
                                     sim_span *out, struct error *err)
{
    if (read->column->unit == UNIT_MILLISECONDS)
        return cells_milliseconds(c->rows, read->cell, read->column->filled,
                                  out, err);
    if (read->column->unit != UNIT_SECONDS)
        return cells_length(c->rows, read->cell, read->column->unit, out, err);
    return cells_span(c->rows, read->cell, out, err);
}

/* Reads the first of several lengths of time. */
static enum status read_first(const struct columns *c,
                              const struct column_read *read, sim_span *out,
                              struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell), rest;
    if (cells_tell_nothing(t) ||
        text_to_span(text_trim(text_split(t, '-', &rest)), out))
        return STATUS_OK;
    return rows_bad(c->rows, read->cell, err,
                    "'%.*s' is not a number of seconds, or several joined with "
                    "'-'",
                    TEXT_ARGS(t));
}

static enum status columns_read_time(struct columns *c,
                                     const struct column_read *read,
                                     sim_time *out, struct error *err)
{
    bool filled = read->column->kind == COLUMN_SUBMITTED;
    enum status st;
    if (read->column->unit == UNIT_DATE)
        return filled
                   ? cells_submitted(c->rows, read->cell, &c->clock, out, err)
                   : cells_time(c->rows, read->cell, &c->clock, out, err);
    if (read->column->unit > UNIT_DATE)
        return cells_instant(c->rows, read->cell, read->column->unit, &c->clock,
                             c->epoch, filled, out, err);
    if (read->column->unit == UNIT_MILLISECONDS)
        st = cells_milliseconds(c->rows, read->cell, filled, out, err);
    else if (filled)
        st = cells_since(c->rows, read->cell, out, err);
    else
        st = cells_span(c->rows, read->cell, out, err);
    if (st == STATUS_OK && *out != TRACE_NO_TIME)
        *out += c->epoch;
    return st;
}

static enum status columns_read_count(const struct columns *c,
                                      const struct column_read *read,
                                      uint32_t *out, struct error *err)
{
    if (read->column->filled &&
        cells_tell_nothing(rows_cell(c->rows, read->cell)))
        return rows_bad(c->rows, read->cell, err,
                        "empty; a whole number is expected");
    return cells_count(c->rows, read->cell, out, err);
}

static enum status columns_read_flag(const struct columns *c,
                                     const struct column_read *read, bool *out,
                                     struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell);
    if (cells_tell_nothing(t) || text_to_bool(t, out))
        return STATUS_OK;
    return rows_bad(c->rows, read->cell, err, "'%.*s' is not 0 or 1",
                    TEXT_ARGS(t));
}

static enum status read_column(struct columns *c,
                               const struct column_read *read,
                               struct trace_row *row, struct error *err)
{
    void *field = (char *)row + read->field;
    switch ((enum columns_value)read->value) {
    case VALUE_GPUS:
        return cells_gpus(c->rows, read->cell, field, err);
    case VALUE_COUNT:
        return columns_read_count(c, read, field, err);
    case VALUE_TIME:
        return columns_read_time(c, read, field, err);
    case VALUE_SPAN:
        return columns_read_span(c, read, field, err);
    case VALUE_FIRST:
        return read_first(c, read, field, err);
    case VALUE_NUMBER:
        return cells_number(c->rows, read->cell, field, err);
    case VALUE_FLAG:
        return columns_read_flag(c, read, field, err);
    case VALUE_STATE:
        return read_state(c, read, field, err);
    case VALUE_ELASTICITY:
        return read_elasticity(c, read, field, err);
    case VALUE_TEXT: /* columns_fill reads texts itself */
    case VALUE_NONE:
        break;
    }
    return STATUS_OK;
}

/* Computes the waiting time and the duration from start and end, if the row
 * lacks them and has the times that this needs. */
static enum status read_start_and_end(struct columns *c, struct trace_row *row,
                                      struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    enum status st = STATUS_OK;
    if (c->start.column)
        st = columns_read_time(c, &c->start, &start, err);
    if (st == STATUS_OK && c->end.column)
        st = columns_read_time(c, &c->end, &end, err);
    if (st != STATUS_OK || start == TRACE_NO_TIME)
        return st;
    if (row->queue == TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (row->duration == TRACE_NO_TIME && end != TRACE_NO_TIME)
        row->duration = end - start;
    return STATUS_OK;
}

static enum status read_due(struct columns *c, struct trace_row *row,
                            struct error *err)
{
    sim_time due = TRACE_NO_TIME;
    enum status st = columns_read_time(c, &c->due, &due, err);
    if (st == STATUS_OK && due != TRACE_NO_TIME)
        row->deadline = due - row->submitted;
    return st;
}

enum status columns_next(struct columns *c, struct trace_row *row,
                         struct error *err)
{
    enum status st = rows_next(c->rows, err);
    if (st == STATUS_OK)
        return columns_fill(c, row, err);
    row->line = rows_line_number(c->rows);
    return st;
}

enum status columns_fill(struct columns *c, struct trace_row *row,
                         struct error *err)
{
    enum status st = STATUS_OK;
    row->line = rows_line_number(c->rows);
    for (size_t i = 0; i < c->n_reads && st == STATUS_OK; i++) {
        const struct column_read *read = &c->reads[i];
        if (read->value == VALUE_TEXT)
            *(struct text *)((char *)row + read->field) = c->cells[read->cell];
        else if (!read->may_be_empty || c->cells[read->cell].len)
            st = read_column(c, read, row, err);
    }
    if (st == STATUS_OK && c->start.column &&
        (row->queue == TRACE_NO_TIME || row->duration == TRACE_NO_TIME))
        st = read_start_and_end(c, row, err);
    if (st == STATUS_OK && c->due.column)
        st = read_due(c, row, err);
    return st;
}

uint32_t columns_rare(const struct columns *c)
{
    uint32_t facts = c->due.column ? TRACE_BIT(DEADLINE) : 0;
    for (size_t i = 0; i < c->n_reads; i++) {
        const enum column_kind kind = c->reads[i].column->kind;
        facts |= kind == COLUMN_DEADLINE    ? TRACE_BIT(DEADLINE)
                 : kind == COLUMN_DEADLINES ? TRACE_BIT(DEADLINE)
                 : kind == COLUMN_PRIORITY  ? TRACE_BIT(PRIORITY)
                 : kind == COLUMN_CLUSTER   ? TRACE_BIT(CLUSTER)
                 : kind == COLUMN_MEM       ? TRACE_BIT(MEM)
                                            : 0;
    }
    return facts;
}

/* Copies the names of the columns, and which of them the header must have, for
 * the reader of the header. */
static void heads_of(const struct trace_column *table, size_t n,
                     struct rows_column heads[COLUMNS_MAX])
{
    CHECK(n <= COLUMNS_MAX);
    for (size_t i = 0; i < n; i++)
        heads[i] = (struct rows_column){.names = table[i].names,
                                        .required = table[i].required};
}

static bool columns_is_read(const struct columns *c, enum column_kind kind)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        if (c->reads[i].column->kind == kind)
            return true;
    }
    return false;
}

static void add_column(struct columns *c, size_t i)
{
    const struct trace_column *column = &c->table[i];
    const bool filled = column->filled || column->kind == COLUMN_GPUS ||
                        column->kind == COLUMN_SUBMITTED;
    const struct column_read read = {
        .column = column,
        .cell = c->cell_of[i],
        .value = (uint8_t)columns_kinds[column->kind].value,
        .may_be_empty = !filled && !has_default(column),
        .field = columns_kinds[column->kind].field,
    };
    struct column_read *once = column->kind == COLUMN_START ? &c->start
                               : column->kind == COLUMN_END ? &c->end
                               : column->kind == COLUMN_DUE ? &c->due
                                                            : NULL;
    if (read.cell < 0 && !has_default(column))
        return;
    CHECK(read.cell >= 0 || read.value != VALUE_TEXT);
    if (once && !once->column)
        *once = read;
    else if (!once && column->kind != COLUMN_OTHER &&
             !columns_is_read(c, column->kind))
        c->reads[c->n_reads++] = read;
}

static enum status no_submission(const struct columns *c, struct error *err)
{
    size_t i = 0;
    while (i + 1 < c->n_table && c->table[i].kind != COLUMN_SUBMITTED)
        i++;
    return rows_bad_at(c->rows, rows_line_number(c->rows), 1, c->table[i].names,
                       err, "the header lacks this column");
}

enum status columns_use(struct columns *c, const struct trace_column *table,
                        size_t n_table, const int16_t *cells, struct rows *rows,
                        struct error *err)
{
    CHECK(n_table <= COLUMNS_MAX);
    *c = (struct columns){.rows = rows,
                          .cells = rows_cells(rows),
                          .table = table,
                          .n_table = n_table,
                          .start.cell = -1,
                          .end.cell = -1,
                          .due.cell = -1};
    memcpy(c->cell_of, cells, n_table * sizeof *cells);
    for (size_t i = 0; i < n_table; i++)
        add_column(c, i);
    return columns_is_read(c, COLUMN_SUBMITTED) ? STATUS_OK
                                                : no_submission(c, err);
}

enum status columns_open(struct columns *c, const struct trace_column *table,
                         size_t n_table, struct rows *rows, struct error *err)
{
    struct rows_column heads[COLUMNS_MAX] = {0};
    int16_t cells[COLUMNS_MAX];
    heads_of(table, n_table, heads);
    enum status st = rows_header(rows, heads, n_table, cells, err);
    return st == STATUS_OK ? columns_use(c, table, n_table, cells, rows, err)
                           : st;
}

enum status columns_known(const struct columns *c, const char *skip,
                          const char *ask, struct error *err)
{
    struct rows_column heads[COLUMNS_MAX] = {0};
    heads_of(c->table, c->n_table, heads);
    return rows_header_known(c->rows, heads, c->n_table, skip, ask, err);
}

int columns_find(const struct columns *c, const char *names)
{
    for (size_t i = 0; i < c->n_table; i++) {
        if (strcmp(c->table[i].names, names) == 0)
            return c->cell_of[i];
    }
    return -1;
}
