/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes the value of a parameter for references such as ${x%.py}, ${x/a/b},
 * ${x,,} and ${x:1:2}. */
#include <fnmatch.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

enum { PATTERN_MAX = 1024 };

static const char *without_part(struct shell *shell, const char *value,
                                const char *pattern, char side, bool longest)
{
    size_t len = strlen(value), best = 0;
    bool found = false;
    if (len > PATTERN_MAX)
        return value;
    for (size_t k = 0; k <= len; k++) {
        const char *part =
            side == '#' ? arena_copy(shell->arena, value, k) : value + len - k;
        if (fnmatch(pattern, part, 0) == 0 && (!found || longest)) {
            best = k;
            found = true;
        }
    }
    return side == '#' ? value + best
                       : arena_copy(shell->arena, value, len - best);
}

static const char *replaced(struct shell *shell, const char *value,
                            const char *from, const char *to, bool all)
{
    struct out *out = out_to_memory();
    size_t n = strlen(from);
    bool done = n == 0;
    while (*value && out_memory(out).len < PATTERN_MAX) {
        if (!done && strncmp(value, from, n) == 0) {
            out_text(out, to);
            value += n;
            done = !all;
        } else {
            out_char(out, *value++);
        }
    }
    struct text text = out_memory(out);
    const char *copy = arena_copy(shell->arena, text.at, text.len);
    out_abandon(out);
    return copy;
}

static const char *of_case(struct shell *shell, const char *value, char op)
{
    char *copy = arena_copy(shell->arena, value, strlen(value));
    for (char *c = copy; *c; c++)
        *c = op == ','             ? ascii_lower(*c)
             : ascii_is_letter(*c) ? (char)(*c & ~0x20)
                                   : *c;
    return copy;
}

static const char *part_of(struct shell *shell, const char *value,
                           struct text range)
{
    struct text second, first = text_split(range, ':', &second);
    long long from, count, len = (long long)strlen(value);
    if (!shell_number(shell, first, &from))
        return value;
    from = from < 0 ? from + len : from;
    if (from < 0 || from > len)
        return "";
    if (!second.len || !shell_number(shell, second, &count))
        count = len - from;
    count = count < 0 ? len - from + count : count;
    count = count > len - from ? len - from : count < 0 ? 0 : count;
    return arena_copy(shell->arena, value + from, (size_t)count);
}

const char *shell_change(struct shell *shell, const char *value, struct text op)
{
    char c = text_char(op, 0);
    bool twice = text_char(op, 1) == c;
    if (c == '#' || c == '%')
        return without_part(shell, value,
                            shell_expand_one(shell, text_skip(op, 1U + twice)),
                            c, twice);
    if (c == '/') {
        struct text to, from = text_split(text_skip(op, 1U + twice), '/', &to);
        return replaced(shell, value, shell_expand_one(shell, from),
                        shell_expand_one(shell, to), twice);
    }
    if (c == ',' || c == '^')
        return of_case(shell, value, c);
    if (c == ':')
        return part_of(shell, value, text_skip(op, 1));
    return value;
}
