/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests estimators without a run: compares rolling means with a scan of the
 * whole history, and tests files of predictions, the laws of prediction errors,
 * blends, and when trees are fitted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "base/rng.h"
#include "models/estimators/trees.h"
#include "sim/run/registry.h"
#include "traces/load.h"

enum { JOBS = 600 };

/* A chain with the estimator under test. The layer below it answers 100 s for
 * all jobs. */
struct bench {
    struct arena arena;
    struct job jobs[JOBS];
    struct run_env env;
    struct estimator chain[2];
    struct wakeups wakeups;
};

static const char *no_text(const void *strings, uint32_t symbol)
{
    (void)strings;
    (void)symbol;
    return "";
}

static bool knows_100(void *self, const struct estimator *below,
                      const struct job *job, sim_time now, struct belief *out)
{
    (void)self;
    (void)below;
    (void)job;
    (void)now;
    *out = (struct belief){.mean = 100 * SPAN_SECOND, .spread = -1};
    return true;
}

static const struct estimator_ops hundred = {.name = "hundred",
                                             .remaining = knows_100};

/* Makes the chain. `text`: the estimator, as on the command line. */
static enum status setup(struct bench *b, const char *text, uint64_t seed,
                         struct error *err)
{
    const struct estimator_ops *ops;
    struct spec spec;
    *b = (struct bench){0};
    arena_init(&b->arena);
    gsl_rng *rng = rng_open(seed, "test_estimators");
    for (uint32_t i = 0; i < JOBS; i++)
        b->jobs[i] = (struct job){.id = i,
                                  .gpus = 1u << rng_below(rng, 3),
                                  .user = rng_below(rng, 5),
                                  .name = rng_below(rng, 20),
                                  .source_id = i | SOURCE_ID_NUMBER,
                                  .vc = (uint16_t)rng_below(rng, 2),
                                  .submitted = i * SPAN_SECOND};
    rng_free(rng);
    b->env = (struct run_env){.jobs = b->jobs,
                              .n_jobs = JOBS,
                              .string = no_text,
                              .seed = seed,
                              .arena = &b->arena};
    assert_int_equal(spec_parse("estimator", text_from(text), &spec, err),
                     STATUS_OK);
    assert_int_equal(estimator_find(spec.name, &ops, err), STATUS_OK);
    void *config = arena_alloc(&b->arena, ops->config_size);
    assert_int_equal(
        spec_apply(&spec, ops->options, config, "test", &b->arena, err),
        STATUS_OK);
    b->chain[1] = (struct estimator){.ops = &hundred};
    b->chain[0] =
        (struct estimator){.ops = ops,
                           .self = arena_alloc(&b->arena, ops->state_size),
                           .config = config,
                           .below = &b->chain[1]};
    return ops->init(b->chain[0].self, config, &b->env, err);
}

static void teardown(struct bench *b)
{
    if (b->chain[0].ops->fini)
        b->chain[0].ops->fini(b->chain[0].self);
    free(b->wakeups.at);
    arena_fini(&b->arena);
}

static void show(struct bench *b, enum event_kind kind, uint32_t job,
                 enum job_state state, sim_time at)
{
    const struct event event = {.at = at, .kind = kind, .job = &b->jobs[job]};
    b->jobs[job].state = (uint8_t)state;
    b->chain[0].ops->observe(b->chain[0].self, &event, &b->wakeups);
}

static double ask(struct bench *b, uint32_t job, sim_time now)
{
    struct belief belief;
    assert_true(estimator_remaining(&b->chain[0], &b->jobs[job], now, &belief));
    return span_seconds(belief.mean);
}

static sim_span run_time(uint32_t i)
{
    return (sim_span)(1 + i * 7919u % 1000u) * SPAN_SECOND;
}

/* Returns the estimate for a job by the rule P_naive of HeliosArtifact, from a
 * scan of the first n jobs, which have ended. */
static double scan(const struct job *jobs, uint32_t n, const struct job *job)
{
    double sum = 0;
    uint32_t count = 0;
    for (int kind = 0; count == 0; kind++) {
        for (uint32_t i = 0; i < n; i++) {
            const struct job *j = &jobs[i];
            bool user = job->user && j->user == job->user;
            bool name = job->name && j->name == job->name;
            bool gpus = j->gpus == job->gpus;
            const bool alike[] = {user && name && gpus, user && name, name,
                                  user && gpus,         user,         true};
            if (alike[kind])
                sum += span_seconds(run_time(i)), count++;
        }
    }
    return sum / count;
}

