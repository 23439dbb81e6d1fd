/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a name in a list, or a descriptor by its member `name` in an array of
 * pointers that ends with NULL. If there is no such name, the error suggests a
 * near one. The code is in error.c. */
#ifndef SIM_BASE_FIND_H
#define SIM_BASE_FIND_H

#include "base/error.h"
#include "base/text.h"

/* Returns the name of the i-th descriptor, or NULL at the end. */
typedef const char *(*find_name)(size_t i);

/* Sets *out to the index of `wanted` among n names. If there is no such name,
 * returns STATUS_USAGE with the error "no WHAT 'x'; did you mean 'y'?" or, if
 * no name is near, "no WHAT 'x'; 'schedsim list' names them". */
enum status find_in(const char *what, const char *const *names, size_t n,
                    struct text wanted, size_t *out,
                    struct error *err) MUST_USE;
/* Sets *out to the index of the descriptor with the name `wanted`. Looks at the
 * first 128 descriptors only. If none of them has the name, returns
 * STATUS_USAGE with the error of find_in. */
enum status find_by_name(const char *what, find_name name, struct text wanted,
                         size_t *out, struct error *err) MUST_USE;

#define FIND_WORDS_MAX 400

/* Returns the index of `found` among n names. If there is no such name, returns
 * n and writes to `words` "no 'x'; did you mean 'y'?" or, if no name is near,
 * "no 'x'; expected y, z", cut if it is too long. */
size_t find_or_suggest(const char *found, const char *const *names, size_t n,
                       char words[FIND_WORDS_MAX]);

/* Defines `static const char *ARRAY_name(size_t)` and the public `enum status
 * FUNCTION(name, out, err)` over one registry array. */
#define FIND_IN(array, type, function, what) \
    static const char *array##_name(size_t i) \
    { \
        return array[i] ? array[i]->name : 0; \
    } \
    enum status function(struct text name, const struct type **out, \
                         struct error *err) \
    { \
        size_t i; \
        enum status st = find_by_name(what, array##_name, name, &i, err); \
        if (st == STATUS_OK) \
            *out = array[i]; \
        return st; \
    }

#endif
