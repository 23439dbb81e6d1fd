/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/stats.h"

#include <math.h>
#include <stdbool.h>

#include "sim/base/check.h"

static double median(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Finds a range within lo..hi that very likely holds rank k, by the sample of
 * Floyd and Rivest (CACM 18, 1975, algorithm 489). */
static void narrow(size_t lo, size_t hi, size_t k, size_t *from, size_t *to)
{
    double n = (double)(hi - lo + 1), i = (double)(k - lo + 1);
    double z = log(n), s = 0.5 * exp(2 * z / 3);
    double d = 0.5 * sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1 : 1);
    double below = i * s / n - d, above = (n - i) * s / n + d;
    *from = below < (double)(k - lo) ? k - (size_t)fmax(below, 0) : lo;
    *to = above < (double)(hi - k) ? k + (size_t)fmax(above, 0) : hi;
}

/* Moves the values below the pivot to the front, and with `equal` also the
 * values equal to it. Returns the index of the first other value. Swaps each
 * value, because a branch per value would be mispredicted. */
static size_t part(double *values, size_t from, size_t end, double pivot,
                   bool equal)
{
    for (size_t i = from; i < end; i++) {
        double value = values[i];
        values[i] = values[from];
        values[from] = value;
        from += equal ? value <= pivot : value < pivot;
    }
    return from;
}

/* Quickselect (Hoare): moves values so that values[k] is the one that it would
 * be if from..end-1 were sorted, with no larger value before it and no smaller
 * one after it. */
static double select_rank(double *values, size_t from, size_t end, size_t k)
{
    while (end - from > 1) {
        double pivot = median(values[from], values[from + (end - from) / 2],
                              values[end - 1]);
        if (end - from > 600) {
            size_t low, high;
            narrow(from, end - 1, k, &low, &high);
            pivot = select_rank(values, low, high + 1, k);
        }
        size_t same = part(values, from, end, pivot, false);
        if (k < same) {
            end = same;
        } else if (same > from) {
            from = same;
        } else { /* the pivot is the smallest value */
            from = part(values, from, end, pivot, true);
            if (k < from)
                return pivot;
        }
    }
    return values[k];
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
        out[p] = select_rank(values, from, n, rank);
        from = rank;
    }
}

double stats_rank(double *values, size_t n, size_t rank)
{
    CHECK(rank < n);
    return select_rank(values, 0, n, rank);
}
