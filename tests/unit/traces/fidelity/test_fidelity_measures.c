/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the measures of traces on cases that can be computed by hand. */
#include "tests/support/test.h"

#include <math.h>

#include "traces/fidelity/bars.h"
#include "traces/fidelity/demand.h"
#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

#define JOB(at_, run_, gpus_, user_, end_) \
    { \
        .at = at_, .run = run_, .gpus = gpus_, .user = user_, .end = end_ \
    }
#define ASSERT_NEAR(value, expected) \
    assert_float_equal((float)(value), (float)(expected), 1e-5F)

static void bins_count_whole_bins(void **state)
{
    (void)state;
    /* there are 3, 1 and 2 jobs in three minutes; the last job lies at the end
     * and does not count */
    const struct fidelity_job jobs[] = {{.at = 0},  {.at = 1},   {.at = 59},
                                        {.at = 60}, {.at = 120}, {.at = 179},
                                        {.at = 180}};
    struct bins bins = bins_of(jobs, 7, 0, 180, 60);
    assert_int_equal(bins.n, 3);
    ASSERT_NEAR(bins.count[0], 3);
    ASSERT_NEAR(bins.count[1], 1);
    ASSERT_NEAR(bins.count[2], 2);
    /* the mean is 2, the variance (1 + 1 + 0) / 2 = 1 */
    ASSERT_NEAR(bins_dispersion(&bins), 0.5);
    ASSERT_NEAR(bins_variation(&bins), 0.5);
    bins_fini(&bins);
    bins = bins_of(jobs, 7, 0, 59, 60);
    assert_int_equal(bins.n, 0);
    assert_true(isnan(bins_dispersion(&bins)));
    bins_fini(&bins);
}

static void an_alternating_series_is_its_own_opposite(void **state)
{
    (void)state;
    const double values[] = {1, 2, 1, 2, 1, 2, 1, 2};
    const double constant[] = {1, 1, 1, 1, 1, 1};
    ASSERT_NEAR(series_autocorrelation(values, 8, 1), -1);
    ASSERT_NEAR(series_autocorrelation(values, 8, 2), 1);
    assert_true(isnan(series_autocorrelation(values, 8, 6)));
    assert_true(isnan(series_autocorrelation(constant, 6, 1)));
}

static void demand_is_what_runs_if_nobody_waits(void **state)
{
    (void)state;
    /* the demand is 2 GPUs in [0, 10), 6 in [10, 20), 4 in [20, 30), 0 in [30,
     * 40); a job without a run time has no demand */
    const struct fidelity_job jobs[] = {JOB(0, 20, 2, 1, 0), JOB(5, 0, 9, 1, 0),
                                        JOB(10, 20, 4, 1, 0),
                                        JOB(40, 5, 1, 1, 0)};
    struct gpu_demand demand = demand_of(jobs, 4, 5);
    ASSERT_NEAR(demand.mean, 3);
    ASSERT_NEAR(demand.peak, 6);
    ASSERT_NEAR(demand.above, 0.25);
    /* the mean square is (4 + 36 + 16 + 0) / 4 = 14, the variance 14 - 9 = 5 */
    ASSERT_NEAR(demand.cv, sqrt(5) / 3);
    assert_true(isnan(demand.worst_week));
}

static void the_worst_week_is_a_whole_week(void **state)
{
    (void)state;
    const double day = 86400;
    /* the cluster has 2 GPUs; the demand is 1 GPU in week 1 and 3 GPUs in week
     * 2 */
    const struct fidelity_job jobs[] = {JOB(0, 7 * day, 1, 1, 0),
                                        JOB(7 * day, 7 * day, 3, 1, 0),
                                        JOB(20 * day, 1, 1, 1, 0)};
    struct gpu_demand demand = demand_of(jobs, 3, 2);
    ASSERT_NEAR(demand.worst_week, 1.5);
    ASSERT_NEAR(demand.above, 7.0 / 20);
}

/* User 1 fails at 100 s and comes back after 50 s; fails at 250 s and does not
 * come back within the hour. User 2 completes at 20 s and comes back with
 * another number of GPUs. */
