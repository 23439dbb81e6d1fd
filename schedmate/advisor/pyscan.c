/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/pyscan.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/py_text.h"

/* Returns the value of the keyword argument `default` of a call; an empty text
 * if there is none or it is not a literal. */
static struct text default_of(struct text call, struct arena *arena)
{
    struct text argument, name, value;
    for (int i = 0; i < 32 && py_next_argument(&call, &argument); i++) {
        if (py_keyword(argument, &name, &value) && text_is(name, "default"))
            return py_literal(value, arena);
    }
    return (struct text){0};
}

enum { NAMES_MAX = 8 };

/* Finds the first NAMES_MAX option strings of a call: "-b", "--batch-size", or
 * the plain name of a positional argument. Returns their number. */
static size_t option_names(struct text call, struct text names[NAMES_MAX])
{
    struct text argument;
    size_t n = 0;
    while (n < NAMES_MAX && py_next_argument(&call, &argument) &&
           argument.len > 2 &&
           (argument.at[0] == '"' || argument.at[0] == '\''))
        names[n++] = (struct text){argument.at + 1, argument.len - 2};
    return n;
}

struct scan {
    struct text source;
    const char *path;
    bool is_config;
    struct settings *out;
};

static void emit(const struct scan *scan, enum setting_rank rank,
                 struct text key, struct text value, size_t line)
{
    if (value.len)
        settings_add(scan->out, scan->is_config ? SETTING_CONFIG : rank, key,
                     value, scan->path, line);
}

/* Reads the arguments of DEFINE_integer('name', default, ...) or another of the
 * DEFINE functions of absl. */
static void take_absl(const struct scan *scan, struct text call, size_t line)
{
    struct text name, value;
    if (py_next_argument(&call, &name) && py_next_argument(&call, &value) &&
        name.len > 2 && (name.at[0] == '"' || name.at[0] == '\''))
        emit(scan, SETTING_DECLARED, (struct text){name.at + 1, name.len - 2},
             py_literal(value, scan->out->arena), line);
}

/* Returns 2 for a name without dashes, 1 for a name with two dashes in front, 0
 * for a name with one. */
static int rank_of(struct text name)
{
    if (name.at[0] != '-')
        return 2;
    return text_char(name, 1) == '-';
}

/* Reads add_argument("-b", "--batch-size", default=64). The first name without
 * dashes, else the first with two dashes, is the name of the option, as in
 * argparse and click; the others are aliases. In click, a slash separates the
 * on and off names of a switch. */
