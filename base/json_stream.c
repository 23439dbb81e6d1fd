/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_stream.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/real.h"

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
static void begin(struct json_stream *stream, const char *key)
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
    begin(stream, key);
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
    begin(stream, key);
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
    begin(stream, key);
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
    begin(stream, key);
    if (as_text)
        out_char(stream->out, '"');
    out_span(stream->out, span);
    if (as_text)
        out_char(stream->out, '"');
}

void json_stream_whole(struct json_stream *stream, const char *key,
                       int64_t value)
{
    begin(stream, key);
    out_i64(stream->out, value);
}

void json_stream_bool(struct json_stream *stream, const char *key, bool value)
{
    begin(stream, key);
    out_text(stream->out, value ? "true" : "false");
}
