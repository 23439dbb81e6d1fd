/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares step times and fits with the results of the simulator of the Sia
 * artefact, and chooses batch sizes on random placements. Skipped if the
 * artefact is absent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/rows.h"
#include "models/elastic/applications.h"
#include "tests/support/sia_artefact.h"

static const struct rows_column columns[] = {
    {"application", true},  {"gpu_type", true},    {"placement", true},
    {"local_bsz", true},    {"step_time_s", true}, {"sync_time_s", true},
    {"max_local_bsz", true}};

struct step_row_read {
    char application[32];
    uint8_t type;
    struct placement placement;
    double local, step, sync, local_max;
};

static bool read_row(const struct rows *rows, const int16_t *at,
                     struct step_row_read *out)
{
    struct text rest = rows_cell(rows, at[2]), name = rows_cell(rows, at[0]);
    *out = (struct step_row_read){.type = sia_type_of(rows_cell(rows, at[1]))};
    snprintf(out->application, sizeof out->application, "%.*s",
             TEXT_ARGS(name));
    while (rest.len) {
        struct text digits = text_split(rest, '+', &rest);
        uint32_t gpus;
        if (!text_to_u32(digits, &gpus))
            return false;
        out->placement.nodes++;
        out->placement.gpus += gpus;
    }
    return out->type < SIA_TYPES &&
           text_to_double(rows_cell(rows, at[3]), &out->local) &&
           text_to_double(rows_cell(rows, at[4]), &out->step) &&
           text_to_double(rows_cell(rows, at[5]), &out->sync) &&
           text_to_double(rows_cell(rows, at[6]), &out->local_max);
}

/* Sets *out to the larger of two errors of our times for a row: of the step and
 * of its exchange, both relative to the artefact's step time. Returns false if
 * we have no step time or another largest batch. */
static bool step_error(struct sia_artefact *sia,
                       const struct step_row_read *row, double *out)
{
    const struct application *app;
    struct step_time step;
    if (application_find(sia->apps, row->application, &app, &sia->err) !=
            STATUS_OK ||
        !application_step(app, row->type, row->placement, row->local, &step) ||
        application_local_max(app, row->type, row->placement) !=
            (uint32_t)row->local_max)
        return false;
    *out = fmax(fabs(step.step - row->step), fabs(step.sync - row->sync)) /
           row->step;
    return true;
}

/* Checks all step times of a file. Placements of 20 GPUs are counted
 * separately, because only their times depend on the triangulation that the
 * interpolation uses. */
static const char *check_steps(struct sia_artefact *sia, const char *name)
{
    struct rows *rows = NULL;
    struct step_row_read row;
    double worst[2] = {0}, sum[2] = {0}, error = 0;
    size_t n[2] = {0};
    int16_t at[7];
    static char words[256];
    enum status st = rows_open(sia_artefact_file(sia, name), &rows, &sia->err);
    if (st == STATUS_OK)
        st = rows_header(rows, columns, 7, at, &sia->err);
    while (st == STATUS_OK && (st = rows_next(rows, &sia->err)) == STATUS_OK) {
        if (!read_row(rows, at, &row) || !step_error(sia, &row, &error)) {
            snprintf(words, sizeof words, "line %u: no answer: %.100s",
                     (unsigned)rows_line_number(rows), sia->err.message);
            rows_close(rows);
            return words;
        }
        bool free = row.placement.gpus == 20;
        worst[free] = fmax(worst[free], error);
        sum[free] += error;
        n[free]++;
    }
    rows_close(rows);
    printf("# steps: %zu rows, worst %.1e; 20 GPUs: %zu rows, worst %.4f, mean "
           "%.4f\n",
           n[0], worst[0], n[1], worst[1], sum[1] / (double)n[1]);
    if (st != STATUS_END)
        return sia->err.message;
    return n[0] + n[1] == 2117 && worst[0] < 1e-14 && worst[1] < 0.075 &&
                   sum[1] / (double)n[1] < 0.01
               ? NULL
               : "other step times";
}

static double number(const json_t *at, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(at, key), i));
}

static size_t read_case(const json_t *at, struct step_sample *rows, size_t room)
{
    size_t n = json_array_size(json_object_get(at, "nodes"));
    for (size_t i = 0; i < n && i < room; i++) {
        double step = number(at, "step_s", i);
        rows[i] = (struct step_sample){
            .nodes = (uint32_t)number(at, "nodes", i),
            .gpus = (uint32_t)number(at, "replicas", i),
            .local = (uint32_t)number(at, "local_bsz", i),
            .step = step,
            .sync = step - number(at, "compute_s", i),
        };
    }
    return n < room ? n : room;
}

/* Returns by how much the error of our model at a row exceeds the accepted
 * error; negative if it is below. Errors are logarithms of ratios. The accepted
 * error is the larger of the error of the reference's converged model and sync
 * / step, which measures how ambiguous the row is. */
