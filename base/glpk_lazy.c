/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/glpk_lazy.h"

#include <stddef.h>

#include "base/library.h"

enum status glpk_load(struct glpk *out, struct error *err)
{
    static const char *const files[] = {"libglpk.so.40", "libglpk.so", NULL};
    static const char *const names[] = {
#define GLPK_NAME(name) #name,
        GLPK_FUNCTIONS(GLPK_NAME)
#undef GLPK_NAME
    };
    enum status st = library_load(files, "libglpk40", names,
                                  sizeof names / sizeof *names, out, err);
    if (st == STATUS_OK)
        out->glp_term_out(GLP_OFF);
    return st;
}
