/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads settings out of text that is not run: configuration files
 * and Python sources. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/llm/llm_text.h"

/* Returns the value of the keyword argument `default` of a call; an empty text
 * if there is none or it is not a literal. */
static struct text scan_default_of(struct text call, struct arena *arena)
{
    struct text argument, name, value;
    for (int i = 0; i < 32 && py_next_argument(&call, &argument); i++) {
        if (py_keyword(argument, &name, &value) && text_is(name, "default"))
            return py_literal(value, arena);
    }
    return (struct text){0};
}

enum { SCAN_NAMES_MAX = 8 };

/* Finds the first SCAN_NAMES_MAX option strings of a call: "-b",
 * "--batch-size", or the plain name of a positional argument. Returns their
 * number. */
static size_t scan_option_names(struct text call,
                                struct text names[SCAN_NAMES_MAX])
{
    struct text argument;
    size_t n = 0;
    while (n < SCAN_NAMES_MAX && py_next_argument(&call, &argument) &&
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
static int scan_rank_of(struct text name)
{
    if (name.at[0] != '-')
        return 2;
    return text_char(name, 1) == '-';
}

/* Reads add_argument("-b", "--batch-size", default=64). The first name without
 * dashes, else the first with two dashes, is the name of the option, as in
 * argparse and click; the others are aliases. In click, a slash separates the
 * on and off names of a switch. */
static void scan_take_option(const struct scan *scan, struct text call,
                             size_t line)
{
    struct text names[SCAN_NAMES_MAX], rest, best = {0};
    size_t n = scan_option_names(call, names);
    for (size_t i = 0; i < n; i++) {
        names[i] = text_split(names[i], '/', &rest);
        if (!best.len ||
            (names[i].len && scan_rank_of(names[i]) > scan_rank_of(best)))
            best = names[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (!text_equal(names[i], best))
            settings_alias(scan->out, names[i], best);
    }
    emit(scan, SETTING_DECLARED, best, scan_default_of(call, scan->out->arena),
         line);
}

static bool scan_word_is(struct text source, size_t from, size_t to,
                         const char *word)
{
    return text_is((struct text){source.at + from, to - from}, word);
}

/* Reads the call whose bracket opens at `at`, if it declares an option. */
static void scan_take_call(const struct scan *scan, size_t at, size_t line)
{
    const struct text source = scan->source;
    size_t from = at;
    while (from && ascii_is_name(source.at[from - 1]))
        from--;
    if (scan_word_is(source, from, at, "add_argument") ||
        scan_word_is(source, from, at, "add_arg") ||
        scan_word_is(source, from, at, "option")) {
        scan_take_option(scan, py_inside(source, at + 1), line);
    } else if (at - from > 7 && memcmp(source.at + from, "DEFINE_", 7) == 0) {
        take_absl(scan, py_inside(source, at + 1), line);
    }
}

/* Returns the value of an assignment: a literal, or the literal in
 * field(default=literal); an empty text for anything else. */
static struct text scan_assigned(struct text value, struct arena *arena)
{
    value = text_trim(value);
    if (value.len && value.at[value.len - 1] == ',')
        value.len--;
    if (value.len > 6 && memcmp(value.at, "field(", 6) == 0)
        return scan_default_of(py_inside(value, 6), arena);
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

/* Reads the "= value" or ": type = value" that follows a name. Sets *typed to
 * true if there is a type, else to false. Returns false if the text is not an
 * assignment. */
static bool scan_assignment(struct text after_name, bool *typed,
                            struct text *value)
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
    if (!indented)
        *in_class = text_is((struct text){t.at, n}, "class");
    if (n == 0 || !scan_assignment(text_skip(t, n), &typed, &value))
        return;
    bool lasting = !indented || (*in_class && typed);
    emit(scan, lasting ? SETTING_ASSIGNED : SETTING_LOCAL,
         (struct text){t.at, n}, scan_assigned(value, scan->out->arena), line);
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
                scan_take_call(&scan, (size_t)(line.at - source.at) + i,
                               number);
        }
        take_line(&scan, joined_field(source, line), number, &in_class);
        take_keywords(&scan, line, number);
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

enum { SCAN_DEPTH_MAX = 8, SCAN_KEY_MAX = 100 };

static bool scan_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

bool conf_is_config(const char *path)
{
    static const char *const ends[] = {".json", ".yaml", ".yml", ".toml",
                                       ".ini",  ".cfg",  ".py",  ".gin"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (scan_ends_with(path, ends[i]))
            return true;
    }
    return false;
}

static void take_json(const json_t *value, const char *key, const char *path,
                      int depth, struct settings *out);

static void take_member(const char *name, const json_t *value, const char *key,
                        const char *path, int depth, struct settings *out)
{
    char longer[SCAN_KEY_MAX];
    int n =
        snprintf(longer, sizeof longer, "%s%s%s", key, key[0] ? "." : "", name);
    if (n > 0 && (size_t)n < sizeof longer)
        take_json(value, longer, path, depth + 1, out);
}

static void add_number(double number, const char *key, const char *path,
                       struct settings *out)
{
    struct out *text = out_to_memory();
    llm_json_number(text, number);
    settings_add(out, SETTING_CONFIG, text_from(key), out_memory(text), path,
                 0);
    out_abandon(text);
}

static void take_json(const json_t *value, const char *key, const char *path,
                      int depth, struct settings *out)
{
    if (depth > SCAN_DEPTH_MAX)
        return;
    if (json_is_object(value)) {
        const char *name;
        json_t *member;
        json_object_foreach((json_t *)(uintptr_t)value, name, member)
            take_member(name, member, key, path, depth, out);
    } else if (json_is_array(value)) {
        if (json_array_size(value))
            take_json(json_array_get(value, 0), key, path, depth + 1, out);
    } else if (json_is_string(value)) {
        settings_add(out, SETTING_CONFIG, text_from(key),
                     text_from(json_string_value(value)), path, 0);
    } else if (json_is_number(value)) {
        add_number(json_number_value(value), key, path, out);
    } else if (json_is_boolean(value)) {
        settings_add(out, SETTING_CONFIG, text_from(key),
                     text_from(json_is_true(value) ? "true" : "false"), path,
                     0);
    }
}

static struct text scan_trimmed(struct text t)
{
    t = text_trim(t);
    while (t.len && t.at[t.len - 1] == '\r')
        t = text_trim((struct text){t.at, t.len - 1});
    return t;
}

/* Adds a setting with the key "section.key", or `key` if the section is empty.
 */
static void add_nested(const char *section, struct text key, struct text value,
                       const char *path, size_t line, struct settings *out)
{
    char longer[SCAN_KEY_MAX];
    int n = snprintf(longer, sizeof longer, "%s%s%.*s", section,
                     section[0] ? "." : "", (int)(key.len > 60 ? 60 : key.len),
                     key.at ? key.at : "");
    if (n > 0 && (size_t)n < sizeof longer)
        settings_add(out, SETTING_CONFIG, text_from(longer), value, path, line);
}

static void take_ini(struct text source, const char *path, struct settings *out)
{
    char section[SCAN_KEY_MAX] = "";
    size_t number = 0;
    while (source.len) {
        struct text line = text_split(source, '\n', &source), value;
        number++;
        line = scan_trimmed(settings_without_comment(line));
        if (line.len > 2 && line.at[0] == '[' && line.at[line.len - 1] == ']') {
            size_t n = line.len - 2 < SCAN_KEY_MAX - 1 ? line.len - 2
                                                       : SCAN_KEY_MAX - 1;
            memcpy(section, line.at + 1, n);
            section[n] = '\0';
            continue;
        }
        struct text key = text_split(line, '=', &value);
        if (key.len < line.len)
            add_nested(section, scan_trimmed(key), scan_trimmed(value), path,
                       number, out);
    }
}

/* The maps that enclose a line of a YAML file: the indentation and key of
 * each. */
struct levels {
    size_t indent[SCAN_DEPTH_MAX];
    struct text key[SCAN_DEPTH_MAX];
    size_t n;
};

static void scan_path_of(const struct levels *levels,
                         char section[SCAN_KEY_MAX])
{
    size_t len = 0;
    section[0] = '\0';
    for (size_t i = 0; i < levels->n; i++) {
        struct text key = levels->key[i];
        int n = snprintf(section + len, SCAN_KEY_MAX - len, "%s%.*s",
                         len ? "." : "", (int)(key.len > 60 ? 60 : key.len),
                         key.at);
        if (n < 0 || (size_t)n >= SCAN_KEY_MAX - len)
            return;
        len += (size_t)n;
    }
}

/* Returns the index of the colon that ends a key: one at the end of the line or
 * before a blank. Returns the length of the line if there is none. */
static size_t colon_of(struct text t)
{
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] == ':' && (i + 1 == t.len || t.at[i + 1] == ' '))
            return i;
    }
    return t.len;
}

