/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests forecasts of submissions: inputs made by hand, a daily rhythm that can
 * be learned, and the error of forecasts for Venus in September. The error is
 * not tested if the published counts are absent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/rows.h"
#include "sim/run/registry.h"
#include "tests/support/test.h"

enum { DAY = 144 }; /* periods per day */

struct oracle { /* the true numbers of submissions, by period */
    float *jobs;
    size_t n, cap;
};

struct instance {
    struct forecast forecast;
    struct arena arena;
};

static void start(struct instance *in, const char *name, const char *key,
                  const char *value, sim_time zero)
{
    struct error err;
    const struct forecast_ops *ops;
    arena_init(&in->arena);
    assert_int_equal(forecast_find(text_from(name), &ops, &err), STATUS_OK);
    void *config = arena_alloc(&in->arena, ops->config_size);
    void *self = arena_alloc(&in->arena, ops->state_size);
    option_defaults(ops->options, config);
    if (key)
        assert_int_equal(option_set(ops->options, config, name, text_from(key),
                                    text_from(value), &in->arena, &err),
                         STATUS_OK);
    const struct run_env env = {.zero = zero, .arena = &in->arena};
    in->forecast =
        (struct forecast){.ops = ops, .self = self, .config = config};
    if (ops->init(self, config, &env, &err) != STATUS_OK)
        fail_msg("%s", err.message);
}

static void stop(struct instance *in)
{
    if (in->forecast.ops->fini)
        in->forecast.ops->fini(in->forecast.self);
    arena_fini(&in->arena);
}

/* Submits n jobs of two GPUs at time `at`. */
static void submit(struct instance *in, sim_time at, unsigned n)
{
    const struct job job = {.submitted = at, .gpus = 2};
    const struct event event = {.at = at, .kind = EVENT_SUBMITTED, .job = &job};
    for (unsigned i = 0; i < n && in->forecast.ops->observe; i++)
        in->forecast.ops->observe(in->forecast.self, &event);
}

static bool ask(struct instance *in, sim_time at, struct outlook *out)
{
    return in->forecast.ops->expect(in->forecast.self, at, out);
}

static void a_file_is_averaged_five_rows_ahead(void **state)
{
    char path[] = "/tmp/schedsim-forecast-XXXXXX";
    struct instance in;
    struct outlook out;
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    (void)state;
    fputs("time,submit_gpu_job,pred_gpu_job,pred_gpu_num\n", file);
    for (int i = 0; i < 8; i++)
        fprintf(file, "1970-01-01 0%d:%d0:00,7,%d,%d\n", i / 6, i % 6, i,
                10 * i);
    assert_int_equal(fclose(file), 0);
    start(&in, "file", "path", path, 0);
    assert_true(ask(&in, 0, &out)); /* mean of rows 1 to 5 */
    assert_true(out.jobs == 3 && out.gpus == 30);
    assert_int_equal(out.until, FORECAST_PERIOD);
    assert_true(ask(&in, FORECAST_PERIOD - 1, &out));
    assert_true(out.jobs == 3);
    assert_true(ask(&in, FORECAST_PERIOD, &out)); /* mean of rows 2 to 6 */
    assert_true(out.jobs == 4);
    /* only rows 6 and 7 are left */
    assert_true(ask(&in, 5 * FORECAST_PERIOD, &out));
    assert_true(out.jobs == 6.5);
    assert_false(ask(&in, 7 * FORECAST_PERIOD, &out));
    stop(&in);
    unlink(path);
}

static void lately_is_the_last_hour(void **state)
{
    struct instance in;
    struct outlook out;
    (void)state;
    start(&in, "recent", NULL, NULL, 1234 * FORECAST_PERIOD);
    assert_false(ask(&in, 0, &out));
    for (int p = 0; p < 8; p++)
        submit(&in, p * FORECAST_PERIOD, (unsigned)p);
    /* Period 7 has just ended, so the answer is the mean of periods 2 to 7. */
    assert_true(ask(&in, 8 * FORECAST_PERIOD, &out));
    assert_true(out.jobs == 27.0 / 6 && out.gpus == 54.0 / 6);
    assert_int_equal(out.until, 9 * FORECAST_PERIOD);
    /* Period 7 has not ended, so the answer is the mean of periods 1 to 6. */
    assert_true(ask(&in, 8 * FORECAST_PERIOD - 1, &out));
    assert_true(out.jobs == 21.0 / 6);
    stop(&in);
}

/* There are 10 jobs per period by day and 1 by night. The model must predict
 * when the number rises and when it falls. */
static void a_rhythm_is_learned(void **state)
{
    struct instance in;
    struct outlook out;
    (void)state;
    start(&in, "ga2m", NULL, NULL, 0);
    for (int p = 0; p < 8 * DAY; p++)
        submit(&in, p * FORECAST_PERIOD,
               p % DAY >= 48 && p % DAY < 108 ? 10 : 1);
    const int64_t dusk = 7 * DAY + 107, dawn = 7 * DAY + 47;
    assert_true(ask(&in, dawn * FORECAST_PERIOD, &out));
    assert_true(out.jobs > 8 && out.gpus > 16);
    assert_true(ask(&in, dusk * FORECAST_PERIOD, &out));
    assert_true(out.jobs < 3 && out.gpus < 6);
    stop(&in);
}

/* Tests all registered forecasts but `file`. A forecast that learns from
 * submissions cannot answer before the first submission. An answer is valid
 * until the time that it names, and does not depend on earlier questions. */
