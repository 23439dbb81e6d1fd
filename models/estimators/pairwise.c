/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/pairwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"

enum {
    BINS = PAIRWISE_BINS + 1, /* with that of missing values */
    PAIR_BINS = PAIRWISE_PAIR_BINS + 1,
    CELLS = PAIR_BINS * PAIR_BINS,
};

/* The rows that are used, and what the model does not explain of them yet. */
struct pairwise {
    const struct pairwise_params *params;
    struct shapes *shapes;
    size_t n;
    /* the features of which two bins or more hold rows; a tree or a table over
     * another one is constant */
    unsigned varied[SHAPES_WIDTH_MAX];
    size_t n_varied;
    const float **rows; /* by row: its features */
    uint16_t *bins;     /* by feature, then by row */
    double *rest;       /* by row: target minus the model's value */
};

/* The sums over the rows of each bin, or of each cell of a pair. */
struct pairwise_sums {
    double rest[CELLS], rows[CELLS];
};

static uint16_t *pairwise_column(const struct pairwise *p, size_t feature)
{
    return &p->bins[feature * p->n];
}

static int pairwise_by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Cuts feature f between any two of its values if they are few, such as numbers
 * of GPUs, so that rare ones have bins of their own. Returns false, with no
 * cut, if there are more than PAIRWISE_BINS. */
static bool pairwise_cut_values(struct pairwise *p, size_t f)
{
    struct shape_axis *axis = &p->shapes->axes[f];
    float values[PAIRWISE_BINS];
    size_t n_values = 0;
    for (size_t i = 0; i < p->n; i++) {
        float x = p->rows[i][f];
        size_t at = n_values;
        while (at > 0 && values[at - 1] >= x)
            at--;
        if (isnan(x) || (at < n_values && values[at] <= x))
            continue;
        if (n_values == PAIRWISE_BINS)
            return false;
        memmove(&values[at + 1], &values[at], (n_values - at) * sizeof *values);
        values[at] = x;
        n_values++;
    }
    for (size_t b = 1; b < n_values; b++)
        axis->cuts[axis->n_cuts++] = values[b];
    return true;
}

/* Cuts feature f by a sample of its values. Each bin gets an equal part of what
 * the bins below it have left, so a value that fills most of the sample takes
 * one bin and the others still share the rest. Equal values are never
 * divided. */
static void pairwise_cut_parts(struct pairwise *p, size_t f)
{
    struct shape_axis *axis = &p->shapes->axes[f];
    float sample[PAIRWISE_SAMPLE];
    size_t k = 0, m = p->n < PAIRWISE_SAMPLE ? p->n : PAIRWISE_SAMPLE;
    for (size_t i = 0; i < m; i++) {
        float x = p->rows[pairwise_row(i, m, p->n)][f];
        if (!isnan(x))
            sample[k++] = x;
    }
    qsort(sample, k, sizeof *sample, pairwise_by_value);
    size_t from = 0; /* first value of the bin */
    for (size_t i = 1; i < k && axis->n_cuts + 1 < PAIRWISE_BINS; i++) {
        size_t bins_left = PAIRWISE_BINS - axis->n_cuts;
        if (sample[i] <= sample[i - 1] || (i - from) * bins_left < k - from)
            continue;
        axis->cuts[axis->n_cuts++] = sample[i];
        from = i;
    }
}

/* Fills in the bins of feature f. Each step of the search halves the number of
 * cuts that may be at or below the value. */
static void pairwise_bin(struct pairwise *p, size_t f)
{
    const struct shape_axis *axis = &p->shapes->axes[f];
    uint16_t *column = pairwise_column(p, f);
    float cuts[PAIRWISE_BINS];
    for (size_t i = 0; i < PAIRWISE_BINS; i++)
        cuts[i] = i < axis->n_cuts ? axis->cuts[i] : INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        float x = p->rows[i][f];
        unsigned bin = 0;
        for (unsigned step = PAIRWISE_BINS / 2; step; step /= 2)
            bin += cuts[bin + step - 1] <= x ? step : 0;
        column[i] = (uint16_t)(isnan(x) ? axis->n_cuts + 1 : bin);
    }
}

/* Subtracts `value` of the cell of each row, in column `done`, from what is
 * left of the row, and sums up what is then left by the cells of column `next`.
 */
static void pairwise_pass(struct pairwise *p, const uint16_t *done,
                          const double *value, const uint16_t *next,
                          double *sums)
{
    for (size_t i = 0; i < p->n; i++) {
        double rest = p->rest[i] - value[done[i]];
        p->rest[i] = rest;
        sums[next[i]] += rest;
    }
}

/* Bins from .. to-1 of a feature, and the best split of them. */
struct pairwise_leaf {
    size_t from, to;
    size_t at;   /* the first bin on the right side of the split */
    double gain; /* decrease of the squared error; 0: no split is allowed */
};

