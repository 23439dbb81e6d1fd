/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared libraries that are loaded when they are first needed, because loading
 * them takes longer than many a whole run. */
#ifndef SIM_BASE_LIBRARY_H
#define SIM_BASE_LIBRARY_H

#include <stddef.h>

#include "sim/base/error.h"

/* Fills `functions`, a struct of `count` function pointers in the order of
 * `names`, from the first of `files` that can be loaded. The library stays
 * loaded; asking again is cheap. STATUS_FAILED names what is missing and the
 * package that brings it. */
enum status library_load(const char *const *files, const char *package,
                         const char *const *names, size_t count,
                         void *functions, struct error *err) MUST_USE;

/* A function of the first of `files` that this program has already loaded, as
 * what it is to be cast to; NULL: none of them is loaded, or has it. Loads
 * nothing. */
void *library_loaded(const char *const *files, const char *function);

#endif