static const struct fidelity_job chained[] = {
    JOB(0, 100, 4, 1, TRACE_END_FAILED),
    JOB(10, 10, 1, 2, TRACE_END_COMPLETED),
    JOB(30, 10, 2, 2, TRACE_END_COMPLETED),
    JOB(150, 100, 4, 1, TRACE_END_FAILED),
    JOB(4000, 10, 4, 1, TRACE_END_CANCELLED),
};

static void a_chain_goes_on_after_the_end(void **state)
{
    (void)state;
    struct measures m = {0};
    measure_chains(chained, 5, &m);
    ASSERT_NEAR(measures_find(&m, "chains.failed.within_hour"), 0.5);
    ASSERT_NEAR(measures_find(&m, "chains.failed.within_5_min"), 0.5);
    ASSERT_NEAR(measures_find(&m, "chains.failed.median_gap_s"), 50);
    ASSERT_NEAR(measures_find(&m, "chains.completed.within_hour"), 0);
    ASSERT_NEAR(measures_find(&m, "chains.cancelled.within_hour"), 0);
    ASSERT_NEAR(measures_find(&m, "chains.failed_minus_completed"), 0.5);
    assert_true(isnan(measures_find(&m, "chains.cancelled.median_gap_s")));
    measures_fini(&m);
}

static void users_explain_their_sizes(void **state)
{
    (void)state;
    struct measures m = {0};
    /* user 1 has jobs with 4, 4, 4 GPUs, user 2 with 1, 2. The logarithms to
     * base 2 have the mean 7/5. Their squared deviations sum up to 3 * 0.36 +
     * 1.96 + 0.16 = 3.2, within users to 0.5 */
    measure_users(chained, 5, &m);
    ASSERT_NEAR(measures_find(&m, "users.r2_log_gpus"), 1 - 0.5 / 3.2);
    ASSERT_NEAR(measures_find(&m, "users.active_a_day"), 2);
    /* pairs of consecutive jobs have 4-4, 4-4 and 1-2 GPUs */
    ASSERT_NEAR(measures_find(&m, "users.next_has_equal_gpus"), 2.0 / 3);
    measures_fini(&m);
    measure_people(chained, 5, &m);
    ASSERT_NEAR(measures_find(&m, "people.number"), 2);
    /* the top user has 840 of 870 GPU seconds */
    ASSERT_NEAR(measures_find(&m, "people.gpu_time_top_10"), 840.0 / 870);
    ASSERT_NEAR(measures_find(&m, "people.completion_tenth_0"), 0.5);
    ASSERT_NEAR(measures_find(&m, "people.completion_tenth_9"), 0.5);
    measures_fini(&m);
}

static void a_burst_has_ten_jobs(void **state)
{
    (void)state;
    struct fidelity_job jobs[21];
    struct measures m = {0};
    for (size_t i = 0; i < 21; i++)
        jobs[i] = (struct fidelity_job)JOB((double)i * 60, 1, 1, 1, 0);
    jobs[10].gpus = 2; /* ten jobs, a job of another size, ten jobs */
    measure_users(jobs, 21, &m);
    ASSERT_NEAR(measures_find(&m, "users.jobs_in_bursts"), 20.0 / 21);
    ASSERT_NEAR(measures_find(&m, "users.jobs_in_long_sessions"), 1);
    measures_fini(&m);
    measure_users(jobs, 9, &m);
    ASSERT_NEAR(measures_find(&m, "users.jobs_in_bursts"), 0);
    measures_fini(&m);
}

static void shares_are_of_jobs_and_of_gpu_time(void **state)
{
    (void)state;
    struct measures m = {0};
    /* the jobs use 400 GPU seconds (failed), 10 and 20 (completed), 400
     * (failed) and 40 (cancelled) */
    measure_margins(chained, 5, &m);
    ASSERT_NEAR(measures_find(&m, "margins.gpu_s_a_job"), 870.0 / 5);
    ASSERT_NEAR(measures_find(&m, "margins.size_4.jobs"), 0.6);
    ASSERT_NEAR(measures_find(&m, "margins.size_4.gpu_time"), 840.0 / 870);
    ASSERT_NEAR(measures_find(&m, "margins.size_2.gpu_time"), 20.0 / 870);
    ASSERT_NEAR(measures_find(&m, "margins.failed.jobs"), 0.4);
    ASSERT_NEAR(measures_find(&m, "margins.cancelled.gpu_time"), 40.0 / 870);
    measures_fini(&m);
}

