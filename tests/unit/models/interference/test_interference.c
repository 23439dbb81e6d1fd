/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares tables of pairs and the fitted formula with values computed by hand
 * and with published values. The comparison with published values is skipped if
 * these are absent. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/interference/pairs.h"
#include "sim/run/registry.h"

static void expect_near(double got, double expected, double by)
{
    if (!(fabs(got - expected) <= by))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

struct bench {
    struct arena arena;
    struct usage_table usage;
    struct job jobs[3]; /* the jobs for which the model computes rates */
    uint32_t n_jobs;
    char path[64], note[200];
};

static int setup(void **state)
{
    struct bench *b = mem_zalloc(1, sizeof *b);
    struct error err;
    arena_init(&b->arena);
    snprintf(b->path, sizeof b->path, "/tmp/schedsim-pairs-XXXXXX");
    int fd = mkstemp(b->path);
    if (fd < 0 || close(fd) != 0 ||
        usage_read(NULL, &b->arena, &b->usage, &err) != STATUS_OK)
        return 1;
    b->usage.n = 1; /* row 0 means unknown; tests add further rows */
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    unlink(b->path);
    usage_fini(&b->usage);
    arena_fini(&b->arena);
    free(b);
    return 0;
}

static uint16_t add(struct bench *b, const char *model, uint32_t batch,
                    double util, double mem_mib)
{
    struct usage p = b->usage.rows[0];
    p.model = model;
    p.dataset = "Set";
    p.batch_size = batch;
    p.amp = 0;
    p.n_jobs = 1;
    p.figures[FIGURE_GPU_UTIL].value = util;
    p.figures[FIGURE_MEM_MIB].value = mem_mib;
    usage_add(&b->usage, &p);
    return (uint16_t)(b->usage.n - 1);
}

static void put_file(struct bench *b, const char *text)
{
    FILE *file = fopen(b->path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void keep_note(void *self, const char *owner, const char *key,
                      const char *value, const char *help, const char *source)
{
    (void)owner;
    struct bench *b = self;
    (void)help;
    snprintf(b->note, sizeof b->note, "%s: %s%s", key, value,
             source[0] ? " !" : "");
}

/* Makes a model with these settings, bound to the usage rows of the bench. */
static struct interference bound(struct bench *b, const char *spec_text)
{
    struct interference model = {0};
    struct error err;
    struct spec spec;
    assert_int_equal(
        spec_parse("interference", text_from(spec_text), &spec, &err),
        STATUS_OK);
    assert_int_equal(interference_find(spec.name, &model.ops, &err), STATUS_OK);
    void *config = arena_alloc(&b->arena, model.ops->config_size + 1);
    assert_int_equal(
        spec_apply(&spec, model.ops->options, config, "test", &b->arena, &err),
        STATUS_OK);
    model.config = config;
    model.self = arena_alloc(&b->arena, model.ops->state_size + 1);
    const struct run_env env = {.jobs = b->jobs,
                                .n_jobs = b->n_jobs,
                                .usage = &b->usage,
                                .arena = &b->arena,
                                .note = keep_note,
                                .note_self = b};
    if (model.ops->init &&
        model.ops->init(model.self, config, &env, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    return model;
}

static struct interference table(struct bench *b, const char *settings)
{
    char spec[160];
    snprintf(spec, sizeof spec, "table:file=%s%s", b->path, settings);
    return bound(b, spec);
}

static void expect_pair(const struct interference *model, uint16_t x,
                        uint16_t y, double rate_x, double rate_y)
{
    const struct job one = {.usage = x, .gpu_util = GPU_UTIL_UNKNOWN};
    const struct job two = {.usage = y, .gpu_util = GPU_UTIL_UNKNOWN};
    const struct job *forth[] = {&one, &two}, *back[] = {&two, &one};
    double rates[2];
    model->ops->rates(model, forth, 2, rates);
    expect_near(rates[0], rate_x, 1e-12);
    expect_near(rates[1], rate_y, 1e-12);
    model->ops->rates(model, back, 2, rates);
    expect_near(rates[1], rate_x, 1e-12);
    expect_near(rates[0], rate_y, 1e-12);
}

#define HEAD \
    "model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2," \
    "gpu_num2,batchsize2,amp2,speed2\n"
static const char three_pairs[] =
    HEAD "alpha,Set,1,32,0,0.5,beta,Set,1,32,0,0.8\n"
         "alpha,Set,1,32,0,0.7,alpha,Set,1,32,0,0.9\n"
         "beta,Set,1,32,0,1.2,beta,Set,1,64,0,0.95\n";

static void a_pair_counts_in_both_orientations(void **state)
{
    struct bench *b = *state;
    uint16_t alpha = add(b, "alpha", 32, 0.5, 1000);
    uint16_t beta = add(b, "beta", 32, 0.6, 1000);
    put_file(b, three_pairs);
    struct interference model = table(b, "");
    expect_pair(&model, alpha, beta, 0.5, 0.8);
    expect_pair(&model, alpha, alpha, 0.8, 0.8); /* the mean of 0.7 and 0.9 */
    /* Jobs of beta were measured together only with batch sizes 32 and 64. The
     * mean of 1.2 and 0.95 is 1.075, which is cut to 1. */
    expect_pair(&model, beta, beta, 1, 1);
    assert_string_equal(
        b->note,
        "pairs: 2 measured, 1 nearest (at most 0.031 away), 0 unknown !");
}

static void speeds_above_one_are_cut_unless_told(void **state)
{
    struct bench *b = *state;
    uint16_t small = add(b, "beta", 32, 0.5, 1000);
    uint16_t large = add(b, "beta", 64, 0.6, 1000);
    put_file(b, three_pairs);
    struct interference model = table(b, "");
    expect_pair(&model, small, large, 1.0, 0.95);
    model = table(b, ",clip=false");
    expect_pair(&model, small, large, 1.2, 0.95);
}

static void a_missing_pair_is_the_nearest(void **state)
{
    struct bench *b = *state;
    uint16_t alpha = add(b, "alpha", 32, 0.2, 1000);
    add(b, "beta", 32, 0.9, 1000);
    uint16_t like_beta = add(b, "gamma", 8, 0.85, 1000);
    uint16_t like_alpha = add(b, "delta", 8, 0.25, 1000);
    uint16_t nothing = add(b, "epsilon", 8, -1, -1);
    b->usage.rows[0].n_jobs = 1;
    put_file(b, HEAD "alpha,Set,1,32,0,0.5,beta,Set,1,32,0,0.8\n");
    struct interference model = table(b, "");
    expect_pair(&model, alpha, like_beta, 0.5, 0.8);
    expect_pair(&model, like_beta, like_alpha, 0.8, 0.5);
    expect_pair(&model, alpha, nothing, 0.83, 0.83);
    expect_pair(&model, alpha, 0, 0.83, 0.83); /* row 0: usage unknown */
    model = table(b, ",nearest=false,none=1");
    expect_pair(&model, alpha, like_beta, 1, 1);
    expect_pair(&model, alpha, 2, 0.5, 0.8);
    /* Six usage rows make 21 pairs; one of them was measured. */
    assert_string_equal(
        b->note,
        "pairs: 1 measured, 0 nearest (at most 0.000 away), 20 unknown !");
}

static void gavels_formats_agree(void **state)
{
    struct bench *b = *state;
    uint16_t net = add(b, "ResNet-18", 16, -1, -1);
    uint16_t a3c = add(b, "A3C", 0, -1, -1);
    put_file(b, "gpu,job,partner,job_speed,partner_speed\n"
                "k80,A3C,ResNet-18 (batch size 16),0.1,0.1\n"
                "v100,A3C,ResNet-18 (batch size 16),0.25,0.75\n");
    struct interference model = table(b, "");
    expect_pair(&model, net, a3c, 0.75, 0.25);
    model = table(b, ",gpu=k80");
    expect_pair(&model, net, a3c, 0.1, 0.1);
    unlink(b->path);
    snprintf(b->path + strlen(b->path), 6, ".json");
    put_file(b, "{\"v100\": {\"('A3C', 1)\": {\"null\": 8, "
                "\"('ResNet-18 (batch size 16)', 1)\": [2, 30], "
                "\"('ResNet-18 (batch size 16)', 2)\": [1, 1], "
                "\"('A3C', 1)\": [0, 0]}, "
                "\"('ResNet-18 (batch size 16)', 1)\": {\"null\": 40}}}");
    model = table(b, ",nearest=false,none=0.9");
    expect_pair(&model, net, a3c, 0.75, 0.25);
    /* [0, 0] means that the pair does not fit on a GPU: it counts as not
     * listed */
    expect_pair(&model, a3c, a3c, 0.9, 0.9);
}

static void three_jobs_multiply(void **state)
{
    struct bench *b = *state;
    const struct job alpha = {.usage = add(b, "alpha", 32, 0.5, 1000)};
    const struct job beta = {.usage = add(b, "beta", 32, 0.6, 1000)};
    const struct job *jobs[] = {&alpha, &beta, &alpha};
    double rates[3];
    put_file(b, three_pairs);
    struct interference model = table(b, "");
    model.ops->rates(&model, jobs, 3, rates);
    expect_near(rates[0], 0.5 * 0.8, 1e-12);
    expect_near(rates[1], 0.8 * 0.8, 1e-12);
    assert_true(rates[2] == rates[0]);
    model.ops->rates(&model, jobs, 1, rates);
    assert_true(rates[0] == 1.0);
}

static void fitted_is_its_formula(void **state)
{
    struct bench *b = *state;
    uint16_t busy = add(b, "alpha", 1, 1, 24576.0 / 4);
    uint16_t half = add(b, "beta", 1, 0.25, 24576.0 / 2);
    struct interference model = bound(b, "fitted:a=0.5,p=0.5,q=1.5,b=0,c=0.8");
    expect_pair(&model, busy, busy, 1 / (1 + 0.5 + 0.8 / 16),
                1 / (1 + 0.5 + 0.8 / 16));
    expect_pair(&model, busy, half, 1 / (1 + 0.5 * 0.125 + 0.1),
                1 / (1 + 0.5 * 0.5 + 0.1));
    assert_string_equal(b->note,
                        "jobs: 0 of an unknown workload, 0 of a similar "
                        "one, of 0");
    for (b->n_jobs = 0; b->n_jobs < 3; b->n_jobs++)
        b->jobs[b->n_jobs].gpu_util = GPU_UTIL_UNKNOWN;
    model = bound(b, "fitted:unknown_util=1,c=0,a=1");
    expect_pair(&model, 0, 0, 0.5, 0.5); /* the jobs take turns */
    model = bound(b, "fitted:unknown_util=1,c=0,a=1,factor=3");
    expect_pair(&model, 0, 0, 0.25, 0.25);
    assert_string_equal(b->note,
                        "jobs: 3 of an unknown workload, 0 of a similar "
                        "one, of 3 !");
}

/* A job about which nothing is known counts as saturating the GPU. Otherwise
 * the model uses the utilisation and memory from the trace. */
static void fitted_asks_the_trace(void **state)
{
    struct bench *b = *state;
    struct job x = {.gpu_util = GPU_UTIL_UNKNOWN}, y = x;
    const struct job *pair[] = {&x, &y};
    double rates[2];
    struct interference model = bound(b, "fitted:a=0.5,p=0.5,q=1.5,c=0.8");
    model.ops->rates(&model, pair, 2, rates);
    double memory = 0.8 * (4301.0 / 24576) * (4301.0 / 24576);
    expect_near(rates[0], 1 / (1 + 0.5 + memory), 1e-12);
    y.gpu_util = 25;
    y.mem_mib = 24576;
    model.ops->rates(&model, pair, 2, rates);
    memory = 0.8 * (4301.0 / 24576);
    expect_near(rates[0], 1 / (1 + 0.5 * 0.125 + memory), 1e-12);
    expect_near(rates[1], 1 / (1 + 0.5 * 0.5 + memory), 1e-12);
}

static void bad_tables_say_where(void **state)
{
    struct bench *b = *state;
    struct pairs pairs;
    struct error err;
    put_file(b, HEAD "alpha,Set,1,32,0,fast,beta,Set,1,32,0,0.8\n");
    assert_int_equal(pairs_read(b->path, "", &b->arena, &pairs, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":2:"));
    assert_non_null(strstr(err.message, "speed1"));
    put_file(b, "gpu,job,partner,job_speed,partner_speed\nv100,a,b,0,0\n");
    assert_int_equal(pairs_read(b->path, "v100", &b->arena, &pairs, &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "no pair of 'v100'"));
}

static const char *shared_file(struct bench *b, const char *name)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "../shared", name);
    if (access(path, R_OK) == 0)
        return arena_copy(&b->arena, path, strlen(path));
    print_message("skipped: ../shared not present\n");
    skip();
    return NULL;
}

/* Other authors published Gavel's throughputs in normalised form. The readers
 * of both forms must give equal rates of pairs, to the precision of the
 * normalised form. */
static void published_throughputs_agree(void **state)
{
    struct bench *b = *state;
    const char *json =
        shared_file(b, "traces/gavel/simulation_throughputs.json");
    const char *csv = shared_file(b, "stats/gavel_colocation.csv");
    static const char *const gpus[] = {"k80", "p100", "v100"};
    struct pairs x, y;
    struct error err;
    for (int g = 0; g < 3; g++) {
        assert_int_equal(pairs_read(json, gpus[g], &b->arena, &x, &err),
                         STATUS_OK);
        assert_int_equal(pairs_read(csv, gpus[g], &b->arena, &y, &err),
                         STATUS_OK);
        assert_int_equal(x.n_pairs, y.n_pairs);
        assert_true(x.n_pairs > 500);
        for (size_t i = 0; i < y.n_pairs; i++) {
            uint32_t one = pairs_key(&x, &y.keys[y.pairs[i].a]);
            uint32_t two = pairs_key(&x, &y.keys[y.pairs[i].b]);
            size_t k = 0;
            while (k < x.n_pairs &&
                   (x.pairs[k].a != one || x.pairs[k].b != two))
                k++;
            assert_true(k < x.n_pairs);
            expect_near(x.pairs[k].speed_a, y.pairs[i].speed_a, 2e-5);
            expect_near(x.pairs[k].speed_b, y.pairs[i].speed_b, 2e-5);
        }
        pairs_fini(&x);
        pairs_fini(&y);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_pair_counts_in_both_orientations),
        TEST(speeds_above_one_are_cut_unless_told),
        TEST(a_missing_pair_is_the_nearest),
        TEST(gavels_formats_agree),
        TEST(three_jobs_multiply),
        TEST(fitted_is_its_formula),
        TEST(fitted_asks_the_trace),
        TEST(bad_tables_say_where),
        TEST(published_throughputs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
