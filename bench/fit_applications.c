/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a new models/elastic/applications.json. For each application and GPU
 * type in a directory of tables, it finds the seven parameters of the
 * throughput model that fit best and reports how well they fit. Epochs become
 * series with few knots (bench/knots.h).
 *
 *     fit_applications DIR models/elastic/applications.json > NEW.json
 *
 * What the tables do not contain (sources, types, constants, pipelines) is
 * copied from the second file. Nothing is random. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/knots.h"
#include "models/elastic/elastic_internal.h"

struct tool {
    const char *dir;
    const json_t *old;
    struct applications *apps;
    struct arena arena;
    struct error err;
};

/* Adds batch sizes, ends of epochs and signal shares, sqr / (sqr + var), to an
 * entry. */
static void add_epochs(const struct application *app, json_t *entry)
{
    const struct application_data *data = app->data;
    json_t *sizes = json_array(), *signal = json_array();
    double *shares = mem_alloc(app->epochs * sizeof *shares);
    for (size_t i = 0; i < data->n_sizes; i++) {
        for (size_t e = 0; e < app->epochs; e++) {
            struct gradient g = data->gradients[i * app->epochs + e];
            shares[e] = g.sqr + g.var > 0 ? g.sqr / (g.sqr + g.var) : 0;
        }
        struct knot_series s = {
            .at = shares,
            .n = app->epochs,
            .distance = share_distance,
            .scale = app->largest_batch / app->initial_batch,
        };
        json_array_append_new(sizes, json_integer((int)data->sizes[i]));
        json_array_append_new(signal, knots_of(&s));
    }
    struct knot_series ends = {
        .at = data->ends, .n = app->epochs + 1, .distance = end_distance};
    json_object_set_new(entry, "batches", sizes);
    json_object_set_new(entry, "ends", knots_of(&ends));
    json_object_set_new(entry, "signal", signal);
    free(shares);
}

/* Returns the points of all averaged shapes as rows for a fit, and sets *n to
 * their number. The caller frees the array. */
static struct step_sample *rows_of(const struct curves *shapes, size_t *n)
{
    struct step_sample *rows = NULL;
    size_t cap = 0;
    *n = 0;
    for (size_t i = 0; i < shapes->n; i++) {
        const struct step_curve *curve = &shapes->at[i];
        for (size_t k = 0; k < curve->n; k++) {
            rows = mem_grow(rows, &cap, *n + 1, sizeof *rows);
            rows[(*n)++] = (struct step_sample){
                .nodes = curve->nodes,
                .gpus = curve->gpus,
                .local = (uint32_t)curve->points[k].local,
                .step = curve->points[k].step,
                .sync = curve->points[k].sync,
            };
        }
    }
    return rows;
}

/* Returns the curve of a dense shape: the one that was measured in exactly this
 * placement if there is one, otherwise the averaged one. */
static const struct step_curve *dense_curve(const struct type_tables *t,
                                            size_t i)
{
    const struct step_curve *shape = &t->shapes.at[i];
    for (size_t k = 0; k < t->placements.n; k++) {
        const struct step_curve *at = &t->placements.at[k];
        if (at->nodes == shape->nodes && at->gpus == shape->gpus &&
            at->per_node[0] == at->per_node[at->nodes - 1])
            return at;
    }
    return shape;
}

/* Sums, over the batch sizes of a shape, of the ratio of predicted to measured
 * time and of its square, for factor(). */
struct factor_sum {
    double once, squared;
};

static void add_ratio(struct factor_sum *sum, double ratio)
{
    sum->once += ratio;
    sum->squared += ratio * ratio;
}

/* Returns the factor for predicted times that minimises the sum of their
 * squared relative errors, rounded to three decimals. */
static json_t *factor(struct factor_sum sum)
{
    return json_real(round(sum.once / sum.squared * 1000) / 1000);
}

/* Returns [GPUs, factor of compute time, factor of step time] for each dense
 * shape. */
static json_t *dense_factors(const struct type_tables *t,
                             const struct step_model *model)
{
    json_t *out = json_array();
    for (size_t i = 0; i < t->shapes.n; i++) {
        const struct step_curve *at = dense_curve(t, i);
        struct factor_sum compute = {0}, step = {0};
        if (!tables_dense(t, at->nodes, at->gpus))
            continue;
        for (size_t k = 0; k < at->n; k++) {
            const struct step_point *p = &at->points[k];
            add_ratio(&compute,
                      step_model_grad(model, p->local) / (p->step - p->sync));
            add_ratio(&step,
                      step_model_step(model, at->nodes, at->gpus, p->local) /
                          p->step);
        }
        json_array_append_new(out, json_pack("[i,o,o]", (int)at->gpus,
                                             factor(compute), factor(step)));
    }
    return out;
}

/* Fits the time that a pipeline takes to exchange gradients: one straight line
 * through the rows on one node, and one through those on several. */
