/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_stamp.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_fence.h"
#include "schedmate/logs/log_marks.h"

/* Bytes at the front of a line in which a stamp may begin. */
#define SEARCHED 64

/* Year of stamps without one: a leap year, so that each date exists. */
#define NO_YEAR 1972

/* Reads the n digits at *at as a number and moves *at past them. Returns false
 * if there are fewer. */
static bool digits(struct text t, size_t *at, unsigned n, unsigned *out)
{
    *out = 0;
    for (unsigned i = 0; i < n; i++) {
        char c = text_char(t, *at + i);
        if (!ascii_is_digit(c))
            return false;
        *out = *out * 10 + (unsigned)(c - '0');
    }
    *at += n;
    return true;
}

static bool stamp_skip(struct text t, size_t *at, const char *any)
{
    char c = text_char(t, *at);
    if (c == 0 || !strchr(any, c))
        return false;
    ++*at;
    return true;
}

/* Reads "04:01:35", perhaps followed by a fraction of a second, and moves *at
 * past it. Returns false if there is no time of day; *at may then have
 * moved. */
static bool clock_time(struct text t, size_t *at, sim_span *out)
{
    unsigned hour, minute, second;
    if (!digits(t, at, 2, &hour) || !stamp_skip(t, at, ":") ||
        !digits(t, at, 2, &minute) || !stamp_skip(t, at, ":") ||
        !digits(t, at, 2, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
    *out = ((sim_span)hour * 3600 + minute * 60 + second) * SPAN_SECOND;
    size_t dot = *at;
    if (!stamp_skip(t, &dot, ".,") || !ascii_is_digit(text_char(t, dot)))
        return true;
    sim_span unit = SPAN_SECOND / 10;
    for (; ascii_is_digit(text_char(t, dot)); dot++, unit /= 10)
        *out += unit * (t.at[dot] - '0');
    *at = dot;
    return true;
}

static bool stamp_make(unsigned year, unsigned month, unsigned day,
                       sim_span clock, struct log_stamp *out)
{
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    out->dated = year != 0;
    out->at =
        civil_to_days(year ? year : NO_YEAR, month, day) * SPAN_DAY + clock;
    return true;
}

/* Reads "Z", "+02:00" or "-0700" and converts out->at to UTC. Without a zone,
 * leaves *out as it is. */
static void zone(struct text t, size_t at, struct log_stamp *out)
{
    unsigned hours, minutes;
    if (text_char(t, at) == 'Z') {
        out->zoned = true;
        return;
    }
    bool minus = text_char(t, at) == '-';
    if (!stamp_skip(t, &at, "+-") || !digits(t, &at, 2, &hours))
        return;
    stamp_skip(t, &at, ":");
    if (!digits(t, &at, 2, &minutes) || hours > 14 || minutes > 59)
        return;
    sim_span offset = ((sim_span)hours * 60 + minutes) * 60 * SPAN_SECOND;
    out->at -= minus ? -offset : offset;
    out->zoned = true;
}

/* Reads "2026-03-01T04:01:35Z" or "2026/03/01 04:01:35". Like the other forms
 * below, returns false if the text at `at` is something else. */
static bool iso(struct text t, size_t at, struct log_stamp *out)
{
    unsigned year, month, day;
    sim_span clock;
    if (!digits(t, &at, 4, &year) || !stamp_skip(t, &at, "-/") ||
        !digits(t, &at, 2, &month) || !stamp_skip(t, &at, "-/") ||
        !digits(t, &at, 2, &day) || !stamp_skip(t, &at, " T_") ||
        !clock_time(t, &at, &clock) || year < 1971 ||
        !stamp_make(year, month, day, clock, out))
        return false;
    zone(t, at, out);
    return true;
}

/* Reads "03/01/2026 04:01:35". */
static bool american(struct text t, size_t at, struct log_stamp *out)
{
    unsigned year, month, day;
    sim_span clock;
    return digits(t, &at, 2, &month) && stamp_skip(t, &at, "/") &&
           digits(t, &at, 2, &day) && stamp_skip(t, &at, "/") &&
           digits(t, &at, 4, &year) && stamp_skip(t, &at, " ") &&
           clock_time(t, &at, &clock) && year >= 1971 &&
           stamp_make(year, month, day, clock, out);
}

/* Returns the number of the month whose name begins at `at`, from 1; 0: none.
 */
static unsigned month_at(struct text t, size_t at)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (unsigned m = 0; m < 12 && at + 3 <= t.len; m++) {
        if (memcmp(t.at + at, names + (size_t)3 * m, 3) == 0)
            return m + 1;
    }
    return 0;
}

/* Reads " 1", "1" or "12" and moves *at past it. */
static bool day_of_month(struct text t, size_t *at, unsigned *day)
{
    bool padded = stamp_skip(t, at, " ");
    unsigned width = padded || text_char(t, *at + 1) == ' ' ? 1 : 2;
    return digits(t, at, width, day);
}

/* Reads "Mar  1 04:01:35", perhaps followed by a year. */
static bool stamp_by_name(struct text t, size_t at, struct log_stamp *out)
{
    unsigned month = month_at(t, at), day, year = 0;
    sim_span clock;
    at += 3;
    if (month == 0 || !stamp_skip(t, &at, " ") || !day_of_month(t, &at, &day) ||
        !stamp_skip(t, &at, " ") || !clock_time(t, &at, &clock))
        return false;
    if (!stamp_skip(t, &at, " ") || !digits(t, &at, 4, &year) || year < 1971 ||
        ascii_is_digit(text_char(t, at)))
        year = 0;
    return stamp_make(year, month, day, clock, out);
}

/* Reads "E0301 04:01:35.123456". */
static bool glog(struct text t, size_t at, struct log_stamp *out)
{
    unsigned month, day;
    sim_span clock;
    return stamp_skip(t, &at, "IWEF") && digits(t, &at, 2, &month) &&
           digits(t, &at, 2, &day) && stamp_skip(t, &at, " ") &&
           clock_time(t, &at, &clock) && stamp_make(0, month, day, clock, out);
}

bool log_stamp_of(struct text line, struct log_stamp *out)
{
    for (size_t i = 0; i < line.len && i < SEARCHED; i++) {
        char c = line.at[i];
        *out = (struct log_stamp){0};
        if (i > 0 && ascii_is_alnum(line.at[i - 1]))
            continue;
        if (ascii_is_digit(c) && (iso(line, i, out) || american(line, i, out)))
            return true;
        if (ascii_is_upper(c) &&
            (stamp_by_name(line, i, out) || glog(line, i, out)))
            return true;
    }
    return false;
}

bool log_stamp_alike(const struct log_stamp *a, const struct log_stamp *b)
{
    return a->dated == b->dated && a->zoned == b->zoned;
}

void log_stamp_complete(struct log_stamp *stamp, sim_time near)
{
    int64_t year, was;
    unsigned month, day;
    if (stamp->dated)
        return;
    sim_span clock = stamp->at % SPAN_DAY;
    civil_from_days(stamp->at / SPAN_DAY, &was, &month, &day);
    int64_t days = near / SPAN_DAY;
    civil_from_days(days, &year, &(unsigned){0}, &(unsigned){0});
    sim_time best = 0;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        sim_time at = civil_to_days(y, month, day) * SPAN_DAY + clock;
        sim_span apart = at > near ? at - near : near - at;
        sim_span least = best > near ? best - near : near - best;
        if (y == year - 1 || apart < least)
            best = at;
    }
    stamp->at = best;
    stamp->dated = true;
}

void log_fence_open(struct out *out)
{
    out_text(out, "<log>\n");
}

/* True if the '<' at index `i` is followed by "log" in any case, perhaps after
 * slashes and blanks, as in "</ LOG". A longer word such as "<logger>" counts
 * too. */
static bool stamp_is_tag(struct text line, size_t i)
{
    struct text rest = {line.at + i + 1, line.len - i - 1};
    while (rest.len && (rest.at[0] == '/' || rest.at[0] == ' ')) {
        rest.at++;
        rest.len--;
    }
    rest.len = rest.len < 3 ? rest.len : 3;
    return text_is_nocase(rest, "log");
}

void log_fence_line(struct out *out, struct text line)
{
    if (line.len > LOG_MARKS_BYTES)
        line.len = LOG_MARKS_BYTES;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.at[i];
        out_char(out, c == '<' && stamp_is_tag(line, i) ? '(' : c);
    }
    out_char(out, '\n');
}

const char *log_fence_close(struct out *out, struct arena *arena)
{
    out_text(out, "</log>");
    struct text all = out_memory(out);
    const char *copy = arena_copy(arena, all.at, all.len);
    out_abandon(out);
    return copy;
}
