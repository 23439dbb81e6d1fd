/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares Pollux's beliefs about a job with the goodput of the job and with
 * values computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/pollux/pollux_internal.h"

/* A cluster with two GPU types. The application has a profile for the second
 * type only. */
struct lab {
    struct learner_type types[2];
    struct learner learner;
    struct pollux_fair fair;
    struct pollux_job job;
};

static void set_up(struct lab *lab)
{
    *lab = (struct lab){
        .types = {[1] = {.runs = true,
                         .all = {.initial = 128,
                                 .largest = 4096,
                                 .local_min = 256,
                                 .local_max = 1024},
                         .limits = {.initial = 128,
                                    .largest = 512,
                                    .local_min = 256,
                                    .local_max = 1024}}},
        .learner = {.types = lab->types, .n_types = 2},
        .fair = {.gpus = 6, .node_gpus = 4, .least = 64, .n_nodes = 16},
    };
}

/* Sets what is learned from runs on up to `gpus` GPUs. In a pooled learner, one
 * model serves for all types; here it is in types[0]. */
static void learn(struct lab *lab, uint32_t gpus)
{
    struct learner_type *type = &lab->types[0];
    type->has_model = true;
    type->model = (struct step_model){0.1, 0.002, 0.05, 0.01, 0.02, 0.005, 1.5};
    type->samples.most_gpus = gpus;
    lab->learner.has_gradient = true;
    lab->learner.gradient = (struct gradient){.sqr = 0.01, .var = 1.0};
    lab->learner.version++;
}

static double goodput(const struct lab *lab, uint32_t nodes, uint32_t gpus)
{
    struct goodput g = {lab->types[0].model, lab->learner.gradient,
                        lab->types[1].all, lab->types[1].pipeline};
    return goodput_best(&g, nodes, gpus, NULL);
}

static void gpus_double_up_to_what_a_batch_feeds(void **state)
{
    struct lab lab;
    (void)state;
    set_up(&lab);
    assert_int_equal(pollux_gpus_most(&lab.learner, &lab.fair), 1);
    learn(&lab, 1);
    assert_int_equal(pollux_gpus_most(&lab.learner, &lab.fair), 2);
    learn(&lab, 3);
    assert_int_equal(pollux_gpus_most(&lab.learner, &lab.fair), 6);
    /* the largest batch is 4096, at least 256 per GPU, so at most 16 GPUs */
    learn(&lab, 12);
    assert_int_equal(pollux_gpus_most(&lab.learner, &lab.fair), 16);
    lab.fair.least = 5;
    assert_int_equal(pollux_gpus_most(&lab.learner, &lab.fair), 5);
}

static void without_a_model_gpus_count(void **state)
{
    struct lab lab;
    (void)state;
    set_up(&lab);
    for (uint32_t gpus = 1; gpus < 9; gpus++)
        assert_true(
            fabs(pollux_speedup(&lab.job, &lab.learner, &lab.fair, 1, gpus) -
                 gpus / 6.0) < 1e-12);
    pollux_job_fini(&lab.job);
}

static void a_speedup_is_over_the_fair_share(void **state)
{
    struct lab lab;
    (void)state;
    set_up(&lab);
    learn(&lab, 8);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t gpus = 1; gpus <= 16; gpus++) {
            for (uint32_t nodes = 1; nodes <= 4 && nodes <= gpus; nodes++) {
                double s = pollux_speedup(&lab.job, &lab.learner, &lab.fair,
                                          nodes, gpus);
                double want = goodput(&lab, nodes, gpus) / goodput(&lab, 2, 6);
                assert_true(fabs(s - want) < 1e-12);
            }
        }
        /* Now the learner has changed, so cached goodputs must not be used. */
        lab.types[0].model.beta_n *= 5;
        lab.learner.version++;
    }
    assert_true(fabs(pollux_speedup(&lab.job, &lab.learner, &lab.fair, 2, 6) -
                     1) < 1e-12);
    pollux_job_fini(&lab.job);
}

/* If the fair share has more GPUs than the largest batch can feed, the
 * reference is the largest share that the job can use. */
static void alone_on_a_large_cluster_a_job_has_a_share_it_can_use(void **state)
{
    struct lab lab;
    (void)state;
    set_up(&lab);
    learn(&lab, 8);
    lab.fair.gpus = 64;
    assert_true(fabs(pollux_speedup(&lab.job, &lab.learner, &lab.fair, 4, 16) -
                     1) < 1e-12);
    assert_true(pollux_speedup(&lab.job, &lab.learner, &lab.fair, 1, 4) > 0);
    pollux_job_fini(&lab.job);
}

/* A node of 8 GPUs in parts of 3, 3 and 2: the GPUs that a job holds fill one
 * part after the other. */
static void gpus_of_a_node_fill_its_parts_in_order(void **state)
{
    static const struct pollux_part parts[] = {{.gpus = 3, .before = 0},
                                               {.gpus = 3, .before = 3},
                                               {.gpus = 2, .before = 6}};
    (void)state;
    for (uint32_t gpus = 0; gpus <= 8; gpus++) {
        uint32_t want[3] = {0};
        for (uint32_t k = 0; k < gpus; k++)
            want[k / 3]++;
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(pollux_in_part(&parts[i], gpus), want[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_of_a_node_fill_its_parts_in_order),
        cmocka_unit_test(gpus_double_up_to_what_a_batch_feeds),
        cmocka_unit_test(without_a_model_gpus_count),
        cmocka_unit_test(a_speedup_is_over_the_fair_share),
        cmocka_unit_test(alone_on_a_large_cluster_a_job_has_a_share_it_can_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
