/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads shared libraries when they are first needed, because loading them takes
 * longer than many whole runs. */
#ifndef SIM_BASE_LIBRARY_H
#define SIM_BASE_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

/* Fills `functions`, a struct of `count` function pointers in the order of
 * `names`, from the first of `files` that can be loaded. The library stays
 * loaded; a second call is cheap. `files` ends with NULL. Returns STATUS_FAILED
 * if the build left the library out, no file can be loaded (the error names
 * `package`), or a function is missing. */
enum status library_load(const char *const *files, const char *package,
                         const char *const *names, size_t count,
                         void *functions, struct error *err) MUST_USE;

/* Returns a function of the first of `files` that this program has already
 * loaded; the caller casts the pointer. NULL if none of the files is loaded or
 * the library lacks the function. Loads nothing. */
void *library_loaded(const char *const *files, const char *function);

#endif
