/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/log_prefix.h"

#include "sim/base/ascii.h"

/* A longer text in brackets, or a longer number, is not a prefix. */
#define BRACKETS_MAX 48
#define NUMBER_MAX 6

/* Returns the length of "[rank3]:", "(pid=123)" or "(pid=123):", 0 if the line
 * begins with none of these. */
static size_t bracket_prefix(struct text t)
{
    char close = t.at[0] == '[' ? ']' : ')';
    size_t i = 1;
    for (; i < t.len && i < BRACKETS_MAX && t.at[i] != close; i++) {
        if (t.at[i] == '[' || t.at[i] == '(')
            return 0;
    }
    if (text_char(t, i) != close || !ascii_is_digit(t.at[i - 1]))
        return 0;
    bool colon = text_char(t, i + 1) == ':';
    if (close == ']' && !colon)
        return 0;
    return i + 1 + colon;
}

/* Returns the length of "12:" if a blank follows, 0 for any other line. */
static size_t number_prefix(struct text t)
{
    size_t i = 0;
    while (i < NUMBER_MAX && ascii_is_digit(text_char(t, i)))
        i++;
    bool ends = text_char(t, i) == ':' && text_char(t, i + 1) == ' ';
    return i > 0 && ends ? i + 1 : 0;
}

struct text log_strip_rank(struct text line)
{
    char first = text_char(line, 0);
    size_t n = first == '[' || first == '(' ? bracket_prefix(line)
                                            : number_prefix(line);
    if (n == 0)
        return line;
    /* One blank separates the prefix from the line. Two blanks after "12:" or
     * "(pid=123):" are the indentation of the line. */
    bool indented =
        first != '[' && line.at[n - 1] == ':' && text_char(line, n + 1) == ' ';
    if (text_char(line, n) == ' ' && !indented)
        n++;
    return text_skip(line, n);
}
