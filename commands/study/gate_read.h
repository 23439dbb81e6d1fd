/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values of a JSON file and keeps the path of keys to the present value,
 * so that each error names line, column and path. */
#ifndef STUDY_GATE_READ_H
#define STUDY_GATE_READ_H

#include <jansson.h>

#include "base/json.h"
#include "commands/trust.h"

enum { GATE_DEPTH_MAX = 8 };
struct gate_reader {
    const char *path;
    struct text text;
    struct arena *arena; /* receives copies of texts */
    struct trust *trust; /* notes what the settings do */
    struct error *err;
    /* keys and indexes on the path from the root to the present value */
    struct json_step steps[GATE_DEPTH_MAX];
    size_t depth;
};

/* gate_enter and gate_enter_row go to a value of the present object or array;
 * gate_leave goes back. */
void gate_enter(struct gate_reader *r, const char *key);
void gate_enter_row(struct gate_reader *r, size_t row);
void gate_leave(struct gate_reader *r);
struct json_place gate_here(const struct gate_reader *r);

/* Sets the error "FILE:LINE:COLUMN: PATH: ..." and returns STATUS_BAD_INPUT. */
enum status gate_bad(const struct gate_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Prefixes *err, which another function has set, with the present place, and
 * makes its status STATUS_BAD_INPUT, which it returns. */
enum status gate_bad_here(const struct gate_reader *r);

/* This function and the next three set the error and return STATUS_BAD_INPUT if
 * a value is not as described. Checks that the value is an object whose keys
 * are all in `names`, which ends with NULL. If `names` is NULL, any key is
 * allowed. */
enum status gate_object(struct gate_reader *r, const json_t *value,
                        const char *const *names) MUST_USE;
/* Reads a member that must be a text and not empty. *out becomes a copy in the
 * arena. A missing member gives `deflt` itself, or an error if `deflt` is NULL.
 */
enum status gate_text(struct gate_reader *r, const json_t *object,
                      const char *key, const char *deflt,
                      const char **out) MUST_USE;
/* Reads a member that must be a whole number from lo to hi. A missing member
 * gives `deflt`, or an error if `deflt` is below lo. */
enum status gate_whole(struct gate_reader *r, const json_t *object,
                       const char *key, int64_t deflt, int64_t lo, int64_t hi,
                       int64_t *out) MUST_USE;
/* Reads a member that must be an array. *out becomes NULL if the member is
 * missing. */
enum status gate_array(struct gate_reader *r, const json_t *object,
                       const char *key, const json_t **out) MUST_USE;

#endif
