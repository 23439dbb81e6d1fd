/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an elastic job has learned about itself by running, and what it was
 * submitted with: the belief from which an elastic policy shares out GPUs. Its
 * rows are added by the engine's watching
 * (models/elastic/throughput_application.c) or copied from a similar job
 * (learner_copy); nothing here is the truth.
 *
 * A GPU type on which the job has no model yet borrows that of the first type
 * that has one, scaled by the throughputs of a single GPU, which are known from
 * the start (Sia, SOSP 2023, section 3.2). */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "models/elastic/applications.h"

struct learner_type {
    bool runs;           /* the application was measured on this type */
    uint32_t node_gpus;  /* GPUs of its widest node */
    uint32_t most_nodes; /* most nodes that were measured together */
    uint32_t gpus;       /* number in the cluster */
    double one_gpu; /* samples per second on one GPU, to compare types by */
    /* limits of the application, whatever the job asked for */
    struct batch_limits all;
    struct batch_limits limits; /* `largest` is what the job asked for */
    struct pipeline pipeline;
    struct step_samples samples;
    struct step_model model;
    bool has_model; /* true from the first row on */
};

struct learner {
    const struct application *application;
    struct learner_type *types; /* by GPU type */
    uint32_t n_types;
    bool pooled;  /* all types count as one (Pollux) */
    uint8_t pool; /* index of that type: the first on which it runs */
    bool scales;  /* the number of GPUs may change */
    bool tunes;   /* the batch size may change */
    double batch; /* total batch asked for; > 0 */
    struct gradient gradient;
    bool has_gradient;
    uint32_t version; /* changes whenever something is learned */
};

/* Sets up a learner. The caller fills in all types and all limits. */
void learner_init(struct learner *learner,
                  const struct application *application, uint32_t n_types);
void learner_fini(struct learner *learner);

/* Adds an iteration that was watched on a type. *news: it told something
 * new. */
enum status learner_watch(struct learner *learner, struct fits *fits,
                          uint8_t type, struct step_sample row,
                          struct gradient gradient, bool *news,
                          struct error *err) MUST_USE;
/* Replaces the learner's rows by all rows of another learner of the same
 * application. */
void learner_copy(struct learner *learner, const struct learner *donor,
                  struct gradient gradient);

/* True if it can tell the goodput of some shape. */
bool learner_knows(const struct learner *learner);
/* NULL: no model on this type. */
const struct step_model *learner_model(const struct learner *learner,
                                       uint8_t type);
/* Samples per second in a shape, at the best batch size. 0: the job cannot run
 * in it, or there is no model. With `project`, types borrow models. */
double learner_goodput(const struct learner *learner, uint8_t type,
                       uint32_t nodes, uint32_t gpus, bool project);
/* The most GPUs of any type: twice as many as the job has run on, and no more
 * than its application and `most` allow; at least 1. */
uint32_t learner_gpu_limit(const struct learner *learner, uint32_t most);

#endif
