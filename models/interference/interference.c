/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast jobs run that share GPUs: none, constant and fitted, and what
 * several of these models use. */
#include "models/interference/interference.h"

#include <math.h>
#include <stdio.h>

#include "base/state/cluster.h"
#include "models/usage/usage.h"

void interference_sort(double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

/* Co-located jobs run as fast as alone, so a run shows how much packing can
 * gain at best. */

static void none_rates(const struct interference *model,
                       const struct job *const *jobs, size_t count,
                       double *rates)
{
    (void)model;
    (void)jobs;
    for (size_t i = 0; i < count; i++)
        rates[i] = 1.0;
}

const struct interference_ops interference_none = {
    .name = "none",
    .summary = "jobs that share GPUs do not slow each other down",
    .rates = none_rates,
};

/* Every co-located job slows the others down by the same factor: a job that
 * shares its GPUs with n others runs at rate 1 / slowdown^n. */

struct constant_config {
    double slowdown;
};

static const struct option constant_options[] = {
    OPT_DOUBLE(struct constant_config, slowdown, "slowdown", 1.2, 1, 100,
               "factor on the run time for each job on the same GPUs",
               "the constant of Horus (TPDS 2022)"),
    {0},
};

static void constant_rates(const struct interference *model,
                           const struct job *const *jobs, size_t count,
                           double *rates)
{
    const struct constant_config *c = model->config;
    double rate = 1.0;
    (void)jobs;
    for (size_t i = 1; i < count; i++)
        rate /= c->slowdown;
    for (size_t i = 0; i < count; i++)
        rates[i] = rate;
}

const struct interference_ops interference_constant = {
    .name = "constant",
    .summary = "a constant slowdown for each job on the same GPUs",
    .options = constant_options,
    .config_size = sizeof(struct constant_config),
    .rates = constant_rates,
};

/* A formula for pairs that were not measured. With u the GPU utilisation, m the
 * utilisation of the memory controller (both 0..1) and f the share of a GPU's
 * memory, job i beside jobs j runs at
 *
 *     1 / (1 + sum over j of (a u_i^p u_j^q + b m_i m_j + c f_i f_j))
 *
 * bench/fit_interference.py fitted the formula to the speeds of 1,388 pairs on
 * one RTX 3090 (S-Lab-System-Group/Lucid, commit 63685a3). Speeds above 1 were
 * set to 1. This gives 2,776 samples with mean 0.937.
 *
 *                                   R2      MAE
 *     in sample                     0.519   0.051
 *     ten folds of whole pairs      0.518   0.051
 *     leaving out a model           0.425   0.056
 *     in sample, speeds not cut     0.398   0.068
 *
 * Memory bandwidth adds nothing to utilisation: b comes out as 0. Two saturated
 * jobs get 0.59 from the fit; 0.51 to 0.58 were measured; pure time slicing
 * would be a=1. A job of unknown usage is assumed to be saturated: two such
 * jobs get 0.62. For comparison, the mean over all pairs of 26 training
 * workloads that fit on one GPU is 0.66 on V100, 0.60 on P100 and 0.54 on K80
 * (stanford-futuredata/gavel, commit c4fa400). The speeds of pairs on different
 * GPU types correlate by only 0.30 (V100, P100) to 0.65 (P100, K80), so on
 * other types than the RTX 3090 the formula is a guess. That the costs of
 * several co-located jobs add up is assumed. */

/* The terms of one job in the formula. */
struct demand_terms {
    double victim, aggressor; /* u^p and u^q of the formula */
    double bandwidth, memory; /* m and f of the formula */
};

struct fitted_config {
    double factor, a, p, q, b, c, gpu_mem_mib;
    double unknown_util, unknown_bw, unknown_mem;
};

struct fitted {
    const struct fitted_config *config;
    const struct demand_terms *terms; /* by row of usage */
    /* by utilisation in percent, for jobs whose usage row has no utilisation */
    const struct demand_terms *by_util;
    const struct usage_table *usage;
};

#define INTERFERENCE_FIT "fitted to Lucid's pairs by bench/fit_interference.py"

static const struct option fitted_options[] = {
    OPT_DOUBLE(struct fitted_config, factor, "factor", 1, 0, 100,
               "factor on all costs, to study speeds that are wrong by it",
               NULL),
    OPT_DOUBLE(struct fitted_config, a, "a", 0.6002, 0, 10,
               "weight of the GPU utilisations", INTERFERENCE_FIT),
    OPT_DOUBLE(struct fitted_config, p, "p", 1.4018, 0.1, 10,
               "exponent of the job's own utilisation", INTERFERENCE_FIT),
    OPT_DOUBLE(struct fitted_config, q, "q", 1.4506, 0.1, 10,
               "exponent of the other job's utilisation", INTERFERENCE_FIT),
    OPT_DOUBLE(struct fitted_config, b, "b", 0, 0, 10,
               "weight of the memory controllers' utilisations",
               INTERFERENCE_FIT),
    OPT_DOUBLE(struct fitted_config, c, "c", 0.7413, 0, 10,
               "weight of the shares of memory", INTERFERENCE_FIT),
    OPT_DOUBLE(struct fitted_config, gpu_mem_mib, "gpu_mem_mib", 24576, 1, 1e7,
               "memory of a GPU, MiB; jobs take shares of it",
               "RTX 3090, where the pairs were measured"),
    OPT_DOUBLE(
        struct fitted_config, unknown_util, "unknown_util", 1, 0, 1,
        "GPU utilisation of a job, 0..1, if neither its usage row nor the "
        "trace gives one",
        "assumed: saturated, as Gavel's measured pairs are on average "
        "(models/interference/interference.c)"),
    OPT_DOUBLE(
        struct fitted_config, unknown_bw, "unknown_mem_bw_util", 0.286, 0, 1,
        "utilisation of the memory controller of a job, 0..1, if its usage "
        "row gives none",
        "assumed: the mean of Lucid's 66 workloads"),
    OPT_DOUBLE(struct fitted_config, unknown_mem, "unknown_mem_mib", 4301, 0,
               1e7, "memory of a job, MiB, if its usage row gives none",
               "assumed: the mean of Lucid's 66 workloads"),
    {0},
};

/* Returns a figure of a usage row, or `otherwise` if the figure is unknown. */
static double interference_known(const struct usage *p,
                                 enum usage_figure figure, double otherwise)
{
    double value = p->figures[figure].value;
    return value >= 0 ? value : otherwise;
}

static struct demand_terms terms_of(const struct fitted_config *c, double util,
                                    double bandwidth, double mem_mib)
{
    return (struct demand_terms){
        .victim = pow(util, c->p),
        .aggressor = pow(util, c->q),
        .bandwidth = bandwidth,
        .memory = fmin(mem_mib / c->gpu_mem_mib, 1),
    };
}

static bool interference_is_unknown(const struct fitted *f,
                                    const struct job *job)
{
    const struct usage *p = &f->usage->rows[job->usage];
    return p->figures[FIGURE_GPU_UTIL].value < 0;
}

/* Returns the term that job y adds for job x: the bracket in the formula of the
 * comment above, times the setting `factor`. */
static double cost(const struct fitted_config *c, const struct demand_terms *x,
                   const struct demand_terms *y)
{
    return c->factor *
           (c->a * x->victim * y->aggressor +
            c->b * x->bandwidth * y->bandwidth + c->c * x->memory * y->memory);
}

/* Returns the terms of the job, from its usage row or, if only the trace has a
 * utilisation, from the utilisation and memory in the trace. */
static struct demand_terms job_terms(const struct fitted *f,
                                     const struct job *job)
{
    if (job->gpu_util == GPU_UTIL_UNKNOWN || !interference_is_unknown(f, job))
        return f->terms[job->usage];
    struct demand_terms terms = f->by_util[job->gpu_util];
    if (job->mem_mib > 0)
        terms.memory = fmin((double)job->mem_mib / f->config->gpu_mem_mib, 1);
    return terms;
}

/* Notes for the manifest how many jobs have an assumed utilisation or that of a
 * similar row; adds a remark if any is assumed. */
static void interference_report(const struct fitted *f,
                                const struct run_env *env)
{
    const struct fitted_config *c = f->config;
    uint64_t unknown = 0, inherited = 0;
    char text[120];
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        const struct job *job = &env->jobs[i];
        unknown += interference_is_unknown(f, job) &&
                   job->gpu_util == GPU_UTIL_UNKNOWN;
        inherited += f->usage->rows[job->usage].inherited;
    }
    snprintf(text, sizeof text,
             "%llu of an unknown workload, %llu of a similar one, of %u",
             (unsigned long long)unknown, (unsigned long long)inherited,
             env->n_jobs);
    env_note(env, "jobs", text,
             "jobs whose utilisation is assumed (unknown_util), or is that of "
             "another batch size or precision",
             unknown || inherited ? "assumed: see the settings" : "");
    struct demand_terms two =
        terms_of(c, c->unknown_util, c->unknown_bw, c->unknown_mem);
    if (unknown)
        remarks_add(env->remarks, remark_rank_of(unknown, env->n_jobs),
                    "interference fitted: the GPU utilisation of %llu of %u "
                    "jobs is unknown and assumed to be %g %%: two such jobs "
                    "on one GPU have a relative speed of %.2f each "
                    "(fitted:unknown_util, --workloads)",
                    (unsigned long long)unknown, env->n_jobs,
                    100 * c->unknown_util, 1 / (1 + cost(c, &two, &two)));
}

