/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubles as decimal text, the same bytes that printf writes. */
#ifndef SIM_BASE_REAL_H
#define SIM_BASE_REAL_H

#include <stddef.h>

#define REAL_TEXT_MAX 32
/* Writes `value` as printf("%.15g") does; returns the length; writes no
 * terminator. */
size_t real_to_text(double value, char out[REAL_TEXT_MAX]);

#endif
