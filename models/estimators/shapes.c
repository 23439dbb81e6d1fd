/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits boosted trees of depth 2 into terms. */
#include "models/estimators/shapes_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static size_t n_bins(const struct shapes *shapes, unsigned f)
{
    return shapes->axes[f].n_cuts + 2;
}

static void find_cuts(struct shapes *shapes, const struct trees *trees)
{
    for (size_t i = 0; i < trees->n_nodes; i++) {
        const struct tree_node *node = &trees->nodes[i];
        struct shape_axis *axis = &shapes->axes[node->feature];
        if (node->left < 0)
            continue;
        axis->cuts = mem_grow(axis->cuts, &axis->cap, axis->n_cuts + 1,
                              sizeof *axis->cuts);
        axis->cuts[axis->n_cuts++] = node->split;
    }
    for (size_t f = 0; f < N_FEATURES; f++) {
        struct shape_axis *axis = &shapes->axes[f];
        size_t n = 0;
        if (axis->n_cuts)
            qsort(axis->cuts, axis->n_cuts, sizeof *axis->cuts, by_float);
        for (size_t i = 0; i < axis->n_cuts; i++) {
            if (n == 0 || axis->cuts[i] > axis->cuts[n - 1])
                axis->cuts[n++] = axis->cuts[i];
        }
        axis->n_cuts = n;
    }
}

/* Returns the index of the bin of x: the number of cuts that are not above x.
 * NaN has its own bin. */
static size_t bin_of(const struct shape_axis *axis, float x)
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

/* Returns the term of two features, a <= b, which is added if there is none
 * yet. The pointer is valid until the next call. */
static struct shape_term *term_of(struct shapes *shapes, unsigned a, unsigned b)
{
    size_t i = 0;
    while (i < shapes->n_terms &&
           (shapes->terms[i].a < a ||
            (shapes->terms[i].a == a && shapes->terms[i].b < b)))
        i++;
    if (i < shapes->n_terms && shapes->terms[i].a == a &&
        shapes->terms[i].b == b)
        return &shapes->terms[i];
    shapes->terms = mem_grow(shapes->terms, &shapes->cap_terms,
                             shapes->n_terms + 1, sizeof *shapes->terms);
    memmove(&shapes->terms[i + 1], &shapes->terms[i],
            (shapes->n_terms - i) * sizeof *shapes->terms);
    shapes->n_terms++;
    size_t bins = n_bins(shapes, a) * (a == b ? 1 : n_bins(shapes, b));
    shapes->terms[i] =
        (struct shape_term){.a = (uint16_t)a,
                            .b = (uint16_t)b,
                            .values = mem_zalloc(bins, sizeof(double))};
    return &shapes->terms[i];
}

/* The bins of one feature for which a walk down a tree reaches a given node. */
struct range {
    unsigned feature;
    /* bins from .. to-1; the bin of missing values is not counted */
    size_t from, to;
    bool missing; /* true if missing values reach the node too */
};

/* True if a bin is in the range. `missing` is the index of the bin of missing
 * values. */
static bool shapes_holds(const struct range *range, size_t bin, size_t missing)
{
    return bin == missing ? range->missing
                          : bin >= range->from && bin < range->to;
}

/* Adds the value of a leaf to the term of the features in `path`, in all cells
 * whose bins lie in the n ranges of `path`; if n is 0, to the intercept. */
static void add_leaf(struct shapes *shapes, const struct range *path, size_t n,
                     double value)
{
    if (n == 0) {
        shapes->intercept += value;
        return;
    }
    const struct range *a = &path[0], *b = n > 1 ? &path[1] : a;
    if (b->feature < a->feature)
        a = &path[1], b = &path[0];
    struct shape_term *term = term_of(shapes, a->feature, b->feature);
    size_t n_a = n_bins(shapes, a->feature), n_b = n_bins(shapes, b->feature);
    for (size_t i = 0; i < n_a; i++) {
        if (!shapes_holds(a, i, n_a - 1))
            continue;
        if (a == b)
            term->values[i] += value;
        for (size_t k = 0; k < n_b && a != b; k++) {
            if (shapes_holds(b, k, n_b - 1))
                term->values[i * n_b + k] += value;
        }
    }
}

