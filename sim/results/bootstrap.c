/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/arena.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/results/stats.h"

enum { TOGETHER = INTERVALS_TOGETHER, CELLS_A_BLOCK = 8 };

/* The number of values in a block, and their sum in each sample. */
struct intervals_block {
    double n, sum[TOGETHER];
};

void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed)
{
    const size_t n_draws = (size_t)BOOTSTRAP_RESAMPLES * BOOTSTRAP_BLOCKS;
    bootstrap->draws = mem_alloc(n_draws * sizeof *bootstrap->draws);
    rng_fill(seed, "bootstrap", bootstrap->draws, n_draws);
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    free(bootstrap->draws);
    *bootstrap = (struct bootstrap){0};
}

/* How n values are cut into blocks. */
struct layout {
    size_t count;   /* number of blocks in a resample; 0: too few values */
    size_t n_cells; /* number of cells, the equal parts into which the values
                       are cut */
    size_t cells;   /* number of cells in a block */
    size_t choices; /* number of blocks from which a resample draws */
};

/* Cuts n values into cells. A block may begin at any cell that leaves room for
 * a whole block. A cell is about an eighth of a block, or one value if blocks
 * are shorter than eight values. */
static struct layout layout_of(size_t n, size_t max_blocks)
{
    size_t length = (size_t)ceil(cbrt((double)n)), count = n ? n / length : 0;
    if (count < BOOTSTRAP_BLOCKS_MIN)
        return (struct layout){0};
    struct layout l = {.count = count < max_blocks ? count : max_blocks};
    l.n_cells = l.count * CELLS_A_BLOCK < n ? l.count * CELLS_A_BLOCK : n;
    l.cells = l.n_cells / l.count;
    l.choices = l.n_cells - l.cells + 1;
    return l;
}

void intervals_init(struct intervals *intervals,
                    const struct bootstrap *bootstrap, size_t max_blocks)
{
    size_t n_cells = max_blocks * CELLS_A_BLOCK;
    CHECK(max_blocks <= BOOTSTRAP_BLOCKS);
    *intervals = (struct intervals){
        .bootstrap = bootstrap,
        .max_blocks = max_blocks,
        .blocks = mem_zalloc(n_cells + 1, sizeof *intervals->blocks),
        .means = mem_alloc(TOGETHER * sizeof *intervals->means),
    };
}

void intervals_fini(struct intervals *intervals)
{
    free(intervals->blocks);
    free(intervals->means);
}

/* Fills the prefix sums of a sample: element c gets the number and the sum of
 * all values before cell c. */
static void add_up(struct intervals_block *prefix, const struct layout *l,
                   const double *values, size_t n, size_t sample)
{
    size_t i = 0;
    for (size_t c = 0; c < l->n_cells; c++) {
        const size_t end = (c + 1) * n / l->n_cells;
        double sum = 0;
        for (; i < end; i++)
            sum += values[i];
        prefix[c + 1].n = (double)i;
        prefix[c + 1].sum[sample] = prefix[c].sum[sample] + sum;
    }
}

void intervals_add(struct intervals *intervals, const double *values, size_t n,
                   struct interval *to)
{
    const struct layout layout = layout_of(n, intervals->max_blocks);
    if (layout.count == 0) {
        *to = (struct interval){NAN, NAN};
        return;
    }
    if (intervals->n_samples == TOGETHER || intervals->n != n)
        intervals_finish(intervals);
    intervals->n = n;
    intervals->to[intervals->n_samples] = to;
    add_up(intervals->blocks, &layout, values, n, intervals->n_samples++);
}

/* Turns prefix sums into the blocks that begin at each cell. */
static void make_blocks(struct intervals_block *prefix, const struct layout *l)
{
    for (size_t i = 0; i < l->choices; i++) {
        const struct intervals_block *end = &prefix[i + l->cells];
        prefix[i].n = end->n - prefix[i].n;
        for (size_t s = 0; s < TOGETHER; s++)
            prefix[i].sum[s] = end->sum[s] - prefix[i].sum[s];
    }
}

/* Computes the mean of each resample of each sample. Several resamples are
 * summed side by side, because within one resample each addition has to wait
 * for the one before it. */
static void resample(const struct intervals_block *blocks,
                     const struct layout *l, const uint32_t *draws,
                     double (*means)[BOOTSTRAP_RESAMPLES])
{
    enum { AT_ONCE = 4 };
    _Static_assert(BOOTSTRAP_RESAMPLES % AT_ONCE == 0, "no resample is left");
    for (size_t r = 0; r < BOOTSTRAP_RESAMPLES; r += AT_ONCE) {
        struct intervals_block all[AT_ONCE] = {{0}};
        for (size_t b = 0; b < l->count; b++) {
            for (size_t k = 0; k < AT_ONCE; k++) {
                uint64_t draw = draws[(r + k) * l->count + b];
                const struct intervals_block *block =
                    &blocks[draw * l->choices >> 32];
                all[k].n += block->n;
                for (size_t s = 0; s < TOGETHER; s++)
                    all[k].sum[s] += block->sum[s];
            }
        }
        for (size_t k = 0; k < AT_ONCE; k++)
            for (size_t s = 0; s < TOGETHER; s++)
                means[s][r + k] = all[k].sum[s] / all[k].n;
    }
}

void intervals_finish(struct intervals *intervals)
{
    if (intervals->n_samples == 0)
        return;
    struct layout layout = layout_of(intervals->n, intervals->max_blocks);
    make_blocks(intervals->blocks, &layout);
    resample(intervals->blocks, &layout, intervals->bootstrap->draws,
             intervals->means);
    for (size_t s = 0; s < intervals->n_samples; s++) {
        static const double ends[2] = {2.5, 97.5}; /* percent */
        double at[2];
        stats_percentiles(intervals->means[s], BOOTSTRAP_RESAMPLES, ends, 2,
                          at);
        *intervals->to[s] = (struct interval){at[0], at[1]};
    }
    /* The prefix sums of the next samples begin at this element, which must be
     * 0. */
    intervals->blocks[0] = (struct intervals_block){0};
    intervals->n_samples = 0;
}

struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks)
{
    struct intervals one;
    struct interval interval;
    intervals_init(&one, bootstrap, max_blocks);
    intervals_add(&one, values, n, &interval);
    intervals_finish(&one);
    intervals_fini(&one);
    return interval;
}
