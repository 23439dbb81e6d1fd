/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_fence.h"

#include "schedmate/logs/log_marks.h"

void log_fence_open(struct out *out)
{
    out_text(out, "<log>\n");
}

/* True if the '<' at index `i` is followed by "log" in any case, perhaps after
 * slashes and blanks, as in "</ LOG". A longer word such as "<logger>" counts
 * too. */
static bool is_tag(struct text line, size_t i)
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
        out_char(out, c == '<' && is_tag(line, i) ? '(' : c);
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
