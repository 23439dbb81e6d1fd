/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms of a ga2m model: values and CSV. */
#include "models/estimators/shapes.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "models/estimators/trees.h"

size_t shapes_bins(const struct shapes *shapes, unsigned f)
{
    return shapes->axes[f].n_cuts + 2;
}

/* Returns the index of the bin of x: the number of cuts that are not above x.
 * NaN has its own bin. */
static size_t shapes_bin_of(const struct shape_axis *axis, float x)
{
    size_t lo = 0, hi = axis->n_cuts;
    if (isnan(x))
        return axis->n_cuts + 1;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (axis->cuts[mid] <= x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct shape_term *shapes_add(struct shapes *shapes, unsigned a, unsigned b)
{
    shapes->terms = mem_grow(shapes->terms, &shapes->cap_terms,
                             shapes->n_terms + 1, sizeof *shapes->terms);
    struct shape_term *term = &shapes->terms[shapes->n_terms++];
    size_t bins =
        shapes_bins(shapes, a) * (a == b ? 1 : shapes_bins(shapes, b));
    *term = (struct shape_term){.a = (uint16_t)a,
                                .b = (uint16_t)b,
                                .values = mem_zalloc(bins, sizeof(double))};
    return term;
}

void shapes_fini(struct shapes *shapes)
{
    for (size_t f = 0; f < shapes->width; f++)
        free(shapes->axes[f].cuts);
    for (size_t i = 0; i < shapes->n_terms; i++)
        free(shapes->terms[i].values);
    free(shapes->terms);
    *shapes = (struct shapes){0};
}

/* Returns the index of the value of a term, given the bins of all features. */
static size_t shapes_cell(const struct shapes *shapes,
                          const struct shape_term *term, const size_t *bins)
{
    if (term->a == term->b)
        return bins[term->a];
    return bins[term->a] * shapes_bins(shapes, term->b) + bins[term->b];
}

/* Finds the bin of each feature of a row. */
static void shapes_find(const struct shapes *shapes, const float *row,
                        size_t bins[SHAPES_WIDTH_MAX])
{
    for (size_t f = 0; f < shapes->width; f++)
        bins[f] = shapes_bin_of(&shapes->axes[f], row[f]);
}

double shapes_value(const struct shapes *shapes, const float *row)
{
    size_t bins[SHAPES_WIDTH_MAX];
    double sum = shapes->intercept;
    shapes_find(shapes, row, bins);
    for (size_t i = 0; i < shapes->n_terms; i++) {
        const struct shape_term *term = &shapes->terms[i];
        sum += term->values[shapes_cell(shapes, term, bins)];
    }
    return sum;
}

void shapes_center(struct shapes *shapes, const float *rows, size_t n)
{
    size_t bins[SHAPES_WIDTH_MAX];
    double *means = mem_zalloc(shapes->n_terms + 1, sizeof *means);
    for (size_t r = 0; r < n; r++) {
        shapes_find(shapes, &rows[r * shapes->width], bins);
        for (size_t i = 0; i < shapes->n_terms; i++) {
            const struct shape_term *term = &shapes->terms[i];
            means[i] +=
                term->values[shapes_cell(shapes, term, bins)] / (double)n;
        }
    }
    for (size_t i = 0; i < shapes->n_terms; i++) {
        struct shape_term *term = &shapes->terms[i];
        size_t cells = shapes_bins(shapes, term->a);
        if (term->a != term->b)
            cells *= shapes_bins(shapes, term->b);
        for (size_t k = 0; k < cells; k++)
            term->values[k] -= means[i];
        shapes->intercept += means[i];
    }
    free(means);
}

/* Writes ",feature,from,below". An open bound is empty. For missing values
 * `from` is "missing". */
static void write_bin(const struct shapes *shapes, unsigned f, size_t bin,
                      struct out *out)
{
    const struct shape_axis *axis = &shapes->axes[f];
    bool missing = bin == axis->n_cuts + 1;
    out_printf(out, ",%s,", feature_name((enum feature)f));
    if (missing)
        out_text(out, "missing");
    else if (bin > 0)
        out_printf(out, "%.9g", (double)axis->cuts[bin - 1]);
    out_char(out, ',');
    if (!missing && bin < axis->n_cuts)
        out_printf(out, "%.9g", (double)axis->cuts[bin]);
}

void shapes_write(const struct shapes *shapes, struct out *out)
{
    out_text(out, "term,feature,from,below,feature_2,from_2,below_2,effect\n");
    out_printf(out, "intercept,,,,,,,%.9g\n", shapes->intercept);
    for (size_t i = 0; i < shapes->n_terms; i++) {
        const struct shape_term *t = &shapes->terms[i];
        size_t n_a = shapes_bins(shapes, t->a);
        size_t n_b = t->a == t->b ? 1 : shapes_bins(shapes, t->b);
        for (size_t k = 0; k < n_a * n_b; k++) {
            out_text(out, feature_name((enum feature)t->a));
            if (t->a != t->b)
                out_printf(out, " x %s", feature_name((enum feature)t->b));
            write_bin(shapes, t->a, k / n_b, out);
            if (t->a != t->b)
                write_bin(shapes, t->b, k % n_b, out);
            else
                out_text(out, ",,,");
            out_printf(out, ",%.9g\n", t->values[k]);
        }
    }
}