static void distances_are_to_points_or_shares(void **state)
{
    (void)state;
    struct measures m = {0};
    /* the run times are 10, 10, 10, 100 and 100 s; all jobs begin on Thursday,
     * four of them in the first hour */
    double at[] = {9, 10, 100}, share[] = {0.3, 0.5, 1};
    double days[7] = {0, 0, 0, 0.5, 0.5, 0, 0}, hours[24] = {0.8, 0, 0.2};
    double completion[10] = {0.5, 0, 0, 0, 0, 0, 0, 0, 0.5, 0};
    const struct real_curve d[] = {
        {.name = "run", .at = at, .share = share, .n = 3},
        {.name = "run.8", .at = at, .share = share, .n = 3},
        {.name = "weekday", .share = days, .n = 7},
        {.name = "hour", .share = hours, .n = 24},
        {.name = "completion", .share = completion, .n = 10},
    };
    measure_distances(chained, 5, d, 5, "margins", &m);
    ASSERT_NEAR(measures_find(&m, "margins.run_distance"), 0.3);
    assert_true(isnan(measures_find(&m, "margins.run.8_distance")));
    ASSERT_NEAR(measures_find(&m, "margins.weekday_distance"), 0.5);
    ASSERT_NEAR(measures_find(&m, "margins.hour_distance"), 0.2);
    assert_int_equal(m.n, 4);
    measure_distances(chained, 5, d, 5, "people", &m);
    ASSERT_NEAR(measures_find(&m, "people.completion_distance"), 0.5);
    measures_fini(&m);
}

static void rows_have_no_distance_to_themselves(void **state)
{
    (void)state;
    struct fidelity_job jobs[600];
    struct measures m = {0};
    struct arena arena;
    size_t n;
    for (uint32_t i = 0; i < 600; i++)
        jobs[i] = (struct fidelity_job)JOB(i * 7001.0, 1 + i * i % 997, 1,
                                           1 + i % 3, i % 2);
    arena_init(&arena);
    struct real_curve *d = distributions_of(jobs, 600, &arena, &n);
    assert_int_equal(n, 5); /* run.1, run, hour, weekday, completion */
    measure_distances(jobs, 600, d, n, "", &m);
    assert_int_equal(m.n, 5);
    for (size_t i = 0; i < m.n; i++)
        ASSERT_NEAR(m.at[i].value, 0);
    measures_fini(&m);
    arena_fini(&arena);
}

static void standing_jobs_are_demand_only(void **state)
{
    (void)state;
    struct measures m = {0};
    struct fidelity_job jobs[] = {JOB(0, 20, 4, 1, 0), JOB(10, 10, 1, 1, 0),
                                  JOB(20, 10, 1, 1, 0), JOB(40, 10, 2, 1, 0)};
    const struct fidelity_vc vcs[] = {{.name = "a", .symbol = 1, .gpus = 4},
                                      {.name = "b", .symbol = 2, .gpus = 4}};
    for (size_t i = 0; i < 4; i++)
        jobs[i].vc = i < 3 ? 1 : 2;
    measure_vcs(jobs, 4, 1, vcs, 2, &m);
    ASSERT_NEAR(measures_find(&m, "vcs.a.job_share"), 2.0 / 3);
    ASSERT_NEAR(measures_find(&m, "vcs.a.gpu_time_share"), 0.5);
    ASSERT_NEAR(measures_find(&m, "vcs.a.mean_gpus"), 1);
    /* virtual cluster a has 4 GPUs and a demand of 5 in [10, 20); its trace
     * lasts from 0 to 20 */
    ASSERT_NEAR(measures_find(&m, "vcs.a.time_above_capacity"), 0.5);
    ASSERT_NEAR(measures_find(&m, "vcs.most_time_above_capacity"), 0.5);
    measure_demand(jobs, 4, 5, &m);
    ASSERT_NEAR(measures_find(&m, "demand.peak_gpus"), 5);
    ASSERT_NEAR(measures_find(&m, "demand.time_above_capacity"), 0);
    measures_fini(&m);
}

