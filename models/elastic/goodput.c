/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of an iteration, the efficiency by gradient noise, and the search
 * for the batch size with the highest goodput. */

#include <math.h>
#include <schedsim_features.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/library.h"
#include "models/elastic/elastic_internal.h"

#ifdef SCHEDSIM_WITHOUT_NLOPT
#include "base/absent/nlopt_absent.h"
#else
#include <nlopt.h>
#endif

/* Number of batch sizes that goodput_best tries, as in the simulators of Sia
 * and Pollux. */
#define CANDIDATES 50

/* Subtracted before rounding up, as the simulators of Sia and Pollux do. A
 * quotient that exceeds a whole number only by a rounding error thus gives that
 * number. */
#define ROUND_UP_SLACK 1e-8

#define WHOLE_MAX 0x1p62

struct goodput_search;

static double goodput_bound(const struct goodput_search *s, struct batch batch);

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
static double goodput_join(double a, double b, double gamma)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    return high * exp(log(1 + exp(gamma * log(low / high))) / gamma);
}

double step_model_step(const struct step_model *model, uint32_t nodes,
                       uint32_t gpus, double local)
{
    return goodput_join(step_model_grad(model, local),
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
static uint32_t goodput_whole(double x)
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
        .local = goodput_whole(round_up(local)),
        .accumulation = goodput_whole(steps),
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

struct goodput_candidate {
    struct batch batch;
    double bound; /* upper bound of the goodput of this batch */
};

struct goodput_search {
    const struct goodput *job;
    uint32_t nodes, gpus;
    double sync;        /* T_sync of the shape, seconds */
    double slope, rest; /* T_opt >= rest + slope T_grad: see bound() */
    /* gradient variance, and squared norm / M0, each divided by the sum of
     * variance and squared norm; 1 and 0 if that sum is 0 */
    double var, sqr;
    struct goodput_candidate at[CANDIDATES];
    size_t n;
};

/* Returns an upper bound of the goodput of a batch. T_opt is at least the
 * larger of T_grad and T_sync. T_opt is convex in T_grad, so it is also at
 * least the value of its tangent. The factor 1 + 1e-9 covers the difference in
 * rounding between this formula, which divides only once, and goodput_at. */
static double goodput_bound(const struct goodput_search *s, struct batch batch)
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
static void goodput_touch(struct goodput_search *s, struct batch batch)
{
    const struct step_model *model = &s->job->model;
    double grad = step_model_grad(model, batch.local);
    double step = goodput_join(grad, s->sync, model->gamma);
    s->slope = exp((model->gamma - 1) * log(grad / step));
    s->rest = step - s->slope * grad;
}

/* Begins a search. s->at is large and is not cleared; only its first s->n
 * elements are valid. */
static void goodput_start(struct goodput_search *s, const struct goodput *job,
                          uint32_t nodes, uint32_t gpus)
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
static void goodput_add(struct goodput_search *s, double total)
{
    const struct batch_limits *limits = &s->job->limits;
    struct batch batch = batch_divide(limits, total, s->gpus);
    if (batch.local < limits->local_min || batch.local > limits->local_max)
        return;
    if (s->n && s->at[s->n - 1].batch.local == batch.local &&
        s->at[s->n - 1].batch.accumulation == batch.accumulation)
        return; /* duplicates are adjacent */
    s->at[s->n++] = (struct goodput_candidate){
        .batch = batch, .bound = goodput_bound(s, batch)};
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
static double goodput_choose(struct goodput_search *s, struct batch *best)
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
    goodput_touch(s, s->at[first].batch);
    for (size_t i = 0; i < s->n; i++) {
        if (i == first || s->at[i].bound < highest ||
            goodput_bound(s, s->at[i].batch) < highest)
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
    struct goodput_search s;
    double low = (double)limits->local_min * gpus;
    low = low > limits->initial ? low : limits->initial;
    double factor = exp(log(limits->largest / low) / (CANDIDATES - 1));
    double total = low;
    goodput_start(&s, job, nodes, gpus);
    for (unsigned i = 0; i < CANDIDATES; i++, total *= factor)
        goodput_add(&s, i == CANDIDATES - 1 ? limits->largest : total);
    return goodput_choose(&s, best);
}

/* Fits the seven parameters of a step model to measured rows by L-BFGS with
 * bounds (NLopt), on the logarithms of the parameters and with the exact
 * gradient. The objective is that of Pollux and Sia. Its root mean squares are
 * not differentiable where the fit is exact, and the descent would stop there.
 * They are therefore smoothed: strongly in a first pass, weakly in a second.
 * Only this file fits with NLopt, which is loaded when the first fit is
 * made. */

/* Weights of the regularisation, start values, and the upper bound of gamma, as
 * in Pollux (section 4.1) and in Sia's simulator. */
#define WEIGHT_GAMMA 1e-3

#define WEIGHT_SLOPE 1e-2

#define START_ALPHA 0.1

#define START_BETA 0.01

#define START_GAMMA 1.001

#define GAMMA_MAX 10.0

/* Number of past steps that L-BFGS keeps. */
#define GOODPUT_MEMORY 10

/* If all batch sizes lie within this factor of each other, the fit does not
 * divide the compute time into a constant part and a part per sample. The
 * constant part is then half of the mean compute time, because an exact fit
 * would follow the noise of the measurements. From batches of 192 to 200
 * samples, an exact fit concluded that the time does not depend on the batch
 * size, and jobs with such a model asked for no more GPUs. Sia's fit stops
 * before it becomes that exact. */
#define NARROW 1.1

/* Upper bound of all parameters except gamma; in seconds, more than a day. */
#define GOODPUT_SECONDS_HIGH 1e5

/* Smallest ratio of the cost of exchange between nodes to the cost within a
 * node, in a fit without rows on several nodes. */
#define ACROSS_NODES 1.1

enum { ALPHA_C, BETA_C, ALPHA_N, BETA_N, ALPHA_R, BETA_R, GAMMA };

#define NLOPT(X) \
    X(nlopt_create) \
    X(nlopt_destroy) \
    X(nlopt_optimize) \
    X(nlopt_set_ftol_rel) \
    X(nlopt_set_lower_bounds) \
    X(nlopt_set_maxeval) \
    X(nlopt_set_min_objective) \
    X(nlopt_set_upper_bounds) \
    X(nlopt_set_vector_storage)

struct optimiser {
#define NLOPT_MEMBER(name) __typeof__(name) *name;
    NLOPT(NLOPT_MEMBER)
#undef NLOPT_MEMBER
};

static enum status goodput_load(struct optimiser *out, struct error *err)
{
    static const char *const files[] = {"libnlopt.so.0", "libnlopt.so", NULL};
    static const char *const names[] = {
#define NLOPT_NAME(name) #name,
        NLOPT(NLOPT_NAME)
#undef NLOPT_NAME
    };
    return library_load(files, "libnlopt0", names, sizeof names / sizeof *names,
                        out, err);
}

static void to_model(const double p[STEP_MODEL_SIZE], struct step_model *model)
{
    _Static_assert(sizeof *model == STEP_MODEL_SIZE * sizeof *p, "7 numbers");
    memcpy(model, p, sizeof *model);
}

/* A measured row and the values computed from it once per fit. */
struct observed {
    uint32_t nodes, gpus;
    double local, more; /* samples per GPU; GPUs - 2, at least GOODPUT_TINY */
    double ln_compute, ln_step; /* ln(step - sync); ln(step) */
};

/* The errors of the logarithms of T_grad and T_opt in one row, and their
 * derivatives. */
struct residual {
    double grad, step; /* errors of ln T_grad and of ln T_opt */
    /* d ln T_opt / d T_grad and d ln T_opt / d T_sync */
    double by_grad, by_sync;
    double by_gamma; /* d ln T_opt / d gamma */
    double grad_s;   /* T_grad, seconds */
};

/* Computes what a fit needs of each row. The caller frees the array. */
static struct observed *goodput_observe(const struct step_sample *rows,
                                        size_t n)
{
    struct observed *out = mem_alloc(n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const struct step_sample *row = &rows[i];
        CHECK(row->sync >= 0 && row->sync < row->step);
        out[i] = (struct observed){
            .nodes = row->nodes,
            .gpus = row->gpus,
            .local = row->local,
            .more = row->gpus > 2 ? row->gpus - 2.0 : GOODPUT_TINY,
            .ln_compute = log(row->step - row->sync),
            .ln_step = log(row->step),
        };
    }
    return out;
}

/* T_sync of a shape, which does not depend on the batch size, and its
 * logarithm. */
struct exchange {
    double sync, ln_sync;
};

static struct exchange exchange_of(const struct step_model *model,
                                   const struct observed *row)
{
    double sync = step_model_sync(model, row->nodes, row->gpus);
    return (struct exchange){.sync = sync, .ln_sync = log(sync)};
}

static void residual_of(const struct step_model *model,
                        const struct observed *row, struct exchange exchange,
                        struct residual *out)
{
    double grad = step_model_grad(model, row->local);
    double sync = exchange.sync, ln_sync = exchange.ln_sync;
    double ln_grad = log(grad), gamma = model->gamma;
    double g = 1, s = 1, ln_step = ln_grad > ln_sync ? ln_grad : ln_sync;
    if (ln_grad > ln_sync)
        s = exp(gamma * (ln_sync - ln_grad));
    else
        g = exp(gamma * (ln_grad - ln_sync));
    ln_step += log(g + s) / gamma;
    *out = (struct residual){
        .grad = ln_grad - row->ln_compute,
        .step = ln_step - row->ln_step,
        .by_grad = g / (g + s) / grad,
        .by_sync = s / (g + s) / sync,
        .by_gamma = ((g * ln_grad + s * ln_sync) / (g + s) - ln_step) / gamma,
        .grad_s = grad,
    };
}

/* Adds to the gradient `by_grad` times the derivatives of T_grad and `by_sync`
 * times the derivatives of T_sync. */
static void add_slopes(const struct observed *row, double by_grad,
                       double by_sync, double *gradient)
{
    gradient[ALPHA_C] += by_grad;
    gradient[BETA_C] += by_grad * row->local;
    if (row->nodes > 1) {
        gradient[ALPHA_N] += by_sync;
        gradient[BETA_N] += by_sync * row->more;
    } else if (row->gpus > 1) {
        gradient[ALPHA_R] += by_sync;
        gradient[BETA_R] += by_sync * row->more;
    }
}

static double regularise(const struct step_model *m, double *gradient)
{
    double n = m->beta_n / m->alpha_n, r = m->beta_r / m->alpha_r;
    if (gradient) {
        gradient[ALPHA_N] -= 2 * WEIGHT_SLOPE * n * n / m->alpha_n;
        gradient[BETA_N] += 2 * WEIGHT_SLOPE * n / m->alpha_n;
        gradient[ALPHA_R] -= 2 * WEIGHT_SLOPE * r * r / m->alpha_r;
        gradient[BETA_R] += 2 * WEIGHT_SLOPE * r / m->alpha_r;
        gradient[GAMMA] += 2 * WEIGHT_GAMMA * (m->gamma - 1);
    }
    return WEIGHT_GAMMA * (m->gamma - 1) * (m->gamma - 1) +
           WEIGHT_SLOPE * (n * n + r * r);
}

/* Returns the objective and, unless `gradient` is NULL, writes its derivatives.
 * `round` is the radius around an exact fit within which the roots are
 * smoothed; 0 gives the exact objective. */
static double objective(const struct step_model *model,
                        const struct observed *rows, size_t n, double round,
                        double *gradient)
{
    double by_grad[STEP_MODEL_SIZE] = {0}, by_step[STEP_MODEL_SIZE] = {0};
    double grads = 0, steps = 0, count = (double)n;
    struct exchange exchange = {0};
    for (size_t i = 0; i < n; i++) {
        struct residual r;
        if (i == 0 || rows[i].gpus != rows[i - 1].gpus ||
            rows[i].nodes != rows[i - 1].nodes)
            exchange = exchange_of(model, &rows[i]);
        residual_of(model, &rows[i], exchange, &r);
        grads += r.grad * r.grad;
        steps += r.step * r.step;
        add_slopes(&rows[i], r.grad / r.grad_s, 0, by_grad);
        add_slopes(&rows[i], r.step * r.by_grad, r.step * r.by_sync, by_step);
        by_step[GAMMA] += r.step * r.by_gamma;
    }
    grads = sqrt(grads / count + round * round);
    steps = sqrt(steps / count + round * round);
    for (size_t k = 0; gradient && k < STEP_MODEL_SIZE; k++)
        gradient[k] = (grads > 0 ? by_grad[k] / count / grads : 0) +
                      (steps > 0 ? by_step[k] / count / steps : 0);
    return grads + steps + regularise(model, gradient);
}

double step_model_loss(const struct step_model *model,
                       const struct step_sample *rows, size_t n,
                       double *gradient)
{
    struct observed *observed = goodput_observe(rows, n);
    double loss = objective(model, observed, n, 0, gradient);
    free(observed);
    return loss;
}

struct problem {
    const struct observed *rows;
    size_t n;
    double round; /* argument `round` of objective() */
    /* Bounds of the parameters. A parameter is fixed if its bounds are
     * equal. */
    double low[STEP_MODEL_SIZE], high[STEP_MODEL_SIZE];
    double at[STEP_MODEL_SIZE]; /* current values of the parameters */
    bool several_nodes;         /* true if some row is on several nodes */
};

/* Fixes parameter k: its value and both bounds become `value`. */
static void goodput_hold(struct problem *p, unsigned k, double value)
{
    p->low[k] = p->high[k] = p->at[k] = value;
}

/* Fixes the parameters that the rows do not determine, and sets
 * p->several_nodes. */
static void restrict_to_rows(struct problem *p)
{
    bool one_node = false, beyond_two = false;
    double compute = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct observed *row = &p->rows[i];
        p->several_nodes |= row->nodes > 1;
        one_node |= row->nodes == 1 && row->gpus > 1;
        beyond_two |= row->gpus > 2;
        least = fmin(least, row->local);
        most = fmax(most, row->local);
        compute += exp(row->ln_compute);
    }
    if (most < NARROW * least)
        goodput_hold(p, ALPHA_C, compute / (double)p->n / 2);
    if (!p->several_nodes)
        goodput_hold(p, ALPHA_N, GOODPUT_TINY);
    if (!one_node)
        goodput_hold(p, ALPHA_R, GOODPUT_TINY);
    if (!p->several_nodes || !beyond_two)
        goodput_hold(p, BETA_N, GOODPUT_TINY);
    if (!one_node || !beyond_two)
        goodput_hold(p, BETA_R, GOODPUT_TINY);
}

/* Sets up a problem with the start values and bounds above, and fixes the
 * parameters that the rows do not determine. */
static void pose(struct problem *p, const struct observed *rows, size_t n)
{
    *p = (struct problem){.rows = rows, .n = n};
    for (unsigned k = 0; k < STEP_MODEL_SIZE; k++) {
        p->at[k] = k % 2 == 0 ? START_ALPHA : START_BETA;
        p->low[k] = GOODPUT_TINY;
        p->high[k] = GOODPUT_SECONDS_HIGH;
    }
    p->at[GAMMA] = START_GAMMA;
    p->low[GAMMA] = 1;
    p->high[GAMMA] = GAMMA_MAX;
    restrict_to_rows(p);
}

/* The passes. round: the radius of smoothing; tolerance: the relative gain
 * below which the descent ends; evaluations: largest number of evaluations of
 * the objective, after which the descent ends too. On 360 sets of rows from
 * Sia's simulator, the objective ended at most 0.0002 above what longer
 * descents reached, and never above the result of that simulator. */
static const struct {
    double round, tolerance;
    int evaluations;
} goodput_passes[] = {
    {.round = 1e-2, .tolerance = 1e-5, .evaluations = 100},
    {.round = 1e-3, .tolerance = 1e-7, .evaluations = 200},
};

static bool goodput_is_free(const struct problem *p, unsigned k)
{
    return p->low[k] < p->high[k];
}

static double goodput_evaluate(unsigned n, const double *x, double *slope,
                               void *data)
{
    const struct problem *p = data;
    double at[STEP_MODEL_SIZE], by[STEP_MODEL_SIZE];
    struct step_model model;
    (void)n;
    for (unsigned k = 0, i = 0; k < STEP_MODEL_SIZE; k++)
        at[k] = goodput_is_free(p, k) ? exp(x[i++]) : p->low[k];
    to_model(at, &model);
    double value = objective(&model, p->rows, p->n, p->round, by);
    for (unsigned k = 0, i = 0; slope && k < STEP_MODEL_SIZE; k++) {
        if (goodput_is_free(p, k))
            slope[i++] = by[k] * at[k];
    }
    return value;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Makes one pass from p->at, and moves p->at unless the pass raised the
 * objective. gamma is never fixed, so at least one parameter is free. */
static void descend(const struct optimiser *lib, struct problem *p, size_t pass)
{
    double x[STEP_MODEL_SIZE], low[STEP_MODEL_SIZE], high[STEP_MODEL_SIZE];
    double value;
    unsigned n = 0;
    for (unsigned k = 0; k < STEP_MODEL_SIZE; k++) {
        if (!goodput_is_free(p, k))
            continue;
        low[n] = log(p->low[k]);
        high[n] = log(p->high[k]);
        x[n] = clamp(log(p->at[k]), low[n], high[n]);
        n++;
    }
    p->round = goodput_passes[pass].round;
    double before = goodput_evaluate(n, x, NULL, p);
    nlopt_opt opt = lib->nlopt_create(NLOPT_LD_LBFGS, n);
    CHECK(opt);
    lib->nlopt_set_min_objective(opt, goodput_evaluate, p);
    lib->nlopt_set_lower_bounds(opt, low);
    lib->nlopt_set_upper_bounds(opt, high);
    lib->nlopt_set_ftol_rel(opt, goodput_passes[pass].tolerance);
    lib->nlopt_set_maxeval(opt, goodput_passes[pass].evaluations);
    lib->nlopt_set_vector_storage(opt, GOODPUT_MEMORY);
    /* On failure too, x is the best point found. */
    lib->nlopt_optimize(opt, x, &value);
    lib->nlopt_destroy(opt);
    if (!(goodput_evaluate(n, x, NULL, p) <= before))
        return;
    for (unsigned k = 0, i = 0; k < STEP_MODEL_SIZE; k++) {
        if (goodput_is_free(p, k))
            p->at[k] = clamp(exp(x[i++]), p->low[k], p->high[k]);
    }
}

/* Raises the costs of exchange between nodes to at least ACROSS_NODES times the
 * costs within a node. Called if no row is on several nodes. */
static void extend_across_nodes(struct step_model *model)
{
    if (model->alpha_n < ACROSS_NODES * model->alpha_r)
        model->alpha_n = ACROSS_NODES * model->alpha_r;
    if (model->beta_n < ACROSS_NODES * model->beta_r)
        model->beta_n = ACROSS_NODES * model->beta_r;
}

enum status step_model_fit(const struct step_sample *rows, size_t n,
                           struct step_model *out, double *loss,
                           struct error *err)
{
    struct optimiser lib;
    struct problem p;
    CHECK(n > 0);
    enum status st = goodput_load(&lib, err);
    if (st != STATUS_OK)
        return st;
    struct observed *observed = goodput_observe(rows, n);
    pose(&p, observed, n);
    for (size_t i = 0; i < sizeof goodput_passes / sizeof *goodput_passes; i++)
        descend(&lib, &p, i);
    to_model(p.at, out);
    if (!p.several_nodes)
        extend_across_nodes(out);
    if (loss)
        *loss = objective(out, observed, n, 0, NULL);
    free(observed);
    return STATUS_OK;
}

/* Sorted lists of measured rows, and a store of the models fitted to them. The
 * store exists because a fit takes as long as hundreds of decisions, and jobs
 * of one application often measure equal rows. */

static int goodput_order(const struct step_sample *a,
                         const struct step_sample *b)
{
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    return (a->local > b->local) - (a->local < b->local);
}

bool step_samples_add(struct step_samples *samples, struct step_sample row)
{
    size_t low = 0, high = samples->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int sign = goodput_order(&samples->rows[middle], &row);
        if (sign == 0)
            return false;
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    samples->rows = mem_grow(samples->rows, &samples->cap, samples->n + 1,
                             sizeof *samples->rows);
    memmove(&samples->rows[low + 1], &samples->rows[low],
            (samples->n - low) * sizeof *samples->rows);
    samples->rows[low] = row;
    samples->n++;
    if (row.gpus > samples->most_gpus)
        samples->most_gpus = row.gpus;
    return true;
}

void step_samples_copy(struct step_samples *to, const struct step_samples *from)
{
    to->n = 0;
    to->most_gpus = from->most_gpus;
    if (!from->n)
        return;
    to->rows = mem_grow(to->rows, &to->cap, from->n, sizeof *to->rows);
    memcpy(to->rows, from->rows, from->n * sizeof *to->rows);
    to->n = from->n;
}

void step_samples_fini(struct step_samples *samples)
{
    free(samples->rows);
    *samples = (struct step_samples){0};
}

/* One slot of the store: rows, their hash, and the model that fits them. */
struct goodput_fit {
    struct step_sample *rows;
    size_t n; /* number of rows; 0: the slot is free */
    uint64_t hash;
    struct step_model model;
};

struct fits {
    struct goodput_fit *slots; /* hash table with open addressing */
    /* number of used slots; number of slots, a power of two */
    size_t n, n_slots;
    struct arena arena;
};

#define FIRST_SLOTS 256

struct fits *fits_new(void)
{
    struct fits *fits = mem_zalloc(1, sizeof *fits);
    arena_init(&fits->arena);
    fits->n_slots = FIRST_SLOTS;
    fits->slots = mem_zalloc(fits->n_slots, sizeof *fits->slots);
    return fits;
}

void fits_free(struct fits *fits)
{
    if (!fits)
        return;
    arena_fini(&fits->arena);
    free(fits->slots);
    free(fits);
}

size_t fits_made(const struct fits *fits)
{
    return fits->n;
}

static uint64_t goodput_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t bits(double x)
{
    uint64_t out;
    memcpy(&out, &x, sizeof out);
    return out;
}

static uint64_t hash_rows(const struct step_sample *rows, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) {
        hash = goodput_mix(hash, (uint64_t)rows[i].nodes << 32 | rows[i].gpus);
        hash = goodput_mix(hash, rows[i].local);
        hash = goodput_mix(hash, bits(rows[i].step));
        hash = goodput_mix(hash, bits(rows[i].sync));
    }
    return hash;
}

static bool goodput_equal(const struct goodput_fit *fit,
                          const struct step_samples *samples, uint64_t hash)
{
    if (fit->hash != hash || fit->n != samples->n)
        return false;
    for (size_t i = 0; i < fit->n; i++) {
        const struct step_sample *a = &fit->rows[i], *b = &samples->rows[i];
        if (goodput_order(a, b) != 0 || bits(a->step) != bits(b->step) ||
            bits(a->sync) != bits(b->sync))
            return false;
    }
    return true;
}

/* Returns the slot of these rows, or the free slot where they belong. */
static struct goodput_fit *goodput_slot_of(const struct fits *fits,
                                           const struct step_samples *samples,
                                           uint64_t hash)
{
    size_t at = (size_t)hash & (fits->n_slots - 1);
    while (fits->slots[at].n && !goodput_equal(&fits->slots[at], samples, hash))
        at = (at + 1) & (fits->n_slots - 1);
    return &fits->slots[at];
}

static void goodput_grow(struct fits *fits)
{
    struct goodput_fit *old = fits->slots;
    size_t n_old = fits->n_slots;
    fits->n_slots *= 2;
    fits->slots = mem_zalloc(fits->n_slots, sizeof *fits->slots);
    for (size_t i = 0; i < n_old; i++) {
        size_t at = (size_t)old[i].hash & (fits->n_slots - 1);
        if (!old[i].n)
            continue;
        while (fits->slots[at].n)
            at = (at + 1) & (fits->n_slots - 1);
        fits->slots[at] = old[i];
    }
    free(old);
}

enum status fits_get(struct fits *fits, const struct step_samples *samples,
                     struct step_model *out, struct error *err)
{
    CHECK(samples->n > 0);
    uint64_t hash = hash_rows(samples->rows, samples->n);
    if (fits->n * 2 >= fits->n_slots)
        goodput_grow(fits);
    struct goodput_fit *fit = goodput_slot_of(fits, samples, hash);
    if (!fit->n) {
        enum status st =
            step_model_fit(samples->rows, samples->n, &fit->model, NULL, err);
        if (st != STATUS_OK)
            return st;
        fit->rows = ARENA_ARRAY(&fits->arena, struct step_sample, samples->n);
        memcpy(fit->rows, samples->rows, samples->n * sizeof *fit->rows);
        fit->n = samples->n;
        fit->hash = hash;
        fits->n++;
    }
    *out = fit->model;
    return STATUS_OK;
}
