/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"

/* Parses zone files (TZif, RFC 8536): a table of changes, and after it a rule
 * for the time after the last change, as in the variable TZ of POSIX. The rule
 * becomes changes up to the year YEAR_MAX. */

enum { HEAD = 44, YEAR_MIN = 1970, YEAR_MAX = 2100, CHANGES_MAX = 4096 };

/* The counts in the head of a block, in the order in which they stand there. */
enum { IS_UT, IS_STANDARD, LEAPS, TIMES, TYPES, CHARS, N_COUNTS };

static int64_t big_endian(const char *at, size_t n)
{
    uint64_t value = (signed char)at[0] < 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | (unsigned char)at[i];
    return (int64_t)value;
}

/* Reads the counts of a block. Returns the length of head and data together; 0
 * if the block is malformed. `width`: length of a time in the data, bytes. */
static size_t zone_read_head(struct text block, size_t width,
                             int64_t counts[N_COUNTS])
{
    if (block.len < HEAD || memcmp(block.at, "TZif", 4) != 0)
        return 0;
    for (size_t i = 0; i < N_COUNTS; i++) {
        counts[i] = big_endian(block.at + 20 + 4 * i, 4);
        if (counts[i] < 0 || counts[i] > CHANGES_MAX)
            return 0;
    }
    const size_t n_times = (size_t)counts[TIMES];
    const size_t data = n_times * width + n_times + (size_t)counts[TYPES] * 6 +
                        (size_t)counts[CHARS] +
                        (size_t)counts[LEAPS] * (width + 4) +
                        (size_t)counts[IS_STANDARD] + (size_t)counts[IS_UT];
    return counts[TYPES] && data <= block.len - HEAD ? HEAD + data : 0;
}

static void zone_add(struct zone *out, sim_time at, sim_span offset)
{
    out->changes = mem_grow(out->changes, &out->cap_changes, out->n_changes + 1,
                            sizeof *out->changes);
    out->changes[out->n_changes++] = (struct zone_change){at, offset};
}

static bool offset_of_type(const char *types, const int64_t counts[N_COUNTS],
                           unsigned type, sim_span *out)
{
    if (type >= counts[TYPES])
        return false;
    *out = big_endian(types + (size_t)type * 6, 4) * SPAN_SECOND;
    return *out > -SPAN_DAY && *out < SPAN_DAY;
}

/* Reads the changes of a block whose times have 8 bytes. */
static bool zone_read_changes(struct text block, const int64_t counts[N_COUNTS],
                              struct zone *out)
{
    const size_t n = (size_t)counts[TIMES];
    const char *times = block.at + HEAD, *kinds = times + n * 8;
    const char *types = kinds + n;
    if (!offset_of_type(types, counts, 0, &out->before))
        return false;
    for (size_t i = 0; i < n; i++) {
        const int64_t at = big_endian(times + i * 8, 8);
        sim_span offset;
        if (!offset_of_type(types, counts, (unsigned char)kinds[i], &offset))
            return false;
        if (at > INT64_C(8000000000))
            break; /* traces end before the year 2223 */
        if (at < -INT64_C(4000000000)) {
            out->before = offset; /* traces begin after the year 1843: only the
                                   * last of these offsets can matter */
            continue;
        }
        if (out->n_changes &&
            at * SPAN_SECOND <= out->changes[out->n_changes - 1].at)
            return false;
        zone_add(out, at * SPAN_SECOND, offset);
    }
    return true;
}

/* Takes the name of a zone, such as "PST" or "<-03>". */
static bool zone_take_name(struct text *t)
{
    size_t n = 0;
    if (text_char(*t, 0) == '<') {
        while (n < t->len && t->at[n] != '>')
            n++;
        n += n < t->len;
    } else {
        while (n < t->len && ascii_is_letter(t->at[n]))
            n++;
    }
    *t = text_skip(*t, n);
    return n >= 3;
}

static bool zone_take_char(struct text *t, char c)
{
    if (text_char(*t, 0) != c || !t->len)
        return false;
    *t = text_skip(*t, 1);
    return true;
}

static bool zone_take_digits(struct text *t, int64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < 3 && n < t->len && ascii_is_digit(t->at[n]); n++)
        *out = *out * 10 + (t->at[n] - '0');
    *t = text_skip(*t, n);
    return n > 0;
}

