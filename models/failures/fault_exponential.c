/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes fail independently of each other: the time to the next failure of a
 * node is exponential, the time of its repair lognormal. The default rate is
 * that of Meta's RSC study (HPCA'25), the default repair time that of
 * SuperBench (ATC'24). */
#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/rng.h"
#include "models/failures/fault.h"

struct exponential_config {
    double per_1000_node_days, per_week, repair_mu, repair_sigma;
    sim_span repair_max;
};

static const struct option exponential_options[] = {
    OPT_DOUBLE(
        struct exponential_config, per_1000_node_days, "per_1000_node_days",
        6.5, 0, 1e6, "failures per 1000 days that one node is in service",
        "6.5: removals of nodes of Meta's RSC-1 (HPCA'25); its jobs stop "
        "for any cause at about 21.5; LLaMA-3 had 3.8",
        OPT_WHEN("per_week=0")),
    OPT_DOUBLE(struct exponential_config, per_week, "per_week", 0, 0, 1e9,
               "failures of the whole cluster in a week, however many nodes it "
               "has; 0: per_1000_node_days says it",
               NULL),
    OPT_DOUBLE(
        struct exponential_config, repair_mu, "repair_mu", 2.347, -10, 20,
        "natural logarithm of the median repair time in hours",
        "2.347, a median of 10.5 h: fitted to two quantiles of SuperBench "
        "(ATC'24)"),
    OPT_DOUBLE(struct exponential_config, repair_sigma, "repair_sigma", 2.744,
               0, 10, "standard deviation of the logarithm of the repair time",
               "fitted to two quantiles of SuperBench (ATC'24)"),
    OPT_SPAN(struct exponential_config, repair_max, "repair_max_s", 2592000, 0,
             SECONDS_MAX, "longest repair time; longer draws are cut to it",
             "assumed: 30 days"),
    {0},
};

struct exponential {
    const struct exponential_config *config;
    gsl_rng *rng;
    double now; /* time of the last failure drawn, seconds */
    uint32_t n_nodes;
    uint64_t n_faults;
};

static enum status exponential_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    (void)err;
    *(struct exponential *)self =
        (struct exponential){.config = config,
                             .rng = rng_open(env->seed, "fault exponential"),
                             .n_nodes = env->cluster->n_nodes};
    return STATUS_OK;
}

/* Returns the number of failures of `n` of the n_nodes nodes per second. */
static double rate_of(const struct exponential_config *config, uint32_t n,
                      uint32_t n_nodes)
{
    if (config->per_week > 0)
        return config->per_week * n / n_nodes / 7 / 86400;
    return config->per_1000_node_days * n / 1000 / 86400;
}

/* Draws the next failure of any node: the minimum of n exponential times is
 * exponential with n times the rate. */
static bool exponential_next(void *self, struct fault *out)
{
    struct exponential *s = self;
    double rate = rate_of(s->config, s->n_nodes, s->n_nodes);
    if (!(rate > 0))
        return false;
    s->now += gsl_ran_exponential(s->rng, 1 / rate);
    double hours = exp(s->config->repair_mu +
                       gsl_ran_gaussian(s->rng, s->config->repair_sigma));
    double longest = span_seconds(s->config->repair_max);
    double repair = hours * 3600 < longest ? hours * 3600 : longest;
    node_id node = rng_below(s->rng, s->n_nodes);
    if (s->now > SECONDS_MAX)
        return false;
    *out = (struct fault){.at = span_from_seconds(s->now),
                          .after = FAULT_DOWN,
                          .key = ++s->n_faults,
                          .node = node,
                          .repair = span_from_seconds(repair),
                          .cause = "node failure (injected)"};
    return true;
}

static double exponential_rate(const void *config,
                               const struct cluster *cluster)
{
    return rate_of(config, 1, cluster->n_nodes);
}

static void exponential_fini(void *self)
{
    rng_free(((struct exponential *)self)->rng);
}

const struct fault_ops fault_exponential = {
    .name = "exponential",
    .summary = "independent node failures with lognormal repair times",
    .options = exponential_options,
    .config_size = sizeof(struct exponential_config),
    .state_size = sizeof(struct exponential),
    .init = exponential_init,
    .next = exponential_next,
    .rate = exponential_rate,
    .fini = exponential_fini,
};
