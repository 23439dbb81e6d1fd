/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sqlite_lazy.h"

#include <stddef.h>

#include "base/library.h"

enum status sqlite_load(struct sqlite *out, struct error *err)
{
    static const char *const files[] = {"libsqlite3.so.0", "libsqlite3.so",
                                        NULL};
    static const char *const names[] = {
#define SQLITE_NAME(name) #name,
        SQLITE_FUNCTIONS(SQLITE_NAME)
#undef SQLITE_NAME
    };
    return library_load(files, "libsqlite3-0", names,
                        sizeof names / sizeof *names, out, err);
}
