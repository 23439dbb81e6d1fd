/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the seven parameters of a step model to measured rows by L-BFGS with
 * bounds (NLopt), on the logarithms of the parameters and with the exact
 * gradient. The objective is that of Pollux and Sia. Its root mean squares are
 * not differentiable where the fit is exact, and the descent would stop there.
 * They are therefore smoothed: strongly in a first pass, weakly in a second.
 * Only this file fits with NLopt, which is loaded when the first fit is
 * made. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/library.h"
#include "models/elastic/goodput_internal.h"

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_NLOPT
#include "base/absent/nlopt_absent.h"
#else
#include <nlopt.h>
#endif

/* Weights of the regularisation, start values, and the upper bound of gamma, as
 * in Pollux (section 4.1) and in Sia's simulator. */
#define WEIGHT_GAMMA 1e-3
#define WEIGHT_SLOPE 1e-2
#define START_ALPHA 0.1
#define START_BETA 0.01
#define START_GAMMA 1.001
#define GAMMA_MAX 10.0
/* Number of past steps that L-BFGS keeps. */
#define MEMORY 10
/* If all batch sizes lie within this factor of each other, the fit does not
 * divide the compute time into a constant part and a part per sample. The
 * constant part is then half of the mean compute time, because an exact fit
 * would follow the noise of the measurements. From batches of 192 to 200
 * samples, an exact fit concluded that the time does not depend on the batch
 * size, and jobs with such a model asked for no more GPUs. Sia's fit stops
 * before it becomes that exact. */
#define NARROW 1.1
/* Upper bound of all parameters except gamma; in seconds, more than a day. */
#define SECONDS_HIGH 1e5
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

static enum status load(struct optimiser *out, struct error *err)
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
static struct observed *observe(const struct step_sample *rows, size_t n)
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
    struct observed *observed = observe(rows, n);
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
static void hold(struct problem *p, unsigned k, double value)
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
        hold(p, ALPHA_C, compute / (double)p->n / 2);
    if (!p->several_nodes)
        hold(p, ALPHA_N, GOODPUT_TINY);
    if (!one_node)
        hold(p, ALPHA_R, GOODPUT_TINY);
    if (!p->several_nodes || !beyond_two)
        hold(p, BETA_N, GOODPUT_TINY);
    if (!one_node || !beyond_two)
        hold(p, BETA_R, GOODPUT_TINY);
}

/* Sets up a problem with the start values and bounds above, and fixes the
 * parameters that the rows do not determine. */
static void pose(struct problem *p, const struct observed *rows, size_t n)
{
    *p = (struct problem){.rows = rows, .n = n};
    for (unsigned k = 0; k < STEP_MODEL_SIZE; k++) {
        p->at[k] = k % 2 == 0 ? START_ALPHA : START_BETA;
        p->low[k] = GOODPUT_TINY;
        p->high[k] = SECONDS_HIGH;
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
} passes[] = {
    {.round = 1e-2, .tolerance = 1e-5, .evaluations = 100},
    {.round = 1e-3, .tolerance = 1e-7, .evaluations = 200},
};

static bool is_free(const struct problem *p, unsigned k)
{
    return p->low[k] < p->high[k];
}

static double evaluate(unsigned n, const double *x, double *slope, void *data)
{
    const struct problem *p = data;
    double at[STEP_MODEL_SIZE], by[STEP_MODEL_SIZE];
    struct step_model model;
    (void)n;
    for (unsigned k = 0, i = 0; k < STEP_MODEL_SIZE; k++)
        at[k] = is_free(p, k) ? exp(x[i++]) : p->low[k];
    to_model(at, &model);
    double value = objective(&model, p->rows, p->n, p->round, by);
    for (unsigned k = 0, i = 0; slope && k < STEP_MODEL_SIZE; k++) {
        if (is_free(p, k))
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
        if (!is_free(p, k))
            continue;
        low[n] = log(p->low[k]);
        high[n] = log(p->high[k]);
        x[n] = clamp(log(p->at[k]), low[n], high[n]);
        n++;
    }
    p->round = passes[pass].round;
    double before = evaluate(n, x, NULL, p);
    nlopt_opt opt = lib->nlopt_create(NLOPT_LD_LBFGS, n);
    CHECK(opt);
    lib->nlopt_set_min_objective(opt, evaluate, p);
    lib->nlopt_set_lower_bounds(opt, low);
    lib->nlopt_set_upper_bounds(opt, high);
    lib->nlopt_set_ftol_rel(opt, passes[pass].tolerance);
    lib->nlopt_set_maxeval(opt, passes[pass].evaluations);
    lib->nlopt_set_vector_storage(opt, MEMORY);
    /* On failure too, x is the best point found. */
    lib->nlopt_optimize(opt, x, &value);
    lib->nlopt_destroy(opt);
    if (!(evaluate(n, x, NULL, p) <= before))
        return;
    for (unsigned k = 0, i = 0; k < STEP_MODEL_SIZE; k++) {
        if (is_free(p, k))
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
    enum status st = load(&lib, err);
    if (st != STATUS_OK)
        return st;
    struct observed *observed = observe(rows, n);
    pose(&p, observed, n);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        descend(&lib, &p, i);
    to_model(p.at, out);
    if (!p.several_nodes)
        extend_across_nodes(out);
    if (loss)
        *loss = objective(out, observed, n, 0, NULL);
    free(observed);
    return STATUS_OK;
}
