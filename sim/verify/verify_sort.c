/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts 11 bits at a time, lowest first, as `verify` needs it for the
 * percentiles and the times of a million jobs. Equal entries keep their order.
 * The bits of doubles, with the sign turned, are in the order of the doubles;
 * so are those of times. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sim/verify/verify_internal.h"
#include "sim/verify/verify_replay.h"

enum { BITS = 11, SIZE = 1 << BITS, PASSES = 6, FEW = 4096 };
#define SORT_SIGN (UINT64_C(1) << 63)
#define SORT_INLINE static inline __attribute__((always_inline))

static int sort_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns digit `pass` of an entry, which begins with its key. */
SORT_INLINE size_t sort_digit(const char *entry, int pass)
{
    uint64_t key;
    memcpy(&key, entry, sizeof key);
    return key >> (pass * BITS) & (SIZE - 1);
}

/* Moves the entries to `to` in the order of their digit `pass`. `count`: how
 * often each value of the digit occurs; becomes where the next one goes. */
SORT_INLINE void sort_by_digit(const char *from, char *to, size_t n,
                               size_t size, int pass, size_t *count)
{
    size_t sum = 0;
    for (size_t d = 0; d < SIZE; d++) {
        size_t here = count[d];
        count[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++, from += size)
        memcpy(to + count[sort_digit(from, pass)]++ * size, from, size);
}

/* Sorts n entries of `size` bytes, which begin with 64 bits as their key. */
SORT_INLINE void sort_by_key(void *entries, size_t n, size_t size)
{
    char *spare = mem_alloc(n * size), *from = entries, *to = spare;
    size_t(*count)[SIZE] = mem_zalloc(PASSES, sizeof *count);
    for (size_t i = 0; i < n; i++) {
        for (int p = 0; p < PASSES; p++)
            count[p][sort_digit(from + i * size, p)]++;
    }
    for (int p = 0; p < PASSES; p++) {
        if (count[p][sort_digit(from, p)] == n)
            continue; /* all entries have the same digit */
        char *was = from;
        sort_by_digit(from, to, n, size, p, count[p]);
        from = to;
        to = was;
    }
    if (from == spare)
        memcpy(entries, spare, n * size);
    free(spare);
    free(count);
}

void verify_sort(double *at, size_t n)
{
    if (n < FEW) {
        qsort(at, n, sizeof *at, sort_by_value);
        return;
    }
    uint64_t bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, &at[i], sizeof bits);
        bits ^= bits & SORT_SIGN ? UINT64_MAX : SORT_SIGN;
        memcpy(&at[i], &bits, sizeof bits);
    }
    sort_by_key(at, n, sizeof *at);
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, &at[i], sizeof bits);
        bits ^= bits & SORT_SIGN ? SORT_SIGN : UINT64_MAX;
        memcpy(&at[i], &bits, sizeof bits);
    }
}

/* Turns the signs of the times, so that their bits are in their order, or turns
 * them back. */
static void turn_signs(struct verify_timed *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[i].at = (sim_time)((uint64_t)list[i].at ^ SORT_SIGN);
}

void verify_sort_timed(struct verify_timed *list, size_t n)
{
    size_t i = 1;
    while (i < n && list[i - 1].at <= list[i].at)
        i++;
    if (i >= n)
        return; /* times of submission, and starts under fifo, are in order */
    turn_signs(list, n);
    sort_by_key(list, n, sizeof *list);
    turn_signs(list, n);
}
