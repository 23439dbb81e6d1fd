/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The learner of an elastic job: the step times that the job has measured, the
 * model that is fitted to them, and what the job was submitted with. Elastic
 * policies decide by it; nothing in it is the truth. Rows are added while the
 * job runs (models/elastic/throughput_application.c) or copied from a similar
 * job (learner_copy).
 *
 * A GPU type without a model of its own borrows that of the first type that has
 * one, scaled by the throughputs of a single GPU, which are known from the
 * start (Sia, SOSP 2023, section 3.2). */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "models/elastic/applications.h"

struct learner_type {
    /* true if the application was measured on this type */
    bool runs;
    /* number of GPUs of the widest node of this type */
    uint32_t node_gpus;
    /* largest number of nodes in any measured placement */
    uint32_t most_nodes;
    uint32_t gpus; /* number of GPUs of this type in the cluster */
    /* samples per second on one GPU, to compare types by */
    double one_gpu;
    struct batch_limits all;    /* limits of the application */
    struct batch_limits limits; /* limits of the job; largest: as it asked */
    struct pipeline pipeline;
    struct step_samples samples;
    struct step_model model;
    bool has_model; /* true once there is a measured row */
};

struct learner {
    const struct application *application;
    struct learner_type *types; /* by GPU type */
    uint32_t n_types;
    bool pooled; /* true if all types count as one (Pollux) */
    /* if pooled: index of the entry in use, the first type on which the job
     * runs */
    uint8_t pool;
    bool scales;              /* true if the number of GPUs may change */
    bool tunes;               /* true if the batch size may change */
    double batch;             /* total batch size that the job asked for, > 0 */
    struct gradient gradient; /* last measured statistics */
    bool has_gradient;
    uint32_t version; /* changes with each new row and each new gradient */
};

/* Sets up a learner. The caller fills in the types. */
void learner_init(struct learner *learner,
                  const struct application *application, uint32_t n_types);
void learner_fini(struct learner *learner);

/* Adds a measured iteration on a GPU type. *news becomes true if the row was
 * not known yet. */
enum status learner_watch(struct learner *learner, struct fits *fits,
                          uint8_t type, struct step_sample row,
                          struct gradient gradient, bool *news,
                          struct error *err) MUST_USE;
/* Replaces rows and models by those of a learner of the same application, and
 * the gradient by `gradient`. */
void learner_copy(struct learner *learner, const struct learner *donor,
                  struct gradient gradient);

/* True if the goodput of some shape is known. */
bool learner_knows(const struct learner *learner);
/* Returns the model of a GPU type; NULL if there is none. */
const struct step_model *learner_model(const struct learner *learner,
                                       uint8_t type);
/* Returns the goodput in a shape, samples per second, at the best batch size; 0
 * if the job cannot run in this shape or there is no model. If `project` is
 * true, a type without a model borrows one. */
double learner_goodput(const struct learner *learner, uint8_t type,
                       uint32_t nodes, uint32_t gpus, bool project);
/* Returns the most GPUs, over all types, that the job may ask for: at most
 * twice as many as it has run on, and at most what its application and `most`
 * allow; but at least 1. */
uint32_t learner_gpu_limit(const struct learner *learner, uint32_t most);

#endif