static void take_option(const struct scan *scan, struct text call, size_t line)
{
    struct text names[NAMES_MAX], rest, best = {0};
    size_t n = option_names(call, names);
    for (size_t i = 0; i < n; i++) {
        names[i] = text_split(names[i], '/', &rest);
        if (!best.len || (names[i].len && rank_of(names[i]) > rank_of(best)))
            best = names[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (!text_equal(names[i], best))
            settings_alias(scan->out, names[i], best);
    }
    emit(scan, SETTING_DECLARED, best, default_of(call, scan->out->arena),
         line);
}

static bool word_is(struct text source, size_t from, size_t to,
                    const char *word)
{
    return text_is((struct text){source.at + from, to - from}, word);
}

/* Reads the call whose bracket opens at `at`, if it declares an option. */
static void take_call(const struct scan *scan, size_t at, size_t line)
{
    const struct text source = scan->source;
    size_t from = at;
    while (from && ascii_is_name(source.at[from - 1]))
        from--;
    if (word_is(source, from, at, "add_argument") ||
        word_is(source, from, at, "add_arg") ||
        word_is(source, from, at, "option")) {
        take_option(scan, py_inside(source, at + 1), line);
    } else if (at - from > 7 && memcmp(source.at + from, "DEFINE_", 7) == 0) {
        take_absl(scan, py_inside(source, at + 1), line);
    }
}

/* Returns the value of an assignment: a literal, or the literal in
 * field(default=literal); an empty text for anything else. */
static struct text assigned(struct text value, struct arena *arena)
{
    value = text_trim(value);
    if (value.len && value.at[value.len - 1] == ',')
        value.len--;
    if (value.len > 6 && memcmp(value.at, "field(", 6) == 0)
        return default_of(py_inside(value, 6), arena);
    return py_literal(value, arena);
}

/* Largest length of a literal that is read, bytes. */
enum { LITERAL_MAX = 200 };

/* Reads each name=literal among the arguments of a call on this line. */
static void take_keywords(const struct scan *scan, struct text line,
                          size_t number)
{
    for (size_t i = 1; i + 1 < line.len; i++) {
        size_t from = i, to = i + 1;
        if (line.at[i] != '=' || line.at[i + 1] == '=')
            continue;
        while (from && ascii_is_name(line.at[from - 1]))
            from--;
        if (from == i || from == 0 || !strchr("(, ", line.at[from - 1]))
            continue;
        while (to < line.len && to - i < LITERAL_MAX &&
               !strchr(",)", line.at[to]))
            to++;
        emit(scan, SETTING_LOCAL, (struct text){line.at + from, i - from},
             py_literal((struct text){line.at + i + 1, to - i - 1},
                        scan->out->arena),
             number);
    }
}

static size_t word_length(struct text t)
{
    size_t n = 0;
    while (n < t.len && ascii_is_name(t.at[n]))
        n++;
    return n;
}

/* Reads the item "key": value of a dictionary. */
static void take_item(const struct scan *scan, struct text t, size_t line)
{
    size_t n = py_string_end(t, 0);
    struct text key = {t.at + 1, n > 2 ? n - 2 : 0},
                rest = {t.at + n, t.len - n};
    rest = text_trim(rest);
    if (rest.len && rest.at[0] == ':')
        emit(scan, SETTING_LOCAL, key,
             assigned((struct text){rest.at + 1, rest.len - 1},
                      scan->out->arena),
             line);
}

/* Reads the "= value" or ": type = value" that follows a name. Sets *typed to
 * true if there is a type, else to false. Returns false if the text is not an
 * assignment. */
static bool assignment(struct text after_name, bool *typed, struct text *value)
{
    struct text rest = text_trim(after_name);
    char first = text_char(rest, 0);
    *typed = first == ':';
    text_split(rest, '=', value);
    return (*typed || first == '=') && value->len && value->at[0] != '=';
}

/* Reads "key": value, or name = value with or without a type. `text` is the
 * line or, if a call of field() on it spans several lines, the text up to the
 * end of the call. *in_class is true inside a class and is updated at each line
 * without indentation. */
static void take_line(const struct scan *scan, struct text text, size_t line,
                      bool *in_class)
{
    struct text t = text_trim(text), value;
    if (!t.len)
        return;
    bool indented = t.at > text.at, typed;
    size_t n = word_length(t);
    if (t.at[0] == '"' || t.at[0] == '\'')
        take_item(scan, t, line);
    if (!indented)
        *in_class = text_is((struct text){t.at, n}, "class");
    if (n == 0 || !assignment(text_skip(t, n), &typed, &value))
        return;
    bool lasting = !indented || (*in_class && typed);
    emit(scan, lasting ? SETTING_ASSIGNED : SETTING_LOCAL,
         (struct text){t.at, n}, assigned(value, scan->out->arena), line);
}

/* Reads the count N of `for epoch in range(N)`, range(a, N) and range(first,
 * first + N) as the setting `epochs`. */
static void take_loop(const struct scan *scan, struct text line, size_t number)
{
    static const char head[] = "for epoch in range(";
    struct text t = text_trim(line), first, last, rest, more;
    if (t.len < sizeof head || memcmp(t.at, head, sizeof head - 1) != 0)
        return;
    rest = py_inside(t, sizeof head - 1);
    if (!py_next_argument(&rest, &first))
        return;
    if (!py_next_argument(&rest, &last))
        last = first;
    struct text name = text_trim(text_split(last, '+', &more));
    if (more.len && text_equal(name, first))
        last = more;
    emit(scan, SETTING_LOCAL, text_from("epochs"),
         py_literal(last, scan->out->arena), number);
}

static struct text joined_field(struct text source, struct text line)
{
    const char *field =
        line.len ? memmem(line.at, line.len, "field(", 6) : NULL;
    if (!field)
        return line;
    size_t at = (size_t)(field - source.at) + 6;
    struct text call = py_inside(source, at);
    if (!call.at || call.at + call.len < line.at + line.len)
        return line;
    return (struct text){line.at, (size_t)(call.at + call.len - line.at) + 1};
}

void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out)
{
    const struct scan scan = {source, path, is_config, out};
    bool in_class = false;
    size_t number = 0;
    for (struct text rest = source; rest.len;) {
        struct text line = text_split(rest, '\n', &rest);
        number++;
        for (size_t i = 0; i < line.len; i++) {
            if (line.at[i] == '(')
                take_call(&scan, (size_t)(line.at - source.at) + i, number);
        }
        take_line(&scan, joined_field(source, line), number, &in_class);
        take_keywords(&scan, line, number);
        take_loop(&scan, line, number);
    }
}

bool py_next_import(struct text source, size_t *at, struct text *module)
{
    while (*at < source.len) {
        struct text rest, tail = {source.at + *at, source.len - *at};
        struct text line = text_split(tail, '\n', &rest);
        *at += line.len + 1;
        line = text_trim(line);
        size_t skip = line.len > 7 && memcmp(line.at, "import ", 7) == 0 ? 7
                      : line.len > 5 && memcmp(line.at, "from ", 5) == 0 ? 5
                                                                         : 0;
        if (!skip)
            continue;
        line = text_trim((struct text){line.at + skip, line.len - skip});
        size_t n = 0;
        while (n < line.len && (ascii_is_name(line.at[n]) || line.at[n] == '.'))
            n++;
        *module = (struct text){line.at, n};
        if (n)
            return true;
    }
    return false;
}
