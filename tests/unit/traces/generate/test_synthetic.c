/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the promises of the generator: equal options give equal rows, each row
 * is possible on the cluster, GPU time, load and rate are as published or
 * requested, and users repeat their jobs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

#include "traces/generate/calibration.h"
#include "traces/generate/synthetic.h"
#include "traces/trace.h"

static const char *const clusters[] = {"philly", "venus", "saturn", "seren",
                                       "kalos"};
#define N_CLUSTERS (sizeof clusters / sizeof *clusters)

static struct error err;

static struct synthetic *start(struct synthetic_options options)
{
    struct synthetic *s = NULL;
    assert_int_equal(synthetic_open(&options, &s, &err), STATUS_OK);
    return s;
}

static uint64_t mix(uint64_t hash, const void *at, size_t len)
{
    return hash * 31 + text_hash((struct text){at, len});
}

static uint64_t digest(struct synthetic_options options)
{
    struct synthetic *s = start(options);
    struct trace_row row;
    uint64_t hash = 0;
    while (synthetic_next(s, &row)) {
        int64_t numbers[] = {row.submitted, row.duration,     row.declared,
                             row.gpus,      (int64_t)row.end, row.attempts,
                             row.nodes,     row.batch_size,   row.cpus};
        hash = mix(hash, numbers, sizeof numbers);
        const struct text *texts[] = {&row.user, &row.vc,    &row.name,
                                      &row.kind, &row.model, &row.dataset};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            hash = mix(hash, texts[i]->at, texts[i]->len);
    }
    synthetic_close(s);
    return hash;
}

static void equal_options_give_equal_rows_and_seeds_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CLUSTERS; i++) {
        struct synthetic_options o = {
            .like = clusters[i], .jobs = 2000, .seed = 7};
        uint64_t first = digest(o);
        assert_true(first == digest(o));
        o.seed = 8;
        assert_true(first != digest(o));
    }
}

/* Jobs that are running when the trace begins are added to the requested jobs,
 * all at the first instant. */
static void a_warm_trace_begins_with_running_jobs(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CLUSTERS; i++) {
        struct synthetic *s = start((struct synthetic_options){
            .like = clusters[i], .jobs = 3000, .seed = 1, .warm = true});
        struct trace_row row;
        sim_time first = 0;
        size_t n = 0, running = 0;
        while (synthetic_next(s, &row)) {
            first = n++ ? first : row.submitted;
            running += n > running && row.submitted == first;
        }
        /* one job may come at the first instant by chance */
        assert_true(n >= 3000 && n - 3000 <= running);
        assert_true(n > 3000);
        synthetic_close(s);
    }
}

static uint32_t vc_gpus(const struct calibration *c, struct text vc)
{
    for (size_t i = 0; i < c->n_vcs; i++) {
        if (text_is(vc, c->vcs[i].name))
            return c->vcs[i].nodes * c->gpus_per_node;
    }
    return 0;
}

static void check_row(const struct calibration *c, const struct trace_row *row)
{
    assert_true(row->duration >= SPAN_SECOND);
    assert_true(row->duration % SPAN_SECOND == 0);
    assert_true(row->submitted % SPAN_SECOND == 0);
    assert_true(row->declared == 0);
    assert_true(row->gpus > 0 && row->gpus <= c->gpus);
    assert_true(row->nodes * c->gpus_per_node >= row->gpus);
    assert_true((row->nodes - 1) * c->gpus_per_node < row->gpus);
    assert_true(row->end != TRACE_END_UNKNOWN);
    assert_true(row->user.len && row->name.len && row->model.len);
    if (c->n_vcs)
        assert_true(row->gpus <= vc_gpus(c, row->vc));
    else
        assert_int_equal(row->vc.len, 0);
    if (c->n_attempts)
        assert_true(row->attempts >= 1 && row->attempts <= c->n_attempts);
}

