/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures four costs: reading the applications, a fit of the throughput model
 * by the number of its rows, one maximisation of goodput over batch sizes, and
 * computing the batch and speed of a running job. The jobs train the
 * compiled-in applications, or those of the directory of tables that is the
 * argument, on the cluster of the Sia paper and use its 19 shapes in turn.
 * Checksums cover the results; every compiler and build must give the same
 * ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/text.h"
#include "models/elastic/applications.h"

enum { FITS = 400, ROUNDS = 2000, N_APPS = 5, N_TYPES = 3, N_SHAPES = 19 };

static const char *const names[N_APPS] = {"bert", "cifar10", "deepspeech2",
                                          "imagenet", "yolov3"};
static const char *const types[N_TYPES] = {"aws", "dgx-ext", "rtx"};
static const struct {
    uint8_t type;
    uint32_t nodes, gpus;
} shapes[N_SHAPES] = {
    {.type = 0, .nodes = 1, .gpus = 1},  {.type = 0, .nodes = 1, .gpus = 2},
    {.type = 0, .nodes = 1, .gpus = 4},  {.type = 0, .nodes = 2, .gpus = 8},
    {.type = 0, .nodes = 3, .gpus = 12}, {.type = 0, .nodes = 4, .gpus = 16},
    {.type = 0, .nodes = 5, .gpus = 20}, {.type = 0, .nodes = 6, .gpus = 24},
    {.type = 1, .nodes = 1, .gpus = 1},  {.type = 1, .nodes = 1, .gpus = 2},
    {.type = 1, .nodes = 1, .gpus = 4},  {.type = 1, .nodes = 1, .gpus = 8},
    {.type = 1, .nodes = 2, .gpus = 16}, {.type = 2, .nodes = 1, .gpus = 1},
    {.type = 2, .nodes = 1, .gpus = 2},  {.type = 2, .nodes = 1, .gpus = 4},
    {.type = 2, .nodes = 1, .gpus = 8},  {.type = 2, .nodes = 2, .gpus = 16},
    {.type = 2, .nodes = 3, .gpus = 24},
};

static double cpu_seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static uint64_t checksum(uint64_t sum, const void *at, size_t len)
{
    return sum * 31 + text_hash((struct text){at, len});
}

/* Draws a step time on a random shape of the first GPU type, with the noise of
 * a measurement, so that no two rows are equal. */
static struct step_sample draw_row(gsl_rng *rng, const struct application *app)
{
    struct step_time step;
    for (;;) {
        size_t i = rng_below(rng, N_SHAPES);
        struct placement p = {NULL, shapes[i].nodes, shapes[i].gpus};
        struct batch_limits limits = application_limits(app, shapes[i].type, 0);
        uint32_t most = application_local_max(app, shapes[i].type, p);
        if (shapes[i].type != 0 || most < limits.local_min)
            continue;
        uint32_t local =
            limits.local_min + rng_below(rng, most - limits.local_min + 1);
        if (!application_step(app, shapes[i].type, p, local, &step))
            continue;
        double noise = 0.95 + 0.1 * gsl_rng_uniform(rng);
        return (struct step_sample){p.nodes, p.gpus, local, step.step * noise,
                                    step.sync * noise};
    }
}

static enum status bench_fits(const struct application *const *apps, size_t n,
                              struct error *err)
{
    gsl_rng *rng = rng_open(1, "bench");
    uint64_t sum = 0;
    double seconds = 0;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < FITS && st == STATUS_OK; i++) {
        struct step_samples profile = {0};
        struct step_model model;
        while (profile.n < n)
            step_samples_add(&profile, draw_row(rng, apps[i % N_APPS]));
        double start = cpu_seconds();
        st = step_model_fit(profile.rows, profile.n, &model, NULL, err);
        seconds += cpu_seconds() - start;
        sum = checksum(sum, &model, sizeof model);
        step_samples_fini(&profile);
    }
    printf("| fit of %zu rows | %.1f us | %016" PRIx64 " |\n", n,
           seconds / FITS * 1e6, sum);
    rng_free(rng);
    return st;
}

