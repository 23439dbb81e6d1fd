/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_prefix.h"

#include <string.h>

#include "base/ascii.h"

/* The closing bracket of a prefix is at most BRACKETS_MAX bytes after the
 * opening one. A number of more than NUMBER_MAX digits is no prefix. */
#define BRACKETS_MAX 48
#define NUMBER_MAX 6

/* Returns the length of a prefix such as "[rank3]:", "(pid=123)" or
 * "(pid=123):", 0 if there is none. The text begins with '[' or '('; a prefix
 * has a digit before its closing bracket. */
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

/* Bytes at the start of a line in which a progress bar is looked for. */
#define BAR_BYTES 768

/* True if the text is a message of its own: it begins with a launcher's prefix
 * in square brackets or with a traceback. */
static bool is_message(struct text t)
{
    return (text_char(t, 0) == '[' && bracket_prefix(t) > 0) ||
           text_starts(t, "Traceback (most recent call last)");
}

size_t log_bar_prefix(struct text line)
{
    struct text t = {line.at, line.len < BAR_BYTES ? line.len : BAR_BYTES};
    /* `at` of an empty line may be NULL, which memmem refuses */
    const char *bar = t.len ? memmem(t.at, t.len, "%|", 2) : NULL;
    for (size_t i = bar ? (size_t)(bar - t.at) : t.len; i < t.len; i++) {
        if (t.at[i] != ']')
            continue;
        for (i++; i < t.len && t.at[i] == ' '; i++)
            ;
        if (is_message(text_skip(line, i)))
            return i;
        i--;
    }
    return 0;
}

struct text log_strip_rank(struct text line)
{
    if (line.len == 0)
        return line; /* `at` of an empty line may be NULL */
    line = text_skip(line, log_bar_prefix(line));
    char first = text_char(line, 0);
    size_t n = first == '[' || first == '(' ? bracket_prefix(line)
                                            : number_prefix(line);
    if (n == 0)
        return line;
    /* One blank separates the prefix from the line. Two or more blanks after
     * "12:" or "(pid=123):" are all kept as the indentation of the line. */
    bool indented =
        first != '[' && line.at[n - 1] == ':' && text_char(line, n + 1) == ' ';
    if (text_char(line, n) == ' ' && !indented)
        n++;
    return text_skip(line, n);
}
