/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the launch command in a shell script. The script is read but never
 * run. */
#include <string.h>

#include "models/advisor/launch.h"
#include "sim/base/ascii.h"

enum {
    /* largest number of bytes of a script that are read */
    SCRIPT_MAX = 1 << 18,
    /* largest number of lines that backslashes join to one */
    JOINED_MAX = 200,
    VARIABLES_MAX = 64,
};

/* The variables that the script has set to plain text so far. */
struct variables {
    struct text names[VARIABLES_MAX], values[VARIABLES_MAX];
    size_t n;
};

/* Reads $NAME or ${NAME} at the start of `t` and sets *value. Returns the
 * length of the reference; 0 if `t` does not begin with a reference or the
 * variable is not in `variables`. */
static size_t reference(struct text t, const struct variables *variables,
                        struct text *value)
{
    if (t.at[0] != '$')
        return 0;
    bool braced = text_char(t, 1) == '{';
    size_t from = 1 + braced, to = from;
    while (ascii_is_name(text_char(t, to)))
        to++;
    struct text name = {t.at + from, to - from};
    for (size_t i = 0; i < variables->n; i++) {
        if (text_equal(variables->names[i], name)) {
            *value = variables->values[i];
            return to + (braced && text_char(t, to) == '}');
        }
    }
    return 0;
}

/* Returns the text with $NAME and ${NAME} replaced if NAME was set to plain
 * text. */
static struct text expand(struct text t, const struct variables *variables,
                          struct arena *arena)
{
    enum { MOST = 16384 };
    char out[MOST];
    size_t n = 0;
    if (t.len > MOST || !memchr(t.at, '$', t.len))
        return t;
    for (size_t i = 0; i < t.len && n < MOST;) {
        struct text value = {&t.at[i], 1};
        size_t read = reference(text_skip(t, i), variables, &value);
        size_t len = value.len < MOST - n ? value.len : MOST - n;
        memcpy(out + n, value.at, len);
        n += len;
        i += read ? read : 1;
    }
    return (struct text){arena_copy(arena, out, n), n};
}

/* Reads NAME=value, which `export` may precede. */
static void take_variable(struct text line, struct variables *variables)
{
    struct text value;
    if (line.len > 7 && memcmp(line.at, "export ", 7) == 0)
        line = text_trim((struct text){line.at + 7, line.len - 7});
    struct text name = text_split(line, '=', &value);
    if (name.len == line.len || variables->n == VARIABLES_MAX || name.len == 0)
        return;
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" \t$\"'-", name.at[i]))
            return;
    }
    value = text_trim(value);
    if (value.len >= 2 && (value.at[0] == '"' || value.at[0] == '\''))
        value = (struct text){value.at + 1, value.len - 2};
    else if (value.len && memchr(value.at, ' ', value.len))
        return; /* a command follows: NAME=value command */
    /* ${1:-default} and $(command) are not plain text. */
    if (value.len && memchr(value.at, '$', value.len) == value.at)
        return;
    variables->names[variables->n] = name;
    variables->values[variables->n++] = value;
}

/* Returns the next line, joined with the following lines as long as a backslash
 * ends a line. */
static struct text joined_line(struct text *rest, struct arena *arena,
                               size_t *lines)
{
    struct text line = text_split(*rest, '\n', rest), all = line;
    *lines = 1;
    while (all.len && all.at[all.len - 1] == '\\' && rest->len &&
           *lines < JOINED_MAX) {
        line = text_split(*rest, '\n', rest);
        char *copy = arena_alloc(arena, all.len + line.len + 1);
        memcpy(copy, all.at, all.len - 1);
        copy[all.len - 1] = ' ';
        memcpy(copy + all.len, line.at, line.len);
        all = (struct text){copy, all.len + line.len};
        ++*lines;
    }
    return text_trim(all);
}

const char *launch_in_script(struct text script, struct arena *arena,
                             size_t *line)
{
    struct variables variables = {.n = 0};
    size_t number = 1, lines;
    const char *found = NULL;
    struct arena scratch;
    arena_init(&scratch);
    if (script.len > SCRIPT_MAX)
        script.len = SCRIPT_MAX;
    for (; script.len && !found; number += lines) {
        struct launch launch;
        struct text command = text_trim(
            settings_without_comment(joined_line(&script, arena, &lines)));
        if (command.len == 0 || memchr(command.at, '\0', command.len))
            continue;
        command = expand(command, &variables, arena);
        if (launch_read(command, &scratch, &launch) && !launch.is_shell) {
            *line = number;
            found = arena_copy(arena, command.at, command.len);
        }
        take_variable(command, &variables);
        arena_reset(&scratch);
    }
    arena_fini(&scratch);
    return found;
}