static void rolling_means_equal_a_scan_of_the_history(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    assert_int_equal(
        setup(&b, "history:kinds=qssf,mean=arithmetic,decay=1", 1, &err),
        STATUS_OK);
    show(&b, EVENT_SUBMITTED, 0, JOB_PENDING, 0);
    assert_true(ask(&b, 0, 0) ==
                100); /* no job has ended, so the layer below answers */
    for (uint32_t i = 0; i + 1 < JOBS; i++) {
        sim_time at = (sim_time)i * 2000 * SPAN_SECOND;
        show(&b, EVENT_STARTED, i, JOB_RUNNING, at);
        show(&b, EVENT_FINISHED, i, JOB_FINISHED, at + run_time(i));
        show(&b, EVENT_SUBMITTED, i + 1, JOB_PENDING, at + run_time(i));
        double want = scan(b.jobs, i + 1, &b.jobs[i + 1]);
        assert_true(fabs(ask(&b, i + 1, at) - want) < 2e-6 * (1 + want));
    }
    teardown(&b);
}

/* Ended jobs of 10 s with weight 0.5 and of 40 s with weight 1 have the mean 30
 * s. A job that has run 25 s has 5 s left. A job that has run longer than its
 * estimate has overrun_s left. The time of stopped attempts counts too. */
static void newer_jobs_weigh_more_and_elapsed_time_counts(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    sim_time now = 100 * SPAN_SECOND;
    assert_int_equal(
        setup(&b, "history:mean=arithmetic,decay=0.5,overrun_s=7", 1, &err),
        STATUS_OK);
    for (uint32_t i = 0; i < 4; i++)
        b.jobs[i].user = b.jobs[i].name = b.jobs[i].gpus = 1;
    show(&b, EVENT_STARTED, 0, JOB_RUNNING, 0);
    show(&b, EVENT_FINISHED, 0, JOB_FINISHED, 10 * SPAN_SECOND);
    show(&b, EVENT_STARTED, 1, JOB_RUNNING, 10 * SPAN_SECOND);
    show(&b, EVENT_FINISHED, 1, JOB_FINISHED, 50 * SPAN_SECOND);
    show(&b, EVENT_SUBMITTED, 2, JOB_PENDING, now);
    assert_true(ask(&b, 2, now) == 30);
    show(&b, EVENT_STARTED, 2, JOB_RUNNING, now);
    assert_true(ask(&b, 2, now + 20 * SPAN_SECOND) == 10);
    show(&b, EVENT_STOPPED, 2, JOB_PENDING, now + 20 * SPAN_SECOND);
    assert_true(ask(&b, 2, now + 70 * SPAN_SECOND) == 10);
    show(&b, EVENT_STARTED, 2, JOB_RUNNING, now + 70 * SPAN_SECOND);
    assert_true(ask(&b, 2, now + 75 * SPAN_SECOND) == 5);
    assert_true(ask(&b, 2, now + 99 * SPAN_SECOND) == 7);
    teardown(&b);
}

static enum status setup_file(struct bench *b, const char *content,
                              const char *settings, struct error *err)
{
    char path[] = "/tmp/schedsim-file-XXXXXX", spec[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    snprintf(spec, sizeof spec, "file:path=%s%s", path, settings);
    enum status st = setup(b, spec, 1, err);
    unlink(path);
    return st;
}

static void a_file_answers_for_its_jobs(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    const char *text = "job_id,other,priority\n3,1,42.5\n4,1,-5\n5,1,\n"
                       "99999,1,8\n";
    assert_int_equal(setup_file(&b, text, "", &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":1:8: other: no such column"));
    teardown(&b);
    assert_int_equal(setup_file(&b, text, ",skip=other", &err), STATUS_OK);
    assert_true(ask(&b, 3, 0) == 42.5);
    assert_true(ask(&b, 4, 0) == 0); /* the predicted -5 is raised to floor_s */
    assert_true(ask(&b, 5, 0) == 100 && ask(&b, 6, 0) == 100);
    teardown(&b);
    assert_int_equal(
        setup_file(&b, text, ",floor_s=-100,column=priority", &err), STATUS_OK);
    assert_true(ask(&b, 4, 0) == -5);
    teardown(&b);
}

static void a_bad_prediction_is_named_with_its_line(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    assert_int_equal(
        setup_file(&b, "job_id,prediction\n1,2\n3,soon\n", "", &err),
        STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":3:3: prediction: 'soon'"));
    teardown(&b);
    assert_int_equal(setup_file(&b, "job_id,guess\n1,2\n", "", &err),
                     STATUS_BAD_INPUT);
    teardown(&b);
}

/* The shares of errors must equal the published profile, within four standard
 * deviations of 40 x 600 draws and the rounding of times. */
