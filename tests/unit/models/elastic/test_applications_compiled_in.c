/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the compiled-in applications with the measurements of the Sia
 * artefact to which they were fitted. Skipped if the artefact is absent. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/elastic/elastic_internal.h"
#include "tests/support/sia_artefact.h"

static const char *const all_types[] = {"aws",     "azure", "dgx",
                                        "dgx-ext", "quad",  "rtx"};
#define N_ALL 6

/* Returns the root mean square of the relative errors of fitted step times on
 * one node and on several full nodes; INFINITY if a time is missing. */
static double dense_rms(const struct application *tables,
                        const struct application *fitted, uint8_t type)
{
    const struct type_tables *t = &tables->data->types[type];
    double squares = 0, n = 0;
    for (size_t i = 0; i < t->shapes.n; i++) {
        const struct step_curve *curve = &t->shapes.at[i];
        const struct placement on = {NULL, curve->nodes, curve->gpus};
        for (size_t k = 0;
             k < curve->n && tables_dense(t, curve->nodes, curve->gpus);
             k++, n++) {
            struct step_time a, b;
            double local = curve->points[k].local;
            if (!application_step(tables, type, on, local, &a) ||
                !application_step(fitted, type, on, local, &b))
                return INFINITY;
            squares += (b.step / a.step - 1) * (b.step / a.step - 1);
        }
    }
    return sqrt(squares / n);
}

/* Raises *efficiency and *end to the largest errors in the epochs of an
 * application. *efficiency: error of the efficiency at the largest batch, with
 * the gradient at each measured batch size. *end: error of the end of an epoch,
 * in epochs. */
static void epoch_errors(const struct application *tables,
                         const struct application *fitted, double *efficiency,
                         double *end)
{
    double one = application_epoch_end(tables, tables->epochs) / tables->epochs;
    for (uint32_t e = 0; e < tables->epochs; e++) {
        double a = application_epoch_end(tables, e + 1);
        double b = application_epoch_end(fitted, e + 1);
        *end = fmax(*end, fabs(a - b) / one);
        for (size_t i = 0; i < tables->data->n_sizes; i++) {
            double size = tables->data->sizes[i];
            double scale = tables->largest_batch / tables->initial_batch;
            *efficiency =
                fmax(*efficiency,
                     fabs(goodput_efficiency(
                              application_gradient(tables, size, e), scale) -
                          goodput_efficiency(
                              application_gradient(fitted, size, e), scale)));
        }
    }
}

static bool check_type(const struct application *tables,
                       const struct application *fitted, uint8_t type,
                       const json_t *entry)
{
    const struct type_tables *a = &tables->data->types[type];
    const struct type_tables *b = &fitted->data->types[type];
    double claim = json_number_value(
        json_object_get(json_object_get(entry, "quality"), "dense_rms"));
    if (!a->there || !b->there || a->pipeline.stages)
        return a->there == b->there && a->pipeline.stages == b->pipeline.stages;
    double rms = dense_rms(tables, fitted, type);
    return fabs(rms - claim) < 1e-3 && a->local_min == b->local_min &&
           a->local_max == b->local_max && a->most_nodes == b->most_nodes &&
           fabs(a->one_gpu / b->one_gpu - 1) < 1e-4;
}

static const char *check_compiled_in(struct sia_artefact *sia, const char *file)
{
    char path[4096];
    struct applications *measured = NULL, *compiled = NULL;
    const struct application *a, *b;
    const char *root = getenv("SCHEDSIM_ROOT"), *name, *wrong = NULL;
    double efficiency = 0, end = 0;
    json_t *entry;
    size_t n = 0;
    (void)file;
    snprintf(path, sizeof path, "%s/models/elastic/applications.json",
             root ? root : ".");
    json_t *claims = json_load_file(path, 0, NULL);
    snprintf(path, sizeof path, "%s/traces/sia/profiles", sia->folder);
    if (applications_open(path, all_types, N_ALL, &measured, &sia->err) !=
            STATUS_OK ||
        applications_open(NULL, all_types, N_ALL, &compiled, &sia->err) !=
            STATUS_OK)
        wrong = sia->err.message;
    json_object_foreach(json_object_get(claims, "applications"), name, entry)
    {
        if (wrong)
            break;
        if (application_find(measured, name, &a, &sia->err) != STATUS_OK ||
            application_find(compiled, name, &b, &sia->err) != STATUS_OK) {
            wrong = sia->err.message;
            break;
        }
        epoch_errors(a, b, &efficiency, &end);
        for (uint8_t t = 0; t < N_ALL && !wrong; t++, n++) {
            if (!check_type(a, b, t,
                            json_object_get(json_object_get(entry, "types"),
                                            all_types[t])))
                wrong = "a fit is not as good as it claims";
        }
    }
    printf("# compiled in: %zu fits, efficiency at most %.3f off, ends of "
           "epochs %.4f epochs\n",
           n, efficiency, end);
    applications_close(measured);
    applications_close(compiled);
    json_decref(claims);
    if (wrong)
        return wrong;
    return n == 42 && efficiency < 0.021 && end < 0.011 ? NULL : "other epochs";
}

int main(void)
{
    static const struct sia_check checks[] = {
        {.name = "what is compiled in is as good as it claims",
         .run = check_compiled_in},
    };
    return sia_artefact_run(checks, sizeof checks / sizeof *checks);
}
