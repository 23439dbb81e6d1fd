/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throughput and goodput of data-parallel training as Pollux (OSDI 2021,
 * sections 3.1-3.2) and Sia (SOSP 2023, section 3.2) model them. Seven
 * parameters determine the time of an iteration. The noise of the gradient
 * determines how much progress a sample makes in a larger batch. Goodput is the
 * product of throughput and efficiency. For a job with r GPUs, b samples per
 * GPU, `a` accumulation steps, the initial total batch size M0, and a gradient
 * of squared norm sqr and variance var:
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
 * are seconds. The models of a learner are beliefs, fitted to what jobs
 * measured while they ran; the truth about a job, for which the formulas are
 * used as well, is in models/elastic/applications.h. */
#ifndef MODELS_GOODPUT_H
#define MODELS_GOODPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define GOODPUT_TINY 1e-8

/* A measurement: the times of an iteration in one shape at one batch size. */
struct step_sample {
    uint32_t nodes, gpus;
    uint32_t local; /* samples per GPU */
    double step;    /* time of an iteration without accumulation, seconds */
    /* part of `step` in which gradients are exchanged, seconds; 0 <= sync <
     * step */
    double sync;
};

/* The measurements of a job on one GPU type (in a pooled learner, on all
 * types), at most one per shape and batch size, ordered by nodes, GPUs and
 * samples per GPU. Owns the rows. A zeroed struct is an empty list. */
struct step_samples {
    struct step_sample *rows;
    size_t n, cap;
    uint32_t most_gpus; /* largest `gpus` in any row; 0 if there is none */
};

/* Adds a row. If there is a row with the same nodes, GPUs and samples, returns
 * false and changes nothing: as in Sia's simulator, the first measurement
 * stays. */
bool step_samples_add(struct step_samples *samples, struct step_sample row);
/* Replaces *to by a copy of *from. */
void step_samples_copy(struct step_samples *to,
                       const struct step_samples *from);
void step_samples_fini(struct step_samples *samples);

#define STEP_MODEL_SIZE 7
struct step_model {
    /* Coefficients of the formulas above. alpha_*: seconds; beta_c: seconds per
     * sample; beta_n and beta_r: seconds per GPU. */
    double alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r;
    /* How much computing and exchange overlap, 1..10. 1: one comes after the
     * other; 10: they run at almost the same time. */
    double gamma;
};

/* A store of fitted models. fits_get writes the model fitted to the samples;
 * there must be at least one sample. The store fits equal sets of samples only
 * once. fits_get fails only if NLopt cannot be loaded. */
struct fits;
struct fits *fits_new(void);
void fits_free(struct fits *fits); /* accepts NULL */
enum status fits_get(struct fits *fits, const struct step_samples *samples,
                     struct step_model *out, struct error *err) MUST_USE;

/* Fits a model to n > 0 rows. *loss (`loss` may be NULL) becomes the value of
 * the objective: the sum of the root mean squares of the errors of ln T_grad
 * and of ln T_opt, plus a regularisation term. Fails only if NLopt cannot be
 * loaded. */
enum status step_model_fit(const struct step_sample *rows, size_t n,
                           struct step_model *out, double *loss,
                           struct error *err) MUST_USE;

/* Return T_grad, T_sync and T_opt in seconds. T_opt is the time of an iteration
 * without accumulation. */
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
    /* samples of a step on each GPU or, if the job has pipelines, in each
     * pipeline */
    uint32_t local;
    /* number of steps without an update before each update */
    uint32_t accumulation;
};

/* Returns the number of samples that are processed between two updates. `gpus`:
 * number of GPUs or, if the job has pipelines, of pipelines. */
static inline double batch_total(struct batch batch, uint32_t gpus)
{
    return (double)gpus * batch.local * (batch.accumulation + 1.0);
}

struct batch_limits {
    double initial;                /* M0, the initial total batch size */
    double largest;                /* largest total batch size */
    uint32_t local_min, local_max; /* samples per GPU, local_min >= 1 */
};

/* The pipelines of a job (Sia, section 3.3; Megatron's schedule). Each pipeline
 * has `stages` GPUs and processes `micro_batches` micro-batches of one sample
 * per iteration. An iteration takes 3 (stages - 1 + micro_batches) stage +
 * T_sync. */
struct pipeline {
    /* number of GPUs of a pipeline; 0: the job has no pipelines */
    uint32_t stages;
    uint32_t micro_batches;
    double stage; /* time of one micro-batch in one stage, seconds */
};

/* Returns the time of an iteration in seconds. `stage`: time of one micro-batch
 * in one stage, used in place of pipeline.stage; `sync`: T_sync; both in
 * seconds. */
double pipeline_time(struct pipeline pipeline, double stage, double sync);

/* What the goodput of a job depends on other than its shape (nodes, GPUs) and
 * its batch. */
struct goodput {
    struct step_model model;
    struct gradient gradient;
    struct batch_limits limits;
    struct pipeline pipeline;
};

/* Returns the progress of one iteration at scale = total / M0, measured in
 * iterations at batch size M0: between 1 and `scale`; `scale` if sqr and var
 * are both 0. */
double gradient_gain(struct gradient gradient, double scale);
/* Returns the goodput in samples per second. A sample is weighted by its
 * progress relative to a sample in a batch of M0. */
double goodput_at(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                  struct batch batch);
/* Returns the highest goodput of 50 batch sizes, geometrically spaced from
 * max(M0, local_min x gpus) to the largest, or, for a job of pipelines, the
 * goodput of its only batch. *best becomes the first batch with this goodput.
 * If no batch is possible, returns 0 and does not change *best. `best` may be
 * NULL. */
double goodput_best(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                    struct batch *best);

/* Divides a total batch size over GPUs that take at most limits->local_max
 * samples each. Samples per GPU are rounded up and may be below local_min. On a
 * single GPU, a total above M0 needs at least one accumulation step, because
 * measuring the noise of the gradient takes two steps. */
struct batch batch_divide(const struct batch_limits *limits, double total,
                          uint32_t gpus);
/* Returns the batch of a job that has no measurements yet: M0 samples, or
 * local_min on each GPU if that is more, rounded up so that all GPUs get
 * equally many. */
struct batch batch_first(const struct batch_limits *limits, uint32_t gpus);

/* Returns how many GPUs a job may ask for: at most twice the largest number in
 * `samples`, at most `most`, and at most one per local_min samples of the
 * largest batch; but at least 1. */
uint32_t goodput_gpu_limit(const struct step_samples *samples,
                           const struct batch_limits *limits, uint32_t most);

#endif