/* Restricts the range of the split's feature to the left or the right side of
 * the split. Adds that range if the path does not have it yet. */
static void shapes_narrow(const struct shapes *shapes, struct range *path,
                          size_t *n, const struct tree_node *node, bool left)
{
    const struct shape_axis *axis = &shapes->axes[node->feature];
    size_t i = 0, cut = bin_of(axis, node->split);
    while (i < *n && path[i].feature != node->feature)
        i++;
    if (i == *n) {
        CHECK(*n < 2);
        path[(*n)++] = (struct range){
            .feature = node->feature, .to = axis->n_cuts + 1, .missing = true};
    }
    if (left && path[i].to > cut)
        path[i].to = cut;
    if (!left && path[i].from < cut)
        path[i].from = cut;
    path[i].missing = path[i].missing && left == node->missing_left;
}

static void shapes_walk(struct shapes *shapes, const struct trees *trees,
                        const struct tree_node *node, const struct range *path,
                        size_t n)
{
    if (node->left < 0) {
        add_leaf(shapes, path, n, (double)node->split);
        return;
    }
    for (int side = 0; side < 2; side++) {
        struct range longer[2];
        size_t n_longer = n;
        memcpy(longer, path, sizeof longer);
        shapes_narrow(shapes, longer, &n_longer, node, side == 0);
        shapes_walk(shapes, trees,
                    &trees->nodes[side == 0 ? node->left : node->right], longer,
                    n_longer);
    }
}

void shapes_init(struct shapes *shapes, const struct trees *trees)
{
    const struct range none[2] = {0};
    *shapes = (struct shapes){.intercept = (double)trees->base};
    find_cuts(shapes, trees);
    for (size_t t = 0; t < trees->n_trees; t++)
        shapes_walk(shapes, trees, &trees->nodes[trees->roots[t]], none, 0);
}

void shapes_fini(struct shapes *shapes)
{
    for (size_t f = 0; f < N_FEATURES; f++)
        free(shapes->axes[f].cuts);
    for (size_t i = 0; i < shapes->n_terms; i++)
        free(shapes->terms[i].values);
    free(shapes->terms);
    *shapes = (struct shapes){0};
}

static double term_value(const struct shapes *shapes,
                         const struct shape_term *term, const float *row)
{
    size_t at = bin_of(&shapes->axes[term->a], row[term->a]);
    if (term->a != term->b)
        at = at * n_bins(shapes, term->b) +
             bin_of(&shapes->axes[term->b], row[term->b]);
    return term->values[at];
}

double shapes_value(const struct shapes *shapes, const float *row)
{
    double sum = shapes->intercept;
    for (size_t i = 0; i < shapes->n_terms; i++)
        sum += term_value(shapes, &shapes->terms[i], row);
    return sum;
}

void shapes_center(struct shapes *shapes, const float *rows, size_t n)
{
    for (size_t i = 0; i < shapes->n_terms && n; i++) {
        struct shape_term *term = &shapes->terms[i];
        size_t bins = n_bins(shapes, term->a);
        double mean = 0;
        if (term->a != term->b)
            bins *= n_bins(shapes, term->b);
        for (size_t r = 0; r < n; r++)
            mean += term_value(shapes, term, &rows[r * N_FEATURES]) / (double)n;
        for (size_t k = 0; k < bins; k++)
            term->values[k] -= mean;
        shapes->intercept += mean;
    }
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
        size_t n_a = n_bins(shapes, t->a);
        size_t n_b = t->a == t->b ? 1 : n_bins(shapes, t->b);
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
