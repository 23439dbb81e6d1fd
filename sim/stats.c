/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stats.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/arena.h"
#include "sim/base/rng.h"

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect with the median of three (Hoare): values[k] becomes what it would
 * be if lo..hi were sorted, smaller ones before it, larger ones behind. */
static double select_rank(double *values, size_t lo, size_t hi, size_t k)
{
    while (hi > lo) {
        size_t mid = lo + (hi - lo) / 2;
        if (values[mid] < values[lo])
            swap(&values[mid], &values[lo]);
        if (values[hi] < values[lo])
            swap(&values[hi], &values[lo]);
        if (values[hi] < values[mid])
            swap(&values[hi], &values[mid]);
        double pivot = values[mid];
        size_t i = lo, j = hi;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i++], &values[j--]);
        }
        if (k <= j)
            hi = j;
        else
            lo = j + 1;
    }
    return values[k];
}

double stats_percentile(double *values, size_t n, double percent, size_t *from)
{
    size_t rank = (size_t)ceil(percent / 100 * (double)n - 1e-9);
    size_t k = rank > 0 ? rank - 1 : 0;
    size_t lo = from ? *from : 0;
    double value = select_rank(values, lo < k ? lo : k, n - 1, k);
    if (from)
        *from = k;
    return value;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct interval stats_mean_interval(const double *values, size_t n,
                                    size_t max_blocks, uint64_t seed)
{
    enum { CELLS_A_BLOCK = 8 };
    size_t length = (size_t)ceil(cbrt((double)n)), blocks = n ? n / length : 0;
    if (blocks < STATS_BLOCKS_MIN)
        return (struct interval){NAN, NAN};
    if (blocks > max_blocks)
        blocks = max_blocks;
    size_t cells = blocks * CELLS_A_BLOCK < n ? blocks * CELLS_A_BLOCK : n;
    size_t span = cells / blocks; /* cells of one block */
    double *before = mem_zalloc(cells + 1, sizeof *before);
    size_t *edge = mem_zalloc(cells + 1, sizeof *edge);
    for (size_t c = 0, i = 0; c < cells; c++) {
        double sum = 0;
        edge[c + 1] = (c + 1) * n / cells;
        for (; i < edge[c + 1]; i++)
            sum += values[i];
        before[c + 1] = before[c] + sum;
    }
    double means[STATS_RESAMPLES];
    gsl_rng *rng = rng_open(seed, "bootstrap");
    for (size_t r = 0; r < STATS_RESAMPLES; r++) {
        double sum = 0;
        size_t count = 0;
        for (size_t b = 0; b < blocks; b++) {
            size_t at = rng_below(rng, (uint32_t)(cells - span + 1));
            sum += before[at + span] - before[at];
            count += edge[at + span] - edge[at];
        }
        means[r] = sum / (double)count;
    }
    rng_free(rng);
    free(before);
    free(edge);
    qsort(means, STATS_RESAMPLES, sizeof *means, by_value);
    return (struct interval){means[24], means[974]};
}
