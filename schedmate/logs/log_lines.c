/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_lines.h"

#include <string.h>

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
