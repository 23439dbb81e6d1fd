/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of an iteration, the efficiency by gradient noise, and the search
 * for the batch size with the highest goodput. */
#include "models/elastic/goodput_internal.h"

#include <math.h>

/* Number of batch sizes that goodput_best tries, as in the simulators of Sia
 * and Pollux. */
#define CANDIDATES 50
/* Subtracted before rounding up, as the simulators of Sia and Pollux do. A
 * quotient that exceeds a whole number only by a rounding error thus gives that
 * number. */
#define ROUND_UP_SLACK 1e-8

#define WHOLE_MAX 0x1p62

/* Rounds x - ROUND_UP_SLACK up without a library call, if x is below 2^62, as
 * all batch sizes are. Larger numbers, infinities and NaN, which arise from
 * limits of 0 where the job cannot run, are returned unchanged. */
static double round_up(double x)
{
    if (!(x > -WHOLE_MAX && x < WHOLE_MAX))
        return x;
    double below = (double)(int64_t)(x - ROUND_UP_SLACK);
    return below < x - ROUND_UP_SLACK ? below + 1 : below;
}

double step_model_grad(const struct step_model *model, double local)
{
    return model->alpha_c + model->beta_c * local;
}

double step_model_sync(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus)
{
    double more = gpus > 2 ? gpus - 2.0 : GOODPUT_TINY;
    if (nodes > 1)
        return model->alpha_n + model->beta_n * more;
    if (gpus > 1)
        return model->alpha_r + model->beta_r * more;
    return GOODPUT_TINY + GOODPUT_TINY * more;
}

/* Returns (a^gamma + b^gamma)^(1/gamma) without overflow. */
static double join(double a, double b, double gamma)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    return high * exp(log(1 + exp(gamma * log(low / high))) / gamma);
}

double step_model_step(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus, double local)
{
    return join(step_model_grad(model, local),
                step_model_sync(model, nodes, gpus), model->gamma);
}

double gradient_gain(struct gradient gradient, double scale)
{
    double below = gradient.var / scale + gradient.sqr;
    return below > 0 ? (gradient.var + gradient.sqr) / below : scale;
}

double goodput_efficiency(struct gradient gradient, double scale)
{
    return gradient_gain(gradient, scale) / scale;
}

double pipeline_time(struct pipeline pipeline, double stage, double sync)
{
    return 3.0 * (pipeline.stages - 1.0 + pipeline.micro_batches) * stage +
           sync;
}

/* goodput_at for a job of pipelines. Each pipeline processes batch.local
 * samples per iteration. */
static double pipeline_goodput(const struct goodput *job, uint32_t nodes,
                               uint32_t gpus, struct batch batch)
{
    const struct pipeline *p = &job->pipeline;
    double total = batch_total(batch, gpus / p->stages);
    double sync = step_model_sync(&job->model, nodes, gpus);
    double time = pipeline_time(*p, p->stage, sync);
    return total / time *
           goodput_efficiency(job->gradient, total / job->limits.initial);
}

double goodput_at(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                  struct batch batch)
{
    if (job->pipeline.stages)
        return pipeline_goodput(job, nodes, gpus, batch);
    double total = batch_total(batch, gpus);
    double time =
        batch.accumulation * step_model_grad(&job->model, batch.local) +
        step_model_step(&job->model, nodes, gpus, batch.local);
    return total / time *
           goodput_efficiency(job->gradient, total / job->limits.initial);
}

/* Returns x rounded down, or 0 if x is negative, NaN or above UINT32_MAX: a job
 * cannot train with a batch of 0. */
static uint32_t whole(double x)
{
    return x >= 0 && x <= UINT32_MAX ? (uint32_t)x : 0;
}

struct batch batch_divide(const struct batch_limits *limits, double total,
                          uint32_t gpus)
{
    double local = total / gpus, steps = 0;
    if (local > limits->local_max)
        steps = round_up(local / limits->local_max) - 1;
    if (gpus == 1 && local > limits->initial && steps < 1)
        steps = 1;
    if (steps > 0)
        local /= steps + 1;
    return (struct batch){
        .local = whole(round_up(local)),
        .accumulation = whole(steps),
    };
}

struct batch batch_first(const struct batch_limits *limits, uint32_t gpus)
{
    double least = (double)limits->local_min * gpus;
    double total = least > limits->initial ? least : limits->initial;
    double local = round_up(total / gpus);
    return batch_divide(limits, local * gpus, gpus);
}

uint32_t goodput_gpu_limit(const struct step_samples *samples,
                           const struct batch_limits *limits, uint32_t most)
{
    double limit = 2.0 * samples->most_gpus;
    double fed = limits->largest / limits->local_min;
    limit = limit < most ? limit : most;
    limit = limit < fed ? limit : fed;
    return limit < 1 ? 1 : (uint32_t)limit;
}

struct candidate {
    struct batch batch;
    double bound; /* upper bound of the goodput of this batch */
};

