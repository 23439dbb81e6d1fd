/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting by a score. The generator gives each job scores and deals values to
 * the jobs in order of their scores, so the values as a whole do not change and
 * only who gets which value depends on the scores. */
#ifndef TRACES_RANKS_H
#define TRACES_RANKS_H

#include <stddef.h>
#include <stdint.h>

struct rank {
    double score;
    uint32_t item;
};

/* Sorts by score in ascending order, and by item where scores are equal. */
void ranks_sort(struct rank *ranks, size_t n);
/* Sorts numbers in ascending order. */
void ranks_sort_numbers(double *numbers, size_t n);

/* Rounds the n wanted numbers, each >= 0, to whole numbers whose sum is
 * `total`, by largest remainder (the first of equal remainders first). If
 * `wanted` sums to something else, it is scaled. At least one number must be
 * positive. */
void ranks_apportion(const double *wanted, size_t n, uint32_t total,
                     uint32_t *out);

#endif
