/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/find.h"

#include <stdio.h>
#include <string.h>

enum status find_in(const char *what, const char *const *names, size_t n,
                    struct text wanted, size_t *out, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (text_is(wanted, names[i])) {
            *out = i;
            return STATUS_OK;
        }
    }
    const char *near = text_nearest(wanted, names, n);
    if (near)
        return error_set(err, STATUS_USAGE, "no %s '%.*s'; did you mean '%s'?",
                         what, TEXT_ARGS(wanted), near);
    return error_set(err, STATUS_USAGE,
                     "no %s '%.*s'; 'schedsim list' names them", what,
                     TEXT_ARGS(wanted));
}

size_t find_or_suggest(const char *found, const char *const *names, size_t n,
                       char words[FIND_WORDS_MAX])
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(found, names[i]) == 0)
            return i;
    }
    const char *near = text_nearest(text_from(found), names, n);
    int at =
        near ? snprintf(words, FIND_WORDS_MAX, "no '%.60s'; did you mean '%s'?",
                        found, near)
             : snprintf(words, FIND_WORDS_MAX, "no '%.60s'; expected ", found);
    for (size_t i = 0; !near && i < n && at < FIND_WORDS_MAX; i++)
        at += snprintf(words + at, (size_t)(FIND_WORDS_MAX - at), "%s%s",
                       i ? ", " : "", names[i]);
    return n;
}

enum status find_by_name(const char *what, find_name name, struct text wanted,
                         size_t *out, struct error *err)
{
    enum { MAX = 128 };
    const char *names[MAX] = {0};
    size_t n = 0;
    for (; n < MAX && name(n); n++)
        names[n] = name(n);
    return find_in(what, names, n, wanted, out, err);
}
