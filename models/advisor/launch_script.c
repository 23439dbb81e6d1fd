/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the launch command in a shell script. The script is read but never
 * run. */
#include <string.h>

#include "models/advisor/launch.h"
#include "sim/base/ascii.h"
#include "sim/base/out.h"

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
    /* the command that starts the script, whose arguments are $1, $2, ...;
     * NULL: not known */
    const struct launch *caller;
    size_t shifted; /* arguments that `shift` has removed so far */
};

/* Returns the length of "$@", $@, $* or ${@:N} at the start of `t`, and sets
 * *first to the index of the first argument that it stands for. Returns 0 if
 * `t` begins with none of these. */
static size_t all_arguments(struct text t, size_t *first)
{
    bool quoted = text_char(t, 0) == '"';
    size_t at = quoted;
    if (text_char(t, at++) != '$')
        return 0;
    bool braced = text_char(t, at) == '{';
    at += braced;
    char name = text_char(t, at++);
    if (name != '@' && name != '*')
        return 0;
    *first = 0;
    if (braced && text_char(t, at) == ':') {
        char digit = text_char(t, ++at);
        *first = digit > '1' && digit <= '9' ? (size_t)(digit - '1') : 0;
        at++;
    }
    if ((braced && text_char(t, at++) != '}') ||
        (quoted && text_char(t, at++) != '"'))
        return 0;
    return at;
}

/* Writes the arguments of the caller from number `first` on, each in single
 * quotes. */
static void write_arguments(const struct variables *variables, size_t first,
                            struct out *out)
{
    const struct launch *caller = variables->caller;
    for (size_t i = first + variables->shifted; i < caller->n_words; i++) {
        if (!strchr(caller->words[i], '\''))
            out_printf(out, "'%s' ", caller->words[i]);
    }
}

/* Finds $1 to $9. */
static bool argument(struct text name, const struct variables *variables,
                     struct text *value)
{
    const struct launch *caller = variables->caller;
    if (!caller || name.len != 1 || name.at[0] < '1' || name.at[0] > '9')
        return false;
    size_t number = (size_t)(name.at[0] - '1') + variables->shifted;
    if (number >= caller->n_words)
        return false;
    *value = text_from(caller->words[number]);
    return true;
}

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
    size_t len = to + (braced && text_char(t, to) == '}');
    if (argument(name, variables, value))
        return len;
    for (size_t i = 0; i < variables->n; i++) {
        if (text_equal(variables->names[i], name)) {
            *value = variables->values[i];
            return len;
        }
    }
    return 0;
}

/* Returns the text with $NAME and ${NAME} replaced if NAME was set to plain
 * text, and with the arguments of the caller in place of "$@". */
static struct text expand(struct text t, const struct variables *variables,
                          struct arena *arena)
{
    enum { MOST = 16384 };
    if (t.len > MOST || !memchr(t.at, '$', t.len))
        return t;
    struct out *out = out_to_memory();
    for (size_t i = 0; i < t.len && out_memory(out).len < MOST;) {
        struct text value = {&t.at[i], 1};
        size_t first, read = variables->caller
                                 ? all_arguments(text_skip(t, i), &first)
                                 : 0;
        if (read) {
            write_arguments(variables, first, out);
            i += read;
            continue;
        }
        read = reference(text_skip(t, i), variables, &value);
        out_bytes(out, value.at, value.len);
        i += read ? read : 1;
    }
    struct text all = out_memory(out);
    if (all.len > MOST)
        all.len = MOST;
    all.at = arena_copy(arena, all.at, all.len);
    out_abandon(out);
    return all;
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

const char *launch_in_script(struct text script, const struct launch *caller,
                             struct arena *arena, size_t *line)
{
    struct variables variables = {.caller = caller};
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
        variables.shifted += text_is(command, "shift");
        take_variable(command, &variables);
        arena_reset(&scratch);
    }
    arena_fini(&scratch);
    return found;
}
