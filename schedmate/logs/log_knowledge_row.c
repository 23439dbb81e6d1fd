/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/log_knowledge_row.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/find.h"
#include "base/json_place.h"

enum status row_bad(const struct knowledge_row *r, const char *key,
                    const char *fmt, ...)
{
    struct json_place place = json_place(r->json, r->list, r->at, key);
    char words[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    return error_set(r->err, STATUS_BAD_INPUT,
                     "%s:%zu:%zu: %s%s%.60s%s%s%s: %s", r->file, place.line,
                     place.column, r->list ? r->list : "",
                     r->name[0] ? " '" : "", r->name, r->name[0] ? "'" : "",
                     r->list && key ? ": " : "", key ? key : "", words);
}

static size_t count(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

/* Sets *out to the index of a name. The error names the nearest name, or all
 * names if none is near. */
static enum status row_index(const struct knowledge_row *r, const char *key,
                             const char *found, const char *const *names,
                             unsigned *out)
{
    char words[FIND_WORDS_MAX];
    size_t n = count(names), i = find_or_suggest(found, names, n, words);
    if (i == n)
        return row_bad(r, key, "%s", words);
    *out = (unsigned)i;
    return STATUS_OK;
}

enum status row_keys(const struct knowledge_row *r, const char *const *names)
{
    const char *key;
    json_t *value;
    unsigned known;
    json_object_foreach((json_t *)(uintptr_t)r->object, key, value)
    {
        enum status st = row_index(r, key, key, names, &known);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

static enum status text_of(const struct knowledge_row *r, const char *key,
                           const json_t *value, size_t max, const char **out)
{
    size_t len = json_string_length(value);
    if (!json_is_string(value) || len == 0 || len > max ||
        strlen(json_string_value(value)) != len)
        return row_bad(r, key, "expected a text of 1 to %zu bytes", max);
    *out = arena_copy(&r->k->arena, json_string_value(value), len);
    return STATUS_OK;
}

enum status row_text(const struct knowledge_row *r, const char *key, size_t max,
                     const char **out)
{
    const json_t *value = json_object_get(r->object, key);
    return value ? text_of(r, key, value, max, out) : STATUS_OK;
}

enum status row_need(const struct knowledge_row *r, const char *key)
{
    return json_object_get(r->object, key)
               ? STATUS_OK
               : row_bad(r, NULL, "expected a key '%s'", key);
}

enum status row_choice(const struct knowledge_row *r, const char *key,
                       const char *const *names, unsigned *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value)
        return STATUS_OK;
    return json_is_string(value)
               ? row_index(r, key, json_string_value(value), names, out)
               : row_bad(r, key, "expected a text");
}

enum status row_bool(const struct knowledge_row *r, const char *key, bool *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (value && !json_is_boolean(value))
        return row_bad(r, key, "expected true or false");
    if (value)
        *out = json_is_true(value);
    return STATUS_OK;
}

enum status row_texts(const struct knowledge_row *r, const char *key,
                      struct log_texts *out)
{
    const json_t *value = json_object_get(r->object, key);
    bool list = json_is_array(value);
    size_t n = list ? json_array_size(value) : value != NULL;
    if (list && (n == 0 || n > LOG_TEXTS_MAX))
        return row_bad(r, key, "expected a text or 1 to %d texts",
                       LOG_TEXTS_MAX);
    *out = (struct log_texts){ARENA_ARRAY(&r->k->arena, struct text, n + 1), n};
    for (size_t i = 0; i < n; i++) {
        const char *at = NULL;
        enum status st =
            text_of(r, key, list ? json_array_get(value, i) : value,
                    ROW_TEXT_BYTES, &at);
        if (st != STATUS_OK)
            return st;
        out->at[i] = text_from(at);
    }
    return STATUS_OK;
}

enum status row_name(struct knowledge_row *r)
{
    enum status st = row_need(r, "name");
    return st == STATUS_OK ? row_text(r, "name", ROW_NAME_BYTES, &r->name) : st;
}

enum status row_inner(const struct knowledge_row *r, const char *key,
                      const char *const *keys, struct knowledge_row *out)
{
    *out = *r;
    out->object = json_object_get(r->object, key);
    if (!json_is_object(out->object))
        return row_bad(r, key, "expected an object");
    const char *name;
    json_t *value;
    unsigned known;
    json_object_foreach((json_t *)(uintptr_t)out->object, name, value)
    {
        enum status st = row_index(r, key, name, keys, &known);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

enum status row_number(const struct knowledge_row *r, const char *key,
                       uint32_t *out)
{
    const json_t *value = json_object_get(r->object, key);
    json_int_t number = json_integer_value(value);
    if (!value)
        return STATUS_OK;
    if (!json_is_integer(value) || number < 0 || number > UINT32_MAX)
        return row_bad(r, key, "expected a whole number from 0 to %u",
                       UINT32_MAX);
    *out = (uint32_t)number;
    return STATUS_OK;
}