/* Takes a time "[+-]H[:MM[:SS]]". */
static bool take_time(struct text *t, sim_span *out)
{
    const bool minus = zone_take_char(t, '-');
    int64_t hours, minutes = 0, seconds = 0;
    if (!minus)
        zone_take_char(t, '+');
    if (!zone_take_digits(t, &hours) || hours > 167)
        return false;
    if (zone_take_char(t, ':') && !zone_take_digits(t, &minutes))
        return false;
    if (zone_take_char(t, ':') && !zone_take_digits(t, &seconds))
        return false;
    *out = (hours * 3600 + minutes * 60 + seconds) * SPAN_SECOND;
    *out = minus ? -*out : *out;
    return true;
}

/* A day of the year and a local time on it, as in ",M3.2.0/2". */
struct day_rule {
    int64_t month, week, weekday; /* weekday 0: Sunday; week 5: the last */
    sim_span time;
};

static bool zone_take_rule(struct text *t, struct day_rule *out)
{
    out->time = 2 * SPAN_HOUR;
    return zone_take_char(t, ',') && zone_take_char(t, 'M') &&
           zone_take_digits(t, &out->month) && out->month >= 1 &&
           out->month <= 12 && zone_take_char(t, '.') &&
           zone_take_digits(t, &out->week) && out->week >= 1 &&
           out->week <= 5 && zone_take_char(t, '.') &&
           zone_take_digits(t, &out->weekday) && out->weekday <= 6 &&
           (!zone_take_char(t, '/') || take_time(t, &out->time));
}

/* Returns the local time that the rule means in a year, us since 1970. */
static sim_time rule_in(const struct day_rule *rule, int64_t year)
{
    const unsigned month = (unsigned)rule->month;
    const int64_t first = civil_to_days(year, month, 1);
    const int64_t next = month == 12 ? civil_to_days(year + 1, 1, 1)
                                     : civil_to_days(year, month + 1, 1);
    const int64_t weekday = (first + 4) % 7; /* 1970-01-01 was a Thursday */
    int64_t day = first + (rule->weekday - weekday + 7) % 7;
    day += 7 * (rule->week - 1);
    while (day >= next)
        day -= 7;
    return day * SPAN_DAY + rule->time;
}

/* Adds a change that follows from the rule, if it is later than all changes so
 * far. */
static void add_by_rule(struct zone *out, sim_time at, sim_span offset)
{
    if (!out->n_changes || at > out->changes[out->n_changes - 1].at)
        zone_add(out, at, offset);
}

/* Adds the two changes of each year from YEAR_MIN to YEAR_MAX that come after
 * all other changes. `from`, `to`: beginning and end of daylight saving time.
 * `west`, `dst`: UTC minus local standard time and UTC minus daylight saving
 * time, us. */
static void add_years(struct zone *out, const struct day_rule *from,
                      const struct day_rule *to, sim_span west, sim_span dst)
{
    for (int64_t year = YEAR_MIN; year <= YEAR_MAX; year++) {
        const sim_time begin = rule_in(from, year) + west;
        const sim_time end = rule_in(to, year) + dst;
        const bool north = begin < end;
        add_by_rule(out, north ? begin : end, north ? -dst : -west);
        add_by_rule(out, north ? end : begin, north ? -west : -dst);
    }
}

/* Adds the changes of a rule such as "STD-1DST,M3.5.0,M10.5.0/3". A rule
 * without daylight saving adds none, because the last change has its offset
 * already; in a zone without changes, the rule gives the only offset. */
static bool follow_rule(struct text rule, struct zone *out)
{
    sim_span west, dst;
    struct day_rule from, to;
    if (!rule.len)
        return true;
    if (!zone_take_name(&rule) || !take_time(&rule, &west))
        return false;
    if (!rule.len) {
        if (!out->n_changes)
            out->before = -west;
        return true;
    }
    if (!zone_take_name(&rule))
        return false;
    dst = west - SPAN_HOUR;
    if (text_char(rule, 0) != ',' && !take_time(&rule, &dst))
        return false;
    if (!zone_take_rule(&rule, &from) || !zone_take_rule(&rule, &to) ||
        rule.len)
        return false;
    add_years(out, &from, &to, west, dst);
    return true;
}

