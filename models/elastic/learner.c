/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elastic/learner.h"

#include <stdlib.h>

#include "base/arena.h"

void learner_init(struct learner *learner,
                  const struct application *application, uint32_t n_types)
{
    *learner = (struct learner){
        .application = application,
        .types = mem_zalloc(n_types, sizeof *learner->types),
        .n_types = n_types,
    };
}

void learner_fini(struct learner *learner)
{
    for (uint32_t t = 0; t < learner->n_types; t++)
        step_samples_fini(&learner->types[t].samples);
    free(learner->types);
    *learner = (struct learner){0};
}

/* Returns the entry whose rows and model apply to a GPU type: the entry of the
 * type, or, in a pooled learner, the one that all types share. */
static struct learner_type *entry_of(const struct learner *learner,
                                     uint8_t type)
{
    return &learner->types[learner->pooled ? learner->pool : type];
}

enum status learner_watch(struct learner *learner, struct fits *fits,
                          uint8_t type, struct step_sample row,
                          struct gradient gradient, bool *news,
                          struct error *err)
{
    struct learner_type *t = entry_of(learner, type);
    bool added = step_samples_add(&t->samples, row);
    *news = added || !learner->has_gradient ||
            gradient.sqr != learner->gradient.sqr ||
            gradient.var != learner->gradient.var;
    learner->gradient = gradient;
    learner->has_gradient = true;
    learner->version += *news;
    if (!added)
        return STATUS_OK;
    t->has_model = true;
    return fits_get(fits, &t->samples, &t->model, err);
}

void learner_copy(struct learner *learner, const struct learner *donor,
                  struct gradient gradient)
{
    for (uint32_t t = 0; t < learner->n_types; t++) {
        step_samples_copy(&learner->types[t].samples, &donor->types[t].samples);
        learner->types[t].model = donor->types[t].model;
        learner->types[t].has_model = donor->types[t].has_model;
    }
    learner->gradient = gradient;
    learner->has_gradient = true;
    learner->version++;
}

const struct step_model *learner_model(const struct learner *learner,
                                       uint8_t type)
{
    const struct learner_type *t = entry_of(learner, type);
    return t->has_model ? &t->model : NULL;
}

bool learner_knows(const struct learner *learner)
{
    for (uint32_t t = 0; t < learner->n_types && learner->has_gradient; t++) {
        if (learner->types[t].has_model)
            return true;
    }
    return false;
}

/* Returns the goodput on a GPU type that has a model. A job that may not tune
 * its batch size keeps its own, and has goodput 0 if that is less than
 * local_min samples per GPU. */
static double own_goodput(const struct learner *learner,
                          const struct learner_type *type, uint32_t nodes,
                          uint32_t gpus)
{
    struct goodput g = {.model = type->model,
                        .gradient = learner->gradient,
                        .limits = type->limits,
                        .pipeline = type->pipeline};
    if (learner->tunes)
        return goodput_best(&g, nodes, gpus, NULL);
    if (learner->batch < (double)g.limits.local_min * gpus)
        return 0;
    return goodput_at(&g, nodes, gpus,
                      batch_divide(&g.limits, learner->batch, gpus));
}

double learner_goodput(const struct learner *learner, uint8_t type,
                       uint32_t nodes, uint32_t gpus, bool project)
{
    const struct learner_type *to = &learner->types[type];
    if (!to->runs || !learner->has_gradient)
        return 0;
    if (entry_of(learner, type)->has_model)
        return own_goodput(learner, entry_of(learner, type), nodes, gpus);
    for (uint32_t t = 0; t < learner->n_types && project; t++) {
        const struct learner_type *from = &learner->types[t];
        if (from->has_model)
            return to->one_gpu / from->one_gpu *
                   own_goodput(learner, from,
                               (gpus + from->node_gpus - 1) / from->node_gpus,
                               gpus);
    }
    return 0;
}

uint32_t learner_gpu_limit(const struct learner *learner, uint32_t most)
{
    uint32_t limit = 1;
    for (uint32_t t = 0; t < learner->n_types; t++) {
        const struct learner_type *type = &learner->types[t];
        if (!type->runs || learner->alone)
            continue;
        uint32_t own = goodput_gpu_limit(
            &entry_of(learner, (uint8_t)t)->samples, &type->all, most);
        limit = own > limit ? own : limit;
    }
    return limit;
}
