/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walk through the values of a JSON file that remembers where it is, so that
 * every complaint names line, column and the path of keys. */
#ifndef STUDY_GATE_READ_H
#define STUDY_GATE_READ_H

#include <jansson.h>

#include "sim/base/json_place.h"

enum { GATE_DEPTH_MAX = 8 };
struct gate_reader {
    const char *path;
    struct text text;
    struct arena *arena; /* receives copies of texts */
    struct error *err;
    struct json_step steps[GATE_DEPTH_MAX]; /* from the root to this value */
    size_t depth;
};

/* Enter a value of the present object or array, and leave it. */
void gate_enter(struct gate_reader *r, const char *key);
void gate_enter_row(struct gate_reader *r, size_t row);
void gate_leave(struct gate_reader *r);
struct json_place gate_here(const struct gate_reader *r);

/* Sets the error "FILE:LINE:COLUMN: PATH: ..." and returns STATUS_BAD_INPUT. */
enum status gate_bad(const struct gate_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Prefixes *err, which another function has set, with the present place. */
enum status gate_bad_here(const struct gate_reader *r);

/* The value must be an object whose keys are all in `names`, which ends with
 * NULL; any key if `names` is NULL. */
enum status gate_object(struct gate_reader *r, const json_t *value,
                        const char *const *names) MUST_USE;
/* The member must be a text that is not empty. *out becomes a copy. A missing
 * member gives `deflt`, or an error if that is NULL. */
enum status gate_text(struct gate_reader *r, const json_t *object,
                      const char *key, const char *deflt,
                      const char **out) MUST_USE;
/* The member must be a whole number from lo to hi. A missing one gives `deflt`,
 * or an error if that is below lo. */
enum status gate_whole(struct gate_reader *r, const json_t *object,
                       const char *key, int64_t deflt, int64_t lo, int64_t hi,
                       int64_t *out) MUST_USE;
/* The member must be an array; *out is NULL if it is missing. */
enum status gate_array(struct gate_reader *r, const json_t *object,
                       const char *key, const json_t **out) MUST_USE;

#endif
