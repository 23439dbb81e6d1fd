/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elastic/agent.h"

#include <stdlib.h>

#include "sim/base/arena.h"

void agent_init(struct agent *agent, const struct application *application,
                uint32_t n_types)
{
    *agent = (struct agent){
        .application = application,
        .types = mem_zalloc(n_types, sizeof *agent->types),
        .n_types = n_types,
    };
}

void agent_fini(struct agent *agent)
{
    for (uint32_t t = 0; t < agent->n_types; t++)
        step_profile_fini(&agent->types[t].profile);
    free(agent->types);
    *agent = (struct agent){0};
}

/* The entry whose rows and model are used for a type: that of the type itself,
 * or of all types if pooled. */
static struct agent_type *speaker(const struct agent *agent, uint8_t type)
{
    return &agent->types[agent->pooled ? agent->pool : type];
}

enum status agent_watch(struct agent *agent, struct fits *fits, uint8_t type,
                        struct step_row row, struct gradient gradient,
                        bool *news, struct error *err)
{
    struct agent_type *t = speaker(agent, type);
    bool added = step_profile_add(&t->profile, row);
    *news = added || !agent->has_gradient ||
            gradient.sqr != agent->gradient.sqr ||
            gradient.var != agent->gradient.var;
    agent->gradient = gradient;
    agent->has_gradient = true;
    agent->version += *news;
    if (!added)
        return STATUS_OK;
    t->has_model = true;
    return fits_get(fits, &t->profile, &t->model, err);
}

void agent_learn_from(struct agent *agent, const struct agent *donor,
                      struct gradient gradient)
{
    for (uint32_t t = 0; t < agent->n_types; t++) {
        step_profile_copy(&agent->types[t].profile, &donor->types[t].profile);
        agent->types[t].model = donor->types[t].model;
        agent->types[t].has_model = donor->types[t].has_model;
    }
    agent->gradient = gradient;
    agent->has_gradient = true;
    agent->version++;
}

const struct step_model *agent_model(const struct agent *agent, uint8_t type)
{
    const struct agent_type *t = speaker(agent, type);
    return t->has_model ? &t->model : NULL;
}

bool agent_knows(const struct agent *agent)
{
    for (uint32_t t = 0; t < agent->n_types && agent->has_gradient; t++) {
        if (agent->types[t].has_model)
            return true;
    }
    return false;
}

/* Goodput on a type that has a model. A job that does not tune runs at the
 * batch size that it asked for. */
static double own_goodput(const struct agent *agent,
                          const struct agent_type *type, uint32_t nodes,
                          uint32_t gpus)
{
    struct goodput g = {type->model, agent->gradient, type->limits,
                        type->pipeline};
    if (agent->tunes)
        return goodput_best(&g, nodes, gpus, NULL);
    if (agent->batch < (double)g.limits.local_min * gpus)
        return 0;
    return goodput_at(&g, nodes, gpus,
                      batch_divide(&g.limits, agent->batch, gpus));
}

double agent_goodput(const struct agent *agent, uint8_t type, uint32_t nodes,
                     uint32_t gpus, bool project)
{
    const struct agent_type *to = &agent->types[type];
    if (!to->runs || !agent->has_gradient)
        return 0;
    if (speaker(agent, type)->has_model)
        return own_goodput(agent, speaker(agent, type), nodes, gpus);
    for (uint32_t t = 0; t < agent->n_types && project; t++) {
        const struct agent_type *from = &agent->types[t];
        if (from->has_model)
            return to->one_gpu / from->one_gpu *
                   own_goodput(agent, from,
                               (gpus + from->node_gpus - 1) / from->node_gpus,
                               gpus);
    }
    return 0;
}

uint32_t agent_gpu_limit(const struct agent *agent, uint32_t most)
{
    uint32_t limit = 1;
    for (uint32_t t = 0; t < agent->n_types; t++) {
        const struct agent_type *type = &agent->types[t];
        if (!type->runs)
            continue;
        uint32_t own = goodput_gpu_limit(&speaker(agent, (uint8_t)t)->profile,
                                         &type->all, most);
        limit = own > limit ? own : limit;
    }
    return limit;
}
