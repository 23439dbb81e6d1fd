/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts cells with the units of column maps: dates, numbers from an epoch,
 * and lengths of time in several forms. */
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "traces/cells.h"

/* The units, by enum column_unit. word: as column maps write the unit; NULL:
 * they cannot. name: as messages call it. micros: length of the unit in
 * microseconds; 0: cells with this unit are not numbers. */
static const struct {
    const char *word, *name;
    double micros;
} units[] = {
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
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].word && text_is(word, units[i].word)) {
            *out = (enum column_unit)i;
            return true;
        }
    }
    return false;
}

/* Reads a number with a unit, rounded to the microsecond. Returns false if the
 * text is not a number, if cells with this unit are not numbers, or if the time
 * is longer than 200 years: spreadsheets count days from 1899. */
static bool read_number(struct text t, enum column_unit unit, sim_span *out)
{
    const double micros = units[unit].micros;
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
    if (finer && units[unit].micros == 1e6)
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
                    units[unit].name);
}

enum status cells_instant(const struct rows *rows, int at,
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
    if (!read_number(t, unit, &since) ||
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

enum status cells_length(const struct rows *rows, int at, enum column_unit unit,
                         sim_span *out, struct error *err)
{
    const struct text t = rows_cell(rows, at);
    if (cells_tell_nothing(t) || read_number(t, unit, out))
        return STATUS_OK;
    if (text_length(t, unit, out))
        return STATUS_OK;
    if (unit == UNIT_ANY || unit == UNIT_CLOCK)
        return rows_bad(rows, at, err, "'%.*s' is not a time [D-]HH:MM:SS%s",
                        TEXT_ARGS(t),
                        unit == UNIT_ANY ? " and not a number of seconds" : "");
    return rows_bad(rows, at, err, "'%.*s' is not a number of %s", TEXT_ARGS(t),
                    units[unit].name);
}
