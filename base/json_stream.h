/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON piece by piece, for results whose values are known in the order
 * in which they stand in the file. It writes the bytes that json_write writes
 * for the same values. A key is NULL in an array and at the root. */
#ifndef SIM_JSON_STREAM_H
#define SIM_JSON_STREAM_H

#include "base/out.h"

struct json_stream {
    struct out *out; /* borrowed */
    unsigned depth;
    bool empty; /* true if the innermost open object or array is still empty */
};

struct json_stream json_stream_to(struct out *out);
/* Ends the text with a line feed. Call it after the root is closed. */
void json_stream_end(struct json_stream *stream);

void json_stream_object(struct json_stream *stream, const char *key);
void json_stream_object_end(struct json_stream *stream);
void json_stream_array(struct json_stream *stream, const char *key);
void json_stream_array_end(struct json_stream *stream);

/* json_stream_text writes a value as json_text does, json_stream_number as
 * json_number does. */
void json_stream_text(struct json_stream *stream, const char *key,
                      const char *value);
void json_stream_number(struct json_stream *stream, const char *key,
                        double value);
/* Writes seconds exactly: as a number, or as a string from 2^33 s on (272
 * years), where a double no longer resolves microseconds. */
void json_stream_span(struct json_stream *stream, const char *key,
                      sim_span span);
void json_stream_whole(struct json_stream *stream, const char *key,
                       int64_t value);
void json_stream_bool(struct json_stream *stream, const char *key, bool value);

/* Writes a text as a JSON string. If the text is not valid UTF-8, its non-ASCII
 * bytes become '?'. */
void json_put_text(struct out *out, const char *text);

#endif