static struct pairwise_leaf pairwise_leaf_of(const struct pairwise_sums *sums,
                                             size_t from, size_t to,
                                             double least)
{
    struct pairwise_leaf leaf = {.from = from, .to = to};
    double all = 0, rows = 0, left = 0, left_rows = 0;
    for (size_t b = from; b < to; b++) {
        all += sums->rest[b];
        rows += sums->rows[b];
    }
    for (size_t b = from; b + 1 < to; b++) {
        left += sums->rest[b];
        left_rows += sums->rows[b];
        double right = all - left, right_rows = rows - left_rows;
        if (left_rows < least || right_rows < least || left_rows < 1 ||
            right_rows < 1)
            continue;
        double gain = left * left / left_rows + right * right / right_rows -
                      all * all / rows;
        if (gain > leaf.gain) {
            leaf.gain = gain;
            leaf.at = b + 1;
        }
    }
    return leaf;
}

/* Fits a tree to the sums of n bins and sets step[b] to `eta` times the mean of
 * the leaf of bin b. */
static void pairwise_tree(const struct pairwise_params *params,
                          const struct pairwise_sums *sums, size_t n,
                          double *step)
{
    struct pairwise_leaf leaves[PAIRWISE_LEAVES];
    double least = params->min_child_weight;
    size_t n_leaves = 1;
    leaves[0] = pairwise_leaf_of(sums, 0, n, least);
    while (n_leaves < PAIRWISE_LEAVES) {
        struct pairwise_leaf *best = &leaves[0];
        for (size_t i = 1; i < n_leaves; i++)
            best = leaves[i].gain > best->gain ? &leaves[i] : best;
        if (best->gain <= 0)
            break;
        leaves[n_leaves++] = pairwise_leaf_of(sums, best->at, best->to, least);
        *best = pairwise_leaf_of(sums, best->from, best->at, least);
    }
    for (size_t i = 0; i < n_leaves; i++) {
        double rest = 0, rows = 0;
        for (size_t b = leaves[i].from; b < leaves[i].to; b++) {
            rest += sums->rest[b];
            rows += sums->rows[b];
        }
        for (size_t b = leaves[i].from; b < leaves[i].to; b++)
            step[b] = rows > 0 ? params->eta * rest / rows : 0;
    }
}

/* Counts the rows of each bin of feature f. Returns true if two bins or more
 * hold rows. */
static bool pairwise_count(const struct pairwise *p, unsigned f, double *rows)
{
    const uint16_t *column = pairwise_column(p, f);
    for (size_t i = 0; i < p->n; i++)
        rows[column[i]]++;
    return rows[column[0]] < (double)p->n;
}

/* Fits the terms of single features. */
static void pairwise_fit_features(struct pairwise *p)
{
    size_t width = p->shapes->width;
    struct pairwise_sums *sums = mem_zalloc(width, sizeof *sums);
    double step[BINS] = {0};
    const uint16_t *done = pairwise_column(p, 0);
    for (unsigned f = 0; f < width; f++) {
        shapes_add(p->shapes, f, f);
        if (pairwise_count(p, f, sums[f].rows))
            p->varied[p->n_varied++] = f;
    }
    for (size_t i = 0; i < p->params->rounds * p->n_varied; i++) {
        unsigned f = p->varied[i % p->n_varied];
        const uint16_t *column = pairwise_column(p, f);
        size_t n = shapes_bins(p->shapes, f);
        memset(sums[f].rest, 0, n * sizeof *sums[f].rest);
        pairwise_pass(p, done, step, column, sums[f].rest);
        pairwise_tree(p->params, &sums[f], n, step);
        for (size_t b = 0; b < n; b++)
            p->shapes->terms[f].values[b] += step[b];
        done = column;
    }
    for (size_t i = 0; i < p->n; i++)
        p->rest[i] -= step[done[i]];
    free(sums);
}

/* Returns the coarser bin of a bin of feature f; the last one is that of
 * missing values. */
static unsigned pairwise_coarse(const struct pairwise *p, unsigned f,
                                unsigned bin)
{
    unsigned n = (unsigned)p->shapes->axes[f].n_cuts + 1;
    if (bin == n)
        return PAIRWISE_PAIR_BINS;
    return n <= PAIRWISE_PAIR_BINS ? bin : bin * PAIRWISE_PAIR_BINS / n;
}

/* The cells of a pair of features by bins: cell = of_a[bin] + of_b[bin]. */
struct pairwise_cells {
    const uint16_t *a, *b; /* columns of the features */
    uint16_t of_a[BINS], of_b[BINS];
};

static struct pairwise_cells pairwise_cells_of(const struct pairwise *p,
                                               unsigned a, unsigned b)
{
    struct pairwise_cells cells = {.a = pairwise_column(p, a),
                                   .b = pairwise_column(p, b)};
    for (unsigned i = 0; i < shapes_bins(p->shapes, a); i++)
        cells.of_a[i] = (uint16_t)(pairwise_coarse(p, a, i) * PAIR_BINS);
    for (unsigned i = 0; i < shapes_bins(p->shapes, b); i++)
        cells.of_b[i] = (uint16_t)pairwise_coarse(p, b, i);
    return cells;
}

