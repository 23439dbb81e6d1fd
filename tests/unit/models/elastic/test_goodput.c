/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the throughput model and goodput with values computed by hand and
 * with an exhaustive search, and tests properties that hold for any job. */
#include "tests/support/test.h"

#include <math.h>

#include "base/rng.h"
#include "models/elastic/elastic_internal.h"
#include "tests/support/draw.h"
#include "tests/support/near.h"

static void times_are_those_of_the_formulas(void **state)
{
    (void)state;
    const struct step_model m = {1, 0.1, 0.5, 0.25, 0.3, 0.125, 1};
    struct step_model overlapping = m;
    overlapping.gamma = 2;
    assert_near(step_model_grad(&m, 10), 2, 1e-12);
    assert_near(step_model_sync(&m, 2, 6), 1.5, 1e-12);
    assert_near(step_model_sync(&m, 1, 4), 0.55, 1e-12);
    assert_near(step_model_sync(&m, 1, 2), 0.3, 1e-8);
    assert_near(step_model_sync(&m, 1, 1), 0, 2e-8);
    assert_near(step_model_step(&m, 2, 6, 10), 3.5, 1e-12);
    assert_near(step_model_step(&overlapping, 2, 6, 10), 2.5, 1e-12);
}

static void worth_is_that_of_the_formulas(void **state)
{
    (void)state;
    const struct gradient g = {.sqr = 1, .var = 3};
    const struct gradient none = {0};
    struct goodput job = {
        .model = {1, 0.1, 0.5, 0.25, 0.3, 0.125, 1},
        .gradient = g,
        .limits = {.initial = 30,
                   .largest = 1000,
                   .local_min = 1,
                   .local_max = 100},
    };
    assert_near(gradient_gain(g, 4), 16.0 / 7, 1e-12);
    assert_near(goodput_efficiency(g, 4), 4.0 / 7, 1e-12);
    assert_near(goodput_efficiency(g, 1), 1, 0);
    assert_near(goodput_efficiency(none, 4), 1, 0);
    /* 6 GPUs with 10 samples in each of 2 steps process 120 samples in 2 + 3.5
     * s; the scale is 4. */
    assert_near(goodput_at(&job, 2, 6, (struct batch){10, 1}),
                120 / 5.5 * 4 / 7, 1e-9);
}

