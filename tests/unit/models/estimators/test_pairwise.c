/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the additive model with pairwise terms: its error on a known function,
 * that its terms are those of a plain twin, which looks at all rows for each
 * split, that only `pairs` pairs have terms, and which rows it uses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "base/rng.h"
#include "models/estimators/pairwise.h"

enum { ROWS = 3000, WIDTH = 5 };

struct data {
    float rows[ROWS * WIDTH], targets[ROWS];
};

/* Draws samples of this function: 3 if feature 0 is below 0.5, plus 4 if
 * features 1 and 2 are either both above 0 or both below. Feature 1 is missing
 * in a tenth of the rows, feature 3 is one of 1, 2, 4, and 8 in one row of a
 * hundred, and feature 4 is always missing. */
static struct data *pairwise_draw(uint64_t seed)
{
    struct data *d = mem_zalloc(1, sizeof *d);
    gsl_rng *rng = rng_open(seed, "test_pairwise");
    for (size_t i = 0; i < ROWS; i++) {
        float *row = &d->rows[i * WIDTH];
        for (size_t f = 0; f < 3; f++)
            row[f] = (float)(gsl_rng_uniform(rng) * 2 - 1);
        row[3] = i % 100 ? (float)(1 << rng_below(rng, 3)) : 8;
        row[4] = NAN;
        d->targets[i] = row[0] < 0.5f ? 3 : 0;
        d->targets[i] += (row[2] > 0) == (row[1] > 0) ? 4 : 0;
        d->targets[i] += row[3] > 7 ? 20 : 0;
        if (rng_below(rng, 10) == 0)
            row[1] = NAN;
    }
    rng_free(rng);
    return d;
}

static const struct pairwise_params plain_params = {
    .rounds = 30, .pairs = 1, .rows = ROWS, .eta = 0.2, .min_child_weight = 20};

static double pairwise_error(const struct shapes *shapes, const struct data *d)
{
    double squares = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double error =
            shapes_value(shapes, &d->rows[i * WIDTH]) - (double)d->targets[i];
        squares += error * error;
    }
    return sqrt(squares / ROWS);
}

/* Returns a term of features a and b; NULL if there is none. */
static const struct shape_term *pairwise_term(const struct shapes *shapes,
                                              unsigned a, unsigned b)
{
    for (size_t i = 0; i < shapes->n_terms; i++) {
        if (shapes->terms[i].a == a && shapes->terms[i].b == b)
            return &shapes->terms[i];
    }
    return NULL;
}

static void the_model_finds_the_function_behind_the_rows(void **state)
{
    (void)state;
    struct data *seen = pairwise_draw(1), *unseen = pairwise_draw(2);
    struct shapes shapes = {0};
    struct pairwise_params params = plain_params;
    params.pairs = 0;
    pairwise_fit(&shapes, &params, seen->rows, seen->targets, ROWS, WIDTH);
    double alone = pairwise_error(&shapes, unseen);
    /* without pairs, the part of features 1 and 2 remains, whose standard
     * deviation is 2 */
    assert_true(alone > 1.8 && alone < 2.2);
    assert_int_equal(shapes.n_terms, WIDTH);
    params.pairs = 1;
    params.eta = 1;
    params.rounds = 5;
    pairwise_fit(&shapes, &params, seen->rows, seen->targets, ROWS, WIDTH);
    assert_true(pairwise_error(&shapes, unseen) < 1.6);
    assert_int_equal(shapes.n_terms, WIDTH + 1);
    assert_non_null(pairwise_term(&shapes, 1, 2));
    shapes_fini(&shapes);
    free(seen);
    free(unseen);
}

/* The bin of a value, by a look at each cut. */
static size_t twin_bin(const struct shape_axis *axis, float x)
{
    size_t bin = 0;
    if (isnan(x))
        return axis->n_cuts + 1;
    while (bin < axis->n_cuts && x >= axis->cuts[bin])
        bin++;
    return bin;
}

struct twin {
    const struct data *d;
    const struct shape_axis *axis;
    unsigned f;
    double *rest; /* by row */
};

