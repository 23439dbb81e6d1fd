/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the utilities and batch sizes of jobs with the values that the
 * simulator of the Sia artefact computed in each round. Skipped if the artefact
 * is absent. */
#include <math.h>
#include <stdio.h>

#include "models/elastic/applications.h"
#include "tests/support/sia_artefact.h"

struct job {
    const json_t *at;
    const struct application *app;
    struct goodput goodput[SIA_TYPES];
    bool known[SIA_TYPES];
    uint32_t gpu_limit;
    double requested;
};

static bool read_job(struct sia_artefact *sia, const json_t *at,
                     struct job *out)
{
    const char *name = json_string_value(json_object_get(at, "application"));
    *out = (struct job){.at = at};
    if (application_find(sia->apps, name, &out->app, &sia->err) != STATUS_OK)
        return false;
    out->requested = json_number_value(json_object_get(at, "requested_batch"));
    for (uint8_t t = 0; t < SIA_TYPES; t++) {
        const json_t *model =
            json_object_get(json_object_get(at, "params"), sia_types[t]);
        const json_t *rows =
            json_object_get(json_object_get(at, "profiles"), sia_types[t]);
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
                         json_object_get(at, "max_replicas"), sia_types[t])))
            return false;
        out->gpu_limit = limit > out->gpu_limit ? limit : out->gpu_limit;
    }
    return true;
}

/* Returns the best goodput as the artefact computes it. If the smallest
 * possible batch is also the largest allowed, the artefact's 50 candidates are
 * equal except for the last digit of a 32-bit number. Rounding up can then add
 * one sample per GPU, and the artefact accepts this batch although it exceeds
 * the limit. */
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
    while (donor < SIA_TYPES && !job->known[donor])
        donor++;
    if (donor == SIA_TYPES)
        return gpus == 1 ? 1 : 0;
    double ratio = application_one_gpu(job->app, type) /
                   application_one_gpu(job->app, donor);
    nodes = (gpus + sia_node_gpus[donor] - 1) / sia_node_gpus[donor];
    if (job->goodput[donor].limits.local_min * gpus == job->requested)
        return ratio * artefact_best(&job->goodput[donor], nodes, gpus);
    return ratio * goodput_best(&job->goodput[donor], nodes, gpus, NULL);
}

/* Returns the largest relative error of a job's utilities; INFINITY if one is
 * above 0 only in schedsim or only in the artefact. Ours are first divided by
 * the smallest one above 0, as the artefact's already are. */
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
            job, sia_type_of(text_from(name)),
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

static const char *check_utilities(struct sia_artefact *sia, const char *name)
{
    json_t *root = json_load_file(sia_artefact_file(sia, name), 0, NULL);
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
            bool good = read_job(sia, at, &job);
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

/* Returns true if schedsim would choose the batch with which the artefact runs
 * the job. Sets *why to both batches. Also returns true if the job has no
 * placement, or no model of its GPU type; *why is then not changed. */
static bool same_batch(const struct job *job, const char **why)
{
    static char words[256];
    const json_t *on = json_object_get(job->at, "placement");
    const char *type = json_string_value(json_object_get(job->at, "gpu_type"));
    uint8_t t = type ? sia_type_of(text_from(type)) : UINT8_MAX;
    struct placement placement = {.nodes = (uint32_t)json_array_size(on)};
    if (t >= SIA_TYPES || !job->known[t] || !placement.nodes)
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

static const char *check_batches(struct sia_artefact *sia, const char *name)
{
    json_t *root = json_load_file(sia_artefact_file(sia, name), 0, NULL);
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
            if (!read_job(sia, at, &job) || !same_batch(&job, &why)) {
                different++;
                printf("# %s\n", why ? why : "?");
            }
        }
    }
    json_decref(root);
    printf("# batches of %zu jobs in %s: %zu other\n", n, name, different);
    return n > 0 && different == 0 ? NULL : "other batches";
}

int main(void)
{
    static const struct sia_check checks[] = {
        {.name = "utilities, philly-1",
         .run = check_utilities,
         .file = "decisions-philly-1.json"},
        {.name = "utilities, saturn-1",
         .run = check_utilities,
         .file = "decisions-saturn-1.json"},
        {.name = "batches, philly-1",
         .run = check_batches,
         .file = "decisions-philly-1.json"},
        {.name = "batches, saturn-1",
         .run = check_batches,
         .file = "decisions-saturn-1.json"},
    };
    return sia_artefact_run(checks, sizeof checks / sizeof *checks);
}
