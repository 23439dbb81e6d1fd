/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/bootstrap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/base/wide.h"
#include "sim/results/stats.h"

void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed)
{
    const size_t n = BOOTSTRAP_DRAWS_KEPT;
    const size_t n_means = (size_t)BOOTSTRAP_RESAMPLES * LANES;
    *bootstrap = (struct bootstrap){
        .stream = rng_stream(seed, "bootstrap"),
        .draws = mem_alloc(n * sizeof *bootstrap->draws),
        .means = mem_alloc(n_means * sizeof *bootstrap->means),
        .tail = mem_alloc(BOOTSTRAP_RESAMPLES * sizeof *bootstrap->tail),
    };
    rng_fill_from(bootstrap->stream, 0, bootstrap->draws, n);
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    free(bootstrap->draws);
    free(bootstrap->means);
    free(bootstrap->tail);
    *bootstrap = (struct bootstrap){0};
}

/* Block sums. One row for each place where a block may begin: the number of
 * values in the block, then their sum in each list. */
struct blocks {
    void *memory;
    quad *rows;
    size_t quads;       /* quads per row */
    size_t cells, span; /* cells in all; cells of one block */
    size_t per_resample;
    uint32_t choices;
};

/* Fills the prefix sums up to each cell; there are at most as many cells as
 * values. Cell c ends before value (c + 1) n / cells, computed without one
 * division per cell. */
static ALWAYS_INLINE void fill_cells(struct blocks *blocks,
                                     const struct value_rows *values,
                                     const size_t quads)
{
    const size_t cells = blocks->cells;
    const size_t length = values->n / cells, longer = values->n % cells;
    quad *row = blocks->rows, all[QUADS] = {0};
    size_t i = 0, edge = 0, rest = 0;
    memset(row, 0, quads * sizeof *row);
    for (size_t c = 0; c < cells; c++) {
        rest += longer;
        edge += length + (rest >= cells);
        rest -= rest >= cells ? cells : 0;
        quad sum[QUADS] = {0};
        for (; i < edge; i++) {
            const quad *value = (const quad *)value_row(values, i);
            for (size_t q = 0; q < quads; q++)
                sum[q] += value[q];
        }
        row += quads;
        for (size_t q = 0; q < quads; q++)
            row[q] = all[q] += sum[q];
    }
}

/* Chooses the blocks. A block may begin at any of `cells` cells but the last
 * ones. Blocks are long, so cells can hold several values each. Returns false
 * if there are too few values. */
static bool make_blocks(struct blocks *blocks, const struct value_rows *values,
                        size_t quads, size_t max_blocks)
{
    enum { CELLS_A_BLOCK = 8, LINE = 64 };
    size_t n = values->n;
    size_t length = (size_t)ceil(cbrt((double)n)), count = n ? n / length : 0;
    if (count < BOOTSTRAP_BLOCKS_MIN)
        return false;
    count = count > max_blocks ? max_blocks : count;
    size_t cells = count * CELLS_A_BLOCK < n ? count * CELLS_A_BLOCK : n;
    size_t span = cells / count; /* cells in one block */
    *blocks = (struct blocks){
        .memory = mem_alloc((cells + 1) * quads * sizeof(quad) + LINE),
        .quads = quads,
        .cells = cells,
        .span = span,
        .per_resample = count,
        .choices = (uint32_t)(cells - span + 1),
    };
    /* No row crosses a cache line, because rows are read in random order. */
    char *memory = blocks->memory;
    blocks->rows = (quad *)(memory + (LINE - (uintptr_t)memory % LINE));
    return true;
}

/* Turns prefix sums into block sums: each is the difference of two prefix sums.
 */
static ALWAYS_INLINE void fill_blocks(struct blocks *blocks,
                                      const struct value_rows *values,
                                      const size_t quads)
{
    quad *rows = blocks->rows;
    const size_t n = blocks->choices * quads, apart = blocks->span * quads;
    fill_cells(blocks, values, quads);
    for (size_t i = 0; i < n; i++)
        rows[i] = rows[i + apart] - rows[i];
}

enum { N = BOOTSTRAP_RESAMPLES, AT_ONCE = 8 };

/* Finds where the rows of the blocks of some resamples begin. This is a pass of
 * its own, because many draws are scaled at once, but rows are fetched one by
 * one. */
static ALWAYS_INLINE void choose(const struct blocks *blocks,
                                 const struct bootstrap *bootstrap,
                                 size_t resample, size_t n_resamples,
                                 uint16_t *starts)
{
    uint32_t fresh[AT_ONCE * BOOTSTRAP_BLOCKS];
    const size_t from = resample * blocks->per_resample;
    const size_t n = n_resamples * blocks->per_resample;
    const uint32_t choices = blocks->choices;
    const size_t lanes = 4 * blocks->quads;
    const uint32_t *draws = bootstrap->draws + from;
    if (from + n > BOOTSTRAP_DRAWS_KEPT) {
        rng_fill_from(bootstrap->stream, from, fresh, n);
        draws = fresh;
    }
    for (size_t i = 0; i < n; i++)
        starts[i] = (uint16_t)(((uint64_t)draws[i] * choices >> 32) * lanes);
}

/* Computes the means of all resamples, row by row. Works on several resamples
 * at once, so that one need not wait for the sums of another. The caller passes
 * constants for `quads` and `at_once`. */
