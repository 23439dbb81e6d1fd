/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the speed of a job as Pollux believes it. Pollux does not
 * distinguish GPU types, so one model serves for all (option `pooled` of the
 * throughput model application), and a job may use any batch size that its
 * application allows. */
#include <stdlib.h>

#include "base/arena.h"
#include "policies/pollux/pollux_internal.h"

/* Returns the first GPU type for which the learner has a model; NULL if there
 * is none, or if the learner has no gradient statistics yet. */
static const struct learner_type *known_type(const struct learner *learner)
{
    for (uint32_t t = 0; t < learner->n_types && learner->has_gradient; t++) {
        if (learner->types[t].has_model)
            return &learner->types[t];
    }
    return NULL;
}

/* Returns the first GPU type on which the application runs; the last type if it
 * runs on none. */
static const struct learner_type *first_type(const struct learner *learner)
{
    uint32_t t = 0;
    while (t + 1 < learner->n_types && !learner->types[t].runs)
        t++;
    return &learner->types[t];
}

/* Returns the largest number of GPUs that the job can use, 1 to 1,000,000: the
 * largest number among which the largest total batch can be divided so that
 * each GPU gets at least the smallest batch per GPU; 1 if that is 0. */
static uint32_t feedable(const struct batch_limits *limits)
{
    double gpus =
        limits->local_min ? limits->largest / (double)limits->local_min : 1;
    return gpus < 1 ? 1 : gpus < 1e6 ? (uint32_t)gpus : 1000000;
}

uint32_t pollux_gpus_most(const struct learner *learner,
                          const struct pollux_fair *fair)
{
    const struct learner_type *known = known_type(learner);
    const struct batch_limits *limits = &first_type(learner)->all;
    uint32_t most = known ? 2 * known->samples.most_gpus : 1;
    uint32_t fed = feedable(limits);
    most = most < fair->least ? most : fair->least;
    most = most < fed ? most : fed;
    return most > 1 && !learner->alone ? most : 1;
}

void pollux_job_fini(struct pollux_job *job)
{
    free(job->goodput);
    free(job->row);
    *job = (struct pollux_job){0};
}

/* Makes room for the goodput of each number of GPUs that may be asked for, and
 * drops all goodputs if the room was too small or they were computed with an
 * older version of the learner. */
static void belief_renew(struct pollux_job *job, const struct learner *learner,
                         const struct pollux_fair *fair)
{
    uint32_t gpus = fair->least > fair->gpus ? fair->least : fair->gpus;
    uint32_t nodes = gpus < fair->n_nodes ? gpus : fair->n_nodes;
    if (job->goodput && job->version == learner->version &&
        job->most_gpus >= gpus && job->most_nodes >= nodes)
        return;
    size_t cells = (size_t)gpus * nodes;
    job->goodput = mem_resize(job->goodput, cells * sizeof *job->goodput);
    job->most_gpus = gpus;
    job->most_nodes = nodes;
    job->version = learner->version;
    for (size_t i = 0; i < cells; i++)
        job->goodput[i] = -1;
}

/* Returns the goodput on a number of GPUs and nodes, computed once for each
 * version of the learner. */
static double goodput_of(struct pollux_job *job, const struct learner *learner,
                         const struct learner_type *type, uint32_t nodes,
                         uint32_t gpus)
{
    double *at =
        &job->goodput[(size_t)(gpus - 1) * job->most_nodes + nodes - 1];
    if (*at < 0) {
        struct goodput g = {.model = type->model,
                            .gradient = learner->gradient,
                            .limits = first_type(learner)->all,
                            .pipeline = first_type(learner)->pipeline};
        *at = goodput_best(&g, nodes, gpus, NULL);
    }
    return *at;
}

double pollux_speedup(struct pollux_job *job, const struct learner *learner,
                      const struct pollux_fair *fair, uint32_t nodes,
                      uint32_t gpus)
{
    const struct learner_type *type = known_type(learner);
    uint32_t fed = feedable(&first_type(learner)->all);
    uint32_t share = fair->gpus < fed ? fair->gpus : fed;
    if (!type)
        return (double)gpus / fair->gpus;
    belief_renew(job, learner, fair);
    double one =
        goodput_of(job, learner, type,
                   (share + fair->node_gpus - 1) / fair->node_gpus, share);
    double goodput = goodput_of(job, learner, type, nodes, gpus);
    return one > 0 ? goodput / one : 0;
}
