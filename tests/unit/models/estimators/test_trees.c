/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests boosted trees: their error on a known function, and that equal training
 * gives equal trees. */
#include <math.h>
#include <stdlib.h>

#include "tests/support/test.h"

#include "base/rng.h"
#include "models/estimators/trees.h"

enum { ROWS = 2000 };

struct data {
    float rows[ROWS * N_FEATURES], targets[ROWS];
};

/* Draws samples of this function: 3 if feature 0 is below 0.5, plus 4 if
 * features 1 and 2 are both above 0. Feature 1 is missing in a tenth of the
 * rows. The other features have no effect. */
static struct data *draw_data(uint64_t seed)
{
    struct data *d = mem_zalloc(1, sizeof *d);
    gsl_rng *rng = rng_open(seed, "test_trees");
    for (size_t i = 0; i < ROWS; i++) {
        float *row = &d->rows[i * N_FEATURES];
        for (size_t f = 0; f < N_FEATURES; f++)
            row[f] = (float)(gsl_rng_uniform(rng) * 2 - 1);
        d->targets[i] = row[0] < 0.5f ? 3 : 0;
        if (row[2] > 0 && row[1] > 0)
            d->targets[i] += 4;
        if (rng_below(rng, 10) == 0)
            row[1] = NAN;
    }
    rng_free(rng);
    return d;
}

static const struct trees_params depth_2 = {
    .rounds = 200, .depth = 2, .eta = 0.1, .min_child_weight = 5};

static void fit(struct trees *trees, const struct trees_params *params,
                const struct data *d)
{
    static struct error err;
    if (trees_fit(trees, params, d->rows, d->targets, ROWS, N_FEATURES, &err) !=
        STATUS_OK)
        fail_msg("%s", err.message);
}

static void trees_find_the_function_behind_the_rows(void **state)
{
    (void)state;
    struct data *seen = draw_data(1), *unseen = draw_data(2);
    struct trees trees = {0};
    double squares = 0;
    size_t n = 0;
    fit(&trees, &depth_2, seen);
    for (size_t i = 0; i < ROWS; i++) {
        const float *row = &unseen->rows[i * N_FEATURES];
        if (isnan(row[1]))
            continue;
        double error =
            (double)(trees_predict(&trees, row) - unseen->targets[i]);
        squares += error * error;
        n++;
    }
    /* the standard deviation of the targets is 2.2 */
    assert_true(sqrt(squares / (double)n) < 0.25);
    trees_fini(&trees);
    free(seen);
    free(unseen);
}

static void equal_rows_give_equal_trees(void **state)
{
    (void)state;
    struct data *d = draw_data(3);
    struct trees a = {0}, b = {0};
    fit(&a, &depth_2, d);
    fit(&b, &depth_2, d);
    assert_int_equal(a.n_nodes, b.n_nodes);
    for (size_t i = 0; i < a.n_nodes; i++) {
        assert_int_equal(a.nodes[i].left, b.nodes[i].left);
        assert_int_equal(a.nodes[i].feature, b.nodes[i].feature);
        assert_true(a.nodes[i].split == b.nodes[i].split);
    }
    trees_fini(&a);
    trees_fini(&b);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_find_the_function_behind_the_rows),
        cmocka_unit_test(equal_rows_give_equal_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
