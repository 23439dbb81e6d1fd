/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_stream.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/log_lines.h"
#include "schedmate/logs/log_prefix.h"

/* Largest number of prefixes that are removed from a line, such as a rank, a
 * host and a time. */
#define PREFIXES_MAX 4

/* A name of more bytes is not the name of a host. */
#define HOST_MAX 64

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
    while (n < t.len && n < HOST_MAX &&
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
#define WINDOW 256

static size_t first_end(struct text t)
{
    for (size_t from = 0, width = WINDOW; from < t.len;
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
    for (size_t to = t.len, width = WINDOW; to > 0; width *= 2) {
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