static void fit_pipeline(const struct step_sample *rows, size_t n,
                         struct step_model *out)
{
    *out = (struct step_model){.alpha_c = GOODPUT_TINY,
                               .beta_c = GOODPUT_TINY,
                               .alpha_n = GOODPUT_TINY,
                               .beta_n = GOODPUT_TINY,
                               .alpha_r = GOODPUT_TINY,
                               .beta_r = GOODPUT_TINY,
                               .gamma = 1};
    for (int several = 0; several < 2; several++) {
        double count = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (size_t i = 0; i < n; i++) {
            double more = rows[i].gpus > 2 ? rows[i].gpus - 2.0 : 0;
            if ((rows[i].nodes > 1) != several)
                continue;
            count++;
            x += more;
            y += rows[i].sync;
            xx += more * more;
            xy += more * rows[i].sync;
        }
        double spread = count * xx - x * x;
        double beta = spread > 0 ? (count * xy - x * y) / spread : 0;
        double alpha = count > 0 ? (y - beta * x) / count : 0;
        *(several ? &out->alpha_n : &out->alpha_r) = fmax(alpha, GOODPUT_TINY);
        *(several ? &out->beta_n : &out->beta_r) = fmax(beta, GOODPUT_TINY);
    }
}

/* Returns the number of rows, and the largest relative error of the fitted
 * times to exchange gradients. */
static json_t *pipeline_quality(const struct step_model *model,
                                const struct step_sample *rows, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double sync = step_model_sync(model, rows[i].nodes, rows[i].gpus);
        worst = fmax(worst, fabs(sync / rows[i].sync - 1));
    }
    return json_pack("{s:i,s:o}", "rows", (int)n, "sync_worst",
                     knots_number(worst));
}

/* Returns the number, the root mean square and the maximum of the relative
 * errors of predicted step times, for dense shapes and for all shapes. */
static json_t *quality(const struct type_tables *t,
                       const struct type_tables *fitted)
{
    double squares[2] = {0}, worst[2] = {0};
    int n[2] = {0};
    for (size_t i = 0; i < t->shapes.n; i++) {
        bool dense =
            tables_dense(t, t->shapes.at[i].nodes, t->shapes.at[i].gpus);
        const struct step_curve *at =
            dense ? dense_curve(t, i) : &t->shapes.at[i];
        for (size_t k = 0; k < at->n; k++) {
            struct step_time step;
            if (!fitted_shape_step(fitted, at->nodes, at->gpus,
                                   at->points[k].local, &step))
                continue;
            double off = step.step / at->points[k].step - 1;
            for (int all = !dense; all < 2; all++) {
                squares[all] += off * off;
                worst[all] = fmax(worst[all], fabs(off));
                n[all]++;
            }
        }
    }
    return json_pack("{s:i,s:o,s:o,s:i,s:o,s:o}", "dense", n[0], "dense_rms",
                     knots_number(sqrt(squares[0] / n[0])), "dense_worst",
                     knots_number(worst[0]), "all", n[1], "all_rms",
                     knots_number(sqrt(squares[1] / n[1])), "all_worst",
                     knots_number(worst[1]));
}

/* Adds the largest batch per GPU, for each number of GPUs at which it changes,
 * the range of sizes that were measured, the number of GPUs of a node, the
 * number of nodes, and the speed of one GPU (application_one_gpu). */
static void add_limits(const struct type_tables *t, json_t *entry)
{
    json_t *limits = json_array();
    uint32_t before = 0, node = t->node_gpus;
    for (uint32_t gpus = 1; gpus <= node * t->most_nodes; gpus++) {
        uint32_t nodes = (gpus + node - 1) / node;
        if (gpus > node && gpus % node != 0)
            continue;
        uint32_t most = tables_local_max(
            t, (struct placement){.nodes = nodes, .gpus = gpus});
        if (most && most != before)
            json_array_append_new(limits,
                                  json_pack("[i,i]", (int)gpus, (int)most));
        before = most ? most : before;
    }
    json_object_set_new(entry, "least", json_integer(t->local_min));
    json_object_set_new(entry, "most", json_integer(t->local_max));
    json_object_set_new(entry, "node_gpus", json_integer(t->node_gpus));
    json_object_set_new(entry, "nodes", json_integer(t->most_nodes));
    json_object_set_new(entry, "one_gpu", knots_number(t->one_gpu));
    json_object_set_new(entry, "local", limits);
}

/* Rounds the parameters in place and returns them as a list. */
static json_t *rounded_model(struct step_model *model)
{
    json_t *list = json_array();
    double parameters[STEP_MODEL_SIZE];
    memcpy(parameters, model, sizeof *model);
    for (size_t i = 0; i < STEP_MODEL_SIZE; i++) {
        parameters[i] = knots_round(parameters[i]);
        json_array_append_new(list, knots_number(parameters[i]));
    }
    memcpy(model, parameters, sizeof *model);
    return list;
}