static void totals_are_divided_by_rule(void **state)
{
    (void)state;
    const struct batch_limits limits = {
        .initial = 16, .largest = 400, .local_min = 4, .local_max = 12};
    static const struct {
        double total;
        uint32_t gpus;
        struct batch batch;
    } cases[] = {
        {100, 2, {10, 4}}, {24, 2, {12, 0}}, {25, 2, {7, 1}},  {12, 1, {12, 0}},
        {16, 1, {8, 1}},   {17, 1, {9, 1}},  {96, 4, {12, 1}}, {3, 4, {1, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct batch b = batch_divide(&limits, cases[i].total, cases[i].gpus);
        assert_int_equal(b.local, cases[i].batch.local);
        assert_int_equal(b.accumulation, cases[i].batch.accumulation);
    }
    /* On a single GPU, a batch above M0 (the initial batch) is accumulated in
     * two steps, although it would fit in one. */
    const struct batch_limits roomy = {16, 400, 4, 100};
    assert_int_equal(batch_divide(&roomy, 20, 1).accumulation, 1);
    assert_int_equal(batch_divide(&roomy, 16, 1).accumulation, 0);
    /* The first batch is M0, or the smallest batch that these GPUs can take. */
    assert_int_equal(batch_first(&limits, 2).local, 8);
    assert_int_equal(batch_first(&limits, 8).local, 4);
}

static void gpus_are_doubled_at_most(void **state)
{
    (void)state;
    const struct batch_limits limits = {
        .initial = 8, .largest = 100, .local_min = 8, .local_max = 16};
    struct step_samples profile = {0};
    const struct step_sample one = {1, 1, 8, 1, 0.1}, three = {1, 3, 8, 1, 0.1},
                             nine = {2, 9, 8, 1, 0.1};
    assert_int_equal(goodput_gpu_limit(&profile, &limits, 64), 1);
    step_samples_add(&profile, one);
    assert_int_equal(goodput_gpu_limit(&profile, &limits, 64), 2);
    step_samples_add(&profile, three);
    assert_int_equal(goodput_gpu_limit(&profile, &limits, 64), 6);
    assert_int_equal(goodput_gpu_limit(&profile, &limits, 4), 4);
    step_samples_add(&profile, nine);
    /* the limit is not 18, because the largest batch can feed only 12 GPUs */
    assert_int_equal(goodput_gpu_limit(&profile, &limits, 64), 12);
    step_samples_fini(&profile);
}

static void pipelines_work_stage_by_stage(void **state)
{
    (void)state;
    const struct goodput job = {
        .model = {1e-8, 1e-8, 0.5, 0.25, 0.3, 0.125, 1},
        .gradient = {.sqr = 1, .var = 3},
        .limits = {.initial = 12,
                   .largest = 384,
                   .local_min = 1,
                   .local_max = 2},
        .pipeline = {.stages = 2, .micro_batches = 48, .stage = 0.1},
    };
    struct batch batch = {0};
    /* 2 replicas process 48 samples each in 3 x 49 x 0.1 + 0.55 s. The scale is
     * 96 / 12 = 8, and the efficiency 4/11. */
    assert_near(goodput_best(&job, 1, 4, &batch),
                96 / 15.25 * goodput_efficiency(job.gradient, 8), 1e-9);
    assert_int_equal(batch.local, 48);
    assert_near(goodput_best(&job, 1, 3, NULL), 0, 0);
    /* the smallest batch has 432 samples, the largest allowed one 384 */
    assert_near(goodput_best(&job, 4, 18, NULL), 0, 0);
}

/* Returns the best goodput of all 50 candidates, each computed by its
 * definition, and sets *best to its batch. */
static double try_all(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                      struct batch *best)
{
    const struct batch_limits *l = &job->limits;
    double low = fmax(l->initial, (double)l->local_min * gpus), highest = 0;
    for (int i = 0; i < 50; i++) {
        double total = low * pow(l->largest / low, i / 49.0);
        double local = (i == 49 ? l->largest : total) / gpus;
        double steps = fmax(ceil(local / l->local_max - 1e-8) - 1, 0);
        if (gpus == 1 && local > l->initial)
            steps = fmax(steps, 1);
        struct batch b = {(uint32_t)ceil(local / (steps + 1) - 1e-8),
                          (uint32_t)steps};
        double value = goodput_at(job, nodes, gpus, b);
        if (b.local >= l->local_min && b.local <= l->local_max &&
            value > highest) {
            highest = value;
            *best = b;
        }
    }
    return highest;
}

static void the_search_finds_what_trying_all_finds(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(7, "search");
    unsigned accumulated = 0, impossible = 0;
    for (int i = 0; i < 3000; i++) {
        struct goodput job = draw_goodput(rng);
        struct batch a = {0}, b = {0};
        uint32_t nodes = 1 + rng_below(rng, 4);
        uint32_t gpus = nodes * (1 + rng_below(rng, 8));
        double x = goodput_best(&job, nodes, gpus, &a);
        double y = try_all(&job, nodes, gpus, &b);
        assert_true(x == y);
        assert_int_equal(a.local, b.local);
        assert_int_equal(a.accumulation, b.accumulation);
        accumulated += a.accumulation > 0;
        impossible += x == 0;
    }
    assert_in_range(accumulated, 300, 2700);
    assert_in_range(impossible, 0, 1500);
    rng_free(rng);
}

static void chosen_batches_keep_within_the_limits(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(11, "limits");
    for (int i = 0; i < 2000; i++) {
        struct goodput job = draw_goodput(rng);
        struct batch b = {0};
        uint32_t gpus = 1 + rng_below(rng, 32);
        if (goodput_best(&job, gpus > 4 ? 2 : 1, gpus, &b) == 0)
            continue;
        double low = (double)job.limits.local_min * gpus;
        double most = fmax(job.limits.largest, low);
        assert_in_range(b.local, job.limits.local_min, job.limits.local_max);
        /* Rounding up adds less than one sample per GPU and step. */
        assert_true(batch_total(b, gpus) <
                    most + gpus * (b.accumulation + 1.0));
    }
    rng_free(rng);
}

static void without_exchange_more_gpus_work_more(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(13, "monotone");
    for (int i = 0; i < 50; i++) {
        struct goodput job = draw_goodput(rng);
        double before = 0;
        job.model.alpha_n = job.model.beta_n = GOODPUT_TINY;
        job.model.alpha_r = job.model.beta_r = GOODPUT_TINY;
        job.gradient = (struct gradient){.sqr = 0, .var = 1};
        for (uint32_t gpus = 1; gpus <= 64; gpus++) {
            struct batch b = {job.limits.local_min, (uint32_t)i % 3};
            double now = goodput_at(&job, gpus > 8 ? 2 : 1, gpus, b);
            assert_true(now > before);
            before = now;
        }
    }
    rng_free(rng);
}

static void efficiency_falls_with_the_batch(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(17, "efficiency");
    for (int i = 0; i < 50; i++) {
        struct gradient g = {draw_between(rng, 1e-6, 1),
                             draw_between(rng, 1e-3, 10)};
        double before = 1;
        for (double scale = 1.5; scale < 100; scale *= 1.5) {
            double e = goodput_efficiency(g, scale);
            assert_true(e > 0 && e < before);
            assert_true(gradient_gain(g, scale) >= 1 &&
                        gradient_gain(g, scale) <= scale);
            before = e;
        }
    }
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_the_formulas),
        cmocka_unit_test(worth_is_that_of_the_formulas),
        cmocka_unit_test(totals_are_divided_by_rule),
        cmocka_unit_test(gpus_are_doubled_at_most),
        cmocka_unit_test(pipelines_work_stage_by_stage),
        cmocka_unit_test(the_search_finds_what_trying_all_finds),
        cmocka_unit_test(chosen_batches_keep_within_the_limits),
        cmocka_unit_test(without_exchange_more_gpus_work_more),
        cmocka_unit_test(efficiency_falls_with_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
