/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_stream.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_marks.h"

/* Largest number of prefixes that are removed from a line, such as a rank, a
 * host and a time. */
#define PREFIXES_MAX 4

/* A name of more bytes is not the name of a host. */
#define LOG_STREAM_HOST_MAX 64

/* Returns the number of characters at the front that are digits or in
 * `signs`. */
static size_t span_of(struct text t, const char *signs)
{
    size_t n = 0;
    while (n < t.len &&
           (ascii_is_digit(t.at[n]) || (t.at[n] && strchr(signs, t.at[n]))))
        n++;
    return n;
}

/* Returns the length of "2024-05-13 21:24:38,353 " or
 * "2024-05-13T21:24:38.353Z ", 0 if the line begins with no time. */
static size_t time_prefix(struct text t)
{
    size_t day = span_of(t, "-");
    if (day != 10 || t.at[4] != '-' || t.at[7] != '-')
        return 0;
    if (text_char(t, day) != 'T' && text_char(t, day) != ' ')
        return 0;
    struct text rest = text_skip(t, day + 1);
    size_t clock = span_of(rest, ":.,+-Z");
    if (clock < 8 || rest.at[2] != ':' || rest.at[5] != ':')
        return 0;
    char end = text_char(rest, clock);
    return end == ' ' || end == '\t' ? day + clock + 2 : 0;
}

/* Returns the length of mpirun's "[1,12]<stderr>:" or "[1,12]<stdout>:", 0 for
 * any other line. */
static size_t mpi_prefix(struct text t)
{
    if (text_char(t, 0) != '[')
        return 0;
    size_t n = 1 + span_of(text_skip(t, 1), ",");
    if (text_char(t, n) != ']' || text_char(t, n + 1) != '<')
        return 0;
    struct text rest = text_skip(t, n + 2);
    if (!text_starts(rest, "stderr>:") && !text_starts(rest, "stdout>:"))
        return 0;
    return n + 2 + strlen("stderr>:");
}

static bool stream_ends_with(struct text t, const char *end)
{
    size_t n = strlen(end);
    return t.len >= n && memcmp(t.at + t.len - n, end, n) == 0;
}

/* Returns the length of a prefix such as "node-2: ", 0 if there is none. The
 * name must begin with a letter and have a digit. "Http404Error: " is the class
 * of an exception and not a host. */
static size_t host_prefix(struct text t)
{
    size_t n = 0;
    bool digit = false;
    while (n < t.len && n < LOG_STREAM_HOST_MAX &&
           (ascii_is_name(t.at[n]) || t.at[n] == '-' || t.at[n] == '.')) {
        digit |= ascii_is_digit(t.at[n]);
        n++;
    }
    if (!digit || !ascii_is_letter(text_char(t, 0)) || text_char(t, n) != ':' ||
        text_char(t, n + 1) != ' ')
        return 0;
    struct text name = {t.at, n};
    bool class = stream_ends_with(name, "Error") ||
                 stream_ends_with(name, "Exception") ||
                 stream_ends_with(name, "Warning");
    return class ? 0 : n + 2;
}

struct log_stream log_stream_of(struct text line)
{
    struct log_stream out = {.line = line};
    if (line.len > 0) /* `at` of an empty line may be NULL */
        out.line = text_skip(line, log_bar_prefix(line));
    for (unsigned i = 0; i < PREFIXES_MAX && out.line.len > 0; i++) {
        size_t n = time_prefix(out.line);
        if (n > 0) {
            out.line = text_skip(out.line, n);
            continue;
        }
        n = mpi_prefix(out.line);
        if (n == 0)
            n = out.line.len - log_strip_rank(out.line).len;
        if (n == 0)
            n = host_prefix(out.line);
        if (n == 0)
            break;
        out.id ^= text_hash((struct text){out.line.at, n}) | 1;
        out.line = text_skip(out.line, n);
    }
    return out;
}

/* Number of bytes of the first search for a line end. Each further search
 * covers twice as many bytes, so that a short line that ends with "\n" is found
 * quickly even if the next "\r" is far away, and vice versa. */
#define LOG_STREAM_WINDOW 256

static size_t first_end(struct text t)
{
    for (size_t from = 0, width = LOG_STREAM_WINDOW; from < t.len;
         from += width, width *= 2) {
        size_t n = t.len - from < width ? t.len - from : width;
        const char *lf = memchr(t.at + from, '\n', n);
        const char *cr =
            memchr(t.at + from, '\r', lf ? (size_t)(lf - t.at) - from : n);
        if (cr || lf)
            return (size_t)((cr ? cr : lf) - t.at);
    }
    return t.len;
}

/* Returns the position after the last line end; 0 if there is none. */
static size_t last_start(struct text t)
{
    for (size_t to = t.len, width = LOG_STREAM_WINDOW; to > 0; width *= 2) {
        size_t n = to < width ? to : width;
        const char *window = t.at + to - n;
        const char *lf = memrchr(window, '\n', n);
        const char *tail = lf ? lf + 1 : window;
        const char *cr = memrchr(tail, '\r', n - (size_t)(tail - window));
        if (cr || lf)
            return (size_t)((cr ? cr : lf) - t.at) + 1;
        to -= n;
    }
    return 0;
}

bool log_first_line(struct text *rest, struct text *line)
{
    if (rest->len == 0)
        return false;
    size_t len = first_end(*rest), past = len;
    if (past < rest->len)
        past += rest->at[past] == '\r' && past + 1 < rest->len &&
                        rest->at[past + 1] == '\n'
                    ? 2
                    : 1;
    *line = (struct text){rest->at, len};
    *rest = (struct text){rest->at + past, rest->len - past};
    return true;
}

bool log_last_line(struct text *rest, struct text *line)
{
    size_t end = rest->len;
    if (end == 0)
        return false;
    if (rest->at[end - 1] == '\n') {
        end--;
        end -= end > 0 && rest->at[end - 1] == '\r';
    } else if (rest->at[end - 1] == '\r') {
        end--;
    }
    size_t from = last_start((struct text){rest->at, end});
    *line = (struct text){rest->at + from, end - from};
    rest->len = from;
    return true;
}

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

/* Shortest quote that counts, in bytes that are no blanks. */
#define QUOTE_LEAST 8

bool log_line_has(struct text line, const char *words)
{
    size_t solid = 0;
    for (const char *c = words; *c; c++)
        solid += *c != ' ' && *c != '\t';
    for (size_t from = 0; solid >= QUOTE_LEAST && from < line.len; from++) {
        const char *c = words;
        size_t i = from;
        while (*c) {
            bool blank = *c == ' ' || *c == '\t' || *c == '\n';
            bool space =
                i < line.len && (line.at[i] == ' ' || line.at[i] == '\t');
            if (blank)
                c++;
            else if (space)
                i++;
            else if (i < line.len && line.at[i] == *c)
                i++, c++;
            else
                break;
        }
        if (!*c)
            return true;
    }
    return false;
}