static enum status fitted_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct fitted_config *c = config;
    const struct usage_table *w = env->usage;
    struct demand_terms *terms =
        ARENA_ARRAY(env->arena, struct demand_terms, w->n);
    struct demand_terms *by_util =
        ARENA_ARRAY(env->arena, struct demand_terms, 101);
    (void)err;
    for (size_t i = 0; i < w->n; i++) {
        const struct usage *p = &w->rows[i];
        terms[i] =
            terms_of(c, interference_known(p, FIGURE_GPU_UTIL, c->unknown_util),
                     interference_known(p, FIGURE_MEM_BW_UTIL, c->unknown_bw),
                     interference_known(p, FIGURE_MEM_MIB, c->unknown_mem));
    }
    for (unsigned percent = 0; percent <= 100; percent++)
        by_util[percent] =
            terms_of(c, percent / 100.0, c->unknown_bw, c->unknown_mem);
    *(struct fitted *)self = (struct fitted){
        .config = c, .terms = terms, .by_util = by_util, .usage = w};
    interference_report(self, env);
    return STATUS_OK;
}

static void fitted_rates(const struct interference *model,
                         const struct job *const *jobs, size_t count,
                         double *rates)
{
    const struct fitted_config *c = model->config;
    double costs[SHARE_LIMIT_MAX];
    struct demand_terms terms[SHARE_LIMIT_MAX] = {{0}};
    for (size_t i = 0; i < count; i++)
        terms[i] = job_terms(model->self, jobs[i]);
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < count; k++) {
            if (k != i)
                costs[n++] = cost(c, &terms[i], &terms[k]);
        }
        interference_sort(costs, n);
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += costs[k];
        rates[i] = 1 / (1 + sum);
    }
}

const struct interference_ops interference_fitted = {
    .name = "fitted",
    .summary = "a formula of GPU utilisation, memory bandwidth and memory",
    .options = fitted_options,
    .config_size = sizeof(struct fitted_config),
    .state_size = sizeof(struct fitted),
    .init = fitted_init,
    .rates = fitted_rates,
};
