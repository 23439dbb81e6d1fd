/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads an application from its entry in models/elastic/applications.json, a
 * compiled-in file that bench/fit_applications.c writes. The file stores a
 * series as knots, between which values are interpolated linearly. */
#include <string.h>

#include "models/elastic/application_internal.h"

struct reader {
    struct applications *apps;
    const struct application_facts *facts;
    struct error *err;
};

static enum status bad(const struct reader *r, const char *what)
{
    return error_set(r->err, STATUS_BAD_INPUT, "applications: %s: %s",
                     r->facts->name, what);
}

/* Returns element `which` of the i-th list in `knots`; 0 if there is none. */
static double pair(const json_t *knots, size_t i, size_t which)
{
    return json_number_value(json_array_get(json_array_get(knots, i), which));
}

/* Interpolates linearly between the knots [index, value], which are sorted by
 * index, and writes the values at 0 .. n-1. Outside the range of the knots, a
 * value equals that of the nearest knot. Returns false if there is no knot. */
static bool spread(const json_t *knots, double *out, size_t n)
{
    size_t count = json_array_size(knots), k = 0;
    for (size_t i = 0; i < n && count > 0; i++) {
        double at = (double)i;
        while (k + 1 < count && pair(knots, k + 1, 0) <= at)
            k++;
        out[i] = pair(knots, k, 1);
        if (k + 1 < count && at > pair(knots, k, 0))
            out[i] += (pair(knots, k + 1, 1) - out[i]) *
                      (at - pair(knots, k, 0)) /
                      (pair(knots, k + 1, 0) - pair(knots, k, 0));
    }
    return count > 0;
}

static enum status read_epochs(const struct reader *r, struct application *out)
{
    const json_t *entry = r->facts->entry;
    const json_t *sizes = json_object_get(entry, "batches");
    const json_t *signal = json_object_get(entry, "signal");
    struct application_data *data = out->data;
    struct arena *arena = &r->apps->arena;
    size_t n = json_array_size(sizes), epochs = out->epochs;
    double *values = ARENA_ARRAY(arena, double, epochs);
    data->ends = ARENA_ARRAY(arena, double, epochs + 1);
    data->sizes = ARENA_ARRAY(arena, double, n);
    data->gradients = ARENA_ARRAY(arena, struct gradient, n * epochs);
    data->n_sizes = n;
    if (n == 0 || json_array_size(signal) != n ||
        !spread(json_object_get(entry, "ends"), data->ends, epochs + 1))
        return bad(r, "no batches, signal or ends");
    for (size_t i = 0; i < n; i++) {
        data->sizes[i] = json_number_value(json_array_get(sizes, i));
        if (!spread(json_array_get(signal, i), values, epochs))
            return bad(r, "no signal");
        for (size_t e = 0; e < epochs; e++)
            data->gradients[i * epochs + e] =
                (struct gradient){.sqr = values[e], .var = 1 - values[e]};
    }
    out->initial_batch = data->sizes[0];
    out->largest_batch = data->sizes[n - 1];
    return STATUS_OK;
}

void application_factors(struct arena *arena, const json_t *list,
                         struct type_tables *t)
{
    t->n_factors = json_array_size(list);
    t->factors = ARENA_ARRAY(arena, struct shape_factor, t->n_factors);
    for (size_t i = 0; i < t->n_factors; i++)
        t->factors[i] = (struct shape_factor){
            .gpus = (uint32_t)pair(list, i, 0),
            .compute = pair(list, i, 1),
            .step = pair(list, i, 2),
        };
}

static enum status read_type(const struct reader *r, const json_t *at,
                             const char *type, struct type_tables *t)
{
    const json_t *model = json_object_get(at, "model");
    const json_t *limits = json_object_get(at, "local");
    double *parameters = &t->model.alpha_c;
    if (json_array_size(model) != STEP_MODEL_SIZE || !json_array_size(limits))
        return bad(r, "no model or local");
    for (size_t i = 0; i < STEP_MODEL_SIZE; i++)
        parameters[i] = json_number_value(json_array_get(model, i));
    t->n_limits = json_array_size(limits);
    t->limits = ARENA_ARRAY(&r->apps->arena, struct local_limit, t->n_limits);
    for (size_t i = 0; i < t->n_limits; i++)
        t->limits[i] = (struct local_limit){
            .gpus = (uint32_t)pair(limits, i, 0),
            .local_max = (uint32_t)pair(limits, i, 1),
        };
    application_factors(&r->apps->arena, json_object_get(at, "dense"), t);
    t->node_gpus =
        (uint32_t)json_integer_value(json_object_get(at, "node_gpus"));
    t->local_min = (uint32_t)json_integer_value(json_object_get(at, "least"));
    t->local_max = (uint32_t)json_integer_value(json_object_get(at, "most"));
    t->most_nodes = (uint32_t)json_integer_value(json_object_get(at, "nodes"));
    t->one_gpu = json_number_value(json_object_get(at, "one_gpu"));
    t->pipeline = application_stages(r->facts, type);
    t->pipeline.stage = json_number_value(json_object_get(at, "stage_s"));
    t->fitted = t->there = true;
    return t->local_min && t->local_max && t->most_nodes
               ? STATUS_OK
               : bad(r, "no least, most or nodes");
}

enum status application_fitted(struct applications *apps,
                               const struct application_facts *facts,
                               struct application *out, struct error *err)
{
    struct reader r = {.apps = apps, .facts = facts, .err = err};
    const json_t *types = json_object_get(facts->entry, "types");
    bool any = false;
    enum status st = read_epochs(&r, out);
    for (size_t i = 0; i < apps->n_types && st == STATUS_OK; i++) {
        const char *type = application_type_name(apps, apps->types[i]);
        const json_t *at = json_object_get(types, type);
        if (!at)
            continue; /* the application does not run on this type */
        st = read_type(&r, at, type, &out->data->types[i]);
        any = true;
    }
    return st != STATUS_OK || any ? st
                                  : bad(&r, "no coefficients for any GPU type "
                                            "of the cluster");
}
