/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits an array or object of a JSON text into a list of its items, each with
 * the blanks before it, so that a program can change single items and leave
 * every other byte as a person wrote it. The text has to be valid JSON. */
#ifndef STUDY_JSON_ITEMS_H
#define STUDY_JSON_ITEMS_H

#include "base/out.h"

/* An element of an array, or a member of an object with its key. */
struct json_item {
    struct text lead; /* blanks before the item, after the comma */
    struct text body;
    struct text after; /* blanks between the item and the comma after it */
};

struct json_items {
    char open, close;
    struct json_item *at; /* items; freed by json_items_free */
    size_t n, cap;
    struct text tail; /* blanks before the closing bracket */
};

/* Splits the text of a value, without blanks around it. The items are views
 * into `value`. Returns false if the value is neither an array nor an object.
 */
bool json_items_split(struct text value, struct json_items *out);
void json_items_free(struct json_items *items);
/* Writes the list as JSON. */
void json_items_join(const struct json_items *items, struct out *out);

/* Inserts an item before number i, or at the end if i is n. `body` and `lead`
 * must outlive the list. The item gets the blanks of the last item if the list
 * has two or more, or if its only item begins a line; else it gets `lead`,
 * which is "", or blanks, or a line feed and at least two blanks. In an empty
 * list such a line feed also moves the closing bracket to a line of its own,
 * with two blanks less. At the front, the item and the one after it swap their
 * blanks. */
void json_items_insert(struct json_items *items, size_t i, struct text body,
                       const char *lead);
/* Replaces the member with this key or, if there is none, inserts it before
 * number i, or at the end if i is n or more. `body`: the whole member with its
 * key; it must outlive the list. */
void json_items_put(struct json_items *items, const char *key, struct text body,
                    size_t i, const char *lead);
void json_items_remove(struct json_items *items, size_t i);

/* Returns the index of the member whose key is written as `key`, without
 * escapes; n if there is none. */
size_t json_items_find(const struct json_items *items, const char *key);
/* Returns the value of a member, without its key. */
struct text json_item_value(const struct json_item *item);

#endif
