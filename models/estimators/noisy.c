/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiplies the total run time that the layer below believes by a random
 * factor, the error, whose law is an option. On top of the oracle, this layer
 * shows how much a scheduler loses by wrong estimates. Each job keeps one error
 * for its whole life. Errors are drawn in the order of submission, so that the
 * first jobs of a longer trace have the same errors as those of a shorter
 * one. */
#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/rng.h"
#include "models/estimators/elapsed.h"

enum law { LAW_HELIOS, LAW_LOGNORMAL, LAW_UNIFORM, LAW_FACTOR };
static const char *const noisy_laws[] = {"helios", "lognormal", "uniform",
                                         "factor", NULL};

struct noisy_config {
    unsigned law;
    double sigma, factor;
    sim_span floor, overrun;
};

static const struct option noisy_options[] = {
    OPT_CHOICE(struct noisy_config, law, "law", LAW_HELIOS, noisy_laws,
               "law of the error: helios: the errors of Helios' predictor; "
               "lognormal: exp(sigma N), N normal; uniform: 1 + sigma U, U in "
               "-1..1; factor: `factor` for all jobs",
               "HeliosArtifact, QSSF for Philly: helios"),
    OPT_DOUBLE(struct noisy_config, sigma, "sigma", 1, 0, 100,
               "width of the laws lognormal and uniform", "assumed",
               OPT_WHEN("law=lognormal/uniform")),
    OPT_DOUBLE(struct noisy_config, factor, "factor", 1, 0, 1e6,
               "error of the law `factor`", "1: no error",
               OPT_WHEN("law=factor")),
    OPT_SPAN(struct noisy_config, floor, "floor_s", 0, -SECONDS_MAX,
             SECONDS_MAX, "estimates below this are raised to it",
             "assumed; HeliosArtifact keeps those below 0: -3e9"),
    OPT_SPAN(struct noisy_config, overrun, "overrun_s", 60, 0, 86400,
             "believed remaining time of a job that outlives its estimate",
             "assumed"),
    {0},
};

struct noisy {
    const struct noisy_config *config;
    struct elapsed elapsed;
    double *factors; /* by job: factor on its believed total run time */
};

/* Draws an error as estimate_for_philly of HeliosArtifact does: from a
 * published table that lists errors and the share of predictions whose error is
 * at most that large. */
static double draw_helios(gsl_rng *rng)
{
    static const struct {
        double share, lo, hi;
    } steps[] = {
        {.share = 0.1, .lo = -0.1, .hi = 0.1},
        {.share = 0.5, .lo = 0.1, .hi = 0.5},
        {.share = 0.7, .lo = 0.5, .hi = 1},
        {.share = 0.9, .lo = 1, .hi = 10},
        {.share = 1, .lo = 10, .hi = 100},
    };
    double u = gsl_rng_uniform(rng), sign = gsl_rng_uniform(rng) < 0.5 ? -1 : 1;
    double at = gsl_rng_uniform(rng);
    size_t i = 0;
    while (i < 4 && u > steps[i].share)
        i++;
    return 1 + sign * (steps[i].lo + (steps[i].hi - steps[i].lo) * at);
}

static double noisy_draw(const struct noisy_config *config, gsl_rng *rng)
{
    switch ((enum law)config->law) {
    case LAW_HELIOS:
        return draw_helios(rng);
    case LAW_LOGNORMAL:
        return exp(gsl_ran_gaussian(rng, config->sigma));
    case LAW_UNIFORM:
        return 1 + config->sigma * (2 * gsl_rng_uniform(rng) - 1);
    case LAW_FACTOR:
        break;
    }
    return config->factor;
}

static enum status noisy_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    struct noisy *s = self;
    (void)err;
    s->config = config;
    elapsed_init(&s->elapsed, env);
    s->factors = ARENA_ARRAY(env->arena, double, env->n_jobs);
    gsl_rng *rng = rng_open(env->seed, "noisy");
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->factors[i] = noisy_draw(config, rng);
    rng_free(rng);
    return STATUS_OK;
}

static void noisy_observe(void *self, const struct event *event,
                          struct wakeups *wakeups)
{
    (void)wakeups;
    elapsed_observe(&((struct noisy *)self)->elapsed, event);
}

/* Returns a run time multiplied by the error and, if that is below `floor`,
 * raised to it. A product above SECONDS_MAX becomes TIME_NEVER. */
static sim_span noisy_scaled(const struct noisy_config *config, sim_span whole,
                             double factor)
{
    double seconds = span_seconds(whole) * factor;
    if (seconds > SECONDS_MAX)
        return TIME_NEVER;
    if (seconds < -SECONDS_MAX)
        return config->floor;
    /* The artifact truncates to whole seconds. */
    sim_span total = (sim_span)seconds * SPAN_SECOND;
    if (config->law != LAW_HELIOS)
        total = span_from_seconds(seconds);
    return total < config->floor ? config->floor : total;
}

static bool noisy_remaining(void *self, const struct estimator *below,
                            const struct job *job, sim_time now,
                            struct belief *out)
{
    struct noisy *s = self;
    if (!estimator_remaining(below, job, now, out))
        return false;
    sim_span whole = out->mean + elapsed_of(&s->elapsed, job, now);
    *out = elapsed_belief(&s->elapsed, job, now,
                          noisy_scaled(s->config, whole, s->factors[job->id]),
                          s->config->overrun);
    out->source = "noisy";
    return true;
}

const struct estimator_ops estimator_noisy = {
    .name = "noisy",
    .summary = "the estimate of the layer below, with a random error",
    .options = noisy_options,
    .config_size = sizeof(struct noisy_config),
    .basis = BASIS_ERRORS,
    .state_size = sizeof(struct noisy),
    .init = noisy_init,
    .observe = noisy_observe,
    .remaining = noisy_remaining,
};
