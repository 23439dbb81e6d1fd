/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes limits, batches, step times, gradient statistics and speeds of an
 * application from its tables or its fitted model: the queries of
 * models/elastic/applications.h. */
#include "models/elastic/application_internal.h"

#include <math.h>

#include "base/check.h"

static const struct type_tables *tables(const struct application *app,
                                        uint8_t type)
{
    CHECK(type < app->data->n_types);
    return &app->data->types[type];
}

bool application_runs_on(const struct application *app, uint8_t type)
{
    return type < app->data->n_types && app->data->types[type].there;
}

uint32_t application_most_nodes(const struct application *app, uint8_t type)
{
    return tables(app, type)->most_nodes;
}

struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested)
{
    const struct type_tables *t = tables(app, type);
    double largest = app->largest_batch;
    if (requested > 0 && requested < largest)
        largest = requested;
    return (struct batch_limits){
        .initial = app->initial_batch,
        .largest = largest,
        .local_min = t->local_min,
        .local_max = t->local_max,
    };
}

double application_one_gpu(const struct application *app, uint8_t type)
{
    return tables(app, type)->one_gpu;
}

struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type)
{
    return tables(app, type)->pipeline;
}

bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out)
{
    return tables_step(tables(app, type), placement, local, out);
}

uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement)
{
    return tables_local_max(tables(app, type), placement);
}

double application_epoch_end(const struct application *app, uint32_t e)
{
    CHECK(e <= app->epochs);
    return app->data->ends[e];
}

struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch)
{
    const struct application_data *data = app->data;
    size_t i = 0, stride = app->epochs;
    if (epoch >= app->epochs)
        epoch = app->epochs - 1;
    const struct gradient *at = &data->gradients[epoch];
    while (i < data->n_sizes && data->sizes[i] < total)
        i++;
    if (i == 0)
        return at[0];
    if (i == data->n_sizes)
        return at[(i - 1) * stride];
    double part =
        (total - data->sizes[i - 1]) / (data->sizes[i] - data->sizes[i - 1]);
    struct gradient a = at[(i - 1) * stride], b = at[i * stride];
    return (struct gradient){
        .sqr = a.sqr + part * (b.sqr - a.sqr),
        .var = a.var + part * (b.var - a.var),
    };
}

/* Limits a chosen batch, as Sia's simulator does, to the largest batch per GPU
 * that was measured on this number of GPUs, and to the largest total. */
static struct batch clip(const struct application *app,
                         const struct type_tables *t, uint32_t gpus,
                         struct batch batch)
{
    uint32_t widest = tables_widest(t, gpus);
    double most =
        floor(app->largest_batch / ((double)gpus * (batch.accumulation + 1.0)));
    if (widest && batch.local > widest)
        batch.local = widest;
    if (batch.local > most)
        batch.local = (uint32_t)most;
    return batch;
}

/* Returns the placement with `nodes` lowered to the number of nodes on which
 * the job has GPUs. The list per_node is not changed. */
static struct placement without_empty(struct placement placement)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; placement.per_node && i < placement.nodes; i++)
        nodes += placement.per_node[i] > 0;
    if (placement.per_node)
        placement.nodes = nodes;
    return placement;
}

struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed)
{
    const struct type_tables *t = tables(app, type);
    struct goodput job = {
        .gradient = gradient,
        .limits = application_limits(app, type, 0),
        .pipeline = t->pipeline,
    };
    uint32_t local_max = tables_local_max(t, placement);
    struct batch batch;
    if (t->pipeline.stages)
        return (struct batch){.local = t->pipeline.micro_batches};
    if (local_max)
        job.limits.local_max = local_max;
    if (fixed > 0) {
        batch = batch_divide(
            &job.limits, ceil(fixed / placement.gpus - 1e-8) * placement.gpus,
            placement.gpus);
    } else {
        batch = batch_first(&job.limits, placement.gpus);
        if (model) {
            job.model = *model;
            goodput_best(&job, without_empty(placement).nodes, placement.gpus,
                         &batch);
        }
    }
    return clip(app, t, placement.gpus, batch);
}

struct training_speed application_speed(const struct application *app,
                                        uint8_t type,
                                        struct placement placement,
                                        struct batch batch, uint32_t epoch)
{
    const struct type_tables *t = tables(app, type);
    struct pipeline p = t->pipeline;
    uint32_t replicas = p.stages ? placement.gpus / p.stages : placement.gpus;
    double total = batch_total(batch, replicas);
    struct training_speed speed = {
        .until = app->data->ends[epoch < app->epochs ? epoch + 1 : epoch],
        .gradient = application_gradient(app, total, epoch),
    };
    if (!tables_step(t, placement, p.stages ? 1 : batch.local, &speed.step))
        return speed;
    if (p.stages)
        speed.step.step = pipeline_time(p, speed.step.step, speed.step.sync);
    double time = speed.step.step +
                  (speed.step.step - speed.step.sync) * batch.accumulation;
    speed.rate = gradient_gain(speed.gradient, total / app->initial_batch) /
                 time / app->slowdown;
    return speed;
}
