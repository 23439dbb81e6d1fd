/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares step times, fits and utilities with those that the simulator of the
 * Sia artefact computed, if it is at hand. Writes TAP itself: cmocka 1.1.5
 * calls a skipped test "not ok". */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/elastic/application_internal.h"
#include "sim/base/arena.h"
#include "sim/base/rng.h"
#include "sim/base/rows.h"

static const char *const types[] = {"aws", "dgx-ext", "rtx"};
static const uint32_t node_gpus[] = {4, 8, 8};
#define N_TYPES 3

struct place {
    char folder[2048];
    struct error err;
    struct applications *apps;
};

static const char *file(const struct place *p, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/golden/sia/%s", p->folder, name);
    return path;
}

static uint8_t type_of(struct text name)
{
    for (uint8_t i = 0; i < N_TYPES; i++) {
        if (text_is(name, types[i]))
            return i;
    }
    return UINT8_MAX;
}

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
    *out = (struct step_row_read){.type = type_of(rows_cell(rows, at[1]))};
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
    return out->type < N_TYPES &&
           text_to_double(rows_cell(rows, at[3]), &out->local) &&
           text_to_double(rows_cell(rows, at[4]), &out->step) &&
           text_to_double(rows_cell(rows, at[5]), &out->sync) &&
           text_to_double(rows_cell(rows, at[6]), &out->local_max);
}

/* Returns the relative difference between the step of one row and the
 * artefact's. */
static bool step_error(struct place *p, const struct step_row_read *row,
                       double *out)
{
    const struct application *app;
    struct step_time step;
    if (application_find(p->apps, row->application, &app, &p->err) !=
            STATUS_OK ||
        !application_step(app, row->type, row->placement, row->local, &step) ||
        application_local_max(app, row->type, row->placement) !=
            (uint32_t)row->local_max)
        return false;
    *out = fmax(fabs(step.step - row->step), fabs(step.sync - row->sync)) /
           row->step;
    return true;
}

