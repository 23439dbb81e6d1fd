/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the generator promises: equal options give equal bytes, each row is
 * possible on the cluster, rates and final states are as requested, and users
 * repeat their jobs. */
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

/* With fewer jobs, the trace is the beginning of the longer one. */
static void jobs_only_say_where_it_ends(void **state)
{
    (void)state;
    struct synthetic *a = start(
        (struct synthetic_options){.like = "venus", .jobs = 300, .seed = 1});
    struct synthetic *b = start(
        (struct synthetic_options){.like = "venus", .jobs = 600, .seed = 1});
    struct trace_row x, y;
    size_t n = 0;
    while (synthetic_next(a, &x)) {
        assert_true(synthetic_next(b, &y));
        assert_true(x.submitted == y.submitted && x.duration == y.duration);
        assert_true(text_equal(x.name, y.name) && x.gpus == y.gpus);
        n++;
    }
    assert_int_equal(n, 300);
    assert_true(synthetic_next(b, &y));
    synthetic_close(a);
    synthetic_close(b);
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
    assert_true(row->declared >= row->duration);
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
            /* a log without kinds of jobs has the cause there */
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

static void a_load_is_met_by_the_jobs_of_the_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        /* only the first two: in other clusters one job may be a tenth of all
         * GPU time */
        for (size_t i = 0; i < 2; i++) {
            struct synthetic_options o = {.like = clusters[i],
                                          .days = 42,
                                          .load = 0.7,
                                          .gpus = 1024,
                                          .seed = seed};
            struct totals t = run(o, NULL);
            double load = t.gpu_s / (1024 * 42.0 * 86400);
            assert_true(fabs(load - 0.7) < 0.07);
        }
    }
    struct totals t = run((struct synthetic_options){.like = "venus",
                                                     .jobs = 30000,
                                                     .load = 0.5,
                                                     .gpus = 2000,
                                                     .seed = 1},
                          NULL);
    assert_int_equal(t.jobs, 30000);
    assert_true(fabs(t.gpu_s / (2000 * t.span_s) - 0.5) < 0.03);
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

/* Measures how often the duration of a completed run is near that of the
 * script's last completed run. */
static void runs_of_a_script_resemble_each_other(void **state)
{
    (void)state;
    struct synthetic *s = start(
        (struct synthetic_options){.like = "venus", .jobs = 20000, .seed = 1});
    struct interner names;
    struct trace_row row;
    static double last[20001];
    static uint32_t gpus[20001];
    size_t first = 0;
    double repeats = 0, near = 0;
    interner_init(&names);
    while (synthetic_next(s, &row)) {
        uint32_t name = interner_add(&names, row.name);
        assert_true(!gpus[name] || gpus[name] == row.gpus);
        first += !gpus[name];
        gpus[name] = row.gpus;
        if (row.end != TRACE_END_COMPLETED)
            continue;
        double seconds = span_seconds(row.duration);
        if (last[name] > 0) {
            repeats++;
            near += fabs(log(seconds / last[name])) < log(1.5);
        }
        last[name] = seconds;
    }
    interner_fini(&names);
    synthetic_close(s);
    /* 36 % of repeated runs are not near (recurrence.jump of Venus,
     * published) */
    assert_true(repeats > 5000);
    assert_true(near > 0.60 * repeats);
    assert_true(near < 0.85 * repeats);
    assert_true(first < 20000 / 3);
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
        cmocka_unit_test(jobs_only_say_where_it_ends),
        cmocka_unit_test(every_row_could_have_run),
        cmocka_unit_test(a_load_is_met_by_the_jobs_of_the_seed),
        cmocka_unit_test(jobs_and_days_together_set_the_rate),
        cmocka_unit_test(no_job_asks_for_more_than_the_cluster_has),
        cmocka_unit_test(runs_of_a_script_resemble_each_other),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