static ALWAYS_INLINE void resample_rows(const struct blocks *blocks,
                                        const struct bootstrap *bootstrap,
                                        const size_t quads,
                                        const size_t at_once)
{
    const size_t n = blocks->per_resample;
    const double *rows = (const double *)blocks->rows;
    quad *means = (quad *)bootstrap->means;
    uint16_t starts[AT_ONCE * BOOTSTRAP_BLOCKS];
    for (size_t r = 0; r < N; r += at_once) {
        quad sum[AT_ONCE][QUADS] = {0};
        choose(blocks, bootstrap, r, at_once, starts);
        for (size_t b = 0; b < n; b++) {
            for (size_t s = 0; s < at_once; s++) {
                const quad *row = (const quad *)(rows + starts[s * n + b]);
                for (size_t q = 0; q < quads; q++)
                    sum[s][q] += row[q];
            }
        }
        for (size_t s = 0; s < at_once; s++) {
            double values = sum[s][0][0];
            for (size_t q = 0; q < quads; q++)
                *means++ = sum[s][q] / (quad){values, values, values, values};
        }
    }
}

static ALWAYS_INLINE void resample_any(struct blocks *blocks,
                                       const struct value_rows *values,
                                       const struct bootstrap *bootstrap)
{
    if (blocks->quads == FEW_QUADS) {
        fill_blocks(blocks, values, FEW_QUADS);
        resample_rows(blocks, bootstrap, FEW_QUADS, AT_ONCE);
    } else {
        fill_blocks(blocks, values, QUADS);
        resample_rows(blocks, bootstrap, QUADS, AT_ONCE / 2);
    }
}

static WIDE void resample_wide(struct blocks *blocks,
                               const struct value_rows *values,
                               const struct bootstrap *bootstrap)
{
    resample_any(blocks, values, bootstrap);
}

static HALF_WIDE void resample_half_wide(struct blocks *blocks,
                                         const struct value_rows *values,
                                         const struct bootstrap *bootstrap)
{
    resample_any(blocks, values, bootstrap);
}

static void resample(struct blocks *blocks, const struct value_rows *values,
                     const struct bootstrap *bootstrap)
{
    if (has_wide())
        resample_wide(blocks, values, bootstrap);
    else if (has_half_wide())
        resample_half_wide(blocks, values, bootstrap);
    else
        resample_any(blocks, values, bootstrap);
}

/* The means of one list over all resamples. */
struct means {
    const double *at;
    size_t stride;
    double mean, deviation; /* approximate, from a sample of the means */
};

/* Estimates centre and deviation from a sample of the means, which is exact
 * enough for a first guess of the tails. */
static struct means means_of(const double *at, size_t stride)
{
    enum { STEP = 8 };
    double sum = 0, squares = 0, n = (double)N / STEP;
    for (size_t r = 0; r < N; r += STEP) {
        double apart = at[r * stride] - at[0];
        sum += apart;
        squares += apart * apart;
    }
    sum /= n;
    return (struct means){at, stride, at[0] + sum,
                          sqrt(fmax(squares / n - sum * sum, 0))};
}

/* Returns the mean of the given rank from the low end (sign -1: from the high
 * end). Searches only means more than `apart` deviations from the centre; if
 * fewer than `rank` qualify (rare), lowers `apart` and retries. */
static double tail_rank(const struct means *means, double sign, double apart,
                        size_t rank, double *room)
{
    size_t n = 0;
    for (; n <= rank && apart > 0; apart -= 0.25) {
        double bound = sign * means->mean - apart * means->deviation;
        n = 0;
        for (size_t r = 0; r < N; r++) {
            double mean = sign * means->at[r * means->stride];
            room[n] = mean;
            n += mean < bound;
        }
    }
    for (size_t r = 0; n <= rank && r < N; r++)
        room[r] = sign * means->at[r * means->stride];
    return sign * stats_rank(room, n <= rank ? N : n, rank);
}

/* In a normal distribution 7 % lie beyond 1.5 deviations and 4.5 % beyond 1.7.
 * Means of waiting times have a short tail at the low end, so that end starts
 * at 1.5. */
static struct interval tails(const struct means *means, double *room)
{
    enum { CUT = 24 }; /* 2.5 % cut off at each end */
    return (struct interval){tail_rank(means, 1, 1.5, CUT, room),
                             tail_rank(means, -1, 1.7, CUT + 1, room)};
}

void bootstrap_intervals(const struct bootstrap *bootstrap,
                         const struct value_rows *rows, unsigned wanted,
                         size_t max_blocks, struct interval *out)
{
    size_t lanes = lanes_of(wanted);
    struct blocks blocks;
    CHECK(max_blocks <= BOOTSTRAP_BLOCKS && lanes <= rows->stride);
    if (!make_blocks(&blocks, rows, lanes / 4, max_blocks)) {
        for (size_t k = 0; k < lanes; k++)
            out[k] = (struct interval){NAN, NAN};
        return;
    }
    resample(&blocks, rows, bootstrap);
    free(blocks.memory);
    for (size_t k = 0; k < lanes; k++) {
        if (wanted >> k & 1) {
            struct means means = means_of(bootstrap->means + k, lanes);
            out[k] = tails(&means, bootstrap->tail);
        }
    }
}

struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks)
{
    struct interval out[FEW_LANES];
    double *rows = mem_zalloc(n * FEW_LANES, sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i * FEW_LANES] = 1;
        rows[i * FEW_LANES + 1] = values[i];
    }
    bootstrap_intervals(bootstrap,
                        &(struct value_rows){rows, FEW_LANES, NULL, n}, 1u << 1,
                        max_blocks, out);
    free(rows);
    return out[1];
}
