/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/base/wide.h"

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

/* Buckets between the least and the largest value whose width is a share of the
 * value, because the bits of a double are ordered as it is and almost
 * logarithmic. What is below a thousandth falls into the first. */
enum { BUCKET_BITS = 12 };

struct buckets {
    uint64_t base;
    unsigned shift;
};

static uint64_t ordered_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t bucket_of(const struct buckets *b, double value)
{
    uint64_t bits = ordered_bits(value);
    return bits > b->base ? (bits - b->base) >> b->shift : 0;
}

static struct buckets make_buckets(const double *values, size_t n)
{
    double least = values[0], most = values[0];
    for (size_t i = 1; i < n; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (least >= 0 && least < 1e-3)
        least = 1e-3;
    uint64_t low = ordered_bits(least), high = ordered_bits(most);
    uint64_t range = high > low ? high - low : 1;
    unsigned bits = 64 - (unsigned)__builtin_clzll(range);
    return (struct buckets){low, bits > BUCKET_BITS ? bits - BUCKET_BITS : 0};
}

/* A rank that is looked for, and in which bucket it lies. */
struct wanted {
    size_t rank, bucket;
    size_t below; /* values in buckets before */
};

/* Moves the values of the wanted buckets to the front, in the order in which
 * they stand; returns how many they are. */
static size_t keep_wanted(double *values, size_t n, const struct buckets *b,
                          const struct wanted *wanted, size_t n_wanted)
{
    bool is_wanted[1 << BUCKET_BITS] = {false};
    size_t kept = 0;
    for (size_t w = 0; w < n_wanted; w++)
        is_wanted[wanted[w].bucket] = true;
    for (size_t i = 0; i < n; i++) {
        double value = values[i];
        bool keep = is_wanted[bucket_of(b, value)];
        values[i] = values[kept];
        values[kept] = value;
        kept += keep;
    }
    return kept;
}

/* Two passes over all values, whatever their order, and a search among the few
 * that share a bucket with a rank. */
static void select_by_buckets(double *values, size_t n, const size_t *ranks,
                              size_t n_ranks, double *out)
{
    uint32_t count[1 << BUCKET_BITS] = {0};
    struct wanted wanted[STATS_PERCENTILES];
    struct buckets b = make_buckets(values, n);
    for (size_t i = 0; i < n; i++)
        count[bucket_of(&b, values[i])]++;
    size_t bucket = 0, below = 0, skipped = 0, from = 0;
    for (size_t r = 0; r < n_ranks; r++) {
        while (ranks[r] >= below + count[bucket])
            below += count[bucket++];
        wanted[r] = (struct wanted){ranks[r], bucket, below};
    }
    size_t kept = keep_wanted(values, n, &b, wanted, n_ranks);
    /* How many values before a wanted bucket were not kept. */
    size_t kept_below = 0;
    for (size_t r = 0; r < n_ranks; r++) {
        if (r == 0)
            skipped = wanted[r].below;
        else if (wanted[r].bucket != wanted[r - 1].bucket) {
            kept_below += count[wanted[r - 1].bucket];
            skipped = wanted[r].below - kept_below;
        }
        size_t rank = wanted[r].rank - skipped;
        out[r] = select_rank(values, from, kept - 1, rank);
        from = rank;
    }
}

void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out)
{
    enum { FEW = 256 }; /* then to clear the buckets costs more */
    size_t ranks[STATS_PERCENTILES], from = 0;
    CHECK(n > 0 && n_percents <= STATS_PERCENTILES);
    for (size_t p = 0; p < n_percents; p++)
        ranks[p] = rank_of(n, percents[p]);
    if (n > FEW && n < UINT32_MAX) {
        select_by_buckets(values, n, ranks, n_percents, out);
        return;
    }
    for (size_t p = 0; p < n_percents; p++) {
        out[p] = select_rank(values, from, n - 1, ranks[p]);
        from = ranks[p];
    }
}

