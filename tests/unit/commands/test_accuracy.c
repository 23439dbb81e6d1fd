/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the measures of accuracy of estimators by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "commands/summary_table.h"
#include "traces/load.h"

/* Predicts the utilisations 40, 50 and 0 % as 50, 50 and 2 %. The utilisation
 * of the last job is unknown. The relative errors are 0.25, 0 and 2. */
static void predict_utilisations(struct job *jobs, struct guess *guesses)
{
    const uint8_t utils[] = {40, 50, 0, GPU_UTIL_UNKNOWN};
    const double predicted[] = {0.5, 0.5, 0.02, 0.5};
    for (int i = 0; i < 4; i++) {
        jobs[i].gpu_util = utils[i];
        guesses[i].knows_demand = true;
        guesses[i].compute = predicted[i];
    }
}

/* True times are 1, 2, 4 and 8 s, predictions are 2, 2, 2 and 20 s. */
static void accuracy_by_hand(void **state)
{
    (void)state;
    char path[] = "/tmp/schedsim-accuracy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs("submitted_unix_s,duration_s,gpus\n0,1,1\n1,2,1\n2,4,1\n3,8,1\n",
          file);
    fclose(file);
    struct jobset w;
    struct error err;
    const struct load_options options = {.from = INT64_MIN, .to = INT64_MIN};
    assert_int_equal(jobset_load(path, "native", &options, &w, &err),
                     STATUS_OK);
    unlink(path);
    struct guess guesses[4] = {
        {.known = true, .mean = 2 * SPAN_SECOND, .spread = SPAN_SECOND},
        {.known = true, .mean = 2 * SPAN_SECOND, .spread = -1},
        {.known = true, .mean = 2 * SPAN_SECOND, .spread = SPAN_SECOND},
        {.known = true, .mean = 20 * SPAN_SECOND, .spread = -1}};
    predict_utilisations(w.jobs, guesses);
    struct accuracy a;
    assert_true(accuracy_of(&w, guesses, 0, &a));
    assert_int_equal(a.answered, 4);
    assert_true(fabs(a.mae_s - (1 + 0 + 2 + 12) / 4.0) < 1e-12);
    /* relative errors 1, 0, 0.5 and 1.5 */
    assert_true(a.medae_s == 1 && a.run_time.at[49] == 0.5);
    assert_true(a.run_time.at[89] == 1.5 && a.within_factor_2 == 0.75);
    assert_true(a.run_time.n == 4 && a.run_time.below_100 == 0.5);
    assert_true(a.run_time.mean == 0.75 && a.run_time.at[24] == 0 &&
                a.run_time.at[25] == 0.5);
    assert_int_equal(a.utilisation.n, 3);
    assert_true(fabs(a.utilisation.mean - 0.75) < 1e-12);
    assert_true(fabs(a.utilisation.below_100 - 2 / 3.0) < 1e-12);
    assert_true(a.with_spread == 2 && a.within_spread == 0.5);
    /* Ranks 0 1 2 3 and 1 1 1 3 have the correlation 3 / sqrt(5 x 3). */
    assert_true(fabs(a.rank - 3 / sqrt(15)) < 1e-12);
    assert_true(accuracy_of(&w, guesses, 2, &a));
    assert_int_equal(a.jobs, 2);
    assert_true(a.mae_s == 7 && a.rank == 1);
    jobset_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
