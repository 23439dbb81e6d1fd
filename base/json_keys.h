/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the keys of a JSON file in the program's own format. A key that the
 * program does not read is an error, because it is a mistake in the file. */
#ifndef SIM_BASE_JSON_KEYS_H
#define SIM_BASE_JSON_KEYS_H

#include <jansson.h>

#include "base/error.h"

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

#endif