void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed)
{
    const size_t n = (size_t)STATS_RESAMPLES * STATS_BLOCKS_KEPT;
    bootstrap->stream = rng_stream(seed, "bootstrap");
    bootstrap->draws = mem_alloc(n * sizeof *bootstrap->draws);
    rng_fill_from(bootstrap->stream, 0, bootstrap->draws, n);
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    free(bootstrap->draws);
    bootstrap->draws = NULL;
}

/* Four doubles in one register, or in two. What is added lane by lane is the
 * same sum, in the same order, as if done one after the other. */
typedef double quad __attribute__((vector_size(32), aligned(16)));

/* Of each place where a block may begin one row of fours: how many values the
 * block holds, then their sum in each list. */
struct blocks {
    quad *rows;
    size_t quads; /* a row */
    size_t per_resample;
    uint64_t choices;
};
enum { FEW_QUADS = 1, QUADS = (STATS_LISTS + 4) / 4 };

/* Sums up to each cell, of which there are at most as many as values. */
static void fill_cells(struct blocks *blocks, const double *const *lists,
                       size_t n_lists, size_t n, size_t cells)
{
    size_t width = 4 * blocks->quads;
    double *row = (double *)blocks->rows;
    memset(row, 0, width * sizeof *row);
    for (size_t c = 0, i = 0; c < cells; c++, row += width) {
        size_t edge = (c + 1) * n / cells;
        memcpy(row + width, row, width * sizeof *row);
        row[width] = (double)edge;
        for (size_t k = 0; k < n_lists; k++) {
            double sum = 0;
            for (size_t j = i; j < edge; j++)
                sum += lists[k][j];
            row[width + 1 + k] += sum;
        }
        i = edge;
    }
}

/* A block may begin at any of `cells` cells but the last ones; these are long
 * enough that all of them need not be values of their own. False: too few. */
static bool make_blocks(struct blocks *blocks, const double *const *lists,
                        size_t n_lists, size_t n, size_t max_blocks)
{
    enum { CELLS_A_BLOCK = 8 };
    size_t length = (size_t)ceil(cbrt((double)n)), count = n ? n / length : 0;
    if (count < STATS_BLOCKS_MIN)
        return false;
    count = count > max_blocks ? max_blocks : count;
    size_t cells = count * CELLS_A_BLOCK < n ? count * CELLS_A_BLOCK : n;
    size_t span = cells / count; /* cells of one block */
    size_t quads = n_lists < 4 * FEW_QUADS ? FEW_QUADS : QUADS;
    *blocks = (struct blocks){
        .rows = mem_alloc((cells + 1) * quads * sizeof(quad)),
        .quads = quads,
        .per_resample = count,
        .choices = cells - span + 1,
    };
    fill_cells(blocks, lists, n_lists, n, cells);
    for (size_t i = 0; i < blocks->choices * quads; i++)
        blocks->rows[i] = blocks->rows[i + span * quads] - blocks->rows[i];
    return true;
}

/* The means of all resamples, by list. Two resamples at once, so that the one
 * need not wait for the other's sums; `quads` is a constant of the caller. */
static ALWAYS_INLINE void resample_rows(const struct blocks *blocks,
                                        const struct bootstrap *bootstrap,
                                        size_t n_lists,
                                        double means[][STATS_RESAMPLES],
                                        const size_t quads)
{
    const size_t n = blocks->per_resample;
    const uint64_t choices = blocks->choices;
    const bool kept = n <= STATS_BLOCKS_KEPT;
    uint32_t fresh[2 * STATS_BLOCKS];
    for (size_t r = 0; r < STATS_RESAMPLES; r += 2) {
        const uint32_t *draw = kept ? bootstrap->draws + r * n : fresh;
        if (!kept)
            rng_fill_from(bootstrap->stream, r * n, fresh, 2 * n);
        union {
            quad at[QUADS];
            double lane[4 * QUADS];
        } all[2] = {0};
        for (size_t b = 0; b < n; b++) {
            const quad *x = &blocks->rows[(draw[b] * choices >> 32) * quads];
            const quad *y =
                &blocks->rows[(draw[n + b] * choices >> 32) * quads];
            for (size_t p = 0; p < quads; p++) {
                all[0].at[p] += x[p];
                all[1].at[p] += y[p];
            }
        }
        for (size_t k = 0; k < n_lists; k++) {
            means[k][r] = all[0].lane[1 + k] / all[0].lane[0];
            means[k][r + 1] = all[1].lane[1 + k] / all[1].lane[0];
        }
    }
}

