/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON, and says where in a file a value that was read stands. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "base/out.h"
#include "base/text.h"

struct json_stream json_stream_to(struct out *out)
{
    return (struct json_stream){.out = out};
}

void json_stream_end(struct json_stream *stream)
{
    out_char(stream->out, '\n');
}

static void new_line(const struct json_stream *stream)
{
    size_t indent = 2 * (size_t)stream->depth;
    char *at = out_reserve(stream->out, indent + 1);
    *at = '\n';
    memset(at + 1, ' ', indent);
    stream->out->len += indent + 1;
}

/* True if the whole text is UTF-8; only then are its non-ASCII bytes kept. */
static bool is_utf8(const char *text)
{
    json_t *value = json_string(text);
    json_decref(value);
    return value != NULL;
}

/* How an ASCII character is written. 0: unchanged; 'u': as \u and its code in
 * four hexadecimal digits; anything else: as '\' and that character. */
static const char escapes[128] = {
    [1] = 'u',    [2] = 'u',    [3] = 'u',    [4] = 'u',  [5] = 'u',
    [6] = 'u',    [7] = 'u',    ['\b'] = 'b', [11] = 'u', ['\t'] = 't',
    ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', [14] = 'u', [15] = 'u',
    [16] = 'u',   [17] = 'u',   [18] = 'u',   [19] = 'u', [20] = 'u',
    [21] = 'u',   [22] = 'u',   [23] = 'u',   [24] = 'u', [25] = 'u',
    [26] = 'u',   [27] = 'u',   [28] = 'u',   [29] = 'u', [30] = 'u',
    [31] = 'u',   ['"'] = '"',  ['\\'] = '\\'};

void json_put_text(struct out *out, const char *text)
{
    enum { ESCAPE_MAX = 6 };
    static const char hex[] = "0123456789ABCDEF";
    size_t len = strlen(text);
    bool checked = false, keeps = true;
    char *at = out_reserve(out, len * ESCAPE_MAX + 2), *start = at;
    *at++ = '"';
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= sizeof escapes) {
            keeps = checked ? keeps : is_utf8(text);
            checked = true;
            *at++ = keeps ? text[i] : '?';
        } else if (!escapes[c]) {
            *at++ = text[i];
        } else {
            *at++ = '\\';
            *at++ = escapes[c];
            if (escapes[c] == 'u') {
                const char number[] = {'0', '0', hex[c / 16], hex[c % 16]};
                memcpy(at, number, sizeof number);
                at += sizeof number;
            }
        }
    }
    *at++ = '"';
    out->len += (size_t)(at - start);
}

/* Writes what stands before a value: comma, line break, key. */
static void json_begin(struct json_stream *stream, const char *key)
{
    if (!stream->empty && stream->depth > 0)
        out_char(stream->out, ',');
    if (stream->depth > 0)
        new_line(stream);
    stream->empty = false;
    if (key) {
        json_put_text(stream->out, key);
        out_bytes(stream->out, ": ", 2);
    }
}

static void open_with(struct json_stream *stream, const char *key, char bracket)
{
    json_begin(stream, key);
    out_char(stream->out, bracket);
    stream->depth++;
    stream->empty = true;
}

static void close_with(struct json_stream *stream, char bracket)
{
    CHECK(stream->depth > 0);
    stream->depth--;
    if (!stream->empty)
        new_line(stream);
    stream->empty = false;
    out_char(stream->out, bracket);
}

void json_stream_object(struct json_stream *stream, const char *key)
{
    open_with(stream, key, '{');
}

void json_stream_object_end(struct json_stream *stream)
{
    close_with(stream, '}');
}

void json_stream_array(struct json_stream *stream, const char *key)
{
    open_with(stream, key, '[');
}

void json_stream_array_end(struct json_stream *stream)
{
    close_with(stream, ']');
}

void json_stream_text(struct json_stream *stream, const char *key,
                      const char *value)
{
    json_begin(stream, key);
    if (value)
        json_put_text(stream->out, value);
    else
        out_text(stream->out, "null");
}

/* Writes a number as jansson does: 1e+16 as 1e16, 1e-07 as 1e-7, and with ".0"
 * if it has neither a point nor an exponent. */
static void put_real(struct out *out, double value)
{
    char text[REAL_TEXT_MAX];
    size_t n = real_to_text(value, text);
    const char *exponent = memchr(text, 'e', n);
    size_t head = exponent ? (size_t)(exponent - text) + 1 : n;
    out_bytes(out, text, head);
    if (!exponent) {
        if (!memchr(text, '.', n))
            out_text(out, ".0");
        return;
    }
    if (text[head] == '-')
        out_char(out, '-');
    for (head++; text[head] == '0';)
        head++;
    out_bytes(out, text + head, n - head);
}