/* Sums up what is left of m rows at even distances by cells of a pair. */
static void pairwise_sum(const struct pairwise *p,
                         const struct pairwise_cells *cells, size_t m,
                         struct pairwise_sums *sums)
{
    *sums = (struct pairwise_sums){0};
    for (size_t i = 0; i < m; i++) {
        size_t row = m == p->n ? i : pairwise_row(i, m, p->n);
        unsigned cell = cells->of_a[cells->a[row]] + cells->of_b[cells->b[row]];
        sums->rest[cell] += p->rest[row];
        sums->rows[cell]++;
    }
}

/* Returns the decrease of the squared error by a table for a pair, measured on
 * a sample; 0 if a feature has one bin only. */
static double pairwise_gain(const struct pairwise *p, unsigned a, unsigned b,
                            struct pairwise_sums *sums)
{
    size_t m = p->n < PAIRWISE_SAMPLE ? p->n : PAIRWISE_SAMPLE;
    double gain = 0;
    const struct pairwise_cells cells = pairwise_cells_of(p, a, b);
    pairwise_sum(p, &cells, m, sums);
    for (size_t i = 0; i < CELLS; i++)
        gain += sums->rest[i] * sums->rest[i] /
                (sums->rows[i] + PAIRWISE_PAIR_PRIOR);
    return gain;
}

/* Adds the table of a pair, fitted to what is left of all rows. */
static void pairwise_fit_pair(struct pairwise *p, unsigned a, unsigned b,
                              struct pairwise_sums *sums)
{
    const struct pairwise_cells cells = pairwise_cells_of(p, a, b);
    size_t n_a = shapes_bins(p->shapes, a), n_b = shapes_bins(p->shapes, b);
    struct shape_term *term = shapes_add(p->shapes, a, b);
    pairwise_sum(p, &cells, p->n, sums);
    for (size_t i = 0; i < CELLS; i++)
        sums->rest[i] *= p->params->eta / (sums->rows[i] + PAIRWISE_PAIR_PRIOR);
    for (size_t i = 0; i < p->n; i++)
        p->rest[i] -=
            sums->rest[cells.of_a[cells.a[i]] + cells.of_b[cells.b[i]]];
    for (size_t i = 0; i < n_a * n_b; i++)
        term->values[i] = sums->rest[cells.of_a[i / n_b] + cells.of_b[i % n_b]];
}

/* Finds the pair with the largest gain, among equal ones that of the lowest
 * features, and sets its gain to 0, so that the next call finds the next pair.
 * Returns false if no pair with a gain above 0 is left. */
static bool pairwise_best(double gains[SHAPES_WIDTH_MAX][SHAPES_WIDTH_MAX],
                          size_t width, unsigned *a, unsigned *b)
{
    double best = 0;
    for (unsigned i = 0; i < width; i++) {
        for (unsigned k = i + 1; k < width; k++) {
            if (gains[i][k] > best) {
                best = gains[i][k];
                *a = i;
                *b = k;
            }
        }
    }
    if (best > 0)
        gains[*a][*b] = 0;
    return best > 0;
}

/* Ranks the pairs by their gains and fits the best. */
static void pairwise_fit_pairs(struct pairwise *p)
{
    double gains[SHAPES_WIDTH_MAX][SHAPES_WIDTH_MAX] = {0};
    struct pairwise_sums sums;
    size_t n = p->params->pairs ? p->n_varied : 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++)
            gains[p->varied[i]][p->varied[k]] =
                pairwise_gain(p, p->varied[i], p->varied[k], &sums);
    }
    unsigned a = 0, b = 0;
    for (uint32_t i = 0;
         i < p->params->pairs && pairwise_best(gains, p->shapes->width, &a, &b);
         i++)
        pairwise_fit_pair(p, a, b, &sums);
}

void pairwise_fit(struct shapes *shapes, const struct pairwise_params *params,
                  const float *rows, const float *targets, size_t n,
                  size_t width)
{
    struct pairwise p = {.params = params, .shapes = shapes};
    double sum = 0;
    CHECK(n > 0 && width <= SHAPES_WIDTH_MAX);
    p.n = n < params->rows ? n : params->rows;
    p.rows = mem_alloc(p.n * sizeof *p.rows);
    p.bins = mem_alloc(p.n * width * sizeof *p.bins);
    p.rest = mem_alloc(p.n * sizeof *p.rest);
    shapes_fini(shapes);
    shapes->width = width;
    for (size_t i = 0; i < p.n; i++) {
        size_t row = pairwise_row(i, p.n, n);
        p.rows[i] = &rows[row * width];
        p.rest[i] = (double)targets[row];
        sum += p.rest[i];
    }
    shapes->intercept = sum / (double)p.n;
    for (size_t i = 0; i < p.n; i++)
        p.rest[i] -= shapes->intercept;
    for (size_t f = 0; f < width; f++) {
        shapes->axes[f].cuts = mem_alloc(PAIRWISE_BINS * sizeof(float));
        if (!pairwise_cut_values(&p, f))
            pairwise_cut_parts(&p, f);
        pairwise_bin(&p, f);
    }
    pairwise_fit_features(&p);
    pairwise_fit_pairs(&p);
    free(p.rows);
    free(p.bins);
    free(p.rest);
}
