/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_place.h"

#include <string.h>

/* Moves over blanks, commas and colons, which valid JSON has only between
 * values. */
static void skip_between(struct text *t)
{
    while (t->len && strchr(" \t\r\n,:", t->at[0]) && t->at[0])
        *t = text_skip(*t, 1);
}

/* Moves over a text in quotes. Returns the bytes between the quotes. */
static struct text skip_string(struct text *t)
{
    size_t i = 1;
    while (i < t->len && t->at[i] != '"')
        i += t->at[i] == '\\' ? 2 : 1;
    if (i >= t->len)
        i = t->len - 1;
    struct text inside = {t->at + 1, i > 0 ? i - 1 : 0};
    *t = text_skip(*t, i + 1);
    return inside;
}

/* Moves over one value of any kind. */
static void skip_value(struct text *t)
{
    size_t depth = 0;
    while (t->len) {
        char c = t->at[0];
        if (c == '"') {
            skip_string(t);
        } else {
            depth += c == '{' || c == '[';
            if ((c == '}' || c == ']') && depth-- == 0)
                return;
            *t = text_skip(*t, 1);
        }
        if (depth == 0 && (!t->len || strchr(" \t\r\n,:]}\"", t->at[0])))
            return;
    }
}

/* Moves *t from the opening brace of an object to the value of a key. Returns
 * false and leaves *t unchanged if the value is no object or has no such
 * key. */
static bool enter_key(struct text *t, const char *key)
{
    struct text at = *t;
    if (text_char(at, 0) != '{')
        return false;
    at = text_skip(at, 1);
    for (skip_between(&at); text_char(at, 0) == '"'; skip_between(&at)) {
        struct text name = skip_string(&at);
        skip_between(&at);
        if (text_is(name, key)) {
            *t = at;
            return true;
        }
        skip_value(&at);
    }
    return false;
}

/* Moves *t from the opening bracket of an array to value number `row`, from 0.
 * Returns false and leaves *t unchanged if the value is no array or is
 * shorter. */
static bool enter_row(struct text *t, size_t row)
{
    struct text at = *t;
    if (text_char(at, 0) != '[')
        return false;
    at = text_skip(at, 1);
    for (skip_between(&at); at.len && at.at[0] != ']'; skip_between(&at)) {
        if (row-- == 0) {
            *t = at;
            return true;
        }
        skip_value(&at);
    }
    return false;
}

struct json_place json_place_at(struct text json, const struct json_step *steps,
                                size_t n)
{
    struct text at = json;
    struct json_place place = {1, 1};
    skip_between(&at);
    for (size_t i = 0; i < n; i++) {
        if (!(steps[i].key ? enter_key(&at, steps[i].key)
                           : enter_row(&at, steps[i].row)))
            break;
    }
    for (const char *p = json.at; p < at.at; p++) {
        place.column = *p == '\n' ? 1 : place.column + 1;
        place.line += *p == '\n';
    }
    return place;
}

struct json_place json_place(struct text json, const char *list, size_t row,
                             const char *key)
{
    const struct json_step steps[] = {
        {.key = list}, {.row = row}, {.key = key}};
    return json_place_at(json, steps, list ? key ? 3 : 2 : 0);
}
