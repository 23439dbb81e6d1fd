/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/stats.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"

enum { SAMPLE = 256 };

static double median(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Moves the values below the pivot to the front, and with `equal` also the
 * values equal to it. Returns a pointer to the first other value. Swaps each
 * value, because a branch per value would be mispredicted. */
static double *part(double *from, const double *end, double pivot, bool equal)
{
    for (double *at = from; at < end; at++) {
        double value = *at;
        *at = *from;
        *from = value;
        from += equal ? value <= pivot : value < pivot;
    }
    return from;
}

static double select_rank(double *from, double *end, const double *k);

/* Returns a pivot near rank k of n values. The pivot is a value of a sample at
 * even distances, because neighbours in the order of submission are alike. It
 * lies a little beyond k on the side of the larger part, so that this part is
 * very likely cut away. The margin is at least two standard deviations of the
 * rank. */
static double sampled_pivot(const double *values, size_t n, size_t k)
{
    enum { MARGIN = 16 };
    double sample[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = values[i * n / SAMPLE];
    size_t rank = k * SAMPLE / n;
    if (k < n / 2)
        rank = rank + MARGIN < SAMPLE ? rank + MARGIN : SAMPLE - 1;
    else
        rank = rank > MARGIN ? rank - MARGIN : 0;
    return select_rank(sample, sample + SAMPLE, sample + rank);
}

/* Quickselect (Hoare): moves the values so that *k is the value that would be
 * there if from..end-1 were sorted, with no larger value before it and no
 * smaller one after it. Returns *k. */
static double select_rank(double *from, double *end, const double *k)
{
    while (end - from > 1) {
        size_t n = (size_t)(end - from);
        double pivot = n > 8 * SAMPLE
                           ? sampled_pivot(from, n, (size_t)(k - from))
                           : median(from[0], from[n / 2], end[-1]);
        double *same = part(from, end, pivot, false);
        if (k < same) {
            end = same;
        } else if (same > from) {
            from = same;
        } else { /* the pivot is the smallest value */
            from = part(from, end, pivot, true);
            if (k < from)
                return pivot;
        }
    }
    return *k;
}

static size_t rank_of(size_t n, double percent)
{
    size_t rank = (size_t)ceil(percent / 100 * (double)n - 1e-9);
    return rank > 0 ? rank - 1 : 0;
}

void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out)
{
    size_t from = 0;
    CHECK(n > 0);
    for (size_t p = 0; p < n_percents; p++) {
        size_t rank = rank_of(n, percents[p]);
        out[p] = select_rank(values + from, values + n, values + rank);
        from = rank;
    }
}

double stats_rank(double *values, size_t n, size_t rank)
{
    CHECK(rank < n);
    return select_rank(values, values + n, values + rank);
}
