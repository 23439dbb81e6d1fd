/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the objects of a JSON array one at a time, because files of published
 * traces and of accounting systems are too large to hold in memory. Either the
 * whole file is the array, or the file is an object with the array under one
 * key. */
#ifndef TRACES_JSON_ARRAY_H
#define TRACES_JSON_ARRAY_H

#include <jansson.h>

#include "base/rows.h"

/* Largest number of bytes in an object of the array, or in a value before the
 * array. */
#define JSON_ARRAY_ELEMENT_MAX (size_t)(16 * 1024 * 1024)

struct json_array {
    struct rows *rows; /* borrowed */
    const char *key;   /* key of the array; NULL: the file is the array */
    bool begun, ended;
    int pushed;  /* byte that the next read returns again; -1: none */
    int last;    /* byte that was read last; -1: none */
    size_t used; /* number of bytes of the current value that were read */
    size_t column;
    uint64_t line; /* line on which the current object begins */
    size_t element_column;
    json_t *element; /* current object; owned */
};

/* Returns an array that has not been read yet. `rows` must outlive it; `key` is
 * a constant or NULL. */
struct json_array json_array_of(struct rows *rows, const char *key);
/* Frees the current object. */
void json_array_close(struct json_array *array);

/* Reads the next object into array->element, where it is valid until the next
 * call. Returns STATUS_END after the last object. After an error the next call
 * returns STATUS_END. */
enum status json_array_next(struct json_array *array,
                            struct error *err) MUST_USE;

/* Returns an error at the current object that says that `field` should have
 * been `expected`. */
enum status json_array_bad(const struct json_array *array, const char *field,
                           const char *expected, struct error *err);

/* Returns the text of a key, valid as long as the object; an empty text if the
 * object lacks the key or its value is not a text. */
struct text json_array_text(const json_t *object, const char *key);

#endif
