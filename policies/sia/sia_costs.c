/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the shapes on offer and computes their costs for each job. To get the
 * cost of a shape, the goodput in it is divided by the smallest goodput that
 * the job could have, discounted by the cost of a restart, and taken to a
 * negative power. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/elastic/learner.h"
#include "policies/sia/sia_internal.h"

/* Constants of Sia's artifact. */
/* utility of a shape that is impossible but that the job holds */
#define IMPOSSIBLE 1e-4
#define COST_CAP 300000 /* highest cost of a shape, in hundredths */

/* Returns the largest number of nodes of a type on which any job's application
 * was measured; at least 1. */
static uint32_t most_nodes(const struct sia_round *r, uint8_t type)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const struct learner *a = view_learner(r->view, r->jobs[i]);
        if (a && a->types[type].runs && a->types[type].most_nodes > most)
            most = a->types[type].most_nodes;
    }
    return most;
}

static void add_shape(struct sia_round *r, uint32_t pool, uint32_t gpus)
{
    const struct pool *p = &r->pools[pool];
    r->shapes[r->n_shapes++] = (struct sia_shape){
        .pool = pool,
        .type = (uint8_t)p->type,
        .gpus = gpus,
        .nodes = (gpus + p->widest - 1) / p->widest,
    };
}

/* Adds the common shapes of a pool: powers of two within a node, then numbers
 * of whole nodes up to most_nodes. */
static void add_common(struct sia_round *r, uint32_t pool)
{
    const struct pool *p = &r->pools[pool];
    uint32_t nodes = p->widest ? p->n_gpus / p->widest : 0;
    uint32_t most = most_nodes(r, (uint8_t)p->type);
    for (uint32_t g = 1; g < p->widest && g <= p->n_gpus; g *= 2)
        add_shape(r, pool, g);
    for (uint32_t n = 1; n <= nodes && n <= most; n++)
        add_shape(r, pool, n * p->widest);
}

static uint32_t find_shape(const struct sia_round *r, uint32_t pool,
                           uint32_t gpus)
{
    for (uint32_t s = 0; s < r->n_shapes; s++) {
        if (r->shapes[s].pool == pool && r->shapes[s].gpus == gpus)
            return s;
    }
    return CHOICE_NONE;
}

/* True if the job can only run on exactly the number of GPUs that it asks
 * for. */
static bool is_rigid(const struct sia_round *r, const struct job *job)
{
    const struct learner *a = view_learner(r->view, job);
    return !a || !a->scales;
}

/* True if the job may use the GPUs of a pool. */
static bool costs_in_reach(const struct sia_round *r, const struct job *job,
                           uint32_t pool)
{
    const struct pool *p = &r->pools[pool];
    return !p->profiler &&
           (job->gpu_type == GPU_TYPE_ANY || job->gpu_type == p->type);
}

/* Lists the common shapes, then the sizes of rigid jobs. */
static void make_shapes(struct sia_round *r)
{
    size_t room = 0, bound = r->n_jobs;
    for (uint32_t p = 0; p < r->n_pools; p++)
        room += r->pools[p].n_nodes + NODE_GPUS_MAX + bound;
    r->shapes = plan_scratch(r->plan, room * sizeof *r->shapes + 1);
    for (uint32_t p = 0; p < r->n_pools; p++) {
        if (!r->pools[p].profiler)
            add_common(r, p);
    }
    r->n_common = r->n_shapes;
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const struct job *job = r->jobs[i];
        for (uint32_t p = 0; p < r->n_pools && is_rigid(r, job); p++) {
            if (costs_in_reach(r, job, p) && job->gpus <= r->pools[p].n_gpus &&
                find_shape(r, p, job->gpus) == CHOICE_NONE)
                add_shape(r, p, job->gpus);
        }
    }
}

/* Returns the index of the shape that a running job holds; CHOICE_NONE if this
 * shape is not on offer. */
static uint32_t current_shape(const struct sia_round *r, const struct job *job)
{
    const struct cluster *c = view_cluster(r->view);
    if (job->state != JOB_RUNNING)
        return CHOICE_NONE;
    struct gpu_set where = view_where(r->view, job);
    uint32_t pool = c->nodes[where.at[0].node].pool;
    uint32_t s = find_shape(r, (uint32_t)(&c->pools[pool] - r->pools),
                            gpu_set_size(where));
    return s != CHOICE_NONE && r->shapes[s].nodes == where.count ? s
                                                                 : CHOICE_NONE;
}