static enum status add_type(struct tool *tool, const struct type_tables *t,
                            json_t *entry)
{
    struct step_model model;
    enum status st = STATUS_OK;
    size_t n;
    struct step_sample *rows = rows_of(&t->shapes, &n);
    if (t->pipeline.stages)
        fit_pipeline(rows, n, &model);
    else
        st = step_model_fit(rows, n, &model, NULL, &tool->err);
    json_object_set_new(entry, "model", rounded_model(&model));
    if (t->pipeline.stages) {
        json_object_set_new(entry, "quality",
                            pipeline_quality(&model, rows, n));
        json_object_set_new(entry, "stage_s", knots_number(t->pipeline.stage));
    } else {
        json_t *factors = dense_factors(t, &model);
        struct type_tables fitted = {.fitted = true, .model = model};
        application_factors(&tool->arena, factors, &fitted);
        fitted.node_gpus = t->node_gpus;
        json_object_set_new(entry, "quality", quality(t, &fitted));
        json_object_set_new(entry, "dense", factors);
    }
    add_limits(t, entry);
    free(rows);
    return st;
}

static enum status add_application(struct tool *tool, const char *name,
                                   json_t *entry)
{
    static const char *const copied[] = {"constants", "local_max", "pipeline"};
    const json_t *old =
        json_object_get(json_object_get(tool->old, "applications"), name);
    const struct application *app;
    json_t *types = json_object();
    enum status st = application_find(tool->apps, name, &app, &tool->err);
    for (size_t i = 0; i < 3; i++) {
        json_t *value = json_object_get(old, copied[i]);
        if (value)
            json_object_set(entry, copied[i], value);
    }
    json_object_set_new(entry, "types", types);
    for (size_t i = 0; st == STATUS_OK && i < tool->apps->n_types; i++) {
        const struct type_tables *t = &app->data->types[i];
        json_t *at = json_object();
        if (t->there)
            json_object_set(types, tool->apps->types[i], at);
        if (t->there)
            st = add_type(tool, t, at);
        json_decref(at);
    }
    if (st == STATUS_OK)
        add_epochs(app, entry);
    return st;
}

/* Prints the members of an object with each list on one line, so that a diff is
 * readable. */
static void print_members(const json_t *object, int depth)
{
    const char *key;
    const json_t *value;
    size_t i = 0, n = json_object_size(object);
    void *iter = json_object_iter((json_t *)(uintptr_t)object);
    printf("{\n");
    for (; iter;
         iter = json_object_iter_next((json_t *)(uintptr_t)object, iter)) {
        key = json_object_iter_key(iter);
        value = json_object_iter_value(iter);
        printf("%*s\"%s\": ", depth, "", key);
        if (json_is_object(value) && depth < 5) {
            print_members(value, depth + 1);
        } else {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
                                               JSON_REAL_PRECISION(6));
            fputs(text, stdout);
            free(text);
        }
        fputs(++i < n ? ",\n" : "\n", stdout);
    }
    printf("%*s}", depth - 1, "");
}

static enum status fit_all(struct tool *tool, json_t *out)
{
    json_t *old = json_object_get(tool->old, "applications");
    json_t *all = json_object();
    const char *name;
    enum status st = STATUS_OK;
    json_t *value;
    json_object_set(out, "source", json_object_get(tool->old, "source"));
    json_object_set(out, "types", json_object_get(tool->old, "types"));
    json_object_set_new(out, "applications", all);
    json_object_foreach(old, name, value)
    {
        json_t *entry = json_object();
        if (st == STATUS_OK)
            st = add_application(tool, name, entry);
        json_object_set_new(all, name, entry);
    }
    return st;
}

int main(int argc, char **argv)
{
    struct tool tool = {0};
    const char *types[APPLICATION_TYPES_MAX], *name;
    size_t n = 0;
    json_t *value, *out = json_object();
    if (argc != 3) {
        fputs("usage: fit_applications DIR models/elastic/applications.json\n",
              stderr);
        return 2;
    }
    arena_init(&tool.arena);
    tool.dir = argv[1];
    tool.old = json_load_file(argv[2], 0, NULL);
    json_object_foreach(json_object_get(tool.old, "types"), name, value)
    {
        types[n++] = name;
    }
    enum status st =
        applications_open(tool.dir, types, n, &tool.apps, &tool.err);
    if (st == STATUS_OK)
        st = fit_all(&tool, out);
    if (st == STATUS_OK) {
        print_members(out, 1);
        putchar('\n');
    } else {
        fprintf(stderr, "fit_applications: %s\n", tool.err.message);
    }
    applications_close(tool.apps);
    arena_fini(&tool.arena);
    json_decref(out);
    json_decref((json_t *)(uintptr_t)tool.old);
    return status_exit(st);
}