static void every_row_could_have_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CLUSTERS; i++) {
        struct arena arena;
        struct calibration c;
        struct trace_row row;
        arena_init(&arena);
        assert_int_equal(calibration_load(clusters[i], &arena, &c, &err),
                         STATUS_OK);
        struct synthetic *s = start((struct synthetic_options){
            .like = clusters[i], .jobs = 20000, .seed = 3});
        sim_time last = c.start;
        while (synthetic_next(s, &row)) {
            assert_true(row.submitted >= last);
            last = row.submitted;
            check_row(&c, &row);
            bool failed = row.end == TRACE_END_FAILED;
            /* in a log without kinds of jobs, `kind` is the cause of a failure
             */
            if (c.n_kinds == 1)
                assert_true(failed == (row.kind.len > 0));
        }
        synthetic_close(s);
        arena_fini(&arena);
    }
}

struct totals {
    size_t jobs;
    double gpu_s, span_s;
};

static struct totals run(struct synthetic_options options, uint32_t *most)
{
    struct synthetic *s = start(options);
    struct totals t = {0};
    struct trace_row row;
    sim_time first = 0;
    while (synthetic_next(s, &row)) {
        if (!t.jobs++)
            first = row.submitted;
        t.gpu_s += span_seconds(row.duration) * row.gpus;
        t.span_s = span_seconds(row.submitted - first);
        if (most && row.gpus > *most)
            *most = row.gpus;
    }
    synthetic_close(s);
    return t;
}

/* Any seed offers the published GPU time, although a thousandth of the jobs
 * holds most of it. */
static void the_gpu_time_is_that_of_the_cluster(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CLUSTERS; i++) {
        struct arena arena;
        struct calibration c;
        arena_init(&arena);
        assert_int_equal(calibration_load(clusters[i], &arena, &c, &err),
                         STATUS_OK);
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct totals t = run(
                (struct synthetic_options){
                    .like = clusters[i], .jobs = 20000, .seed = seed},
                NULL);
            double mean = t.gpu_s / (double)t.jobs;
            assert_true(fabs(mean / c.gpu_s - 1) < 0.05);
        }
        arena_fini(&arena);
    }
}

static void a_load_is_met_by_the_jobs_of_the_seed(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CLUSTERS; i++) {
        struct synthetic_options o = {.like = clusters[i],
                                      .days = 42,
                                      .load = 0.7,
                                      .gpus = 256,
                                      .seed = 1};
        struct totals t = run(o, NULL);
        assert_true(fabs(t.gpu_s / (256 * 42.0 * 86400) - 0.7) < 0.035);
    }
    struct totals t = run((struct synthetic_options){.like = "venus",
                                                     .jobs = 20000,
                                                     .load = 0.5,
                                                     .gpus = 2000,
                                                     .seed = 1},
                          NULL);
    assert_int_equal(t.jobs, 20000);
    assert_true(fabs(t.gpu_s / (2000 * t.span_s) - 0.5) < 0.01);
}

static void jobs_and_days_together_set_the_rate(void **state)
{
    (void)state;
    struct synthetic_options o = {
        .like = "venus", .jobs = 5000, .days = 14, .seed = 1};
    struct totals t = run(o, NULL);
    assert_int_equal(t.jobs, 5000);
    assert_true(fabs(t.span_s / 86400 - 14) < 0.7);
    o.jobs = 0; /* the published rate, 691.78 jobs per day */
    t = run(o, NULL);
    assert_true(t.span_s <= 14 * 86400.0);
    assert_true(fabs((double)t.jobs - 14 * 691.78) < 0.05 * 14 * 691.78);
    o.days = 0;
    assert_int_equal(run(o, NULL).jobs, SYNTHETIC_JOBS);
}

static void no_job_asks_for_more_than_the_cluster_has(void **state)
{
    (void)state;
    uint32_t most = 0;
    struct synthetic_options o = {
        .like = "seren", .jobs = 5000, .gpus = 20, .seed = 1};
    run(o, &most);
    assert_int_equal(most, 16);
}