/* Returns the goodputs in the common shapes, 0 where the job cannot run. They
 * are computed again only if the learner, the limit on its GPUs, or the number
 * of common shapes has changed. */
static const double *goodputs(const struct sia_round *r, const struct job *job,
                              const struct learner *a)
{
    struct sia_row *mine = &r->rows[job->id];
    uint32_t most =
        r->gpus < r->config->gpus_most ? r->gpus : r->config->gpus_most;
    uint32_t limit = learner_gpu_limit(a, most);
    if (mine->goodput && mine->version == a->version && mine->limit == limit &&
        mine->n_goodput == r->n_common)
        return mine->goodput;
    mine->goodput =
        mem_resize(mine->goodput, (r->n_common + 1) * sizeof(double));
    mine->n_goodput = r->n_common;
    mine->version = a->version;
    mine->limit = limit;
    for (uint32_t s = 0; s < r->n_common; s++) {
        const struct sia_shape *shape = &r->shapes[s];
        const struct learner_type *type = &a->types[shape->type];
        uint32_t stages = type->pipeline.stages ? type->pipeline.stages : 1;
        bool can = shape->gpus <= limit && shape->nodes <= type->most_nodes &&
                   shape->gpus % stages == 0 &&
                   costs_in_reach(r, job, shape->pool);
        mine->goodput[s] =
            can ? learner_goodput(a, shape->type, shape->nodes, shape->gpus,
                                  r->config->project)
                : 0;
    }
    return mine->goodput;
}

/* Fills in the utilities of a job whose learner has no model yet. The job can
 * have only the smallest shape of each type. */
static void costs_blind(const struct sia_round *r, const struct job *job,
                        const struct learner *a, double *utility)
{
    bool profiled = r->config->first == SIA_FIRST_PROFILED;
    for (uint32_t s = 0; s < r->n_common; s++) {
        const struct sia_shape *shape = &r->shapes[s];
        const struct learner_type *type = &a->types[shape->type];
        uint32_t least = type->pipeline.stages ? type->pipeline.stages : 1;
        if (type->runs && shape->gpus == least &&
            costs_in_reach(r, job, shape->pool))
            utility[s] = profiled ? type->one_gpu : 1;
    }
}

/* Fills in the utilities of a rigid job: its believed speed on each type. */
static void fixed(const struct sia_round *r, const struct job *job,
                  double *utility)
{
    for (uint32_t s = 0; s < r->n_shapes; s++) {
        const struct sia_shape *at = &r->shapes[s];
        struct shape shape = {
            .gpu_type = at->type, .gpus = at->gpus, .nodes = at->nodes};
        if (at->gpus == job->gpus && costs_in_reach(r, job, at->pool))
            utility[s] = view_throughput(r->view, job, shape);
    }
}

/* Divides the utilities by the smallest one above 0 and multiplies them by
 * `times`: the number of GPUs of a rigid job, 1 for other jobs. */
static void costs_normalise(const struct sia_round *r, double times,
                            double *utility)
{
    double least = INFINITY;
    for (uint32_t s = 0; s < r->n_shapes; s++) {
        if (utility[s] > 0 && utility[s] < least)
            least = utility[s];
    }
    for (uint32_t s = 0; s < r->n_shapes; s++)
        utility[s] = utility[s] > 0 ? utility[s] / least * times : 0;
}

uint32_t sia_profiles_on(const struct sia_round *r, const struct job *job)
{
    const struct learner *a = view_learner(r->view, job);
    struct sia_row *row = &r->rows[job->id];
    if (!r->config->occupies || r->config->profile == 0 || !a)
        return CHOICE_NONE;
    while (row->profiled < r->n_pools &&
           (!costs_in_reach(r, job, row->profiled) ||
            !a->types[r->pools[row->profiled].type].runs))
        row->profiled++;
    return row->profiled < r->n_pools ? row->profiled : CHOICE_NONE;
}

/* Fills in the utility of each shape for a job; 0: the job cannot have the
 * shape. */