static void weeks_differ_in_their_mix(void **state)
{
    (void)state;
    enum { WEEK = 60 };
    const double day = 86400;
    struct fidelity_job jobs[3 * WEEK + 1];
    struct measures m = {0};
    /* All jobs of the first week have one GPU and take e seconds, those of the
     * second have two and take e^3; in the third week there are two jobs, too
     * few to tell. Each job comes ten minutes after the one before it. */
    size_t n = 0;
    for (int week = 0; week < 3; week++) {
        for (int i = 0; i < (week < 2 ? WEEK : 2); i++)
            jobs[n++] = (struct fidelity_job)JOB(
                week * 7 * day + i * 600, week ? exp(3) : exp(1),
                week ? 2u : 1u, 1 + (uint32_t)i % 2,
                i % 3 ? TRACE_END_COMPLETED : TRACE_END_UNKNOWN);
    }
    jobs[n++] = (struct fidelity_job)JOB(22 * day, 1, 1, 2, 0);
    measure_order(jobs, n, &m);
    /* the shares are 1 and 0, the means 1 and 3 */
    ASSERT_NEAR(measures_find(&m, "order.weekly_sd_1_gpu"), sqrt(0.5));
    ASSERT_NEAR(measures_find(&m, "order.weekly_sd_log_run"), sqrt(2));
    assert_true(measures_find(&m, "order.completed_log_run_autocorrelation_1") >
                0.9);
    measures_fini(&m);
    /* two users on each of three days, one on the fourth */
    measure_users(jobs, n, &m);
    ASSERT_NEAR(measures_find(&m, "users.active_a_day"), 7.0 / 4);
    measures_fini(&m);
    measure_arrivals(jobs, n, &m);
    assert_true(measures_find(&m, "arrivals.gap_cv") > 1);
    measures_fini(&m);
}

static void jobs_of_one_instant_keep_their_order(void **state)
{
    (void)state;
    const struct fidelity_job jobs[] = {JOB(5, 0, 1, 1, TRACE_END_UNKNOWN),
                                        JOB(5, 0, 1, 1, TRACE_END_UNKNOWN),
                                        JOB(5, 0, 1, 1, TRACE_END_UNKNOWN)};
    struct measures m = {0};
    measure_users(jobs, 3, &m);
    ASSERT_NEAR(measures_find(&m, "users.active_a_day"), 1);
    ASSERT_NEAR(measures_find(&m, "users.next_has_equal_gpus"), 1);
    measures_fini(&m);
    measure_people(jobs, 3, &m);
    measure_chains(jobs, 3, &m);
    measure_arrivals(jobs, 3, &m);
    assert_true(isnan(measures_find(&m, "people.completion_tenth_0")));
    assert_true(isnan(measures_find(&m, "chains.completed.within_hour")));
    measures_fini(&m);
}

static void one_job_tells_little(void **state)
{
    (void)state;
    struct measures m = {0};
    const struct fidelity_job job = JOB(5, 1, 1, 0, TRACE_END_UNKNOWN);
    measure_arrivals(&job, 1, &m);
    measure_order(&job, 1, &m);
    measure_people(&job, 1, &m);
    measure_users(&job, 1, &m);
    measure_chains(&job, 1, &m);
    assert_true(isnan(measures_find(&m, "arrivals.gap_cv")));
    assert_true(isnan(measures_find(&m, "order.weekly_sd_1_gpu")));
    assert_true(isnan(measures_find(&m, "people.number")));
    assert_true(isnan(measures_find(&m, "users.r2_log_gpus")));
    assert_true(isnan(measures_find(&m, "chains.failed.within_hour")));
    assert_true(isnan(measures_find(&m, "no.such_measure")));
    measures_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_count_whole_bins),
        cmocka_unit_test(an_alternating_series_is_its_own_opposite),
        cmocka_unit_test(demand_is_what_runs_if_nobody_waits),
        cmocka_unit_test(the_worst_week_is_a_whole_week),
        cmocka_unit_test(a_chain_goes_on_after_the_end),
        cmocka_unit_test(users_explain_their_sizes),
        cmocka_unit_test(a_burst_has_ten_jobs),
        cmocka_unit_test(shares_are_of_jobs_and_of_gpu_time),
        cmocka_unit_test(distances_are_to_points_or_shares),
        cmocka_unit_test(rows_have_no_distance_to_themselves),
        cmocka_unit_test(standing_jobs_are_demand_only),
        cmocka_unit_test(weeks_differ_in_their_mix),
        cmocka_unit_test(jobs_of_one_instant_keep_their_order),
        cmocka_unit_test(one_job_tells_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