/* Fits a model for each application and GPU type. The types of an application
 * share five drawn rows. */
static enum status know(const struct application *const *apps,
                        struct goodput out[N_APPS][N_TYPES], struct error *err)
{
    gsl_rng *rng = rng_open(2, "bench");
    enum status st = STATUS_OK;
    for (size_t a = 0; a < N_APPS; a++) {
        struct step_samples profile = {0};
        while (profile.n < 5)
            step_samples_add(&profile, draw_row(rng, apps[a]));
        for (uint8_t t = 0; t < N_TYPES && st == STATUS_OK; t++) {
            struct goodput *g = &out[a][t];
            g->limits = application_limits(apps[a], t, 0);
            g->gradient = application_gradient(apps[a], 0, 1);
            st = step_model_fit(profile.rows, profile.n, &g->model, NULL, err);
        }
        step_samples_fini(&profile);
    }
    rng_free(rng);
    return st;
}

static void bench_best(struct goodput known[N_APPS][N_TYPES])
{
    uint64_t sum = 0, n = 0;
    double start = cpu_seconds();
    for (size_t i = 0; i < ROUNDS; i++) {
        for (size_t a = 0; a < N_APPS; a++) {
            for (size_t s = 0; s < N_SHAPES; s++, n++) {
                struct batch batch = {0};
                double value =
                    goodput_best(&known[a][shapes[s].type], shapes[s].nodes,
                                 shapes[s].gpus, &batch);
                sum = checksum(sum, &value, sizeof value) + batch.local;
            }
        }
    }
    printf("| maximisation of goodput | %.2f us | %016" PRIx64 " |\n",
           (cpu_seconds() - start) / (double)n * 1e6, sum);
}

static void bench_speed(const struct application *const *apps,
                        struct goodput known[N_APPS][N_TYPES])
{
    uint64_t sum = 0, n = 0;
    double start = cpu_seconds();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (size_t a = 0; a < N_APPS; a++, n++) {
            size_t s = (i + a) % N_SHAPES;
            uint8_t t = shapes[s].type;
            struct placement p = {NULL, shapes[s].nodes, shapes[s].gpus};
            struct batch batch = application_batch(
                apps[a], t, p, &known[a][t].model, known[a][t].gradient, 0);
            struct training_speed speed =
                application_speed(apps[a], t, p, batch, i % apps[a]->epochs);
            sum = checksum(sum, &speed.rate, sizeof speed.rate);
        }
    }
    printf("| batch and speed of a running job | %.2f us | %016" PRIx64 " |\n",
           (cpu_seconds() - start) / (double)n * 1e6, sum);
}

int main(int argc, char **argv)
{
    static struct goodput known[N_APPS][N_TYPES];
    const struct application *apps[N_APPS];
    struct applications *all = NULL;
    struct error err;
    double start = cpu_seconds();
    enum status st = applications_open(argc > 1 ? argv[1] : NULL, types,
                                       N_TYPES, &all, &err);
    for (size_t i = 0; i < N_APPS && st == STATUS_OK; i++)
        st = application_find(all, names[i], &apps[i], &err);
    printf("| what | CPU time | checksum |\n| --- | ---: | --- |\n");
    if (st == STATUS_OK)
        printf("| five applications read, %s | %.0f us | |\n",
               argc > 1 ? "tables" : "compiled in",
               (cpu_seconds() - start) * 1e6);
    for (size_t n = 1; n <= 30 && st == STATUS_OK; n += n < 5 ? 4 : 5)
        st = bench_fits(apps, n, &err);
    if (st == STATUS_OK)
        st = know(apps, known, &err);
    if (st == STATUS_OK) {
        bench_best(known);
        bench_speed(apps, known);
    } else {
        fprintf(stderr, "bench_goodput: %s\n", err.message);
    }
    applications_close(all);
    return status_exit(st);
}
