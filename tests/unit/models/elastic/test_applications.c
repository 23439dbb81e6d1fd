/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the applications that are compiled in. */
#include "tests/support/test.h"

#include <string.h>
#include <unistd.h>

#include "models/elastic/applications.h"
#include "models/elastic/elastic_internal.h"
#include "tests/support/near.h"

static struct error err;

static void must(enum status st)
{
    if (st != STATUS_OK)
        fail_msg("%s", err.message);
}

static const char *const sia_types[] = {"T4", "dgx-ext", "RTX2080Ti", "H900"};

static void compiled_in_applications_run(void **state)
{
    (void)state;
    static const char *const names[] = {"bert",     "cifar10", "deepspeech2",
                                        "imagenet", "ncf",     "yolov3"};
    struct applications *apps;
    const struct application *app;
    must(applications_open(NULL, sia_types, 4, &apps, &err));
    assert_string_equal(applications_source(apps),
                        "fitted coefficients, synthetic");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        must(application_find(apps, names[i], &app, &err));
        assert_false(application_runs_on(app, 3));
        for (uint8_t t = 0; t < 3; t++) {
            struct placement one = {.nodes = 1, .gpus = 1};
            struct batch b =
                application_batch(app, t, one, NULL, (struct gradient){0}, 0);
            assert_true(application_runs_on(app, t));
            assert_true(application_speed(app, t, one, b, 0).rate > 0);
            assert_true(application_one_gpu(app, t) > 0);
        }
    }
    applications_close(apps);
}

/* With the batch that application_batch chooses, a job makes progress in each
 * placement and epoch. */
static void every_batch_that_is_chosen_can_be_run(void **state)
{
    (void)state;
    static const char *const names[] = {"bert",     "cifar10", "deepspeech2",
                                        "imagenet", "ncf",     "yolov3"};
    static const struct step_model model = {0.01, 0.001, 0.02, 0.001,
                                            0.01, 0.001, 1.5};
    struct applications *apps;
    const struct application *app;
    must(applications_open(NULL, sia_types, 3, &apps, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        must(application_find(apps, names[i], &app, &err));
        for (uint32_t k = 0; k < 3 * 16; k++) {
            uint8_t t = (uint8_t)(k % 3);
            struct placement p = {.nodes = k / 3 < 8 ? 1 : 2,
                                  .gpus =
                                      k / 3 < 8 ? k / 3 + 1 : 2 * (k / 3 - 7)};
            double least = application_limits(app, t, 0).local_min;
            if (least * p.gpus > app->largest_batch)
                continue;
            for (uint32_t e = 0; e < app->epochs; e++) {
                struct gradient g =
                    application_gradient(app, app->initial_batch, e);
                struct batch b = application_batch(app, t, p, &model, g, 0);
                struct training_speed pace = application_speed(app, t, p, b, e);
                assert_true(batch_total(b, p.gpus) <= app->largest_batch);
                assert_true(pace.rate > 0);
                assert_true(pace.step.sync < pace.step.step);
            }
        }
    }
    applications_close(apps);
}

static void compiled_in_epochs_are_in_order(void **state)
{
    (void)state;
    struct applications *apps;
    const struct application *app;
    must(applications_open(NULL, sia_types, 3, &apps, &err));
    must(application_find(apps, "imagenet", &app, &err));
    assert_int_equal(app->epochs, 90);
    assert_near(application_epoch_end(app, 0), 0, 0);
    for (uint32_t e = 1; e <= app->epochs; e++) {
        assert_true(application_epoch_end(app, e) >
                    application_epoch_end(app, e - 1));
    }
    assert_near(application_epoch_end(app, 90), 576526, 60);
    applications_close(apps);
}

static void names_that_are_not_known_are_refused(void **state)
{
    (void)state;
    static const char *const other[] = {"H900"};
    struct applications *apps;
    const struct application *app;
    must(applications_open(NULL, sia_types, 3, &apps, &err));
    assert_int_equal(application_find(apps, "cifar01", &app, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "did you mean 'cifar10'"));
    applications_close(apps);
    must(applications_open(NULL, other, 1, &apps, &err));
    assert_int_equal(application_find(apps, "cifar10", &app, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "no coefficients for any GPU type"));
    applications_close(apps);
    assert_int_equal(applications_open("/nowhere", other, 1, &apps, &err),
                     STATUS_BAD_INPUT);
    assert_int_equal(applications_open("/dev/null", other, 1, &apps, &err),
                     STATUS_BAD_INPUT);
    applications_close(NULL);
}

static void a_pipeline_comes_in_whole_stages(void **state)
{
    (void)state;
    struct applications *apps;
    const struct application *app;
    struct placement eight = {.nodes = 1, .gpus = 8};
    must(applications_open(NULL, sia_types, 3, &apps, &err));
    must(application_find(apps, "gpt_pmp", &app, &err));
    assert_false(application_runs_on(app, 0));
    struct pipeline p = application_pipeline(app, 1);
    assert_int_equal(p.stages, 2);
    assert_int_equal(p.micro_batches, 48);
    assert_near(p.stage, 0.144, 1e-9);
    struct batch b =
        application_batch(app, 1, eight, NULL, (struct gradient){0}, 0);
    struct training_speed pace = application_speed(app, 1, eight, b, 0);
    double time = 3 * 49 * 0.144 + 0.02166; /* time of a step, s */
    double gain = gradient_gain(pace.gradient, 4 * 48 / 12.0);
    assert_near(pace.step.step, time, 1e-4);
    assert_near(pace.step.sync, 0.02166, 1e-6);
    assert_near(application_one_gpu(app, 1), 48 / (3 * 49 * 0.144), 1e-4);
    assert_near(pace.rate * time, gain, 1e-4);
    struct goodput known = {.gradient = pace.gradient,
                            .limits = application_limits(app, 1, 0),
                            .pipeline = p};
    known.model.alpha_r = 0.01617;
    known.model.beta_r = 0.000915;
    assert_near(goodput_best(&known, 1, 8, NULL), pace.rate * 12, 1e-3);
    applications_close(apps);
}

/* A job that needs more nodes than a placement holds is told so, and not cut to
 * the nodes that fit. */
static void a_placement_on_too_many_nodes_says_so(void **state)
{
    (void)state;
    uint32_t room[PLACEMENT_NODES_MAX] = {0};
    struct type_size size = {.node_gpus = 2};
    struct placement p =
        placement_densest(size, 2 * PLACEMENT_NODES_MAX + 1, room);
    assert_int_equal(p.nodes, PLACEMENT_NODES_MAX + 1);
    assert_int_equal(room[PLACEMENT_NODES_MAX - 1], 2);
    p = placement_densest(size, 5, room);
    assert_int_equal(p.nodes, 3);
    assert_int_equal(room[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_placement_on_too_many_nodes_says_so),
        cmocka_unit_test(compiled_in_applications_run),
        cmocka_unit_test(every_batch_that_is_chosen_can_be_run),
        cmocka_unit_test(compiled_in_epochs_are_in_order),
        cmocka_unit_test(names_that_are_not_known_are_refused),
        cmocka_unit_test(a_pipeline_comes_in_whole_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
