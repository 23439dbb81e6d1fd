/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One node fails once, at a given time, to measure what that failure costs. */
#include "models/failures/fault.h"

struct once_config {
    sim_span at, repair, relapse;
    uint32_t node, gpu;
    /* jobs that are hit, enum fault_scope; state of the node after the fault,
     * enum fault_after */
    unsigned scope, after;
};

static const char *const scopes[] = {"node", "gpu", "nvlink", "nic", NULL};
static const char *const afters[] = {"passes", "down", "hidden", NULL};

static const struct option once_options[] = {
    OPT_SPAN(struct once_config, at, "at_s", 0, 0, SECONDS_MAX,
             "time of the failure, counted from the first submission", NULL),
    OPT_SPAN(struct once_config, repair, "repair_s", 3600, 0, SECONDS_MAX,
             "time from the failure until the node is back",
             "assumed: one hour"),
    OPT_U32(struct once_config, node, "node", 0, 0, CLUSTER_NODES_MAX,
            "number of the node that fails, from 0", NULL),
    OPT_CHOICE(struct once_config, scope, "scope", FAULT_NODE, scopes,
               "which jobs fail. node: all on the node; gpu: those on one GPU; "
               "nvlink: those with two or more GPUs of the node; nic: those "
               "that also hold GPUs of another node",
               NULL),
    OPT_U32(struct once_config, gpu, "gpu", 0, 0, NODE_GPUS_MAX - 1,
            "number of the GPU on the node, for scope=gpu", NULL,
            OPT_WHEN("scope=gpu")),
    OPT_CHOICE(struct once_config, after, "after", FAULT_DOWN, afters,
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
