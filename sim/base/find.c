/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/base/find.h"

enum status find_by_name(const char *what, find_name name, struct text wanted,
                         size_t *out, struct error *err)
{
    enum { MAX = 128 };
    const char *names[MAX] = {0};
    size_t n = 0;
    for (; n < MAX && name(n); n++) {
        names[n] = name(n);
        if (text_is(wanted, names[n])) {
            *out = n;
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