static double beyond(const struct step_model *ours,
                     const struct step_model *theirs,
                     const struct step_sample *row)
{
    double a = step_model_step(ours, row->nodes, row->gpus, row->local);
    double b = step_model_step(theirs, row->nodes, row->gpus, row->local);
    double off = fabs(log(a / row->step)), off_b = fabs(log(b / row->step));
    return off - fmax(off_b, row->sync / row->step);
}

static const char *check_fits(struct sia_artefact *sia, const char *name)
{
    json_t *root = json_load_file(sia_artefact_file(sia, name), 0, NULL);
    double worst = -1, worse = -1, gain = 0;
    size_t n = json_array_size(root), early = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *at = json_array_get(root, i);
        struct step_sample rows[64];
        struct step_model ours, tight;
        double *parameters = &tight.alpha_c, loss;
        size_t count = read_case(at, rows, 64);
        if (step_model_fit(rows, count, &ours, &loss, &sia->err) != STATUS_OK)
            break;
        for (size_t k = 0; k < STEP_MODEL_SIZE; k++)
            parameters[k] = number(at, "params_tight", k);
        double best = json_number_value(json_object_get(at, "objective_tight"));
        early +=
            json_number_value(json_object_get(at, "objective")) > loss + 0.01;
        worst = fmax(worst, loss - best);
        gain = fmax(gain, best - loss);
        for (size_t k = 0; k < count; k++)
            worse = fmax(worse, beyond(&ours, &tight, &rows[k]));
    }
    json_decref(root);
    printf("# fits: %zu, objective at most %.5f above and %.3f below the "
           "converged one, %zu 0.01 below the artefact's; steps %.4f off\n",
           n, worst, gain, early, worse);
    if (sia->err.status != STATUS_OK)
        return sia->err.message;
    return n == 360 && worst < 3e-4 && worse < 0.02 ? NULL : "worse fits";
}

/* Draws a placement as Pollux may choose it: any number of GPUs on each node,
 * on nodes of four T4 or of eight other GPUs. */
static struct placement draw_placement(gsl_rng *rng, uint8_t type,
                                       uint32_t per_node[PLACEMENT_NODES_MAX])
{
    static const uint32_t most_nodes[] = {16, 2, 3};
    struct placement out = {.per_node = per_node,
                            .nodes = 1 + rng_below(rng, most_nodes[type])};
    for (uint32_t i = 0; i < out.nodes; i++) {
        per_node[i] = rng_below(rng, sia_node_gpus[type] + 1);
        out.gpus += per_node[i];
    }
    return out;
}

/* Checks that on random placements, a job makes progress with the batch that is
 * chosen. Returns NULL or what is wrong. */
static const char *check_placements(struct sia_artefact *sia, const char *file)
{
    static const char *const names[] = {"bert",     "cifar10", "deepspeech2",
                                        "imagenet", "yolov3",  "ncf"};
    static const struct step_model model = {0.01, 0.001, 0.02, 0.001,
                                            0.01, 0.001, 1.5};
    static char words[256];
    uint32_t per_node[PLACEMENT_NODES_MAX];
    (void)file;
    gsl_rng *rng = rng_open(5, "placements");
    size_t n = 0, bad = 0;
    for (int i = 0; i < 20000; i++) {
        const struct application *app;
        uint8_t type = (uint8_t)rng_below(rng, SIA_TYPES);
        struct placement on = draw_placement(rng, type, per_node);
        if (application_find(sia->apps, names[i % 6], &app, &sia->err) !=
            STATUS_OK)
            break;
        uint32_t most = application_local_max(app, type, on);
        uint32_t least = application_limits(app, type, 0).local_min;
        if (!on.gpus || least * on.gpus > app->largest_batch || most < least)
            continue;
        struct gradient g = application_gradient(app, app->initial_batch, 1);
        struct batch b = application_batch(app, type, on, &model, g, 0);
        struct training_speed speed = application_speed(app, type, on, b, 1);
        n++;
        if (speed.rate > 0 && speed.step.sync >= 0 &&
            speed.step.sync < speed.step.step)
            continue;
        if (bad++ == 0)
            snprintf(words, sizeof words,
                     "%s on %u nodes, %u GPUs of %s, %u samples: rate %g",
                     app->name, on.nodes, on.gpus, sia_types[type], b.local,
                     speed.rate);
    }
    rng_free(rng);
    printf("# %zu placements, %zu without progress\n", n, bad);
    return n > 10000 && bad == 0 ? NULL : words;
}

int main(void)
{
    static const struct sia_check checks[] = {
        {.name = "step times of every placement that Sia may choose",
         .run = check_steps,
         .file = "throughput.csv"},
        {.name = "fits no worse than the converged ones",
         .run = check_fits,
         .file = "fit-cases.json"},
        {.name = "jobs make progress on any placement",
         .run = check_placements},
    };
    return sia_artefact_run(checks, sizeof checks / sizeof *checks);
}
