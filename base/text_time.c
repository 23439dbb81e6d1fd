/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates of the proleptic Gregorian calendar, from text and to text. */
#include "base/text.h"

#include <stdio.h>

int64_t civil_to_days(int64_t year, unsigned month, unsigned day)
{
    /* years that begin in March, so that the leap day is the last one */
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 +
                  (int64_t)day - 1;
    int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

void civil_from_days(int64_t days, int64_t *year, unsigned *month,
                     unsigned *day)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *day = (unsigned)(doy - (153 * mp + 2) / 5 + 1);
    *month = (unsigned)(mp < 10 ? mp + 3 : mp - 9);
    *year = yoe + era * 400 + (*month <= 2);
}

/* Takes exactly `n` digits off the front of *t. Returns false if there are
 * fewer. */
static bool take_digits(struct text *t, size_t n, unsigned *out)
{
    if (t->len < n)
        return false;
    unsigned value = 0;
    for (size_t i = 0; i < n; i++) {
        if (t->at[i] < '0' || t->at[i] > '9')
            return false;
        value = value * 10 + (unsigned)(t->at[i] - '0');
    }
    t->at += n;
    t->len -= n;
    *out = value;
    return true;
}

static bool take_char(struct text *t, char c)
{
    if (t->len == 0 || t->at[0] != c)
        return false;
    t->at++;
    t->len--;
    return true;
}

static bool take_clock(struct text *t, sim_span *out)
{
    unsigned hour, minute, second = 0;
    sim_span micros = 0;
    if (!take_digits(t, 2, &hour) || !take_char(t, ':') ||
        !take_digits(t, 2, &minute))
        return false;
    if (take_char(t, ':')) {
        if (!take_digits(t, 2, &second))
            return false;
        if (take_char(t, '.')) {
            sim_span scale = SPAN_SECOND;
            unsigned digit, n = 0;
            for (; take_digits(t, 1, &digit); n++)
                micros += digit * (scale /= 10);
            if (n == 0)
                return false;
        }
    }
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *out =
        ((sim_span)hour * 3600 + minute * 60 + second) * SPAN_SECOND + micros;
    return true;
}

static bool take_zone(struct text *t, sim_span *offset)
{
    unsigned hour, minute;
    *offset = 0;
    if (take_char(t, 'Z'))
        return true;
    bool west = t->len && t->at[0] == '-';
    if (!take_char(t, '+') && !take_char(t, '-'))
        return false;
    if (!take_digits(t, 2, &hour))
        return false;
    take_char(t, ':');
    if (!take_digits(t, 2, &minute) || hour > 15 || minute > 59)
        return false;
    *offset = ((sim_span)hour * 3600 + minute * 60) * SPAN_SECOND;
    if (west)
        *offset = -*offset;
    return true;
}

/* True if the date exists. A date that does not exist becomes another date when
 * it is converted to a day number and back. */
static bool date_exists(unsigned year, unsigned month, unsigned day)
{
    int64_t back_year;
    unsigned back_month, back_day;
    if (month < 1 || month > 12)
        return false;
    civil_from_days(civil_to_days(year, month, day), &back_year, &back_month,
                    &back_day);
    return back_month == month && back_day == day;
}

bool text_to_time(struct text t, sim_time *out, bool *zoned)
{
    unsigned year, month, day;
    sim_span clock = 0, offset = 0;
    bool has_zone = false;
    if (!take_digits(&t, 4, &year) || !take_char(&t, '-') ||
        !take_digits(&t, 2, &month) || !take_char(&t, '-') ||
        !take_digits(&t, 2, &day))
        return false;
    if (!date_exists(year, month, day))
        return false;
    if (take_char(&t, ' ') || take_char(&t, 'T')) {
        if (!take_clock(&t, &clock))
            return false;
        if (t.len) {
            if (!take_zone(&t, &offset))
                return false;
            has_zone = true;
        }
    }
    if (t.len)
        return false;
    if (zoned)
        *zoned = has_zone;
    *out = civil_to_days(year, month, day) * SPAN_DAY + clock - offset;
    return true;
}

void time_to_text(sim_time at, char out[TIME_TEXT_MAX])
{
    int64_t days = at / SPAN_DAY - (at % SPAN_DAY < 0), year;
    int64_t rest = at % SPAN_DAY;
    int64_t second = (rest < 0 ? rest + SPAN_DAY : rest) / SPAN_SECOND;
    unsigned month, day;
    civil_from_days(days, &year, &month, &day);
    snprintf(out, TIME_TEXT_MAX, "%04d-%02u-%02u %02d:%02d:%02d", (int)year,
             month, day, (int)(second / 3600), (int)(second / 60 % 60),
             (int)(second % 60));
}
