/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON written piece by piece, for results whose values are at hand in the
 * order of the file. The bytes are those of json_write of the same values. A
 * key is NULL in an array and at the root. */
#ifndef SIM_JSON_STREAM_H
#define SIM_JSON_STREAM_H

#include "sim/base/out.h"

struct json_stream {
    struct out *out; /* borrowed */
    unsigned depth;
    bool empty; /* nothing yet in what was opened last */
};

struct json_stream json_stream_to(struct out *out);
/* After the root was closed. */
void json_stream_end(struct json_stream *stream);

void json_stream_object(struct json_stream *stream, const char *key);
void json_stream_object_end(struct json_stream *stream);
void json_stream_array(struct json_stream *stream, const char *key);
void json_stream_array_end(struct json_stream *stream);

/* As json_text, json_number and so on. */
void json_stream_text(struct json_stream *stream, const char *key,
                      const char *value);
void json_stream_number(struct json_stream *stream, const char *key,
                        double value);
/* Seconds, exactly: a number; from 2^33 s on (272 years), where a double tells
 * microseconds no more, a text. */
void json_stream_span(struct json_stream *stream, const char *key,
                      sim_span span);
void json_stream_whole(struct json_stream *stream, const char *key,
                       int64_t value);
void json_stream_bool(struct json_stream *stream, const char *key, bool value);

/* A text alone, in quotes. */
void json_put_text(struct out *out, const char *text);

#endif
