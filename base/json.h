/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: writing it piece by piece or as a value, and where in a file a key or
 * a value that was read stands.
 *
 * Writes JSON piece by piece, for results whose values are known in the order
 * in which they stand in the file. It writes the bytes that json_write writes
 * for the same values. A key is NULL in an array and at the root. */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "base/out.h"
#include "base/text.h"

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

/* Reads JSON files, makes jansson values for results (of text that may not be
 * valid UTF-8, of numbers that may be undefined) and writes them to a
 * stream. */

/* Reads a JSON file; the caller owns the value. On failure, returns NULL and
 * sets STATUS_BAD_INPUT with file, line and column, or with the reason why the
 * file cannot be opened. A repeated key is an error. */
json_t *json_read_file(const char *path, struct error *err);

/* Returns a text as a JSON string. If the text is not valid UTF-8, its
 * non-ASCII bytes become '?'. NULL becomes null. */
json_t *json_text(const char *s);

/* Returns a JSON number; whole numbers between -9e15 and 9e15 are written
 * without a fraction. NaN becomes null. `value` must not be infinite. */
json_t *json_number(double value);

void json_put(json_t *object, const char *key,
              json_t *value); /* takes ownership of `value` */

/* Writes indented JSON, with the keys in the order of their insertion and a
 * newline at the end. */
void json_write(struct out *out, const json_t *value);

/* Checks the keys of a JSON file in the program's own format. A key that the
 * program does not read is an error, because it is a mistake in the file. */

#define JSON_PLACE_MAX 4200

/* Writes "FILE:LINE:COLUMN" of a key to `out` and returns it. Searches the text
 * of the file for the key, because jansson does not report where it read a key.
 * Writes FILE alone if the key occurs several times or not at all, or the file
 * cannot be opened. */
const char *json_key_place(const char *file, const char *key,
                           char out[JSON_PLACE_MAX]);

/* Checks that every key of `object` is one of `names`, which ends with NULL. If
 * one is not, returns STATUS_BAD_INPUT with the error "FILE:LINE:COLUMN: WHERE:
 * no key 'x'; did you mean 'y'?" or, if no name is near, "...; there are y, z".
 * `where` names the object within the file ("nodes[3]") and is empty for the
 * whole file. A value that is not an object has no keys and passes. */
enum status json_keys_known(const json_t *object, const char *const *names,
                            const char *file, const char *where,
                            struct error *err) MUST_USE;

/* Finds where a value stands in the text of a JSON file, because jansson does
 * not report where it read a value. */

struct json_place {
    size_t line, column; /* from 1; columns count bytes */
};

/* One step from a value to a value inside it: to the value of a key of an
 * object or, if `key` is NULL, to value number `row` (from 0) of an array. */
struct json_step {
    const char *key;
    size_t row;
};

/* Returns the place of the value to which n steps lead from the root. If a step
 * leads nowhere: the place of the last value that was reached. The text has to
 * be valid JSON. Keys are compared as they are written, so a key with escapes
 * is not found. */
struct json_place json_place_at(struct text json, const struct json_step *steps,
                                size_t n);

/* Returns the place of the value of `key` in row number `row` of the array
 * `list` of the root object: {"LIST": [..., {"KEY": value}]}. If the row has no
 * such key, or `key` is NULL: the place of the row. If the array has no such
 * row: the place of the array. If the root has no such array, or `list` is
 * NULL: the place of the root. The text has to be valid JSON. */
struct json_place json_place(struct text json, const char *list, size_t row,
                             const char *key);

#endif
