/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults that are drawn: by exponential times, once, and by the risk of a
 * node.
 *
 * Nodes fail independently of each other: the time to the next failure of a
 * node is exponential, the time of its repair lognormal. The default rate is
 * that of Meta's RSC study (HPCA'25), the default repair time that of
 * SuperBench (ATC'24). */

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/rng.h"
#include "models/failures/fault.h"
#include "models/failures/fault_internal.h"

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

/* One node fails once, at a given time, to measure what that failure costs. */

struct once_config {
    sim_span at, repair, relapse;
    uint32_t node, gpu;
    /* jobs that are hit, enum fault_scope; state of the node after the fault,
     * enum fault_after */
    unsigned scope, after;
};

static const char *const fault_drawn_scopes[] = {"node", "gpu", "nvlink", "nic",
                                                 NULL};

static const char *const fault_drawn_afters[] = {"passes", "down", "hidden",
                                                 NULL};

static const struct option once_options[] = {
    OPT_SPAN(struct once_config, at, "at_s", 0, 0, SECONDS_MAX,
             "time of the failure, counted from the first submission", NULL),
    OPT_SPAN(struct once_config, repair, "repair_s", 3600, 0, SECONDS_MAX,
             "time from the failure until the node is back",
             "assumed: one hour"),
    OPT_U32(struct once_config, node, "node", 0, 0, CLUSTER_NODES_MAX,
            "number of the node that fails, from 0", NULL),
    OPT_CHOICE(struct once_config, scope, "scope", FAULT_NODE,
               fault_drawn_scopes,
               "which jobs fail. node: all on the node; gpu: those on one GPU; "
               "nvlink: those with two or more GPUs of the node; nic: those "
               "that also hold GPUs of another node",
               NULL),
    OPT_U32(struct once_config, gpu, "gpu", 0, 0, NODE_GPUS_MAX - 1,
            "number of the GPU on the node, for scope=gpu", NULL,
            OPT_WHEN("scope=gpu")),
    OPT_CHOICE(struct once_config, after, "after", FAULT_DOWN,
               fault_drawn_afters,
               "what happens to the node. passes: it is healthy at once; down: "
               "it is out of service until the repair; hidden: it stays in "
               "service with a hidden fault",
               NULL),
    OPT_SPAN(struct once_config, relapse, "relapse_s", 458, 1e-6, SECONDS_MAX,
             "mean time until a job that starts on a node with a hidden fault "
             "fails",
             "Aegis (NSDI'25): 73 % of failing tasks end within ten minutes; "
             "if exponential, the mean is 458",
             OPT_WHEN("after=hidden")),
    {0},
};

struct once {
    const struct once_config *config;
    bool over;
};

static enum status once_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    const struct once_config *c = config;
    uint32_t n_nodes = env->cluster->n_nodes;
    *(struct once *)self = (struct once){.config = config};
    if (c->node >= n_nodes)
        return error_set(err, STATUS_USAGE,
                         "faults once: node: %u, but the cluster has %u nodes",
                         c->node, n_nodes);
    return STATUS_OK;
}

static bool once_next(void *self, struct fault *out)
{
    struct once *s = self;
    if (s->over)
        return false;
    s->over = true;
    *out = (struct fault){.at = s->config->at,
                          .scope = (uint8_t)s->config->scope,
                          .after = (uint8_t)s->config->after,
                          .gpu = (uint8_t)s->config->gpu,
                          .relapse = s->config->relapse,
                          .key = 1,
                          .node = s->config->node,
                          .repair = s->config->repair,
                          .cause = "failure"};
    return true;
}

const struct fault_ops fault_once = {
    .name = "once",
    .summary = "one fault of a node, GPU or link, at a given time",
    .options = once_options,
    .config_size = sizeof(struct once_config),
    .state_size = sizeof(struct once),
    .init = once_init,
    .next = once_next,
};

uint64_t risk_key(uint32_t place, enum fault_scope kind, uint32_t number)
{
    return (uint64_t)place << 40 | (uint64_t)kind << 36 | number;
}

/* The mean of Weibull's distribution is scale x Gamma(1 + 1/shape), which gives
 * the scale. The gap that covers an instant far from the start is drawn with
 * its length as weight. The gap, divided by the scale and raised to the power
 * `shape`, then has the distribution Gamma(1 + 1/shape) and not the exponential
 * one. The part of the gap that is left is uniform. */
double risk_gap(const struct fault_risk *risk, uint64_t stream, uint64_t key,
                bool first)
{
    if (!(risk->rate > 0))
        return INFINITY;
    double power = 1 / risk->shape;
    double scale = 86400e3 / risk->rate / tgamma(1 + power);
    double u = keyed_uniform(stream, key, DRAW_GAP);
    if (!first || risk->shape == 1)
        return scale * pow(-log(u), power);
    double left = keyed_uniform(stream, key, DRAW_AGE);
    return left * scale * pow(gsl_cdf_gamma_Pinv(u, 1 + power, 1), power);
}

sim_span risk_repair(const struct fault_figures *figures, enum fault_scope kind,
                     uint64_t stream, uint64_t key)
{
    const struct fault_risk *risk = &figures->risk[kind];
    double z = keyed_normal(stream, key, DRAW_REPAIR);
    double seconds = 3600 * exp(risk->repair_mu + risk->repair_sigma * z);
    return span_from_seconds(fmin(seconds, figures->repair_max_s));
}

double risk_frailty(const struct fault_figures *figures, uint32_t k)
{
    double n = fmin(k, figures->frailty_most);
    return figures->frailty > 0 && n > 0
               ? 1 + figures->frailty_a * pow(n, figures->frailty_b)
               : 1;
}

/* The size of a batch is geometric on 1, 2, ..., but at most 1e6. */
uint32_t risk_burst(const struct fault_figures *figures, uint64_t stream,
                    uint64_t key)
{
    if (!(figures->bursts > 0) ||
        keyed_uniform(stream, key, DRAW_BURST) >= figures->burst_chance)
        return 0;
    double u = keyed_uniform(stream, key, DRAW_BURST_SIZE);
    double stay = 1 - 1 / figures->burst_size;
    double n = stay > 0 ? 1 + floor(log(u) / log(stay)) : 1;
    return (uint32_t)fmin(n, 1e6);
}

bool risk_refaults(const struct fault_figures *figures, uint64_t stream,
                   uint64_t key, sim_span repair, double *gap)
{
    double chance = repair <= SPAN_DAY ? figures->refault_chance
                                       : figures->refault_long_chance;
    if (!(figures->bursts > 0) ||
        keyed_uniform(stream, key, DRAW_REFAULT) >= chance)
        return false;
    double z = keyed_normal(stream, key, DRAW_REFAULT_GAP);
    *gap = 3600 * exp(figures->refault_mu + figures->refault_sigma * z);
    return true;
}

void risk_prepare(struct fault_figures *figures)
{
    double factor = (figures->frailty > 0 ? figures->frailty_new : 1) *
                    (figures->bursts > 0 ? figures->burst_own : 1);
    for (unsigned k = 0; k < FAULT_STORAGE; k++)
        figures->risk[k].rate *= factor;
}

double risk_total(const struct fault_figures *figures)
{
    double sum = 0;
    for (unsigned k = 0; k < FAULT_STORAGE; k++)
        sum += figures->risk[k].rate;
    return sum;
}
