/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over a prefix of a list whose entries change: a Fenwick tree. Adding to
 * an entry and summing a prefix cost O(log n). Numbers wrap around, so the
 * difference of two sums is right whenever it fits. */
#ifndef SIM_CLI_EXPLAIN_SUMS_H
#define SIM_CLI_EXPLAIN_SUMS_H

#include <stdint.h>

#include "base/arena.h"

struct explain_sums {
    uint64_t *at; /* n + 1 nodes of the tree; in the arena */
    uint32_t n;
};

static inline struct explain_sums explain_sums_new(struct arena *arena,
                                                   uint32_t n)
{
    struct explain_sums sums = {ARENA_ARRAY(arena, uint64_t, n + 1), n};
    for (uint32_t i = 0; i <= n; i++)
        sums.at[i] = 0;
    return sums;
}

/* Adds to entry `i`, counted from 0; i < n. */
static inline void explain_sums_add(struct explain_sums *sums, uint32_t i,
                                    uint64_t value)
{
    for (i++; i <= sums->n; i += i & -i)
        sums->at[i] += value;
}

/* Returns the sum of the first `i` entries; i <= n. */
static inline uint64_t explain_sums_of(const struct explain_sums *sums,
                                       uint32_t i)
{
    uint64_t sum = 0;
    for (; i > 0; i -= i & -i)
        sum += sums->at[i];
    return sum;
}

/* Returns the largest number of first entries whose sum is at most `most`. All
 * entries must be >= 0 now. */
static inline uint32_t explain_sums_reach(const struct explain_sums *sums,
                                          uint64_t most)
{
    uint32_t i = 0, step = 1;
    while (step <= sums->n / 2)
        step *= 2;
    for (; step > 0; step /= 2) {
        if (step <= sums->n - i && sums->at[i + step] <= most) {
            i += step;
            most -= sums->at[i];
        }
    }
    return i;
}

#endif
