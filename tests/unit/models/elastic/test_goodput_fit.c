/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the fit of the throughput model to observed steps: its gradient, its
 * predictions, the parameters that the steps do not determine, and the stores
 * of fits and of steps. */
#include "tests/support/test.h"

#include <math.h>

#include "base/rng.h"
#include "models/elastic/elastic_internal.h"
#include "tests/support/draw.h"
#include "tests/support/near.h"

static struct error err;

static struct step_sample draw_row(gsl_rng *rng, const struct step_model *model)
{
    struct step_sample row = {.nodes = 1 + rng_below(rng, 3),
                              .local = 1 + rng_below(rng, 200)};
    row.gpus = row.nodes * (1 + rng_below(rng, 4));
    row.step = step_model_step(model, row.nodes, row.gpus, row.local);
    row.sync = row.step - step_model_grad(model, row.local);
    return row;
}

static void the_gradient_is_that_of_the_objective(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(19, "gradient");
    for (int i = 0; i < 50; i++) {
        struct goodput truth = draw_goodput(rng), guess = draw_goodput(rng);
        struct step_sample rows[12];
        double by[STEP_MODEL_SIZE];
        double *at = &guess.model.alpha_c;
        for (size_t k = 0; k < 12; k++)
            rows[k] = draw_row(rng, &truth.model);
        step_model_loss(&guess.model, rows, 12, by);
        for (size_t k = 0; k < STEP_MODEL_SIZE; k++) {
            double old = at[k], h = old * 1e-6;
            at[k] = old + h;
            double above = step_model_loss(&guess.model, rows, 12, NULL);
            at[k] = old - h;
            double below = step_model_loss(&guess.model, rows, 12, NULL);
            at[k] = old;
            double slope = (above - below) / (2 * h);
            assert_near(slope * old, by[k] * old, 1e-6);
        }
    }
    rng_free(rng);
}

static struct step_model fitted(const struct step_sample *rows, size_t n,
                                double *loss)
{
    struct step_model model;
    if (step_model_fit(rows, n, &model, loss, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return model;
}

static void a_fit_predicts_what_it_was_shown(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(23, "fit");
    double worst = 0, sum = 0, above = -1;
    for (int i = 0; i < 50; i++) {
        struct goodput truth = draw_goodput(rng);
        struct step_sample rows[20];
        double loss;
        /* Make slopes small, so that the regularisation of the fit hardly
         * changes them. */
        truth.model.beta_n = truth.model.alpha_n * draw_between(rng, 0.01, 0.2);
        truth.model.beta_r = truth.model.alpha_r * draw_between(rng, 0.01, 0.2);
        for (size_t k = 0; k < 20; k++)
            rows[k] = draw_row(rng, &truth.model);
        struct step_model model = fitted(rows, 20, &loss);
        double room = loss - step_model_loss(&truth.model, rows, 20, NULL);
        above = fmax(above, room);
        for (size_t k = 0; k < 20; k++) {
            double step = step_model_step(&model, rows[k].nodes, rows[k].gpus,
                                          rows[k].local);
            double off = fabs(step / rows[k].step - 1);
            worst = fmax(worst, off);
            sum += off / 20;
        }
    }
    print_message("# %g above the truth's loss, steps %g off, at most %g\n",
                  above, sum / 50, worst);
    assert_true(above < 0.01);
    assert_true(worst < 0.1);
    assert_true(sum / 50 < 0.002);
    rng_free(rng);
}

static void what_rows_do_not_tell_is_not_fitted(void **state)
{
    (void)state;
    const struct step_sample one = {1, 1, 10, 1.1, 0.1};
    const struct step_sample two = {1, 2, 10, 1.5, 0.5};
    const struct step_sample far = {2, 2, 10, 1.5, 0.5};
    struct step_model m = fitted(&one, 1, NULL);
    assert_near(m.alpha_c, 0.5, 1e-12); /* half of the compute time */
    assert_true(m.alpha_n <= 1.2e-8 && m.alpha_r <= 1.2e-8);
    m = fitted(&two, 1, NULL);
    assert_true(m.alpha_r > 0.01);
    assert_near(m.alpha_n, 1.1 * m.alpha_r, 1e-15);
    assert_true(m.beta_r == 1e-8);
    assert_near(step_model_step(&m, 1, 2, 10), 1.5, 0.01);
    m = fitted(&far, 1, NULL);
    assert_true(m.alpha_r == 1e-8 && m.alpha_n > 0.01);
}

static void equal_rows_are_fitted_once(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(29, "cache");
    struct goodput truth = draw_goodput(rng);
    struct fits *fits = fits_new();
    struct step_samples forth = {0}, back = {0};
    struct step_sample rows[10];
    struct step_model a, b;
    for (size_t k = 0; k < 10; k++)
        rows[k] = draw_row(rng, &truth.model);
    for (size_t k = 0; k < 10; k++) {
        step_samples_add(&forth, rows[k]);
        step_samples_add(&back, rows[9 - k]);
    }
    assert_int_equal(fits_get(fits, &forth, &a, &err), STATUS_OK);
    assert_int_equal(fits_get(fits, &back, &b, &err), STATUS_OK);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(fits_made(fits), 1);
    /* more fits than the store has slots at first */
    for (size_t k = 0; k < 600; k++) {
        struct step_sample row = draw_row(rng, &truth.model);
        struct step_samples single = {0};
        step_samples_add(&single, row);
        assert_int_equal(fits_get(fits, &single, &a, &err), STATUS_OK);
        step_samples_fini(&single);
    }
    assert_int_equal(fits_get(fits, &back, &a, &err), STATUS_OK);
    assert_memory_equal(&a, &b, sizeof a);
    step_samples_fini(&forth);
    step_samples_fini(&back);
    fits_free(fits);
    rng_free(rng);
}

static void the_first_observation_stays(void **state)
{
    (void)state;
    struct step_samples profile = {0}, copy = {0};
    const struct step_sample rows[] = {
        {2, 8, 10, 3, 1}, {1, 4, 10, 2, 1}, {1, 4, 8, 1.5, 1}};
    struct step_sample again = {1, 4, 10, 9, 1};
    for (size_t i = 0; i < 3; i++)
        assert_true(step_samples_add(&profile, rows[i]));
    assert_false(step_samples_add(&profile, again));
    assert_int_equal(profile.n, 3);
    assert_int_equal(profile.most_gpus, 8);
    assert_int_equal(profile.rows[0].local, 8);
    assert_near(profile.rows[1].step, 2, 0);
    assert_int_equal(profile.rows[2].nodes, 2);
    step_samples_copy(&copy, &profile);
    assert_int_equal(copy.n, 3);
    assert_int_equal(copy.most_gpus, 8);
    assert_near(copy.rows[2].step, 3, 0);
    step_samples_fini(&copy);
    step_samples_fini(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_objective),
        cmocka_unit_test(a_fit_predicts_what_it_was_shown),
        cmocka_unit_test(what_rows_do_not_tell_is_not_fitted),
        cmocka_unit_test(equal_rows_are_fitted_once),
        cmocka_unit_test(the_first_observation_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
