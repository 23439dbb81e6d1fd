/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of libraries whose code is not part of a job, written as short
 * Python modules: options of their programs, defaults, and calls of the code of
 * the job. The build puts schedmate/advisor/knowledge/libraries/NAME.py into
 * the program. NAME is the dotted name of the module; "program.NAME" is an
 * installed program. The evaluator follows such a module in place of the
 * library. A module says what it knows by calling schedsim.job(FIELD=VALUE,
 * ...). */
#ifndef MODELS_ADVISOR_LIBRARY_MODULES_H
#define MODELS_ADVISOR_LIBRARY_MODULES_H

#include <stddef.h>

struct library_module {
    const char *name;
    const char *text; /* `len` bytes, not ended by a 0 byte */
    size_t len;
};
extern const struct library_module
    library_modules[]; /* the last row has no name */

#endif