void json_stream_number(struct json_stream *stream, const char *key,
                        double value)
{
    CHECK(!isinf(value));
    json_begin(stream, key);
    if (isnan(value))
        out_text(stream->out, "null");
    else if (value == floor(value) && fabs(value) < 9e15)
        out_i64(stream->out, (int64_t)value);
    else
        put_real(stream->out, value);
}

void json_stream_span(struct json_stream *stream, const char *key,
                      sim_span span)
{
    bool as_text = span >= (INT64_C(1) << 33) * SPAN_SECOND;
    json_begin(stream, key);
    if (as_text)
        out_char(stream->out, '"');
    out_span(stream->out, span);
    if (as_text)
        out_char(stream->out, '"');
}

void json_stream_whole(struct json_stream *stream, const char *key,
                       int64_t value)
{
    json_begin(stream, key);
    out_i64(stream->out, value);
}

void json_stream_bool(struct json_stream *stream, const char *key, bool value)
{
    json_begin(stream, key);
    out_text(stream->out, value ? "true" : "false");
}

json_t *json_read_file(const char *path, struct error *err)
{
    json_error_t where;
    errno = 0;
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    /* a file that cannot be opened, or a directory, which can */
    if (!value && (where.line < 1 || errno == EISDIR))
        error_set(err, STATUS_BAD_INPUT, "%s: cannot be opened: %s", path,
                  strerror(errno));
    else if (!value)
        error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path, where.line,
                  where.column, where.text);
    return value;
}

json_t *json_text(const char *s)
{
    if (!s)
        return json_null();
    json_t *value = json_string(s);
    if (value)
        return value;
    size_t len = strlen(s);
    char *clean = mem_alloc(len + 1);
    for (size_t i = 0; i <= len; i++)
        clean[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    value = json_string(clean);
    free(clean);
    return value;
}

json_t *json_number(double value)
{
    if (isnan(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    CHECK(json_object_set_new_nocheck(object, key, value) == 0);
}

static int write_piece(const char *at, size_t len, void *out)
{
    out_bytes(out, at, len);
    return 0;
}

void json_write(struct out *out, const json_t *value)
{
    json_dump_callback(value, write_piece, out,
                       JSON_INDENT(2) | JSON_REAL_PRECISION(15) |
                           JSON_ENCODE_ANY);
    out_char(out, '\n');
}

static size_t json_count(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

static bool json_is_one_of(const char *key, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(key, *names) == 0)
            return true;
    }
    return false;
}

/* The line and column of a key, counted from 1, and how often the key was
 * found. */
struct json_spot {
    size_t line, column, seen;
};

/* Counts how often the text `key` stands as a key in a line, that is, in quotes
 * and before a colon. Keeps the place of the first one. */
static void look_in(const char *line, size_t number, const char *key,
                    struct json_spot *out)
{
    size_t n = strlen(key);
    for (const char *at = line; (at = strstr(at, key)); at += n) {
        if (at == line || at[-1] != '"' || at[n] != '"' ||
            at[n + 1 + strspn(at + n + 1, " \t")] != ':')
            continue;
        if (out->seen++ == 0) {
            out->line = number;
            out->column = (size_t)(at - line);
        }
    }
}

const char *json_key_place(const char *file, const char *key,
                           char out[JSON_PLACE_MAX])
{
    struct json_spot place = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *from = *key ? fopen(file, "r") : NULL;
    for (size_t i = 1; from && getline(&line, &room, from) >= 0; i++)
        look_in(line, i, key, &place);
    free(line);
    if (from)
        fclose(from);
    if (place.seen == 1)
        snprintf(out, JSON_PLACE_MAX, "%s:%zu:%zu", file, place.line,
                 place.column);
    else
        snprintf(out, JSON_PLACE_MAX, "%s", file);
    return out;
}

static enum status json_unknown(const char *key, const char *const *names,
                                const char *file, const char *where,
                                struct error *err)
{
    char words[512] = "", place[JSON_PLACE_MAX];
    const char *near = text_nearest(text_from(key), names, json_count(names));
    size_t n = 0;
    if (near)
        snprintf(words, sizeof words, "did you mean '%s'?", near);
    for (size_t i = 0; !near && names[i] && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s",
                              i ? ", " : "there are ", names[i]);
    return error_set(err, STATUS_BAD_INPUT, "%s: %s%sno key '%.100s'; %s",
                     json_key_place(file, key, place), where,
                     *where ? ": " : "", key, words);
}

enum status json_keys_known(const json_t *object, const char *const *names,
                            const char *file, const char *where,
                            struct error *err)
{
    const char *key;
    json_t *value;
    /* jansson's iterator takes no const pointer, but changes nothing */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!json_is_one_of(key, names))
            return json_unknown(key, names, file, where, err);
    }
    return STATUS_OK;
}

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
static void json_skip_value(struct text *t)
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
        json_skip_value(&at);
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
        json_skip_value(&at);
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
