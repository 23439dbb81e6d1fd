/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/cells.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
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

enum status cells_count(const struct rows *rows, int at, uint32_t *out,
                        struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || text_to_u32(t, out) || cells_tell_nothing(t) ||
        whole_number(t, out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a whole number from 0 to %u",
                    TEXT_ARGS(t), UINT32_MAX);
}

enum status cells_gpus(const struct rows *rows, int at, uint32_t *out,
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

enum status cells_span(const struct rows *rows, int at, sim_span *out,
                       struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || text_to_span(t, out) || cells_tell_nothing(t) ||
        text_to_span(text_trim(t), out))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a number of seconds",
                    TEXT_ARGS(t));
}

enum status cells_milliseconds(const struct rows *rows, int at, bool filled,
                               sim_span *out, struct error *err)
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

enum status cells_time(const struct rows *rows, int at, struct clock *clock,
                       sim_time *out, struct error *err)
{
    struct text t = rows_cell(rows, at);
    if (t.len == 0 || clock_read(clock, t, out) || cells_tell_nothing(t))
        return STATUS_OK;
    return rows_bad(rows, at, err, "'%.*s' is not a date (YYYY-MM-DD HH:MM:SS)",
                    TEXT_ARGS(t));
}

enum status cells_submitted(const struct rows *rows, int at,
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

enum status cells_since(const struct rows *rows, int at, sim_time *out,
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

enum status cells_number(const struct rows *rows, int at, double *out,
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
