/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The learner of an elastic job: the step times that the job has measured, the
 * model that is fitted to them, and what the job was submitted with. Elastic
 * policies base their decisions on the learner, which contains no truth. Rows
 * are added while the job runs (models/elastic/throughput_application.c) or
 * copied from a similar job (learner_copy).
 *
 * A GPU type without a model of its own borrows the model of the first type
 * that has one, scaled by the ratio of their throughputs on one GPU. These
 * throughputs are known from the start (Sia, SOSP 2023, section 3.2). */
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
    /* samples per second on one GPU; the ratio of two types scales a model */
    double one_gpu;
    struct batch_limits all; /* limits of the application */
    /* limits of the job; `largest` is at most what the job asked for */
    struct batch_limits limits;
    struct pipeline pipeline;
    struct step_samples samples;
    struct step_model model;
    bool has_model; /* true once `samples` has a row and `model` is valid */
};

struct learner {
    const struct application *application;
    struct learner_type *types; /* entries by GPU type */
    uint32_t n_types;
    bool pooled; /* true if all types count as one (Pollux) */
    /* if pooled: index of the entry in use, the first type on which the job
     * runs */
    uint8_t pool;
    bool scales;              /* true if the number of GPUs may change */
    bool tunes;               /* true if the batch size may change */
    double batch;             /* total batch size that the job asked for, > 0 */
    struct gradient gradient; /* gradient statistics measured last */
    bool has_gradient;
    /* increases with each new row and each changed gradient */
    uint32_t version;
};

/* Sets up a learner. The caller fills in the types. */
void learner_init(struct learner *learner,
                  const struct application *application, uint32_t n_types);
void learner_fini(struct learner *learner);

/* Adds a measured iteration on a GPU type. *news becomes true if the row is new
 * or the gradient has changed. */
enum status learner_watch(struct learner *learner, struct fits *fits,
                          uint8_t type, struct step_sample row,
                          struct gradient gradient, bool *news,
                          struct error *err) MUST_USE;
/* Replaces the rows and models by copies of those of `donor`, a learner of the
 * same application, and the gradient by `gradient`. */
void learner_copy(struct learner *learner, const struct learner *donor,
                  struct gradient gradient);

/* True if at least one GPU type has a model. */
bool learner_knows(const struct learner *learner);
/* Returns the model of a GPU type; NULL if there is none. */
const struct step_model *learner_model(const struct learner *learner,
                                       uint8_t type);
/* Returns the goodput in a shape at the best batch size, in samples per second;
 * 0 if the job cannot run in this shape or there is no model. If `project` is
 * true, a type without a model borrows that of another type. */
double learner_goodput(const struct learner *learner, uint8_t type,
                       uint32_t nodes, uint32_t gpus, bool project);
/* Returns the most GPUs, over all types, that the job may ask for: at most
 * twice as many as it has run on, at most `most`, and at most what its
 * application allows; but at least 1. */
uint32_t learner_gpu_limit(const struct learner *learner, uint32_t most);

#endif
