/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of C and jansson that most sources include, compiled once. A source
 * includes what it needs all the same: a build with ccache, or one with the
 * setting b_pch=false, does without this header. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