bool zone_parse(struct text file, struct zone *out)
{
    int64_t counts[N_COUNTS];
    *out = (struct zone){0};
    const size_t first = zone_read_head(file, 4, counts);
    if (!first || file.at[4] < '2') /* version 1 ends in 2037 */
        return false;
    struct text block = text_skip(file, first);
    const size_t second = zone_read_head(block, 8, counts);
    if (!second || !zone_read_changes(block, counts, out))
        return false;
    struct text rest, rule = text_skip(block, second);
    if (!zone_take_char(&rule, '\n') || !memchr(rule.at, '\n', rule.len))
        return false;
    return follow_rule(text_split(rule, '\n', &rest), out);
}

#define FOLDER "/usr/share/zoneinfo"

#define ZONE_FILE_MAX (size_t)(256 * 1024)

/* Takes a number of one or two digits. */
static bool zone_take_number(struct text *t, int64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < 2 && n < t->len && ascii_is_digit(t->at[n]); n++)
        *out = *out * 10 + (t->at[n] - '0');
    *t = text_skip(*t, n);
    return n > 0;
}

/* Takes an offset such as "+8", "-0330" or "+08:00". Returns false for any
 * other text. */
static bool take_offset(struct text name, sim_span *offset)
{
    int64_t hours, minutes = 0;
    const char sign = text_char(name, 0);
    if (sign != '+' && sign != '-')
        return false;
    name = text_skip(name, 1);
    if (!zone_take_number(&name, &hours))
        return false;
    if (text_char(name, 0) == ':')
        name = text_skip(name, 1);
    if (name.len && (!zone_take_number(&name, &minutes) || name.len))
        return false;
    *offset = (hours * 60 + minutes) * 60 * SPAN_SECOND;
    *offset = sign == '-' ? -*offset : *offset;
    return hours <= 15 && minutes <= 59;
}

bool zone_fixed(struct text name, sim_span *offset)
{
    if (text_is_nocase(name, "Z")) {
        *offset = 0;
        return true;
    }
    if (name.len >= 3 && (text_is_nocase((struct text){name.at, 3}, "UTC") ||
                          text_is_nocase((struct text){name.at, 3}, "GMT")))
        name = text_skip(name, 3);
    else if (!name.len)
        return false;
    if (!name.len) {
        *offset = 0;
        return true;
    }
    return take_offset(name, offset);
}

/* Returns true if the name may be a path below the folder of zones: at most 64
 * letters, digits and "/_+-", without a '/' at the beginning. A dot could lead
 * out of the folder. */
static bool is_zone_name(struct text name)
{
    if (!name.len || name.len > 64 || name.at[0] == '/')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.at[i];
        if (!ascii_is_alnum(c) && !strchr("/_+-", c))
            return false;
    }
    return true;
}

static bool zone_read_file(struct text name, char **bytes, size_t *n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%.*s", FOLDER, (int)name.len, name.at);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    *bytes = mem_alloc(ZONE_FILE_MAX);
    *n = fread(*bytes, 1, ZONE_FILE_MAX, file);
    const bool whole = !ferror(file) && *n < ZONE_FILE_MAX;
    fclose(file);
    return whole;
}

enum status zone_open(struct text name, const char *owner, struct zone *out,
                      struct error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    *out = (struct zone){0};
    if (is_zone_name(name) && zone_read_file(name, &bytes, &n) &&
        zone_parse((struct text){bytes, n}, out)) {
        free(bytes);
        return STATUS_OK;
    }
    free(bytes);
    zone_close(out);
    return error_set(err, STATUS_USAGE,
                     "%s: zone: '%.*s' is no offset such as +08:00 and no "
                     "time zone in " FOLDER " (package tzdata)",
                     owner, TEXT_ARGS(name));
}

void zone_close(struct zone *zone)
{
    free(zone->changes);
    *zone = (struct zone){0};
}

/* Returns the offset of the zone at a time in UTC. */
static sim_span offset_at(const struct zone *zone, sim_time at)
{
    size_t low = 0, high = zone->n_changes;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (zone->changes[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? zone->changes[low - 1].offset : zone->before;
}

/* The offsets a day before and a day after a local time are enough to convert
 * it: zones change at most once in two days, and offsets are below a day. */
sim_time zone_to_utc(const struct zone *zone, sim_time local, bool *twice)
{
    const sim_span before = offset_at(zone, local - SPAN_DAY);
    const sim_span after = offset_at(zone, local + SPAN_DAY);
    *twice = false;
    if (before == after)
        return local - before;
    const bool was = offset_at(zone, local - before) == before;
    const bool is = offset_at(zone, local - after) == after;
    *twice = was && is;
    return local - (was || !is ? before : after);
}