/* Sums up what is left of the rows of feature f in bins from .. to-1. */
static double twin_sum(const struct twin *t, size_t from, size_t to,
                       double *rows)
{
    double sum = 0;
    *rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t bin = twin_bin(t->axis, t->d->rows[i * WIDTH + t->f]);
        if (bin >= from && bin < to) {
            sum += t->rest[i];
            ++*rows;
        }
    }
    return sum;
}

/* Returns by how much a split at a bin lowers the squared error; 0 if a side
 * has too few rows. */
static double twin_gain(const struct twin *t, size_t from, size_t at, size_t to)
{
    double n, n_left, n_right;
    double all = twin_sum(t, from, to, &n);
    double left = twin_sum(t, from, at, &n_left);
    double right = twin_sum(t, at, to, &n_right);
    if (n_left < 20 || n_right < 20)
        return 0;
    return left * left / n_left + right * right / n_right - all * all / n;
}

/* Grows one tree by the best of all splits of all leaves, three times, and adds
 * it to `values`. edges[] are the first bins of the leaves and the end. */
static void twin_tree(struct twin *t, double eta, double *values)
{
    size_t edges[PAIRWISE_LEAVES + 1] = {0, t->axis->n_cuts + 2};
    size_t n_leaves = 1;
    while (n_leaves < PAIRWISE_LEAVES) {
        double best = 1e-9;
        size_t at = 0, leaf = 0;
        for (size_t l = 0; l < n_leaves; l++) {
            for (size_t b = edges[l] + 1; b < edges[l + 1]; b++) {
                double gain = twin_gain(t, edges[l], b, edges[l + 1]);
                if (gain > best * (1 + 1e-9)) {
                    best = gain;
                    at = b;
                    leaf = l;
                }
            }
        }
        if (!at)
            break;
        memmove(&edges[leaf + 2], &edges[leaf + 1],
                (n_leaves - leaf) * sizeof *edges);
        edges[leaf + 1] = at;
        n_leaves++;
    }
    double step[PAIRWISE_BINS + 1];
    for (size_t l = 0; l < n_leaves; l++) {
        double n, sum = twin_sum(t, edges[l], edges[l + 1], &n);
        for (size_t b = edges[l]; b < edges[l + 1]; b++)
            step[b] = n > 0 ? eta * sum / n : 0;
    }
    for (size_t i = 0; i < ROWS; i++)
        t->rest[i] -= step[twin_bin(t->axis, t->d->rows[i * WIDTH + t->f])];
    for (size_t b = 0; b < t->axis->n_cuts + 2; b++)
        values[b] += step[b];
}

static void terms_are_those_of_the_plain_twin(void **state)
{
    (void)state;
    struct data *d = pairwise_draw(3);
    struct shapes shapes = {0};
    struct pairwise_params params = plain_params;
    params.rounds = 3;
    params.pairs = 0;
    pairwise_fit(&shapes, &params, d->rows, d->targets, ROWS, WIDTH);
    double values[WIDTH][PAIRWISE_BINS + 1] = {{0}};
    double *rest = mem_alloc(ROWS * sizeof *rest);
    for (size_t i = 0; i < ROWS; i++)
        rest[i] = (double)d->targets[i] - shapes.intercept;
    for (unsigned i = 0; i < 3 * WIDTH; i++) {
        struct twin twin = {d, &shapes.axes[i % WIDTH], i % WIDTH, rest};
        twin_tree(&twin, params.eta, values[i % WIDTH]);
    }
    for (unsigned f = 0; f < WIDTH; f++) {
        const struct shape_term *term = pairwise_term(&shapes, f, f);
        for (size_t b = 0; b < shapes_bins(&shapes, f); b++)
            assert_true(fabs(term->values[b] - values[f][b]) < 1e-9);
    }
    shapes_fini(&shapes);
    free(rest);
    free(d);
}

/* A table's cell holds `eta` times the sum of what the features alone leave,
 * shrunk by its number of rows and PAIRWISE_PAIR_PRIOR more. */
