/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/confscan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/advisor/py_text.h"
#include "schedmate/advisor/pyscan.h"
#include "schedmate/llm/llm_text.h"

enum { DEPTH_MAX = 8, KEY_MAX = 100 };

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

bool conf_is_config(const char *path)
{
    static const char *const ends[] = {".json", ".yaml", ".yml", ".toml",
                                       ".ini",  ".cfg",  ".py",  ".gin"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends_with(path, ends[i]))
            return true;
    }
    return false;
}

static void take_json(const json_t *value, const char *key, const char *path,
                      int depth, struct settings *out);

static void take_member(const char *name, const json_t *value, const char *key,
                        const char *path, int depth, struct settings *out)
{
    char longer[KEY_MAX];
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
    if (depth > DEPTH_MAX)
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

static struct text trimmed(struct text t)
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
    char longer[KEY_MAX];
    int n = snprintf(longer, sizeof longer, "%s%s%.*s", section,
                     section[0] ? "." : "", (int)(key.len > 60 ? 60 : key.len),
                     key.at ? key.at : "");
    if (n > 0 && (size_t)n < sizeof longer)
        settings_add(out, SETTING_CONFIG, text_from(longer), value, path, line);
}

static void take_ini(struct text source, const char *path, struct settings *out)
{
    char section[KEY_MAX] = "";
    size_t number = 0;
    while (source.len) {
        struct text line = text_split(source, '\n', &source), value;
        number++;
        line = trimmed(settings_without_comment(line));
        if (line.len > 2 && line.at[0] == '[' && line.at[line.len - 1] == ']') {
            size_t n = line.len - 2 < KEY_MAX - 1 ? line.len - 2 : KEY_MAX - 1;
            memcpy(section, line.at + 1, n);
            section[n] = '\0';
            continue;
        }
        struct text key = text_split(line, '=', &value);
        if (key.len < line.len)
            add_nested(section, trimmed(key), trimmed(value), path, number,
                       out);
    }
}

/* The maps that enclose a line of a YAML file: the indentation and key of
 * each. */
struct levels {
    size_t indent[DEPTH_MAX];
    struct text key[DEPTH_MAX];
    size_t n;
};

static void path_of(const struct levels *levels, char section[KEY_MAX])
{
    size_t len = 0;
    section[0] = '\0';
    for (size_t i = 0; i < levels->n; i++) {
        struct text key = levels->key[i];
        int n = snprintf(section + len, KEY_MAX - len, "%s%.*s", len ? "." : "",
                         (int)(key.len > 60 ? 60 : key.len), key.at);
        if (n < 0 || (size_t)n >= KEY_MAX - len)
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
    char section[KEY_MAX];
    size_t colon = colon_of(line);
    while (levels->n && levels->indent[levels->n - 1] >= indent)
        levels->n--;
    if (colon == line.len)
        return;
    struct text key = trimmed((struct text){line.at, colon});
    struct text value =
        trimmed((struct text){line.at + colon + 1, line.len - colon - 1});
    if (value.len == 0 && levels->n < DEPTH_MAX) {
        levels->indent[levels->n] = indent;
        levels->key[levels->n++] = key;
        return;
    }
    path_of(levels, section);
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
        struct text plain = trimmed(line);
        /* The "- " of a list element counts as two columns of indentation. */
        while (plain.len > 2 && plain.at[0] == '-' && plain.at[1] == ' ') {
            plain = trimmed((struct text){plain.at + 2, plain.len - 2});
            indent += 2;
        }
        if (plain.len && plain.at[0] != '-')
            take_yaml_line(plain, indent, path, number, &levels, out);
    }
}

void conf_settings(struct text source, const char *path, struct settings *out)
{
    if (ends_with(path, ".json")) {
        json_t *root = json_loadb(source.at, source.len, 0, NULL);
        take_json(root, "", path, 0, out);
        json_decref(root);
    } else if (ends_with(path, ".yaml") || ends_with(path, ".yml")) {
        take_yaml(source, path, out);
    } else if (ends_with(path, ".py")) {
        py_settings(py_strip(source, out->arena), path, true, out);
    } else {
        take_ini(source, path, out);
    }
}
