/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values of a JSON file and keeps the path of keys to the present value,
 * so that each error names line, column and path. */
#include "commands/study/gate_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

void gate_enter(struct gate_reader *r, const char *key)
{
    CHECK(r->depth < GATE_DEPTH_MAX);
    r->steps[r->depth++] = (struct json_step){.key = key};
}

void gate_enter_row(struct gate_reader *r, size_t row)
{
    CHECK(r->depth < GATE_DEPTH_MAX);
    r->steps[r->depth++] = (struct json_step){.row = row};
}

void gate_leave(struct gate_reader *r)
{
    CHECK(r->depth > 0);
    r->depth--;
}

struct json_place gate_here(const struct gate_reader *r)
{
    return json_place_at(r->text, r->steps, r->depth);
}

/* Writes the path of keys, such as "traces[0].settings.cluster: ". */
static void describe_path(const struct gate_reader *r, char out[512])
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < r->depth; i++) {
        const struct json_step *s = &r->steps[i];
        n += (size_t)(s->key ? snprintf(out + n, 512 - n, "%s%.60s",
                                        i ? "." : "", s->key)
                             : snprintf(out + n, 512 - n, "[%zu]", s->row));
    }
    if (n)
        snprintf(out + n, 512 - n, ": ");
}

enum status gate_bad(const struct gate_reader *r, const char *fmt, ...)
{
    struct json_place place = gate_here(r);
    char words[1024], path[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    describe_path(r, path);
    return error_set(r->err, STATUS_BAD_INPUT, "%s:%zu:%zu: %s%s", r->path,
                     place.line, place.column, path, words);
}

enum status gate_bad_here(const struct gate_reader *r)
{
    struct json_place place = gate_here(r);
    char path[512];
    describe_path(r, path);
    error_prefix(r->err, "%s:%zu:%zu: %s", r->path, place.line, place.column,
                 path);
    return r->err->status = STATUS_BAD_INPUT;
}

static enum status gate_read_unknown_key(struct gate_reader *r, const char *key,
                                         const char *const *names)
{
    char words[512] = "";
    size_t n = 0, len = 0;
    while (names[n])
        n++;
    const char *near = text_nearest(text_from(key), names, n);
    if (near)
        snprintf(words, sizeof words, "did you mean '%s'?", near);
    for (size_t i = 0; !near && i < n && len < sizeof words; i++)
        len += (size_t)snprintf(words + len, sizeof words - len, "%s%s",
                                i ? ", " : "there are ", names[i]);
    gate_enter(r, key);
    struct json_place place = gate_here(r);
    gate_leave(r);
    char path[512];
    describe_path(r, path);
    return error_set(r->err, STATUS_BAD_INPUT,
                     "%s:%zu:%zu: %sno key '%.100s'; "
                     "%s",
                     r->path, place.line, place.column, path, key, words);
}

enum status gate_object(struct gate_reader *r, const json_t *value,
                        const char *const *names)
{
    const char *key;
    json_t *member;
    if (!json_is_object(value))
        return gate_bad(r, "expected an object {...}");
    if (!names)
        return STATUS_OK;
    /* jansson's iterator takes no const pointer, but changes nothing */
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        size_t i = 0;
        while (names[i] && strcmp(names[i], key) != 0)
            i++;
        if (!names[i])
            return gate_read_unknown_key(r, key, names);
    }
    return STATUS_OK;
}

enum status gate_text(struct gate_reader *r, const json_t *object,
                      const char *key, const char *deflt, const char **out)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    if (!value && deflt) {
        *out = deflt;
        return STATUS_OK;
    }
    if (text && *text) {
        *out = arena_copy(r->arena, text, strlen(text));
        return STATUS_OK;
    }
    if (!value)
        return gate_bad(r, "\"%s\" is missing", key);
    gate_enter(r, key);
    enum status st = gate_bad(r, "expected a text that is not empty");
    gate_leave(r);
    return st;
}

enum status gate_whole(struct gate_reader *r, const json_t *object,
                       const char *key, int64_t deflt, int64_t lo, int64_t hi,
                       int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = value ? json_integer_value(value) : deflt;
    if (!value && deflt < lo)
        return gate_bad(r, "\"%s\" is missing", key);
    if (!value ||
        (json_typeof(value) == JSON_INTEGER && *out >= lo && *out <= hi))
        return STATUS_OK;
    gate_enter(r, key);
    enum status st = lo == hi ? gate_bad(r, "expected %" PRId64, lo)
                              : gate_bad(r,
                                         "expected a whole number from %" PRId64
                                         " to %" PRId64,
                                         lo, hi);
    gate_leave(r);
    return st;
}

enum status gate_array(struct gate_reader *r, const json_t *object,
                       const char *key, const json_t **out)
{
    *out = json_object_get(object, key);
    if (!*out || json_typeof(*out) == JSON_ARRAY)
        return STATUS_OK;
    gate_enter(r, key);
    enum status st = gate_bad(r, "expected an array [...]");
    gate_leave(r);
    return st;
}
