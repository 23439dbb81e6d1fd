/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throughput and goodput of data-parallel training as Pollux (OSDI 2021,
 * sections 3.1-3.2) and Sia (SOSP 2023, section 3.2) model them: seven numbers
 * tell the time of an iteration, the noise of the gradient tells what a larger
 * batch is worth, their product is what a scheduler shares out. For a job on
 * n nodes, r GPUs, b samples a GPU and a accumulation steps:
 *
 *     T_grad = alpha_c + beta_c b
 *     T_sync = alpha_n + beta_n max(r - 2, 0)   on several nodes
 *              alpha_r + beta_r max(r - 2, 0)   on one node
 *              0                                on one GPU
 *     T_opt  = (T_grad^gamma + T_sync^gamma)^(1/gamma)
 *     throughput = r b (a+1) / (a T_grad + T_opt)       samples a second
 *     efficiency = ((var + sqr) / (var/s + sqr)) / s    s = r b (a+1) / M0
 *     goodput    = throughput x efficiency
 *
 * (0 is GOODPUT_TINY, so that logarithms exist.) All times are seconds. This is
 * belief: what is known of a job by having watched it. What is true of it is
 * models/elastic/applications.h. Everything is a pure function of its
 * arguments. */
#ifndef MODELS_GOODPUT_H
#define MODELS_GOODPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

#define GOODPUT_TINY 1e-8

/* One observed shape: seconds of one iteration without accumulation, and the
 * seconds of it that were spent on exchanging gradients. */
struct step_sample {
    uint32_t nodes, gpus, local; /* local: samples a GPU */
    double step, sync;           /* 0 <= sync < step */
};

/* What is known of a job on one GPU type. Rows are in order of nodes, GPUs and
 * batch, one per shape. Owns the rows; all zeroes is empty. */
struct step_samples {
    struct step_sample *rows;
    size_t n, cap;
    uint32_t most_gpus; /* the most GPUs of any row */
};

/* Adds a row. Returns false, and changes nothing, if the shape is known: the
 * first observation stays (Sia's simulator). */
bool step_samples_add(struct step_samples *samples, struct step_sample row);
/* Replaces *to by a copy of what another job knows. */
void step_samples_copy(struct step_samples *to,
                       const struct step_samples *from);
void step_samples_fini(struct step_samples *samples);

#define STEP_MODEL_SIZE 7
struct step_model {
    double alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r; /* seconds */
    double gamma; /* 1: one after the other ... 10: at the same time */
};

/* A store of fits. fits_get replaces *out; the samples has at least one row.
 * Equal rows give equal models, and are fitted once in the life of `fits`.
 * Fails only if NLopt is not installed. */
struct fits;
struct fits *fits_new(void);
void fits_free(struct fits *fits); /* accepts NULL */
enum status fits_get(struct fits *fits, const struct step_samples *samples,
                     struct step_model *out, struct error *err) MUST_USE;

/* Fits once. *loss becomes the value of the objective (may be NULL): the root
 * mean squares of the relative errors of T_grad and T_opt, plus a
 * regularisation. */
enum status step_model_fit(const struct step_sample *rows, size_t n,
                           struct step_model *out, double *loss,
                           struct error *err) MUST_USE;

double step_model_grad(const struct step_model *model, double local);
double step_model_sync(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus);
/* T_opt: the time of an iteration without accumulation. */
double step_model_step(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus, double local);

/* Squared norm and variance of the gradient at the batch size M0. */
struct gradient {
    double sqr, var;
};

/* Samples per GPU and how often they are accumulated before an update. The
 * total is gpus x local x (accumulation + 1). */
struct batch {
    uint32_t local, accumulation;
};

static inline double batch_total(struct batch batch, uint32_t gpus)
{
    return (double)gpus * batch.local * (batch.accumulation + 1.0);
}

struct batch_limits {
    double initial;                /* M0: the smallest total; > 0 */
    double largest;                /* largest total, >= initial */
    uint32_t local_min, local_max; /* per GPU, local_min >= 1 */
};

/* Pipelines of `stages` GPUs each work through `micro_batches` of one sample
 * (Sia, section 3.3; Megatron's schedule): an iteration takes
 * 3 (stages - 1 + micro_batches) stage + T_sync. */
struct pipeline {
    uint32_t stages; /* 0: an ordinary job */
    uint32_t micro_batches;
    double stage; /* seconds of one micro-batch in one stage */
};

/* Seconds of an iteration. */
double pipeline_time(struct pipeline pipeline, double stage, double sync);

/* All that a goodput depends on except the shape. */
struct goodput {
    struct step_model model;
    struct gradient gradient;
    struct batch_limits limits;
    struct pipeline pipeline;
};

/* Progress of one step at scale s over that at M0, in [1, s]: see above. */
double gradient_gain(struct gradient gradient, double scale);
/* gain / s, in (0, 1]; 1 where it is not defined. */
double goodput_efficiency(struct gradient gradient, double scale);
/* Samples per second, in samples that are worth as much as at M0. */
double goodput_at(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                  struct batch batch);
/* The goodput of the best of 50 batch sizes, geometrically spaced from max(M0,
 * local_min x gpus) to the largest; the first of equals. 0 and no change of
 * *best if none is possible. `best` may be NULL. */
double goodput_best(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                    struct batch *best);

/* Divides a total over GPUs of at most limits->local_max samples each; uses at
 * least one accumulation step on a single GPU above M0, because the noise of
 * the gradient is measured between two. */
struct batch batch_divide(const struct batch_limits *limits, double total,
                          uint32_t gpus);
/* The batch for a job of which nothing is known yet. */
struct batch batch_first(const struct batch_limits *limits, uint32_t gpus);

/* GPUs that a job may ask for: at most twice the most it has run on, `most`,
 * and as many as the largest batch can feed; at least 1. */
uint32_t goodput_gpu_limit(const struct step_samples *samples,
                           const struct batch_limits *limits, uint32_t most);

#endif