static void noise_follows_its_law(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    size_t n = 0, within[5] = {0};
    static const double bounds[5] = {0.1, 0.5, 1, 10, 100};
    static const double shares[5] = {0.1, 0.5, 0.7, 0.9, 1};
    for (uint64_t seed = 0; seed < 40; seed++) {
        assert_int_equal(setup(&b, "noisy:floor_s=-3e9", seed, &err),
                         STATUS_OK);
        for (uint32_t i = 0; i < JOBS; i++, n++) {
            double error = fabs(ask(&b, i, 0) - 100) / 100;
            for (size_t k = 0; k < 5; k++)
                /* 0.01 more, because times are whole seconds */
                within[k] += error <= bounds[k] + 0.01;
        }
        teardown(&b);
    }
    for (size_t k = 0; k < 5; k++) {
        double share = (double)within[k] / (double)n;
        double sigma = sqrt(shares[k] * (1 - shares[k]) / (double)n);
        assert_true(fabs(share - shares[k]) <= 4 * sigma + 0.012);
    }
    assert_int_equal(setup(&b, "noisy:law=factor,factor=2.5", 1, &err),
                     STATUS_OK);
    assert_true(ask(&b, 17, 0) == 250);
    teardown(&b);
}

/* Blends two layers, which answer 300 s and 100 s, with the weights 0.75 and
 * 0.25. */
static void a_blend_is_the_weighted_mean(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    struct estimator last;
    assert_int_equal(
        setup_file(&b, "job_id,prediction\n1,300\n2,0\n", "", &err), STATUS_OK);
    const struct estimator file = b.chain[0];
    const struct estimator_ops *blend;
    struct {
        double weight;
    } config = {0.25};
    const void *self[1] = {&config};
    assert_int_equal(estimator_find(text_from("blend"), &blend, &err),
                     STATUS_OK);
    last = (struct estimator){.ops = &hundred};
    struct estimator first = file;
    first.below = &last;
    struct belief belief;
    assert_true(blend->remaining(self, &first, &b.jobs[1], 0, &belief));
    assert_true(belief.mean == 250 * SPAN_SECOND);
    assert_true(blend->remaining(self, &first, &b.jobs[2], 0, &belief));
    /* 0 in the file means no prediction, so only the second layer answers */
    assert_true(belief.mean == 100 * SPAN_SECOND);
    first.below = NULL;
    assert_true(blend->remaining(self, &first, &b.jobs[1], 0, &belief));
    /* only the first layer answers */
    assert_true(belief.mean == 300 * SPAN_SECOND);
    assert_false(blend->remaining(self, &first, &b.jobs[3], 0, &belief));
    assert_true(belief.mean ==
                /* no layer answers, so *belief is unchanged */
                300 * SPAN_SECOND);
    teardown(&b);
}

/* Trees that nobody asks are not fitted. When somebody asks, the answers are
 * those of trees that were asked all the time. */
static void trees_are_fitted_when_asked(void **state)
{
    (void)state;
    static const char *const names[] = {"gbdt", "ga2m"};
    for (size_t n = 0; n < 2; n++) {
        struct bench late, early;
        struct error err;
        assert_int_equal(setup(&late, names[n], 1, &err), STATUS_OK);
        assert_int_equal(setup(&early, names[n], 1, &err), STATUS_OK);
        struct tree_estimator *trees = late.chain[0].self;
        for (uint32_t i = 0; i < JOBS; i++) {
            sim_time at = (sim_time)i * 2000 * SPAN_SECOND;
            for (int b = 0; b < 2; b++) {
                struct bench *bench = b ? &early : &late;
                show(bench, EVENT_SUBMITTED, i, JOB_PENDING, at);
                show(bench, EVENT_STARTED, i, JOB_RUNNING, at);
                show(bench, EVENT_FINISHED, i, JOB_FINISHED, at + run_time(i));
            }
            ask(&early, i, at);
        }
        assert_int_equal(trees->fitted_rows, 0);
        for (uint32_t i = 0; i < JOBS; i++)
            assert_true(ask(&late, i, 0) == ask(&early, i, 0));
        assert_true(trees->fitted_rows >= 100);
        teardown(&late);
        teardown(&early);
    }
}

/* Results say what the answers of each layer rest on. */
static void each_layer_that_answers_has_a_basis(void **state)
{
    (void)state;
    for (size_t i = 0; estimators[i]; i++) {
        const struct estimator_ops *ops = estimators[i];
        bool answers = ops->remaining || ops->demand;
        if (answers != (ops->basis != BASIS_UNSAID) ||
            (ops->basis == BASIS_TRUTH) != (strcmp(ops->name, "oracle") == 0))
            fail_msg("%s has basis %d", ops->name, ops->basis);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling_means_equal_a_scan_of_the_history),
        cmocka_unit_test(newer_jobs_weigh_more_and_elapsed_time_counts),
        cmocka_unit_test(a_file_answers_for_its_jobs),
        cmocka_unit_test(a_bad_prediction_is_named_with_its_line),
        cmocka_unit_test(noise_follows_its_law),
        cmocka_unit_test(a_blend_is_the_weighted_mean),
        cmocka_unit_test(each_layer_that_answers_has_a_basis),
        cmocka_unit_test(trees_are_fitted_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
