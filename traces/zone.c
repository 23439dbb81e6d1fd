/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

#define FOLDER "/usr/share/zoneinfo"
#define FILE_MAX (size_t)(256 * 1024)

/* Takes a number of one or two digits. */
static bool take_number(struct text *t, int64_t *out)
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
    if (!take_number(&name, &hours))
        return false;
    if (text_char(name, 0) == ':')
        name = text_skip(name, 1);
    if (name.len && (!take_number(&name, &minutes) || name.len))
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

static bool read_file(struct text name, char **bytes, size_t *n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%.*s", FOLDER, (int)name.len, name.at);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    *bytes = mem_alloc(FILE_MAX);
    *n = fread(*bytes, 1, FILE_MAX, file);
    const bool whole = !ferror(file) && *n < FILE_MAX;
    fclose(file);
    return whole;
}

enum status zone_open(struct text name, const char *owner, struct zone *out,
                      struct error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    *out = (struct zone){0};
    if (is_zone_name(name) && read_file(name, &bytes, &n) &&
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