static void a_pair_gets_a_table_of_shrunk_means(void **state)
{
    (void)state;
    struct data *d = pairwise_draw(4);
    struct shapes alone = {0}, both = {0};
    struct pairwise_params params = plain_params;
    pairwise_fit(&both, &params, d->rows, d->targets, ROWS, WIDTH);
    params.pairs = 0;
    pairwise_fit(&alone, &params, d->rows, d->targets, ROWS, WIDTH);
    const struct shape_term *pair = pairwise_term(&both, 1, 2);
    const struct shape_axis *a = &both.axes[1], *b = &both.axes[2];
    size_t width = PAIRWISE_BINS / PAIRWISE_PAIR_BINS, n_b = b->n_cuts + 2;
    assert_non_null(pair);
    assert_int_equal(a->n_cuts + 1, PAIRWISE_BINS);
    assert_int_equal(b->n_cuts + 1, PAIRWISE_BINS);
    for (size_t cell = 0; cell < a->n_cuts * n_b; cell += 7) {
        size_t cell_a = cell / n_b / width, cell_b = cell % n_b / width;
        double sum = 0, n = PAIRWISE_PAIR_PRIOR;
        for (size_t i = 0; i < ROWS; i++) {
            const float *row = &d->rows[i * WIDTH];
            if (twin_bin(a, row[1]) / width != cell_a || isnan(row[1]) ||
                twin_bin(b, row[2]) / width != cell_b)
                continue;
            sum += (double)d->targets[i] - shapes_value(&alone, row);
            n++;
        }
        assert_true(fabs(pair->values[cell] - params.eta * sum / n) < 1e-9);
    }
    shapes_fini(&alone);
    shapes_fini(&both);
    free(d);
}

static void rare_values_have_bins_of_their_own(void **state)
{
    (void)state;
    struct data *d = pairwise_draw(5);
    struct shapes shapes = {0};
    const float want[] = {2, 4, 8};
    pairwise_fit(&shapes, &plain_params, d->rows, d->targets, ROWS, WIDTH);
    assert_int_equal(shapes.axes[3].n_cuts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(shapes.axes[3].cuts[i] == want[i]);
    /* 30 rows of 3,000 */
    assert_true(pairwise_term(&shapes, 3, 3)->values[3] > 15);
    assert_int_equal(shapes.axes[4].n_cuts, 0);
    shapes_fini(&shapes);
    free(d);
}

/* A fit to 500 of all rows is that of these 500 rows alone. */
static void rows_at_even_distances_are_used(void **state)
{
    (void)state;
    struct data *d = pairwise_draw(6), *some = pairwise_draw(6);
    struct shapes a = {0}, b = {0};
    struct pairwise_params params = plain_params;
    params.rows = 500;
    for (size_t i = 0; i < 500; i++) {
        size_t row = i * 6 + 5;
        memcpy(&some->rows[i * WIDTH], &d->rows[row * WIDTH],
               WIDTH * sizeof *d->rows);
        some->targets[i] = d->targets[row];
    }
    pairwise_fit(&a, &params, d->rows, d->targets, ROWS, WIDTH);
    pairwise_fit(&b, &params, some->rows, some->targets, 500, WIDTH);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(shapes_value(&a, &d->rows[i * WIDTH]) ==
                    shapes_value(&b, &d->rows[i * WIDTH]));
    shapes_fini(&a);
    shapes_fini(&b);
    free(d);
    free(some);
}

/* Moving the means of the terms into the intercept changes no prediction. */
static void centred_terms_predict_the_same(void **state)
{
    (void)state;
    struct data *d = pairwise_draw(7);
    struct shapes shapes = {0}, centred = {0};
    double sum = 0;
    pairwise_fit(&shapes, &plain_params, d->rows, d->targets, ROWS, WIDTH);
    pairwise_fit(&centred, &plain_params, d->rows, d->targets, ROWS, WIDTH);
    shapes_center(&centred, d->rows, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double want = shapes_value(&shapes, &d->rows[i * WIDTH]);
        assert_true(fabs(shapes_value(&centred, &d->rows[i * WIDTH]) - want) <
                    1e-9);
        sum += want;
    }
    assert_true(fabs(centred.intercept - sum / ROWS) < 1e-9);
    shapes_fini(&shapes);
    shapes_fini(&centred);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_finds_the_function_behind_the_rows),
        cmocka_unit_test(terms_are_those_of_the_plain_twin),
        cmocka_unit_test(a_pair_gets_a_table_of_shrunk_means),
        cmocka_unit_test(rare_values_have_bins_of_their_own),
        cmocka_unit_test(rows_at_even_distances_are_used),
        cmocka_unit_test(centred_terms_predict_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
