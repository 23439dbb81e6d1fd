/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of the law `countdown` that its unit test calls. */
#ifndef SIM_TIME_LAW_INTERNAL_H
#define SIM_TIME_LAW_INTERNAL_H

#include <stdint.h>

/* Subtracts `rate` from *remain until *remain <= 0, at most `most` times.
 * Returns the number of subtractions. *remain is the result of single
 * subtractions, equal to the last bit, but the function takes larger steps. */
uint64_t countdown_run(double *remain, double rate, uint64_t most);

#endif
