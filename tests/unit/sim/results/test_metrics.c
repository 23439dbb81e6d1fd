/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of a ledger written by hand; all expected values were computed by
 * hand.
 *
 * 2 nodes of 2 GPUs, one virtual cluster.
 *   job 0  at 0   2 GPUs  100 s   node 0 0..100
 *   job 1  at 10  1 GPU   40 s    node 1 10..30, stopped (adds 7 s), 60..87
 *   job 2  at 20  4 GPUs  10 s    all 100..110
 *   job 3  at 30  9 GPUs          rejected
 *   job 4  at 40  1 GPU   5 s     never starts */
#include "sim/results/summary.h"

#include <math.h>

#include "base/state/truth.h"
#include "models/elastic/throughput.h"
#include "sim/results/report.h"
#include "sim/results/series.h"
#include "tests/support/test.h"

#define S SPAN_SECOND

enum { N = 5 };

struct world {
    struct job jobs[N];
    struct truth truths[N];
    struct run_result run;
    struct meter meter;
    struct results results;
    struct series series;
    struct out *series_out;
};

static const struct gpu_slice node_0[] = {{0, 3}};
static const struct gpu_slice one_gpu[] = {{1, 1}};
static const struct gpu_slice both[] = {{1, 3}, {0, 3}};

static void add(struct world *w, sim_time at, enum ledger_kind kind,
                uint32_t job, const struct gpu_slice *where, uint32_t count,
                sim_span work, sim_span overhead)
{
    ledger_add(
        &w->run.ledger,
        &(struct ledger_move){.at = at,
                              .kind = kind,
                              .job = &w->jobs[job],
                              .where = {where, count},
                              .rate = 1,
                              .work = (double)work,
                              .overhead = overhead,
                              .resume = kind == LEDGER_STOPPED ? overhead : 0,
                              .why = "too large"});
}

static void tell(struct world *w)
{
    add(w, 0, LEDGER_SUBMITTED, 0, NULL, 0, 0, 0);
    add(w, 0, LEDGER_STARTED, 0, node_0, 1, 0, 0);
    add(w, 10 * S, LEDGER_SUBMITTED, 1, NULL, 0, 0, 0);
    add(w, 10 * S, LEDGER_STARTED, 1, one_gpu, 1, 0, 0);
    add(w, 20 * S, LEDGER_SUBMITTED, 2, NULL, 0, 0, 0);
    add(w, 30 * S, LEDGER_SUBMITTED, 3, NULL, 0, 0, 0);
    add(w, 30 * S, LEDGER_REJECTED, 3, NULL, 0, 0, 0);
    add(w, 30 * S, LEDGER_STOPPED, 1, one_gpu, 1, 20 * S, 7 * S);
    add(w, 40 * S, LEDGER_SUBMITTED, 4, NULL, 0, 0, 0);
    add(w, 60 * S, LEDGER_STARTED, 1, one_gpu, 1, 0, 0);
    add(w, 87 * S, LEDGER_FINISHED, 1, one_gpu, 1, 27 * S, 0);
    add(w, 100 * S, LEDGER_FINISHED, 0, node_0, 1, 100 * S, 0);
    add(w, 100 * S, LEDGER_STARTED, 2, both, 2, 0, 0);
    add(w, 110 * S, LEDGER_FINISHED, 2, both, 2, 10 * S, 0);
}