struct search {
    const struct goodput *job;
    uint32_t nodes, gpus;
    double sync;        /* T_sync of the shape, seconds */
    double slope, rest; /* T_opt >= rest + slope T_grad: see bound() */
    /* gradient variance, and squared norm / M0, each divided by the sum of
     * variance and squared norm; 1 and 0 if that sum is 0 */
    double var, sqr;
    struct candidate at[CANDIDATES];
    size_t n;
};

/* Returns an upper bound of the goodput of a batch. T_opt is at least the
 * larger of T_grad and T_sync. T_opt is convex in T_grad, so it is also at
 * least the value of its tangent. The factor 1 + 1e-9 covers the difference in
 * rounding between this formula, which divides only once, and goodput_at. */
static double bound(const struct search *s, struct batch batch)
{
    double grad = step_model_grad(&s->job->model, batch.local);
    double longer = grad > s->sync ? grad : s->sync;
    double tangent = s->rest + s->slope * grad;
    longer = longer > tangent ? longer : tangent;
    double time = batch.accumulation * grad + longer;
    double total = batch_total(batch, s->gpus);
    return total / (time * (s->var + s->sqr * total)) * (1 + 1e-9);
}

/* Computes the tangent of T_opt at the T_grad of a batch. */
static void touch(struct search *s, struct batch batch)
{
    const struct step_model *model = &s->job->model;
    double grad = step_model_grad(model, batch.local);
    double step = join(grad, s->sync, model->gamma);
    s->slope = exp((model->gamma - 1) * log(grad / step));
    s->rest = step - s->slope * grad;
}

/* Begins a search. s->at is large and is not cleared; only its first s->n
 * elements are valid. */
static void start(struct search *s, const struct goodput *job, uint32_t nodes,
                  uint32_t gpus)
{
    struct gradient g = job->gradient;
    double sum = g.var + g.sqr;
    s->job = job;
    s->nodes = nodes;
    s->gpus = gpus;
    s->sync = step_model_sync(&job->model, nodes, gpus);
    s->slope = s->rest = 0;
    s->var = sum > 0 ? g.var / sum : 1;
    s->sqr = sum > 0 ? g.sqr / sum / job->limits.initial : 0;
    s->n = 0;
}

/* Adds a candidate for the total batch size if its samples per GPU are within
 * the limits. */
static void add(struct search *s, double total)
{
    const struct batch_limits *limits = &s->job->limits;
    struct batch batch = batch_divide(limits, total, s->gpus);
    if (batch.local < limits->local_min || batch.local > limits->local_max)
        return;
    if (s->n && s->at[s->n - 1].batch.local == batch.local &&
        s->at[s->n - 1].batch.accumulation == batch.accumulation)
        return; /* duplicates are adjacent */
    s->at[s->n++] =
        (struct candidate){.batch = batch, .bound = bound(s, batch)};
}

/* goodput_best for a job of pipelines, which has one batch size. Returns 0 if
 * the GPUs make no whole number of pipelines or the batch exceeds the limit. */
static double best_pipeline(const struct goodput *job, uint32_t nodes,
                            uint32_t gpus, struct batch *best)
{
    struct batch batch = {.local = job->pipeline.micro_batches};
    if (gpus % job->pipeline.stages != 0)
        return 0;
    double total = batch_total(batch, gpus / job->pipeline.stages);
    if (total > job->limits.largest)
        return 0;
    if (best)
        *best = batch;
    return pipeline_goodput(job, nodes, gpus, batch);
}

/* Returns the highest goodput of the candidates, and 0 if there are none; *best
 * becomes the first candidate with this goodput, if that is above 0. Begins
 * with the candidate that has the highest bound, because the tangent at this
 * candidate rules out most others. */
static double choose(struct search *s, struct batch *best)
{
    size_t first = 0;
    if (s->n == 0)
        return 0;
    for (size_t i = 1; i < s->n; i++) {
        if (s->at[i].bound > s->at[first].bound)
            first = i;
    }
    size_t chosen = first;
    double highest = goodput_at(s->job, s->nodes, s->gpus, s->at[first].batch);
    touch(s, s->at[first].batch);
    for (size_t i = 0; i < s->n; i++) {
        if (i == first || s->at[i].bound < highest ||
            bound(s, s->at[i].batch) < highest)
            continue;
        double value = goodput_at(s->job, s->nodes, s->gpus, s->at[i].batch);
        if (value > highest || (value == highest && i < chosen)) {
            highest = value;
            chosen = i;
        }
    }
    if (highest > 0 && best)
        *best = s->at[chosen].batch;
    return highest;
}

double goodput_best(const struct goodput *job, uint32_t nodes, uint32_t gpus,
                    struct batch *best)
{
    if (job->pipeline.stages)
        return best_pipeline(job, nodes, gpus, best);
    const struct batch_limits *limits = &job->limits;
    struct search s;
    double low = (double)limits->local_min * gpus;
    low = low > limits->initial ? low : limits->initial;
    double factor = exp(log(limits->largest / low) / (CANDIDATES - 1));
    double total = low;
    start(&s, job, nodes, gpus);
    for (unsigned i = 0; i < CANDIDATES; i++, total *= factor)
        add(&s, i == CANDIDATES - 1 ? limits->largest : total);
    return choose(&s, best);
}