/* Placements of 20 GPUs depend on the triangulation; all others do not. */
static const char *check_steps(struct place *p)
{
    struct rows *rows = NULL;
    struct step_row_read row;
    double worst[2] = {0}, sum[2] = {0}, error = 0;
    size_t n[2] = {0};
    int16_t at[7];
    static char words[256];
    enum status st = rows_open(file(p, "throughput.csv"), &rows, &p->err);
    if (st == STATUS_OK)
        st = rows_header(rows, columns, 7, at, &p->err);
    while (st == STATUS_OK && (st = rows_next(rows, &p->err)) == STATUS_OK) {
        if (!read_row(rows, at, &row) || !step_error(p, &row, &error)) {
            snprintf(words, sizeof words, "line %u: no answer: %.100s",
                     (unsigned)rows_line_number(rows), p->err.message);
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
        return p->err.message;
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

/* Returns by how much our model lies further from a row than the larger of the
 * row's own ambiguity, sync/step, and the distance of the reference's converged
 * model. Negative: it lies nearer. Distances are logarithms of ratios. */
static double beyond(const struct step_model *ours,
                     const struct step_model *theirs,
                     const struct step_sample *row)
{
    double a = step_model_step(ours, row->nodes, row->gpus, row->local);
    double b = step_model_step(theirs, row->nodes, row->gpus, row->local);
    double off = fabs(log(a / row->step)), off_b = fabs(log(b / row->step));
    return off - fmax(off_b, row->sync / row->step);
}

static const char *check_fits(struct place *p)
{
    json_t *root = json_load_file(file(p, "fit-cases.json"), 0, NULL);
    double worst = -1, worse = -1, gain = 0;
    size_t n = json_array_size(root), early = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *at = json_array_get(root, i);
        struct step_sample rows[64];
        struct step_model ours, tight;
        double *parameters = &tight.alpha_c, loss;
        size_t count = read_case(at, rows, 64);
        if (step_model_fit(rows, count, &ours, &loss, &p->err) != STATUS_OK)
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
    if (p->err.status != STATUS_OK)
        return p->err.message;
    return n == 360 && worst < 3e-4 && worse < 0.02 ? NULL : "worse fits";
}

struct job {
    const json_t *at;
    const struct application *app;
    struct goodput goodput[N_TYPES];
    bool known[N_TYPES];
    uint32_t gpu_limit;
    double requested;
};

static bool read_job(struct place *p, const json_t *at, struct job *out)
{
    const char *name = json_string_value(json_object_get(at, "application"));
    *out = (struct job){.at = at};
    if (application_find(p->apps, name, &out->app, &p->err) != STATUS_OK)
        return false;
    out->requested = json_number_value(json_object_get(at, "requested_batch"));
    for (uint8_t t = 0; t < N_TYPES; t++) {
        const json_t *model =
            json_object_get(json_object_get(at, "params"), types[t]);
        const json_t *rows =
            json_object_get(json_object_get(at, "profiles"), types[t]);
        struct goodput *g = &out->goodput[t];
        double *parameters = &g->model.alpha_c;
        struct step_samples profile = {0};
        g->limits = application_limits(out->app, t, out->requested);
        g->gradient.sqr = json_number_value(json_object_get(at, "grad_sqr"));
        g->gradient.var = json_number_value(json_object_get(at, "grad_var"));
        out->known[t] = model != NULL;
        for (size_t k = 0; k < STEP_MODEL_SIZE; k++)
            parameters[k] = json_number_value(json_array_get(model, k));
        for (size_t k = 0; k < json_array_size(rows); k++) {
            uint32_t gpus = (uint32_t)json_integer_value(
                json_array_get(json_array_get(rows, k), 1));
            if (gpus > profile.most_gpus)
                profile.most_gpus = gpus;
        }
        struct batch_limits all = application_limits(out->app, t, 0);
        uint32_t limit = goodput_gpu_limit(&profile, &all, 64);
        if (limit != (uint32_t)json_integer_value(json_object_get(
                         json_object_get(at, "max_replicas"), types[t])))
            return false;
        out->gpu_limit = limit > out->gpu_limit ? limit : out->gpu_limit;
    }
    return true;
}

/* If the smallest possible batch is the largest allowed, the artefact's 50
 * equal candidates differ in the last digit of a 32-bit number. Rounding up
 * then gives one sample more, which the artefact accepts above the limit. */
static double artefact_best(const struct goodput *g, uint32_t nodes,
                            uint32_t gpus)
{
    struct batch more = {.local = g->limits.local_min + 1};
    double best = goodput_best(g, nodes, gpus, NULL);
    if (g->limits.local_min * gpus != g->limits.largest)
        return best;
    return fmax(best, goodput_at(g, nodes, gpus, more));
}

static double job_goodput(const struct job *job, uint8_t type, uint32_t nodes,
                          uint32_t gpus)
{
    uint8_t donor = 0;
    if (gpus > job->gpu_limit)
        return 0;
    if (job->known[type])
        return artefact_best(&job->goodput[type], nodes, gpus);
    while (donor < N_TYPES && !job->known[donor])
        donor++;
    if (donor == N_TYPES)
        return gpus == 1 ? 1 : 0;
    double ratio = application_one_gpu(job->app, type) /
                   application_one_gpu(job->app, donor);
    nodes = (gpus + node_gpus[donor] - 1) / node_gpus[donor];
    if (job->goodput[donor].limits.local_min * gpus == job->requested)
        return ratio * artefact_best(&job->goodput[donor], nodes, gpus);
    return ratio * goodput_best(&job->goodput[donor], nodes, gpus, NULL);
}

/* Returns the largest relative error of a job's utilities, each row divided by
 * its least. */
static double utility_error(const struct job *job, const json_t *configs)
{
    double own[64] = {0}, least = INFINITY, worst = 0;
    const json_t *utility = json_object_get(job->at, "utility"), *config;
    size_t i;
    json_array_foreach(configs, i, config)
    {
        const char *name =
            json_string_value(json_object_get(config, "gpu_type"));
        own[i] = job_goodput(
            job, type_of(text_from(name)),
            (uint32_t)json_integer_value(json_object_get(config, "nodes")),
            (uint32_t)json_integer_value(json_object_get(config, "gpus")));
        if (own[i] > 0)
            least = fmin(least, own[i]);
    }
    json_array_foreach(configs, i, config)
    {
        double theirs = json_number_value(json_array_get(utility, i));
        if ((theirs > 0) != (own[i] > 0))
            return INFINITY;
        if (theirs > 0)
            worst = fmax(worst, fabs(own[i] / least / theirs - 1));
    }
    return worst;
}

static const char *check_utilities(struct place *p, const char *name)
{
    json_t *root = json_load_file(file(p, name), 0, NULL);
    const json_t *configs = json_object_get(root, "configs"), *round;
    static char words[256];
    double worst = 0;
    size_t i, n = 0;
    words[0] = 0;
    json_array_foreach(json_object_get(root, "rounds"), i, round)
    {
        const json_t *jobs = json_object_get(round, "jobs"), *at;
        size_t k;
        json_array_foreach(jobs, k, at)
        {
            struct job job;
            bool good = read_job(p, at, &job);
            double error = good ? utility_error(&job, configs) : INFINITY;
            if (error > worst) {
                worst = error;
                snprintf(words, sizeof words, "round %zu, %.60s: %g off", i,
                         json_string_value(json_object_get(at, "name")), error);
            }
            n++;
        }
    }
    json_decref(root);
    printf("# utilities of %zu jobs in %s: %.1e off\n", n, name, worst);
    return n > 0 && worst < 1e-3 ? NULL : words;
}

/* True if a job with a placement runs with the batch that we would choose for
 * it. */
static bool same_batch(const struct job *job, const char **why)
{
    static char words[256];
    const json_t *on = json_object_get(job->at, "placement");
    const char *type = json_string_value(json_object_get(job->at, "gpu_type"));
    uint8_t t = type ? type_of(text_from(type)) : UINT8_MAX;
    struct placement placement = {.nodes = (uint32_t)json_array_size(on)};
    if (t >= N_TYPES || !job->known[t] || !placement.nodes)
        return true;
    for (size_t i = 0; i < placement.nodes; i++)
        placement.gpus += (uint32_t)json_integer_value(json_array_get(on, i));
    struct batch ours =
        application_batch(job->app, t, placement, &job->goodput[t].model,
                          job->goodput[t].gradient, 0);
    struct batch theirs = {
        .local = (uint32_t)json_integer_value(
            json_object_get(job->at, "atomic_bsz")),
        .accumulation = (uint32_t)json_integer_value(
            json_object_get(job->at, "accum_steps")),
    };
    snprintf(words, sizeof words, "%.60s on %u %s: %u x %u, theirs %u x %u",
             json_string_value(json_object_get(job->at, "name")),
             placement.gpus, type, ours.local, ours.accumulation + 1,
             theirs.local, theirs.accumulation + 1);
    *why = words;
    return ours.local == theirs.local &&
           ours.accumulation == theirs.accumulation;
}

static const char *check_batches(struct place *p, const char *name)
{
    json_t *root = json_load_file(file(p, name), 0, NULL);
    const json_t *round;
    const char *why = NULL;
    size_t i, n = 0, different = 0;
    json_array_foreach(json_object_get(root, "rounds"), i, round)
    {
        const json_t *at;
        size_t k;
        json_array_foreach(json_object_get(round, "jobs"), k, at)
        {
            struct job job;
            n++;
            if (!read_job(p, at, &job) || !same_batch(&job, &why)) {
                different++;
                printf("# %s\n", why ? why : "?");
            }
        }
    }
    json_decref(root);
    printf("# batches of %zu jobs in %s: %zu other\n", n, name, different);
    return n > 0 && different == 0 ? NULL : "other batches";
}

static const char *const all_types[] = {"aws",     "azure", "dgx",
                                        "dgx-ext", "quad",  "rtx"};
#define N_ALL 6

/* Root mean square of the relative errors of fitted step times, on one node and
 * on whole nodes; INFINITY if one is missing. */
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

/* Returns the largest error of an efficiency between M0 and Mmax in any epoch,
 * and of the end of an epoch, in epochs. */
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

static const char *check_compiled_in(struct place *p)
{
    char path[4096];
    struct applications *measured = NULL, *compiled = NULL;
    const struct application *a, *b;
    const char *root = getenv("SCHEDSIM_ROOT"), *name, *wrong = NULL;
    double efficiency = 0, end = 0;
    json_t *entry;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/models/elastic/applications.json",
             root ? root : ".");
    json_t *claims = json_load_file(path, 0, NULL);
    snprintf(path, sizeof path, "%s/traces/sia/profiles", p->folder);
    if (applications_open(path, all_types, N_ALL, &measured, &p->err) !=
            STATUS_OK ||
        applications_open(NULL, all_types, N_ALL, &compiled, &p->err) !=
            STATUS_OK)
        wrong = p->err.message;
    json_object_foreach(json_object_get(claims, "applications"), name, entry)
    {
        if (wrong)
            break;
        if (application_find(measured, name, &a, &p->err) != STATUS_OK ||
            application_find(compiled, name, &b, &p->err) != STATUS_OK) {
            wrong = p->err.message;
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

/* GPUs by node as Pollux chooses them, on nodes of four T4 or eight others. */
static struct placement draw_placement(gsl_rng *rng, uint8_t type,
                                       uint32_t per_node[PLACEMENT_NODES_MAX])
{
    static const uint32_t most_nodes[] = {16, 2, 3};
    struct placement out = {.per_node = per_node,
                            .nodes = 1 + rng_below(rng, most_nodes[type])};
    for (uint32_t i = 0; i < out.nodes; i++) {
        per_node[i] = rng_below(rng, node_gpus[type] + 1);
        out.gpus += per_node[i];
    }
    return out;
}

/* A job makes progress whichever batch is chosen for it. */
static const char *check_placements(struct place *p)
{
    static const char *const names[] = {"bert",     "cifar10", "deepspeech2",
                                        "imagenet", "yolov3",  "ncf"};
    static const struct step_model model = {0.01, 0.001, 0.02, 0.001,
                                            0.01, 0.001, 1.5};
    static char words[256];
    uint32_t per_node[PLACEMENT_NODES_MAX];
    gsl_rng *rng = rng_open(5, "placements");
    size_t n = 0, bad = 0;
    for (int i = 0; i < 20000; i++) {
        const struct application *app;
        uint8_t type = (uint8_t)rng_below(rng, N_TYPES);
        struct placement on = draw_placement(rng, type, per_node);
        if (application_find(p->apps, names[i % 6], &app, &p->err) != STATUS_OK)
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
                     app->name, on.nodes, on.gpus, types[type], b.local,
                     speed.rate);
    }
    rng_free(rng);
    printf("# %zu placements, %zu without progress\n", n, bad);
    return n > 10000 && bad == 0 ? NULL : words;
}

static const char *check(struct place *p, int test)
{
    switch (test) {
    case 1:
        return check_steps(p);
    case 2:
        return check_fits(p);
    case 3:
        return check_utilities(p, "decisions-philly-1.json");
    case 4:
        return check_utilities(p, "decisions-saturn-1.json");
    case 5:
        return check_batches(p, "decisions-philly-1.json");
    case 6:
        return check_batches(p, "decisions-saturn-1.json");
    case 7:
        return check_placements(p);
    default:
        return check_compiled_in(p);
    }
}

int main(void)
{
    static const char *const names[] = {
        "step times of every placement that Sia may choose",
        "fits no worse than the converged ones",
        "utilities, philly-1",
        "utilities, saturn-1",
        "batches, philly-1",
        "batches, saturn-1",
        "jobs make progress on any placement",
        "what is compiled in is as good as it claims"};
    const int n = sizeof names / sizeof *names;
    const char *shared = getenv("SCHEDSIM_SHARED");
    const char *root = getenv("SCHEDSIM_ROOT");
    static struct place place;
    char tables[4096];
    int failed = 0;
    if (shared && *shared)
        snprintf(place.folder, sizeof place.folder, "%s", shared);
    else
        snprintf(place.folder, sizeof place.folder, "%s/../shared",
                 root ? root : ".");
    snprintf(tables, sizeof tables, "%s/traces/sia/profiles", place.folder);
    bool present = access(tables, R_OK) == 0;
    if (!present)
        puts("# skipped: ../shared not present");
    else if (applications_open(tables, types, N_TYPES, &place.apps,
                               &place.err) != STATUS_OK)
        printf("# %s\n", place.err.message);
    for (int i = 1; i <= n; i++) {
        const char *bad = place.apps ? check(&place, i) : NULL;
        bool good = !present || (place.apps && !bad);
        failed += !good;
        if (bad)
            printf("# %s\n", bad);
        printf("%sok %d - %s%s\n", good ? "" : "not ", i, names[i - 1],
               present ? "" : " # SKIP ../shared not present");
    }
    printf("1..%d\n", n);
    applications_close(place.apps);
    return failed > 0;
}
