/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target: reads any bytes as the tables of an application, separated
 * by form feeds: placements, scalability, and epochs at batch sizes 10 and 40.
 * The tables must be read or refused. If they are read, batches and speeds of
 * the application must be valid. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "models/elastic/applications.h"

static const char *const names[] = {"placements-any.csv", "scalability-any.csv",
                                    "validation-10.csv", "validation-40.csv"};
enum { N_NAMES = sizeof names / sizeof *names };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *folder, const char *name,
                       const uint8_t *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f && fwrite(data, 1, size, f) == size);
    CHECK(fclose(f) == 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* Asks for the batch and the speed on a number of nodes and GPUs. Each answer
 * must be valid, also with a model that is fitted to the step time that a job
 * would observe, if one can be fitted. */
static void ask(const struct application *app, uint32_t nodes, uint32_t gpus)
{
    const struct placement on = {NULL, nodes, gpus};
    struct step_samples profile = {0};
    struct step_model model;
    struct gradient g = application_gradient(app, app->initial_batch, 1);
    struct batch batch = application_batch(app, 0, on, NULL, g, 0);
    struct training_speed speed = application_speed(app, 0, on, batch, 0);
    CHECK(speed.rate >= 0 && speed.until > 0);
    if (!(speed.rate > 0))
        return;
    step_samples_add(&profile,
                     (struct step_sample){nodes, gpus, batch.local,
                                          speed.step.step, speed.step.sync});
    if (step_model_fit(profile.rows, profile.n, &model, NULL, NULL) ==
        STATUS_OK) {
        batch = application_batch(app, 0, on, &model, g, 0);
        speed = application_speed(app, 0, on, batch, app->epochs);
        CHECK(speed.rate >= 0 && batch.local > 0);
    }
    step_samples_fini(&profile);
}

static void load(const char *root)
{
    static const char *const types[] = {"any"};
    struct applications *apps;
    const struct application *app;
    CHECK(applications_open(root, types, 1, &apps, NULL) == STATUS_OK);
    if (application_find(apps, "app", &app, NULL) == STATUS_OK) {
        for (uint32_t gpus = 1; gpus <= 12; gpus++)
            ask(app, (gpus + 3) / 4, gpus);
    }
    applications_close(apps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char facts[] =
        "application,epochs,restart_s,penalty_s,slowdown\napp,2,1,1,1\n";
    char root[64] = "/tmp/fuzz-application-XXXXXX", folder[96];
    if (!mkdtemp(root))
        return 0;
    snprintf(folder, sizeof folder, "%s/app", root);
    mkdir(folder, 0700);
    write_file(root, "applications.csv", (const uint8_t *)facts,
               sizeof facts - 1);
    for (size_t i = 0; i < N_NAMES; i++) {
        const uint8_t *end = size ? memchr(data, '\f', size) : NULL;
        size_t len = end ? (size_t)(end - data) : size;
        write_file(folder, names[i], data, len);
        data += len + (end != NULL);
        size -= len + (end != NULL);
    }
    load(root);
    for (size_t i = 0; i < N_NAMES; i++)
        remove_file(folder, names[i]);
    remove_file(root, "applications.csv");
    rmdir(folder);
    rmdir(root);
    return 0;
}