/* Measures how often the next job of a user repeats the last one. */
static void users_repeat_their_jobs(void **state)
{
    (void)state;
    struct synthetic *s = start(
        (struct synthetic_options){.like = "venus", .jobs = 20000, .seed = 1});
    struct interner users;
    struct trace_row row;
    static struct trace_row last[20001];
    double pairs = 0, gpus = 0, ends = 0, near = 0;
    interner_init(&users);
    while (synthetic_next(s, &row)) {
        uint32_t user = interner_add(&users, row.user);
        const struct trace_row *old = &last[user];
        if (old->gpus) {
            pairs++;
            bool same = old->gpus == row.gpus;
            gpus += same;
            ends += same && old->end == row.end;
            near += same && fabs(log(span_seconds(row.duration) /
                                     span_seconds(old->duration))) < log(1.5);
        }
        last[user] = row;
    }
    interner_fini(&users);
    synthetic_close(s);
    /* Of consecutive jobs of known users of Venus, 83 % have equal GPUs. Of
     * these, 73 % end alike, and 50 % have run times within a factor of 1.5. */
    assert_true(gpus > 0.7 * pairs && gpus < 0.95 * pairs);
    assert_true(ends > 0.6 * gpus && ends < 0.85 * gpus);
    assert_true(near > 0.3 * gpus && near < 0.65 * gpus);
}

/* The model of a job must not reveal its duration, and the time limit is at
 * least the duration. */
static void names_and_models_do_not_tell_the_duration(void **state)
{
    (void)state;
    struct synthetic *s = start((struct synthetic_options){
        .like = "saturn", .jobs = 20000, .seed = 2, .limits = true});
    struct trace_row row;
    struct interner models;
    static double n[100], sum[100], squares[100];
    double between = 0, all = 0, total = 0, square = 0;
    interner_init(&models);
    while (synthetic_next(s, &row)) {
        assert_true(row.declared >= row.duration);
        if (row.gpus != 1)
            continue;
        uint32_t model = interner_add(&models, row.model);
        assert_true(model < 100);
        double x = log(span_seconds(row.duration));
        n[model]++;
        sum[model] += x;
        squares[model] += x * x;
    }
    for (size_t i = 0; i < 100; i++)
        all += n[i], total += sum[i], square += squares[i];
    for (size_t i = 0; i < 100; i++)
        between += n[i] > 0 ? sum[i] * sum[i] / n[i] : 0;
    interner_fini(&models);
    synthetic_close(s);
    /* the models explain less than 15 % of the variance of log durations */
    assert_true(between - total * total / all <
                0.15 * (square - total * total / all));
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    struct synthetic *s = NULL;
    struct synthetic_options o = {.like = "venuss"};
    assert_int_equal(synthetic_open(&o, &s, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "did you mean 'venus'"));
    o = (struct synthetic_options){.like = "venus", .family = "none"};
    assert_int_equal(synthetic_open(&o, &s, &err), STATUS_USAGE);
    o = (struct synthetic_options){.like = "venus", .days = -1};
    assert_int_equal(synthetic_open(&o, &s, &err), STATUS_USAGE);
    o = (struct synthetic_options){.like = "venus", .load = NAN};
    assert_int_equal(synthetic_open(&o, &s, &err), STATUS_USAGE);
    o = (struct synthetic_options){.like = "venus", .days = 9e3, .load = 1e3};
    assert_int_equal(synthetic_open(&o, &s, &err), STATUS_USAGE);
    assert_null(s);
    synthetic_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_options_give_equal_rows_and_seeds_differ),
        cmocka_unit_test(a_warm_trace_begins_with_running_jobs),
        cmocka_unit_test(every_row_could_have_run),
        cmocka_unit_test(the_gpu_time_is_that_of_the_cluster),
        cmocka_unit_test(a_load_is_met_by_the_jobs_of_the_seed),
        cmocka_unit_test(jobs_and_days_together_set_the_rate),
        cmocka_unit_test(no_job_asks_for_more_than_the_cluster_has),
        cmocka_unit_test(users_repeat_their_jobs),
        cmocka_unit_test(names_and_models_do_not_tell_the_duration),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