static int build(void **state)
{
    static const struct job jobs[N] = {
        {.id = 0, .gpus = 2, .submitted = 0, .state = JOB_FINISHED},
        {.id = 1, .gpus = 1, .submitted = 10 * S, .state = JOB_FINISHED},
        {.id = 2, .gpus = 4, .submitted = 20 * S, .state = JOB_FINISHED},
        {.id = 3, .gpus = 9, .submitted = 30 * S, .state = JOB_REJECTED},
        {.id = 4, .gpus = 1, .submitted = 40 * S, .state = JOB_PENDING}};
    static const struct truth truths[N] = {{.work = 100 * S, .end = 0},
                                           {.work = 40 * S, .end = 1},
                                           {.work = 10 * S, .end = 2},
                                           {.work = 1 * S, .end = 0},
                                           {.work = 5 * S, .end = 0}};
    static const struct gpu_type_spec type = {"A", 0, 1, true};
    static const char *const vc = "main";
    static const struct node_group group = {.count = 2, .gpus = 2};
    const struct cluster_spec spec = {.name = "test",
                                      .types = &type,
                                      .vcs = &vc,
                                      .groups = &group,
                                      .n_types = 1,
                                      .n_vcs = 1,
                                      .n_groups = 1};
    struct world *w = mem_zalloc(1, sizeof *w);
    memcpy(w->jobs, jobs, sizeof jobs);
    memcpy(w->truths, truths, sizeof truths);
    w->run.jobset = (struct jobset){
        .jobs = w->jobs, .truths = w->truths, .n_jobs = N, .format = "test"};
    interner_init(&w->run.jobset.strings);
    assert_int_equal(cluster_init(&w->run.cluster, &spec, 1, NULL), STATUS_OK);
    ledger_init(&w->run.ledger, N);
    meter_init(&w->meter, &w->run.cluster, N);
    w->series_out = out_to_memory();
    series_init(&w->series, &w->meter, w->series_out, 25 * S);
    ledger_read_by(&w->run.ledger, series_reader(&w->series));
    ledger_read_by(&w->run.ledger, meter_reader(&w->meter));
    tell(w);
    meter_close(&w->meter, w->run.ledger.last);
    series_close(&w->series, w->run.ledger.last);
    w->results = results_of(&w->run, &w->meter);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    out_abandon(w->series_out);
    meter_fini(&w->meter);
    ledger_fini(&w->run.ledger);
    cluster_fini(&w->run.cluster);
    interner_fini(&w->run.jobset.strings);
    free(w);
    return 0;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void one_job_is_read_back(void **state)
{
    const struct world *w = *state;
    struct facts_reader reader;
    facts_reader_init(&reader, w->results);
    struct facts f;
    facts_read(&reader, 1, &f);
    assert_int_equal(f.attempts, 2);
    assert_int_equal(f.preemptions, 1);
    assert_int_equal(f.outcome, OUTCOME_FAILED);
    assert_int_equal(f.start, 10 * S);
    assert_int_equal(f.end, 87 * S);
    assert_int_equal(f.running, 47 * S);
    assert_int_equal(f.queued, 30 * S);
    assert_int_equal(f.overhead, 7 * S);
    assert_int_equal(f.work, 40 * S);
    facts_read(&reader, 3, &f);
    assert_int_equal(f.outcome, OUTCOME_REJECTED);
    assert_int_equal(f.end, 30 * S);
    assert_string_equal(facts_rejection(&reader, 3)->why, "too large");
    assert_null(facts_rejection(&reader, 2));
    facts_read(&reader, 4, &f);
    assert_int_equal(f.outcome, OUTCOME_UNFINISHED);
    assert_false(f.ended);
    assert_int_equal(f.queued, 70 * S);
    facts_reader_fini(&reader);
}

/* Jobs 0, 1 and 2 are in the system from 0 to 100, 10 to 87 and 20 to 110 s,
 * job 4 from 40 s on. There are 4 GPUs. */
static void slowdowns_compare_with_what_others_wanted(void **state)
{
    const struct world *w = *state;
    const double demand[] = {20 + 30 + 140 + 376 + 91, 30 + 140 + 376,
                             140 + 376 + 91 + 50};
    const double active[] = {100 + 77 + 80 + 60, 77 + 77 + 67 + 47,
                             90 + 80 + 67 + 70};
    const double jct[] = {100, 77, 90}, duration[] = {100, 40, 10};
    const double gpus[] = {2, 1, 4};
    struct facts_reader reader;
    facts_reader_init(&reader, w->results);
    for (job_id id = 0; id < 3; id++) {
        struct facts f;
        facts_read(&reader, id, &f);
        double share = 4 / (active[id] / jct[id]);
        near(f.metric[METRIC_BY_LOAD],
             jct[id] / duration[id] / (demand[id] / jct[id] / 4));
        near(f.metric[METRIC_RHO],
             jct[id] / (duration[id] * fmax(1, gpus[id] / share)));
    }
    facts_reader_fini(&reader);
}

/* Returns the rate of a model in which speed grows with the square root of the
 * number of GPUs. There are 3 GPUs of type A, and 1 of type B, which is twice
 * as fast. */
static double root_rate(const struct throughput *model,
                        const struct cluster *cluster, const struct job *job,
                        struct shape shape)
{
    (void)model;
    (void)cluster;
    bool fits = job->elasticity != JOB_RIGID || shape.gpus == job->gpus;
    return fits ? sqrt(shape.gpus) * (shape.gpu_type ? 2 : 1) : 0;
}

static sim_span root_work(const struct throughput *model, const struct job *job)
{
    (void)model;
    return job->elasticity == JOB_RIGID ? 0 : 100;
}

static void a_share_is_that_of_themis_and_sia(void **state)
{
    static const struct throughput_ops ops = {.rate = root_rate,
                                              .work = root_work};
    const struct throughput model = {.ops = &ops};
    const uint32_t gpus[] = {3, 1};
    struct run_result run = {.throughput = &model, .cluster = {.n_types = 2}};
    struct job job = {
        .gpus = 2, .gpu_type = GPU_TYPE_ANY, .elasticity = JOB_ADAPTIVE};
    (void)state;
    /* The share is 4 GPUs / 1.6 jobs = 2.5 GPUs: the mean of 2 and 3 for type
     * A; for type B 1, because there is only one. */
    double a = (100 / sqrt(2) + 100 / sqrt(3)) / 2;
    near(fairness_time(&run, gpus, &job, 100, 1.6), (3 * a + 50) / 4);
    /* With a share of half a GPU, the job takes twice as long as on one GPU. */
    near(fairness_time(&run, gpus, &job, 100, 8), (3 * 200.0 + 100) / 4);
    /* The job may run only on type B. */
    job.gpu_type = 1;
    near(fairness_time(&run, gpus, &job, 100, 8), 100);
    /* The job is rigid and has 2 GPUs. A share of 4 GPUs does not make it
     * faster; with a share of 1 GPU it runs half of the time. */
    job = (struct job){.gpus = 2, .gpu_type = GPU_TYPE_ANY};
    double alone = (3 * 100 / sqrt(2) + 50 / sqrt(2)) / 4;
    near(fairness_time(&run, gpus, &job, 100, 1), alone);
    near(fairness_time(&run, gpus, &job, 100, 4), 2 * alone);
    /* The cluster has no GPU of the job's type. */
    job.gpu_type = 2;
    near(fairness_time(&run, gpus, &job, 100, 1), 0);
}

static void sums_and_shares_of_the_run(void **state)
{
    const struct world *w = *state;
    struct summary s;
    double value[8];
    job_pass(NULL, NULL, w->results, &s);
    assert_int_equal(s.makespan, 110 * S);
    for (size_t i = 0; run_scalars[i].column.name; i++)
        value[i] = scalar_value(&run_scalars[i], &s);
    near(value[1], 287.0 / 440); /* 200 + 47 + 40 GPU seconds */
    /* the 7 s that the stop added are not useful work */
    near(value[2], 280.0 / 287);
    near(value[3], 280.0 / 440);
    /* 47 of 153 free GPU seconds were on the node of job 1 */
    near(value[4], 47.0 / 153);
    assert_int_equal(s.totals.preemptions, 1);
    assert_int_equal(s.totals.attempts, 4);
    assert_int_equal((int64_t)s.totals.overhead, 7 * S);
    assert_int_equal((int64_t)s.totals.held, 287 * S);
    summary_fini(&s);
}

static void distributions_and_groups(void **state)
{
    const struct world *w = *state;
    struct summary s;
    job_pass(NULL, NULL, w->results, &s);
    const struct distribution *jct = &s.of[METRIC_JCT];
    assert_int_equal(jct->count, 3);
    near(jct->mean, 89);
    near(jct->p50, 90);
    near(jct->p99, 100);
    near(jct->max, 100);
    assert_true(
        isnan(jct->mean_lo)); /* three jobs are too few for an interval */
    near(s.of[METRIC_QUEUE_DELAY].mean, 110.0 / 3);
    near(s.of[METRIC_QUEUE_DELAY].max, 80);
    const struct group *by = s.groups[GROUP_GPUS];
    assert_string_equal(by[0].name, "1");
    assert_int_equal(by[0].totals.jobs, 2);
    assert_int_equal(by[0].of[METRIC_JCT].count, 1);
    near(by[0].of[METRIC_JCT].mean, 77);
    near(by[gpu_class(4)].of[METRIC_JCT].mean, 90);
    assert_string_equal(by[gpu_class(4)].name, "3-4");
    by = s.groups[GROUP_OUTCOME];
    near(by[OUTCOME_CANCELLED].of[METRIC_JCT].mean, 90);
    assert_int_equal(by[OUTCOME_REJECTED].totals.jobs, 1);
    assert_int_equal(by[OUTCOME_UNFINISHED].totals.jobs, 1);
    summary_fini(&s);
}

/* Samples are 25 s apart. Between 75 and 100 s, the only change is at 87 s. */
static void series_shows_the_state_after_each_sample(void **state)
{
    const struct world *w = *state;
    struct text text = out_memory(w->series_out);
    static const char *const expected =
        "time,gpus_up,gpus_busy,gpus_stranded,jobs_pending,gpus_pending,"
        "jobs_running,jobs_held,jobs_ended\n"
        "0,4,2,0,0,0,1,0,0\n"
        "25,4,3,1,1,4,2,0,0\n"
        "50,4,2,0,3,6,1,0,1\n"
        "75,4,3,1,2,5,2,0,1\n"
        "100,4,4,0,1,1,1,0,3\n";
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void jobs_csv_names_gpus_as_batsim_does(void **state)
{
    const struct world *w = *state;
    struct out *out = out_to_memory();
    struct out *attempts = out_to_memory();
    struct summary summary;
    job_pass(out, attempts, w->results, &summary);
    assert_int_equal(summary.of[METRIC_JCT].count, 3);
    summary_fini(&summary);
    struct text text = out_memory(out);
    char *copy = strndup(text.at, text.len);
    assert_non_null(strstr(copy, "\n0,test,,0,2,-1,1,COMPLETED_SUCCESSFULLY,0,"
                                 "100,100,0,100,1,0-1,-1,,,main,A,,100,"));
    assert_non_null(strstr(copy, ",100,10,110,80,90,9,0-3,-1,"));
    assert_non_null(strstr(copy, ",completed,rejected,0,too large\n"));
    assert_non_null(strstr(copy, "\n4,test,,40,1,-1,0,UNFINISHED,,,,,,,,-1,"));
    free(copy);
    text = out_memory(attempts);
    copy = strndup(text.at, text.len);
    /* For a job with one attempt, both files begin with the same cells. */
    assert_non_null(strstr(copy,
                           "\n0,test,,0,2,-1,1,COMPLETED_SUCCESSFULLY,0,"
                           "100,100,0,100,1,0-1,-1,,1,finished,2,A,0,0,0,0,"
                           "100,0,0\n"));
    /* Job 1 is stopped at 30 s, which adds 7 s to its work, and starts
     * again. */
    assert_non_null(strstr(copy,
                           "\n1,test,,10,1,-1,0,COMPLETED_KILLED,10,20,30,"
                           "0,20,1,2,-1,,1,stopped,1,A,1,0,0,0,20,7,0\n"
                           "1,test,,30,1,-1,0,COMPLETED_FAILED,60,27,87,"
                           "30,57,2.111111,2,-1,,2,finished,1,A,1,0,0,0,"
                           "27,0,0\n"));
    free(copy);
    out_abandon(out);
    out_abandon(attempts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_job_is_read_back, build, tear_down),
        cmocka_unit_test_setup_teardown(
            slowdowns_compare_with_what_others_wanted, build, tear_down),
        cmocka_unit_test(a_share_is_that_of_themis_and_sia),
        cmocka_unit_test_setup_teardown(sums_and_shares_of_the_run, build,
                                        tear_down),
        cmocka_unit_test_setup_teardown(distributions_and_groups, build,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            series_shows_the_state_after_each_sample, build, tear_down),
        cmocka_unit_test_setup_teardown(jobs_csv_names_gpus_as_batsim_does,
                                        build, tear_down),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
