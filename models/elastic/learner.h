/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The learner of an elastic job: the step times that the job has measured, the
 * model that is fitted to them, and what the job was submitted with. Elastic
 * policies base their decisions on the learner, which contains no truth. Rows
 * are added while the job runs (models/elastic/throughput_application.c) or
 * copied from another job of the same application (learner_copy).
 *
 * A GPU type without a model of its own can borrow the model of the first type
 * that has one, scaled by the ratio of their throughputs on one GPU
 * (learner_goodput). These throughputs are known from the start (Sia, SOSP
 * 2023, section 3.2). */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "models/elastic/applications.h"

struct learner_type {
    /* true if jobs can run on nodes of this type and the application was
     * measured on it; false: of the fields below, only node_gpus and gpus are
     * set */
    bool runs;
    /* number of GPUs of the widest node of this type; 0: the cluster has none
     * for jobs */
    uint32_t node_gpus;
    /* largest number of nodes in any measured placement or shape */
    uint32_t most_nodes;
    /* number of GPUs of this type in the cluster, without profiler nodes */
    uint32_t gpus;
    /* samples per second on one GPU, see application_one_gpu */
    double one_gpu;
    struct batch_limits all; /* limits of the application */
    /* limits of the job; `largest` is at most the batch size that the job asked
     * for, if it asked for one */
    struct batch_limits limits;
    struct pipeline pipeline;
    struct step_samples samples;
    struct step_model model;
    bool has_model; /* true once `samples` has a row and `model` is valid */
};

struct learner {
    const struct application *application;
    struct learner_type *types; /* entries by GPU type, owned */
    uint32_t n_types;
    bool pooled; /* true if all types count as one (Pollux) */
    /* index of the entry that a pooled learner uses: the first type with
     * `runs` */
    uint8_t pool;
    bool scales; /* true if the number of GPUs may change */
    bool tunes;  /* true if the batch size may change */
    bool alone;  /* true if the job may have one GPU only */
    /* total batch size that the job asked for, else the initial one; > 0 */
    double batch;
    /* statistics measured last or given to learner_copy */
    struct gradient gradient;
    bool has_gradient;
    /* increases whenever rows or the gradient change */
    uint32_t version;
};

/* Sets up a learner without measurements, which borrows `application`. The
 * caller fills in the settings of the job and of each type; learner_fini frees
 * the learner's lists. */
void learner_init(struct learner *learner,
                  const struct application *application, uint32_t n_types);
void learner_fini(struct learner *learner);

/* Adds a measured iteration on a GPU type and, if it is new, fits the model of
 * the type again. `gradient` replaces the earlier statistics. *news becomes
 * true if the row is new or the statistics have changed, else false. Fails only
 * if NLopt cannot be loaded. */
enum status learner_watch(struct learner *learner, struct fits *fits,
                          uint8_t type, struct step_sample row,
                          struct gradient gradient, bool *news,
                          struct error *err) MUST_USE;
/* Replaces the rows and models by copies of those of `donor`, a learner of the
 * same application in the same run, and the gradient by `gradient`. */
void learner_copy(struct learner *learner, const struct learner *donor,
                  struct gradient gradient);

/* True if the learner has gradient statistics and a model of at least one GPU
 * type, so that it can predict goodput. */
bool learner_knows(const struct learner *learner);
/* Returns the model of a GPU type, which a pooled learner shares between all
 * types; NULL if there is none. Valid until the learner changes. */
const struct step_model *learner_model(const struct learner *learner,
                                       uint8_t type);
/* Returns the goodput in a shape, in samples per second: at the best batch
 * size, or, if the job may not change its batch size, at its own. 0 if the type
 * does not run the job, no batch fits on the GPUs, or there is no model or
 * gradient. If `project` is true, a type without a model borrows that of
 * another type. */
double learner_goodput(const struct learner *learner, uint8_t type,
                       uint32_t nodes, uint32_t gpus, bool project);
/* Returns the largest number of GPUs, over all types, that the job may ask for:
 * at most twice as many as in any row of its learner, at most `most`, and at
 * most what its application allows; but at least 1. */
uint32_t learner_gpu_limit(const struct learner *learner, uint32_t most);

#endif
