/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/base/find.h"

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
