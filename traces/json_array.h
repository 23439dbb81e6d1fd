/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the objects of a JSON array one at a time, because files of published
 * traces and of accounting systems are too large to hold in memory. The array
 * is the whole file, or the value of one key of an object that is the whole
 * file. */
#ifndef TRACES_JSON_ARRAY_H
#define TRACES_JSON_ARRAY_H

#include <jansson.h>

#include "sim/base/rows.h"

/* Greatest length of an object of the array, bytes. */
#define JSON_ARRAY_ELEMENT_MAX (size_t)(16 * 1024 * 1024)

struct json_array {
    struct rows *rows; /* borrowed */
    const char *key;   /* key whose value is the array; NULL: the whole file */
    bool begun, ended;
    int pushed;  /* byte to be returned again by the next read; -1: none */
    int last;    /* byte that was read last; -1: none */
    size_t used; /* number of bytes of the current value read so far */
    size_t column;
    uint64_t line; /* line on which the current object begins */
    size_t element_column;
    json_t *element; /* current object; owned */
};

/* `rows` is borrowed, `key` is a constant or NULL. */
struct json_array json_array_of(struct rows *rows, const char *key);
/* Frees the current object. */
void json_array_close(struct json_array *array);

/* Reads the next object into array->element. Returns STATUS_END after the last
 * one. After an error the next call returns STATUS_END. */
enum status json_array_next(struct json_array *array,
                            struct error *err) MUST_USE;

/* Returns an error at the current object: `expected` is expected in `field`. */
enum status json_array_bad(const struct json_array *array, const char *field,
                           const char *expected, struct error *err);

/* Returns the text of a key; an empty text if it has none. */
struct text json_array_text(const json_t *object, const char *key);

#endif