static ALWAYS_INLINE void resample_any(const struct blocks *blocks,
                                       const struct bootstrap *bootstrap,
                                       size_t n_lists,
                                       double means[][STATS_RESAMPLES])
{
    if (blocks->quads == FEW_QUADS)
        resample_rows(blocks, bootstrap, n_lists, means, FEW_QUADS);
    else
        resample_rows(blocks, bootstrap, n_lists, means, QUADS);
}

static WIDE void resample_wide(const struct blocks *blocks,
                               const struct bootstrap *bootstrap,
                               size_t n_lists, double means[][STATS_RESAMPLES])
{
    resample_any(blocks, bootstrap, n_lists, means);
}

static void resample(const struct blocks *blocks,
                     const struct bootstrap *bootstrap, size_t n_lists,
                     double means[][STATS_RESAMPLES])
{
    if (has_wide())
        resample_wide(blocks, bootstrap, n_lists, means);
    else
        resample_any(blocks, bootstrap, n_lists, means);
}

/* The value of rank k among many, given one that is most likely larger than it
 * and smaller than most others: those below it are few. */
static double select_low(const double *values, size_t n, size_t k, double bound,
                         double *scratch)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        scratch[below] = values[i];
        below += values[i] < bound;
    }
    if (below <= k) { /* it was not */
        memcpy(scratch, values, n * sizeof *values);
        below = n;
    }
    return select_rank(scratch, 0, below - 1, k);
}

static struct interval tails(double *means)
{
    enum { CUT = 24, N = STATS_RESAMPLES }; /* 2.5 % off each end */
    double scratch[N], sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++)
        sum += means[i];
    double mean = sum / N;
    for (size_t i = 0; i < N; i++)
        squares += (means[i] - mean) * (means[i] - mean);
    /* Of a normal distribution 4.5 % lie beyond. */
    double apart = 1.7 * sqrt(squares / N);
    struct interval in;
    in.lo = select_low(means, N, CUT, mean - apart, scratch);
    for (size_t i = 0; i < N; i++)
        means[i] = -means[i];
    in.hi = -select_low(means, N, CUT + 1, -(mean + apart), scratch);
    return in;
}

void stats_mean_intervals(const struct bootstrap *bootstrap,
                          const double *const *lists, size_t n_lists, size_t n,
                          size_t max_blocks, struct interval *out)
{
    double means[STATS_LISTS][STATS_RESAMPLES];
    struct blocks blocks;
    CHECK(n_lists <= STATS_LISTS);
    bool enough = make_blocks(&blocks, lists, n_lists, n, max_blocks);
    for (size_t k = 0; !enough && k < n_lists; k++)
        out[k] = (struct interval){NAN, NAN};
    if (!enough)
        return;
    CHECK(blocks.per_resample <= STATS_BLOCKS);
    resample(&blocks, bootstrap, n_lists, means);
    free(blocks.rows);
    for (size_t k = 0; k < n_lists; k++)
        out[k] = tails(means[k]);
}

struct interval stats_mean_interval(const struct bootstrap *bootstrap,
                                    const double *values, size_t n,
                                    size_t max_blocks)
{
    struct interval in;
    stats_mean_intervals(bootstrap, &values, 1, n, max_blocks, &in);
    return in;
}
