/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns calls of some functions into compile errors: those that can write past
 * buffers, keep hidden state, cannot report errors, or depend on the locale or
 * the time zone. The compiler's command line includes this header before each
 * source file. The header first includes the system headers that declare these
 * functions. */
#ifndef SIM_BASE_BANNED_H
#define SIM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With _FORTIFY_SOURCE, clang defines sprintf as a macro, which cannot be
 * poisoned. */
#undef sprintf

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat gets strtok
#pragma GCC poison atoi atol atoll atof srand random localtime ctime
#pragma GCC poison asctime gmtime

/* A call of rand gives a warning, or an error with -Werror. The word itself is
 * not poisoned, because a header of libcrypto has parameters of this name. */
extern int rand(void) __attribute__((deprecated("use base/rng.h")));

#endif