static void take_yaml_line(struct text line, size_t indent, const char *path,
                           size_t number, struct levels *levels,
                           struct settings *out)
{
    char section[SCAN_KEY_MAX];
    size_t colon = colon_of(line);
    while (levels->n && levels->indent[levels->n - 1] >= indent)
        levels->n--;
    if (colon == line.len)
        return;
    struct text key = scan_trimmed((struct text){line.at, colon});
    struct text value =
        scan_trimmed((struct text){line.at + colon + 1, line.len - colon - 1});
    if (value.len == 0 && levels->n < SCAN_DEPTH_MAX) {
        levels->indent[levels->n] = indent;
        levels->key[levels->n++] = key;
        return;
    }
    scan_path_of(levels, section);
    add_nested(section, key, value, path, number, out);
}

static void take_yaml(struct text source, const char *path,
                      struct settings *out)
{
    struct levels levels = {.n = 0};
    size_t number = 0;
    while (source.len) {
        struct text line = text_split(source, '\n', &source);
        size_t indent = 0;
        number++;
        line = settings_without_comment(line);
        while (indent < line.len && line.at[indent] == ' ')
            indent++;
        struct text plain = scan_trimmed(line);
        /* The "- " of a list element counts as two columns of indentation. */
        while (plain.len > 2 && plain.at[0] == '-' && plain.at[1] == ' ') {
            plain = scan_trimmed((struct text){plain.at + 2, plain.len - 2});
            indent += 2;
        }
        if (plain.len && plain.at[0] != '-')
            take_yaml_line(plain, indent, path, number, &levels, out);
    }
}

void conf_settings(struct text source, const char *path, struct settings *out)
{
    if (scan_ends_with(path, ".json")) {
        json_t *root = json_loadb(source.at, source.len, 0, NULL);
        take_json(root, "", path, 0, out);
        json_decref(root);
    } else if (scan_ends_with(path, ".yaml") || scan_ends_with(path, ".yml")) {
        take_yaml(source, path, out);
    } else if (scan_ends_with(path, ".py")) {
        py_settings(py_strip(source, out->arena), path, true, out);
    } else {
        take_ini(source, path, out);
    }
}
