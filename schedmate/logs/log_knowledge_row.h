/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the values of one row of a file of knowledge. Each function that
 * returns STATUS_BAD_INPUT has written an error that says where the value
 * stands and what is wrong with it. */
#ifndef MODELS_LOG_KNOWLEDGE_ROW_H
#define MODELS_LOG_KNOWLEDGE_ROW_H

#include <jansson.h>

#include "schedmate/logs/log_knowledge_internal.h"

#define ROW_NAME_BYTES 60
#define ROW_TEXT_BYTES 200

/* The row that is read. */
struct knowledge_row {
    struct log_knowledge *k;
    /* name of the file; key of the array in it, NULL: the file itself */
    const char *file, *list;
    struct text json;
    size_t at; /* index of the row in the array */
    const json_t *object;
    const char *name; /* name of the row; "" until it is read */
    struct error *err;
};

enum status row_bad(const struct knowledge_row *r, const char *key,
                    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Checks that the object has no keys but `names`, which end with NULL. */
enum status row_keys(const struct knowledge_row *r,
                     const char *const *names) MUST_USE;
/* Reads the key "name", which every row needs, into r->name. */
enum status row_name(struct knowledge_row *r) MUST_USE;
/* Checks that the object has the key. */
enum status row_need(const struct knowledge_row *r, const char *key) MUST_USE;

/* Each of the next three functions, and row_number, leaves *out as it is if the
 * object does not have the key. */
enum status row_text(const struct knowledge_row *r, const char *key, size_t max,
                     const char **out) MUST_USE;
enum status row_choice(const struct knowledge_row *r, const char *key,
                       const char *const *names, unsigned *out) MUST_USE;
enum status row_bool(const struct knowledge_row *r, const char *key,
                     bool *out) MUST_USE;
/* Reads a text or a list of 1 to LOG_TEXTS_MAX texts; an absent key is an empty
 * list. */
enum status row_texts(const struct knowledge_row *r, const char *key,
                      struct log_texts *out) MUST_USE;
enum status row_number(const struct knowledge_row *r, const char *key,
                       uint32_t *out) MUST_USE;

/* Makes a row of the object at `key`, which may have only the keys `keys`, a
 * list that ends with NULL. */
enum status row_inner(const struct knowledge_row *r, const char *key,
                      const char *const *keys,
                      struct knowledge_row *out) MUST_USE;

#endif
