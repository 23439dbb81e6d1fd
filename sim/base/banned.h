/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that write past buffers, depend on the locale in silence, cannot
 * report errors, or read the wall clock, made compile errors. Included by the
 * compiler's command line after the system headers that declare them. */
#ifndef SIM_BASE_BANNED_H
#define SIM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat gets strtok
#pragma GCC poison atoi atol atoll atof srand random localtime ctime
#pragma GCC poison asctime gmtime

/* A header of libcrypto has parameters of this name: only calls are refused. */
extern int rand(void) __attribute__((deprecated("use sim/base/rng.h")));

#endif
