/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts numbers in ascending order, 11 bits at a time, lowest first, as
 * `verify` needs it for the percentiles of a million jobs: the bits of doubles,
 * with the sign turned, are in the order of the doubles. No number is NaN. */
#ifndef SIM_VERIFY_SORT_H
#define SIM_VERIFY_SORT_H

#include <stddef.h>

void verify_sort(double *at, size_t n);

#endif