static void answers_do_not_depend_on_questions(void **state)
{
    (void)state;
    for (size_t i = 0; forecasts[i]; i++) {
        struct instance quiet, curious;
        struct outlook a, b;
        const char *name = forecasts[i]->name;
        if (strcmp(name, "file") == 0)
            continue; /* this forecast needs a setting and has its own test */
        gsl_rng *rng = rng_open(7, "test forecast");
        start(&quiet, name, NULL, NULL, 0);
        start(&curious, name, NULL, NULL, 0);
        assert_false(ask(&quiet, 0, &a) && forecasts[i]->observe);
        assert_true(a.until > 0);
        for (int p = 0; p < 9 * DAY; p++) {
            sim_time at = p * FORECAST_PERIOD + rng_below(rng, 600000000);
            unsigned n = rng_below(rng, 3) * (p % DAY < 72 ? 1 : 4);
            submit(&quiet, at, n);
            ask(&curious, at, &b);
            submit(&curious, at, n);
            ask(&curious, at, &b);
            if (p % 97)
                continue;
            assert_int_equal(ask(&quiet, at, &a), ask(&curious, at, &b));
            assert_true(a.jobs == b.jobs && a.gpus == b.gpus);
            assert_true(a.until == b.until && a.until > at);
        }
        stop(&quiet);
        stop(&curious);
        rng_free(rng);
    }
}

static void a_bad_file_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"time,pred_gpu_job\n", ":1:"},
        {"time,pred_gpu_job,pred_gpu_num\nnoon,1,2\n", ":2:1: time:"},
        {"time,pred_gpu_job,pred_gpu_num\n2020-01-01,x,2\n",
         ":2:12: pred_gpu_job:"},
        {"time,pred_gpu_job,pred_gpu_num\n2020-01-01,1,2\n2020-01-01,1,2\n",
         ":3:1: time: the time is not later than that of the row above"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[] = "/tmp/schedsim-forecast-XXXXXX", self[256] = {0};
        const char *config[2] = {path, ""};
        const struct run_env env = {0};
        const struct forecast_ops *ops;
        struct error err;
        int fd = mkstemp(path);
        FILE *file = fdopen(fd, "w");
        fputs(bad[i].text, file);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(forecast_find(text_from("file"), &ops, &err),
                         STATUS_OK);
        assert_true(ops->state_size <= sizeof self);
        assert_int_equal(ops->init(self, config, &env, &err), STATUS_BAD_INPUT);
        if (!strstr(err.message, bad[i].words))
            fail_msg("%s", err.message);
        ops->fini(self);
        unlink(path);
    }
}

static const char *shared_file(char path[512], const char *name)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    snprintf(path, 512, "%s/traces/lucid/%s",
             shared && *shared ? shared : "../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* Reads the published counts. Returns the time of the first row. */
static sim_time read_counts(const char *path, struct oracle *out)
{
    static const struct rows_column columns[] = {{"time", true},
                                                 {"submit_gpu_job", true}};
    struct rows *rows;
    struct error err;
    int16_t at[2];
    sim_time first = -1, time;
    bool zoned;
    assert_int_equal(rows_open(path, &rows, &err), STATUS_OK);
    assert_int_equal(rows_header(rows, columns, 2, at, &err), STATUS_OK);
    while (rows_next(rows, &err) == STATUS_OK) {
        double count;
        assert_true(text_to_double(rows_cell(rows, at[1]), &count));
        assert_true(text_to_time(rows_cell(rows, at[0]), &time, &zoned));
        if (first < 0)
            first = time;
        out->jobs =
            mem_grow(out->jobs, &out->cap, out->n + 1, sizeof *out->jobs);
        out->jobs[out->n++] = (float)count;
    }
    rows_close(rows);
    return first;
}

/* Submits the real numbers of jobs. Returns the mean absolute error of the
 * numbers that are predicted from period `from` on. */
static double error_of(struct instance *in, const struct oracle *real,
                       size_t from)
{
    struct outlook out;
    double sum = 0;
    size_t n = 0;
    for (size_t p = 0; p + FORECAST_AHEAD + 1 < real->n; p++) {
        sim_time at = (sim_time)p * FORECAST_PERIOD;
        double came = 0;
        for (size_t k = 1; k <= FORECAST_AHEAD; k++)
            came += (double)real->jobs[p + k] / FORECAST_AHEAD;
        if (p >= from && ask(in, at, &out)) {
            sum += fabs(out.jobs - came);
            n++;
        }
        submit(in, at, (unsigned)real->jobs[p]);
    }
    assert_true(n > 0);
    return sum / (double)n;
}

static void venus_is_foreseen(void **state)
{
    char counts[512], predicted[512];
    struct oracle real = {0};
    struct instance in;
    (void)state;
    if (!shared_file(counts, "venus_cluster_throughput.csv") ||
        !shared_file(predicted, "venus_throughput_pred.csv")) {
        print_message("skipped: ../shared not present\n");
        skip();
    }
    sim_time zero = read_counts(counts, &real);
    /* September begins after the 153 days of April to August */
    const size_t september = 153 * DAY;
    start(&in, "recent", NULL, NULL, zero);
    double recent = error_of(&in, &real, september);
    stop(&in);
    start(&in, "ga2m", NULL, NULL, zero);
    double learned = error_of(&in, &real, september);
    stop(&in);
    start(&in, "file", "path", predicted, zero);
    double theirs = error_of(&in, &real, september);
    stop(&in);
    print_message("# figure: Venus, jobs in 10 minutes, mean absolute error of "
                  "the next 50: last hour %.3f, ga2m %.3f, Lucid's %.3f\n",
                  recent, learned, theirs);
    assert_true(learned < recent);
    free(real.jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_averaged_five_rows_ahead),
        cmocka_unit_test(lately_is_the_last_hour),
        cmocka_unit_test(a_rhythm_is_learned),
        cmocka_unit_test(answers_do_not_depend_on_questions),
        cmocka_unit_test(a_bad_file_is_refused),
        cmocka_unit_test(venus_is_foreseen),
    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
