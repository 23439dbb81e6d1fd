/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an elastic job has learned about itself by running, and what it was
 * submitted with: the belief that an elastic policy shares out GPUs by. Its
 * rows come from the engine's watching (models/throughput_application.c) or
 * from a similar job (agent_learn_from); nothing here knows what is true.
 *
 * A GPU type of which the job has no model yet borrows that of the first type
 * that has one, scaled by the throughputs of a single GPU, which are known from
 * the start (Sia, SOSP 2023, section 3.2). */
#ifndef MODELS_AGENT_H
#define MODELS_AGENT_H

#include "models/applications.h"

struct agent_type {
    bool runs;                  /* the application was measured on this type */
    uint32_t node_gpus;         /* GPUs of its widest node */
    uint32_t most_nodes;        /* measured together */
    uint32_t gpus;              /* of the cluster */
    double one_gpu;             /* samples a second, to compare types by */
    struct batch_limits all;    /* whatever the job asked for */
    struct batch_limits limits; /* `largest` is what the job asked for */
    struct pipeline pipeline;
    struct step_profile profile;
    struct step_model model;
    bool has_model; /* as soon as there is a row */
};

struct agent {
    const struct application *application;
    struct agent_type *types; /* by GPU type */
    uint32_t n_types;
    bool pooled;  /* all types are one (Pollux) */
    uint8_t pool; /* that one: the first on which it runs */
    bool scales;  /* number of GPUs may change */
    bool tunes;   /* batch size may change */
    double batch; /* total batch asked for; > 0 */
    struct gradient gradient;
    bool has_gradient;
    uint32_t version; /* changes with all that is learned */
};

/* All types and all limits are the caller's to fill in. */
void agent_init(struct agent *agent, const struct application *application,
                uint32_t n_types);
void agent_fini(struct agent *agent);

/* An iteration was watched on a type. *news: it told something new. */
enum status agent_watch(struct agent *agent, struct fits *fits, uint8_t type,
                        struct step_row row, struct gradient gradient,
                        bool *news, struct error *err) MUST_USE;
/* All rows of another agent of the same application, in place of its own. */
void agent_learn_from(struct agent *agent, const struct agent *donor,
                      struct gradient gradient);

/* It can tell the goodput of some shape. */
bool agent_knows(const struct agent *agent);
/* NULL: nothing known on this type. */
const struct step_model *agent_model(const struct agent *agent, uint8_t type);
/* Samples a second of a shape, at the best batch size. 0: it cannot run so, or
 * nobody knows. With `project`, types borrow. */
double agent_goodput(const struct agent *agent, uint8_t type, uint32_t nodes,
                     uint32_t gpus, bool project);
/* Of any type: twice the GPUs it has run on, and as many as its application
 * and `most` allow; at least 1. */
uint32_t agent_gpu_limit(const struct agent *agent, uint32_t most);

#endif
