/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throughput and goodput of data-parallel training as Pollux (OSDI 2021,
 * sections 3.1-3.2) and Sia (SOSP 2023, section 3.2) model them. Seven numbers
 * give the time of an iteration, and the noise of the gradient gives what a
 * larger batch is worth. Goodput is the product of throughput and efficiency.
 * For a job on n nodes with r GPUs, b samples per GPU and a accumulation steps:
 *
 *     T_grad = alpha_c + beta_c b
 *     T_sync = alpha_n + beta_n max(r - 2, 0)   on several nodes
 *              alpha_r + beta_r max(r - 2, 0)   on one node
 *              0                                on one GPU
 *     T_opt  = (T_grad^gamma + T_sync^gamma)^(1/gamma)
 *     throughput = r b (a+1) / (a T_grad + T_opt)       samples per second
 *     efficiency = ((var + sqr) / (var/s + sqr)) / s    s = r b (a+1) / M0
 *     goodput    = throughput x efficiency
 *
 * In place of 0 the code uses GOODPUT_TINY, so that logarithms exist. All times
 * are seconds. These are beliefs, from measurements of the job while it ran;
 * the truth about a job is in models/elastic/applications.h. All functions but
 * those of a store are pure. */
#ifndef MODELS_GOODPUT_H
#define MODELS_GOODPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

#define GOODPUT_TINY 1e-8

/* The measured times of an iteration in one shape. */
struct step_sample {
    uint32_t nodes, gpus;
    uint32_t local; /* samples per GPU */
    double step;    /* seconds of an iteration without accumulation */
    double sync; /* seconds of it that exchange gradients; 0 <= sync < step */
};

/* The measurements of a job on one GPU type, one for each shape, in order of
 * nodes, GPUs and samples per GPU. Owns the rows; all zeroes is empty. */
struct step_samples {
    struct step_sample *rows;
    size_t n, cap;
    uint32_t most_gpus; /* largest `gpus` of all rows */
};

/* Adds a row. Returns false and changes nothing if there is a row of this
 * shape: as in Sia's simulator, the first measurement stays. */
bool step_samples_add(struct step_samples *samples, struct step_sample row);
/* Replaces *to by a copy of *from. */
void step_samples_copy(struct step_samples *to,
                       const struct step_samples *from);
void step_samples_fini(struct step_samples *samples);

#define STEP_MODEL_SIZE 7
struct step_model {
    /* Seconds, and seconds per sample or GPU; see the formulas above. */
    double alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r;
    /* How much computing and exchange overlap, 1..10. 1: one comes after the
     * other. 10: they run at the same time. */
    double gamma;
};

/* A store of fits. fits_get writes the model that fits the samples, of which
 * there is at least one. Equal samples give equal models and are fitted once in
 * the life of the store. Fails only if NLopt is not installed. */
struct fits;
struct fits *fits_new(void);
void fits_free(struct fits *fits); /* accepts NULL */
enum status fits_get(struct fits *fits, const struct step_samples *samples,
                     struct step_model *out, struct error *err) MUST_USE;

/* Fits a model. *loss (may be NULL) becomes the value of the objective: the
 * root mean squares of the errors of ln T_grad and ln T_opt, plus a
 * regularisation. */
enum status step_model_fit(const struct step_sample *rows, size_t n,
                           struct step_model *out, double *loss,
                           struct error *err) MUST_USE;

/* Return T_grad, T_sync and T_opt, which is the time of an iteration without
 * accumulation. */
double step_model_grad(const struct step_model *model, double local);
double step_model_sync(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus);
double step_model_step(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus, double local);

/* Squared norm and variance of the gradient at the batch size M0. */
struct gradient {
    double sqr, var;
};

struct batch {
    uint32_t local;        /* samples per GPU */
    uint32_t accumulation; /* steps without an update before each update */
};

/* Returns the samples of all GPUs between two updates. */
static inline double batch_total(struct batch batch, uint32_t gpus)
{
    return (double)gpus * batch.local * (batch.accumulation + 1.0);
}

struct batch_limits {
    double initial;                /* M0, the smallest total, > 0 */
    double largest;                /* largest total, >= initial */
    uint32_t local_min, local_max; /* samples per GPU, local_min >= 1 */
};

/* A job of pipelines of `stages` GPUs each, which work through `micro_batches`
 * of one sample (Sia, section 3.3; Megatron's schedule). An iteration takes 3
 * (stages - 1 + micro_batches) stage + T_sync. */
struct pipeline {
    uint32_t stages; /* GPUs of a pipeline; 0: the job has no pipelines */
    uint32_t micro_batches;
    double stage; /* seconds of one micro-batch in one stage */
};

/* Returns the seconds of an iteration. */
double pipeline_time(struct pipeline pipeline, double stage, double sync);

/* What the goodput of a job depends on besides the shape. */
struct goodput {
    struct step_model model;
    struct gradient gradient;
    struct batch_limits limits;
    struct pipeline pipeline;
};

/* Returns the progress of an iteration at scale s = total / M0, relative to one
 * at M0: 1..s. */
double gradient_gain(struct gradient gradient, double scale);
/* Returns samples per second, each worth as much as a sample at M0. */
double goodput_at(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                  struct batch batch);
/* Returns the highest goodput of 50 batch sizes, geometrically spaced from
 * max(M0, local_min x gpus) to the largest, and that batch size, the first of
 * equals. If none is possible, returns 0 and leaves *best as it is. `best` may
 * be NULL. */
double goodput_best(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                    struct batch *best);

/* Divides a total over GPUs that take at most limits->local_max samples each. A
 * single GPU above M0 gets at least one accumulation step, because the noise of
 * the gradient is measured between two of them. */
struct batch batch_divide(const struct batch_limits *limits, double total,
                          uint32_t gpus);
/* Returns the batch of a job that has measured nothing yet. */
struct batch batch_first(const struct batch_limits *limits, uint32_t gpus);

/* Returns how many GPUs a job may ask for: at most twice as many as it has run
 * on, at most `most`, and at most one for each local_min samples of the largest
 * batch; at least 1. */
uint32_t goodput_gpu_limit(const struct step_samples *samples,
                           const struct batch_limits *limits, uint32_t most);

#endif
