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

/* A range around rank k of lo..hi that very likely holds it: from the sample of
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

/* Quickselect: values[k] becomes what it would be if lo..hi were sorted,
 * smaller ones before it, larger ones behind. The pivot is the median of three
 * (Hoare) or, in large ranges, rank k of a sample, which leaves few values for
 * a second round. */
static double select_rank(double *values, size_t lo, size_t hi, size_t k)
{
    enum { LARGE = 600 }; /* where Floyd and Rivest begin to sample */
    while (hi > lo) {
        size_t mid = lo + (hi - lo) / 2, from, to;
        if (hi - lo > LARGE && k < hi) { /* a pivot at hi might stay there */
            narrow(lo, hi, k, &from, &to);
            select_rank(values, from, to, k);
            mid = k;
        }
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

static size_t rank_of(size_t n, double percent)
{
    size_t rank = (size_t)ceil(percent / 100 * (double)n - 1e-9);
    return rank > 0 ? rank - 1 : 0;
}

double stats_percentile(double *values, size_t n, double percent, size_t *from)
{
    size_t k = rank_of(n, percent), lo = from ? *from : 0;
    double value = select_rank(values, lo < k ? lo : k, n - 1, k);
    if (from)
        *from = k;
    return value;
}

double stats_percentile_above(double *values, size_t n, double percent,
                              struct least least, size_t *from)
{
    return rank_of(n, percent) < least.count
               ? least.value
               : stats_percentile(values, n, percent, from);
}

void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed)
{
    const size_t n = (size_t)STATS_RESAMPLES * STATS_BLOCKS;
    bootstrap->draws = mem_alloc(n * sizeof *bootstrap->draws);
    rng_fill(seed, "bootstrap", bootstrap->draws, n);
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    free(bootstrap->draws);
    bootstrap->draws = NULL;
}

struct block {
    double sum, count;
};

/* A block may begin at any of `cells` cells but the last ones; these are long
 * enough that all of them need not be values of their own. */
static struct block *make_blocks(const double *values, size_t n, size_t cells,
                                 size_t span)
{
    struct block *before = mem_zalloc(cells + 1, sizeof *before);
    for (size_t c = 0, i = 0; c < cells; c++) {
        size_t edge = (c + 1) * n / cells;
        double sum = 0;
        for (; i < edge; i++)
            sum += values[i];
        before[c + 1] = (struct block){before[c].sum + sum, (double)edge};
    }
    for (size_t c = 0; c + span <= cells; c++) {
        before[c].sum = before[c + span].sum - before[c].sum;
        before[c].count = before[c + span].count - before[c].count;
    }
    return before;
}

struct interval stats_mean_interval(const struct bootstrap *bootstrap,
                                    const double *values, size_t n,
                                    size_t max_blocks)
{
    enum { CELLS_A_BLOCK = 8, LOWER = 24, UPPER = 974 };
    size_t length = (size_t)ceil(cbrt((double)n)), blocks = n ? n / length : 0;
    if (blocks < STATS_BLOCKS_MIN)
        return (struct interval){NAN, NAN};
    if (blocks > max_blocks)
        blocks = max_blocks;
    size_t cells = blocks * CELLS_A_BLOCK < n ? blocks * CELLS_A_BLOCK : n;
    size_t span = cells / blocks; /* cells of one block */
    struct block *block = make_blocks(values, n, cells, span);
    const uint64_t choices = cells - span + 1;
    const uint32_t *draw = bootstrap->draws;
    double means[STATS_RESAMPLES];
    for (size_t r = 0; r < STATS_RESAMPLES; r++) {
        struct block all = {0};
        for (size_t b = 0; b < blocks; b++) {
            const struct block *one = &block[*draw++ * choices >> 32];
            all.sum += one->sum;
            all.count += one->count;
        }
        means[r] = all.sum / all.count;
    }
    free(block);
    double lo = select_rank(means, 0, STATS_RESAMPLES - 1, LOWER);
    double hi = select_rank(means, LOWER, STATS_RESAMPLES - 1, UPPER);
    return (struct interval){lo, hi};
}