static void utilities(const struct sia_round *r, const struct job *job,
                      double *utility)
{
    const struct learner *a = view_learner(r->view, job);
    double times = 1;
    uint32_t pool = sia_profiles_on(r, job);
    memset(utility, 0, r->n_shapes * sizeof *utility);
    if (pool != CHOICE_NONE) {
        uint32_t one = find_shape(r, pool, 1);
        if (one != CHOICE_NONE)
            utility[one] = 1;
    } else if (is_rigid(r, job)) {
        fixed(r, job, utility);
        times = job->gpus;
    } else if (learner_knows(a)) {
        memcpy(utility, goodputs(r, job, a), r->n_common * sizeof *utility);
    } else {
        costs_blind(r, job, a, utility);
    }
    costs_normalise(r, times, utility);
}

double sia_restart_factor(double age, double served, double restarts,
                          double penalty)
{
    if (served < penalty || age + penalty <= 0)
        return 1;
    double kept = age - restarts * penalty;
    return kept > 0 ? kept / (age + penalty) : 0;
}

int32_t sia_cost(double utility, double power)
{
    double cost = utility > 0 ? rint(100 * pow(utility, power)) : COST_CAP;
    return cost < COST_CAP ? (int32_t)cost : COST_CAP;
}

static double restart_factor(const struct sia_round *r, const struct job *job)
{
    const struct learner *a = view_learner(r->view, job);
    double penalty =
        span_seconds(a ? a->application->penalty : r->config->penalty);
    double age = span_seconds(view_now(r->view) - job->submitted);
    double served = age;
    if (is_rigid(r, job))
        served = span_seconds(view_attained(r->view, job)) / job->gpus;
    return sia_restart_factor(age, served, job->attempts - 1.0, penalty);
}

/* Fills in row i of the costs: those of all shapes for job i. */
static void cost_row(struct sia_round *r, uint32_t i, double *utility)
{
    const struct job *job = r->jobs[i];
    int32_t *cost = &r->cost[(size_t)i * r->n_shapes];
    uint32_t now = r->current[i];
    double factor = job->state == JOB_RUNNING ? restart_factor(r, job) : 1;
    utilities(r, job, utility);
    for (uint32_t s = 0; s < r->n_shapes; s++) {
        if (s == now)
            cost[s] = sia_cost(utility[s] > 0 ? utility[s] : IMPOSSIBLE,
                               r->config->power);
        else
            cost[s] = utility[s] > 0
                          ? sia_cost(utility[s] * factor, r->config->power)
                          : CHOICE_NEVER;
    }
}

void sia_costs(struct sia_round *r)
{
    make_shapes(r);
    size_t cells = (size_t)r->n_jobs * r->n_shapes;
    r->cost = plan_scratch(r->plan, cells * sizeof *r->cost + 1);
    r->current = plan_scratch(r->plan, r->n_jobs * sizeof *r->current + 1);
    double *utility = plan_scratch(r->plan, r->n_shapes * sizeof *utility + 1);
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        r->current[i] = current_shape(r, r->jobs[i]);
        cost_row(r, i, utility);
    }
}

/* True if the batch of the job can be large enough for the smallest number of
 * GPUs on which it can run: one, or those of one pipeline. */
static bool feeds_one(const struct learner *a, const struct learner_type *type)
{
    const struct batch_limits *limits = &type->limits;
    double most = a->tunes ? limits->largest : a->batch;
    if (type->pipeline.stages)
        return !a->tunes || most >= type->pipeline.micro_batches;
    return most >= limits->local_min;
}

/* True if add_common makes a shape of exactly this number of GPUs that the
 * application can use. */
static bool has_shape(const struct pool *pool, const struct learner_type *type,
                      uint32_t gpus)
{
    if (gpus > pool->n_gpus || pool->widest == 0)
        return false;
    if (gpus < pool->widest)
        return (gpus & (gpus - 1)) == 0;
    return gpus % pool->widest == 0 && gpus / pool->widest <= type->most_nodes;
}

const char *sia_never(const void *self, const struct view *view,
                      const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    const struct learner *a = view_learner(view, job);
    (void)self;
    if (!a || !a->scales)
        return NULL;
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        const struct learner_type *type = &a->types[pool->type];
        uint32_t stages = type->pipeline.stages;
        if (!pool->profiler && type->runs &&
            (job->gpu_type == GPU_TYPE_ANY || job->gpu_type == pool->type) &&
            has_shape(pool, type, stages ? stages : 1) && feeds_one(a, type))
            return NULL;
    }
    return "its batch is too small for the fewest GPUs that its application "
           "needs, or no shape of this policy has that many";
}
