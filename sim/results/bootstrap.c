/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/arena.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/results/stats.h"

void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed)
{
    const size_t n_draws = (size_t)BOOTSTRAP_RESAMPLES * BOOTSTRAP_BLOCKS;
    *bootstrap = (struct bootstrap){
        .draws = mem_alloc(n_draws * sizeof *bootstrap->draws),
        .means = mem_alloc(BOOTSTRAP_RESAMPLES * sizeof *bootstrap->means),
    };
    rng_fill(seed, "bootstrap", bootstrap->draws, n_draws);
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    free(bootstrap->draws);
    free(bootstrap->means);
    *bootstrap = (struct bootstrap){0};
}

/* Number and sum of a stretch of values. */
struct sums {
    double n, sum;
};

/* Returns n_cells + 1 prefix sums: element i sums all values before part i,
 * when the values are cut into n_cells equal parts. */
static struct sums *prefix_sums(const double *values, size_t n, size_t n_cells)
{
    struct sums *prefix = mem_alloc((n_cells + 1) * sizeof *prefix);
    size_t i = 0;
    prefix[0] = (struct sums){0};
    for (size_t c = 0; c < n_cells; c++) {
        const size_t end = (c + 1) * n / n_cells;
        double sum = 0;
        for (; i < end; i++)
            sum += values[i];
        prefix[c + 1] = (struct sums){(double)i, prefix[c].sum + sum};
    }
    return prefix;
}

/* Computes the mean of each resample. A resample has `per_resample` blocks,
 * each drawn from `choices` blocks. Several resamples are summed side by side,
 * because within one resample each addition has to wait for the one before
 * it. */
static void resample(const struct sums *blocks, size_t choices,
                     size_t per_resample, const uint32_t *draws, double *means)
{
    enum { AT_ONCE = 4 };
    _Static_assert(BOOTSTRAP_RESAMPLES % AT_ONCE == 0, "no resample is left");
    for (size_t r = 0; r < BOOTSTRAP_RESAMPLES; r += AT_ONCE) {
        struct sums all[AT_ONCE] = {{0}};
        for (size_t b = 0; b < per_resample; b++) {
            for (size_t k = 0; k < AT_ONCE; k++) {
                uint64_t draw = draws[(r + k) * per_resample + b];
                const struct sums *block = &blocks[draw * choices >> 32];
                all[k].n += block->n;
                all[k].sum += block->sum;
            }
        }
        for (size_t k = 0; k < AT_ONCE; k++)
            means[r + k] = all[k].sum / all[k].n;
    }
}

struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks)
{
    enum { CELLS_A_BLOCK = 8, CUT = BOOTSTRAP_RESAMPLES / 40 };
    CHECK(max_blocks <= BOOTSTRAP_BLOCKS);
    size_t length = (size_t)ceil(cbrt((double)n)), count = n ? n / length : 0;
    if (count < BOOTSTRAP_BLOCKS_MIN)
        return (struct interval){NAN, NAN};
    count = count < max_blocks ? count : max_blocks;
    /* A block may begin at any cell that leaves room for a whole block. Blocks
     * are long, so a cell may hold several values. */
    size_t n_cells = count * CELLS_A_BLOCK < n ? count * CELLS_A_BLOCK : n;
    size_t cells = n_cells / count, choices = n_cells - cells + 1;
    struct sums *blocks = prefix_sums(values, n, n_cells);
    for (size_t i = 0; i < choices; i++) {
        blocks[i].n = blocks[i + cells].n - blocks[i].n;
        blocks[i].sum = blocks[i + cells].sum - blocks[i].sum;
    }
    double *means = bootstrap->means;
    resample(blocks, choices, count, bootstrap->draws, means);
    free(blocks);
    /* 2.5 % of the means are cut off at each end. */
    double lo = stats_rank(means, BOOTSTRAP_RESAMPLES, CUT - 1);
    double hi =
        stats_rank(means, BOOTSTRAP_RESAMPLES, BOOTSTRAP_RESAMPLES - CUT - 1);
    return (struct interval){lo, hi};
}
