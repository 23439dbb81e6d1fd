/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts numbers in ascending order, 11 bits at a time, lowest first, as
 * `verify` needs it for the percentiles of a million jobs: the bits of
 * doubles, with the sign turned, are in the order of the doubles. */
#include "sim/verify/verify_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { BITS = 11, SIZE = 1 << BITS, PASSES = 6, FEW = 4096 };

static int sort_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moves the numbers to `to` in the order of their digit `pass`. `count`: how
 * often each value of the digit occurs; becomes where the next one goes. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t n,
                          int pass, size_t *count)
{
    size_t sum = 0;
    for (size_t d = 0; d < SIZE; d++) {
        size_t here = count[d];
        count[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[count[from[i] >> (pass * BITS) & (SIZE - 1)]++] = from[i];
}

void verify_sort(double *at, size_t n)
{
    const uint64_t sign = UINT64_C(1) << 63;
    if (n < FEW) {
        qsort(at, n, sizeof *at, sort_by_value);
        return;
    }
    uint64_t *all = mem_alloc(2 * n * sizeof *all), *from = all, *to = all + n;
    size_t(*count)[SIZE] = mem_zalloc(PASSES, sizeof *count);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &at[i], sizeof bits);
        from[i] = bits ^ (bits & sign ? UINT64_MAX : sign);
        for (int p = 0; p < PASSES; p++)
            count[p][from[i] >> (p * BITS) & (SIZE - 1)]++;
    }
    for (int p = 0; p < PASSES; p++) {
        if (count[p][from[0] >> (p * BITS) & (SIZE - 1)] == n)
            continue; /* all numbers have the same digit */
        uint64_t *was = from;
        sort_by_digit(from, to, n, p, count[p]);
        from = to;
        to = was;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = from[i] ^ (from[i] & sign ? sign : UINT64_MAX);
        memcpy(&at[i], &bits, sizeof bits);
    }
    free(all);
    free(count);
}
