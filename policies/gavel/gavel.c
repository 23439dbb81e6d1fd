/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel (Narayanan et al., OSDI 2020): runs the rounds. No job starts between
 * rounds, as in Gavel's simulator. Fractions are computed again in the first
 * round after a job came or went, the capacity changed, or there was news about
 * a job and the fractions depend on beliefs; but never less than reset_s after
 * the last computation. */
#include "policies/gavel/gavel_internal.h"

#include <math.h>
#include <stdlib.h>

#define RESET_MAX_S 86400

#define GAVEL_OPTIONS \
    OPT_SPAN(struct gavel_config, round, "round_s", 360, 1, 86400, \
             "length of a round", "Gavel (OSDI'20): 360 s"), \
        OPT_SPAN(struct gavel_config, reset, "reset_s", 0, 0, RESET_MAX_S, \
                 "least time between two computations of the fractions", \
                 "assumed: 0, no limit")

const struct option gavel_options[] = {GAVEL_OPTIONS, {0}};

const struct option gavel_left_options[] = {
    GAVEL_OPTIONS,
    OPT_SPAN(struct gavel_config, unknown, "unknown_s", 3600, 1, 31536000,
             "believed time left of a job if no estimator can answer",
             "assumed: one hour"),
    {0},
};

enum status gavel_init(struct gavel *r, const void *config,
                       const struct view *view, gavel_allocate allocate,
                       struct error *err)
{
    const struct cluster *c = view_cluster(view);
    r->config = config;
    r->rounds = (struct rounds){
        .length = r->config->round, .from_start = true, .last = -1};
    r->allocate = allocate;
    r->n_vcs = c->n_vcs;
    r->vcs = mem_zalloc(c->n_vcs, sizeof *r->vcs);
    for (uint32_t vc = 0; vc < c->n_vcs; vc++) {
        uint32_t pools = c->vc_pools[vc].end - c->vc_pools[vc].first;
        r->stride = pools > r->stride ? pools : r->stride;
        r->vcs[vc].allocated = -span_from_seconds(
            RESET_MAX_S); /* so long ago that the first round may allocate */
    }
    r->cells =
        mem_zalloc((size_t)view_n_jobs(view) * r->stride, sizeof *r->cells);
    return r->stride > 1 ? share_solver_new(&r->solver, err) : STATUS_OK;
}

void gavel_fini(void *self)
{
    struct gavel *r = self;
    share_solver_free(r->solver);
    free(r->vcs);
    free(r->cells);
}

void gavel_observe(void *self, const struct view *view,
                   const struct event *event)
{
    struct gavel *r = self;
    (void)view;
    if (event->job && (event->kind != EVENT_BELIEF || r->uses_left))
        r->vcs[event->job->vc].changed = true;
    for (uint32_t vc = 0;
         !event->job && event->kind != EVENT_WAKE && vc < r->n_vcs; vc++)
        /* an event without a job is about a node, so the capacity changed */
        r->vcs[vc].changed = true;
}

double gavel_left(struct gavel *r, const struct view *view,
                  const struct job *job)
{
    struct gavel_job *mine = view_mine(view, job);
    struct belief belief;
    r->uses_left = true;
    mine->guessed = !view_remaining(view, job, &belief);
    if (!mine->guessed)
        return span_seconds(belief.mean > 0 ? belief.mean : 1);
    r->n_unknown += !mine->counted;
    mine->counted = true;
    return span_seconds(r->config->unknown);
}

void gavel_remark(const void *self, struct remarks *remarks)
{
    const struct gavel *r = self;
    if (r->n_unknown)
        remarks_add(remarks, REMARK_NUMBERS,
                    "in some rounds no estimator could tell the remaining "
                    "time of a job (%u jobs); it was assumed to be %g s "
                    "(policy option unknown_s)",
                    r->n_unknown, span_seconds(r->config->unknown));
}

struct gavel_round {
    struct gavel *gavel;
    const struct view *view;
    struct plan *plan;
    struct gavel_jobs jobs;
    const struct pool *pools;
    uint32_t n_pools;
    double *capacity; /* by pool: number of GPUs; 0: closed to jobs */
    double *rate;     /* by job, then by pool: believed rate */
};

static struct gavel_cell *gavel_cell_of(const struct gavel *r,
                                        const struct job *job, uint32_t pool)
{
    return &r->cells[(size_t)job->id * r->stride + pool];
}

/* Returns the believed rate of a job in a pool; 0 if the job cannot run
 * there. */
static double believed_rate(const struct gavel_round *round,
                            const struct job *job, uint32_t p)
{
    const struct pool *pool = &round->pools[p];
    struct shape shape = {
        .gpu_type = (uint8_t)pool->type, .gpus = job->gpus, .nodes = 1};
    if (pool->profiler || pool->n_gpus < job->gpus ||
        (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type))
        return 0;
    return view_throughput(round->view, job, shape);
}

/* Adds a job to the round if it can run in some pool. */
static void gavel_add_job(struct gavel_round *round, const struct job *job)
{
    double *rate = &round->rate[(size_t)round->jobs.n * round->n_pools];
    bool can = false;
    for (uint32_t p = 0; p < round->n_pools; p++) {
        rate[p] = believed_rate(round, job, p);
        can |= rate[p] > 0;
    }
    if (can)
        round->jobs.at[round->jobs.n++] = job;
}

/* Collects the pools of a virtual cluster, with their capacities, and the jobs
 * that can run there, with their rates. */
static void gavel_gather(struct gavel_round *round, uint16_t vc)
{
    const struct view *view = round->view;
    const struct cluster *c = view_cluster(view);
    uint32_t n;
    const struct job **all = rounds_jobs(view, round->plan, vc, &n);
    round->pools = &c->pools[c->vc_pools[vc].first];
    round->n_pools = c->vc_pools[vc].end - c->vc_pools[vc].first;
    round->capacity =
        plan_scratch(round->plan, round->n_pools * sizeof(double) + 1);
    for (uint32_t p = 0; p < round->n_pools; p++)
        round->capacity[p] =
            round->pools[p].profiler ? 0 : round->pools[p].n_gpus;
    round->rate =
        plan_scratch(round->plan, n * round->n_pools * sizeof(double) + 1);
    round->jobs.at = plan_scratch(round->plan, n * sizeof *all + 1);
    for (uint32_t i = 0; i < n; i++)
        gavel_add_job(round, all[i]);
}

/* Returns the index, within the virtual cluster, of the pool in which a job
 * runs. */
static uint32_t gavel_pool_of(const struct gavel_round *round,
                              const struct job *job)
{
    const struct cluster *c = view_cluster(round->view);
    node_id node = view_where(round->view, job).at[0].node;
    return c->nodes[node].pool - (uint32_t)(round->pools - c->pools);
}

/* Counts the time that each job has received since the last count. */
static void count_received(const struct gavel_round *round)
{
    sim_time now = view_now(round->view);
    for (uint32_t i = 0; i < round->jobs.n; i++) {
        const struct job *job = round->jobs.at[i];
        struct gavel_job *mine = view_mine(round->view, job);
        if (job->state == JOB_RUNNING) {
            sim_time from = view_started(round->view, job);
            from = mine->received_until > from ? mine->received_until : from;
            gavel_cell_of(round->gavel, job, gavel_pool_of(round, job))
                ->received += span_seconds(now - from);
        }
        mine->received_until = now;
    }
}

/* Computes new fractions. Time that the old fractions still owe a job is kept
 * as its deficit. Fractions are rounded, so that equal jobs get equal fractions
 * even if the results of the solver differ in the last digits. */
static void allocate(const struct gavel_round *round, struct gavel_vc *vc)
{
    uint32_t n = round->jobs.n, pools = round->n_pools;
    sim_time now = view_now(round->view);
    double since = span_seconds(now - vc->allocated);
    double *gpus = plan_scratch(round->plan, n * sizeof *gpus + 1);
    struct share_lp lp = {
        .n_jobs = n,
        .n_pools = pools,
        .rate = round->rate,
        .gpus = gpus,
        .capacity = round->capacity,
        .need = plan_scratch(round->plan, n * sizeof(double) + 1),
        .x = plan_scratch(round->plan, (size_t)n * pools * sizeof(double) + 1),
        .solver = round->gavel->solver,
    };
    for (uint32_t i = 0; i < n; i++)
        gpus[i] = round->jobs.at[i]->gpus;
    round->gavel->allocate(round->gavel, round->view, &round->jobs, &lp);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t p = 0; p < pools; p++) {
            struct gavel_cell *cell =
                gavel_cell_of(round->gavel, round->jobs.at[i], p);
            cell->deficit += cell->share * since - cell->received;
            cell->received = 0;
            cell->share = rint(lp.x[i * pools + p] * 1e9) / 1e9;
        }
    }
    vc->allocated = now;
    vc->changed = false;
}

/* A claim of a job to run in a pool in this round. */
struct claim {
    double priority, deficit, share;
    const struct job *job;
    uint32_t pool;
};

static int descending(double a, double b)
{
    return (a < b) - (a > b);
}

/* Orders claims: first the job that is furthest below its fraction, then the
 * largest deficit, then the largest share; then by id and pool, so that the
 * order is total. */
static int by_claim(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    int order = descending(x->priority, y->priority);
    if (order == 0)
        order = descending(x->deficit, y->deficit);
    if (order == 0)
        order = descending(x->share, y->share);
    if (order == 0)
        order = (x->job->id > y->job->id) - (x->job->id < y->job->id);
    return order ? order : (x->pool > y->pool) - (x->pool < y->pool);
}

/* The priority of a job in a pool where it has received nothing since the last
 * allocation is its fraction times this, as in Gavel. */
#define NEVER_SERVED 1e9

static struct claim *claims(const struct gavel_round *round, sim_time allocated,
                            uint32_t *n)
{
    double since = span_seconds(view_now(round->view) - allocated);
    size_t cells = (size_t)round->jobs.n * round->n_pools;
    struct claim *list = plan_scratch(round->plan, cells * sizeof *list + 1);
    *n = 0;
    for (size_t i = 0; i < cells; i++) {
        uint32_t pool = (uint32_t)(i % round->n_pools);
        const struct job *job = round->jobs.at[i / round->n_pools];
        const struct gavel_cell *cell = gavel_cell_of(round->gavel, job, pool);
        if (!(round->rate[i] > 0))
            continue;
        double fraction = since > 0 ? cell->received / since : 0;
        list[(*n)++] = (struct claim){
            .priority = fraction > 0 ? cell->share / fraction
                                     : cell->share * NEVER_SERVED,
            .deficit = cell->deficit,
            .share = cell->share,
            .job = job,
            .pool = pool,
        };
    }
    qsort(list, *n, sizeof *list, by_claim);
    return list;
}

static int gavel_by_size(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    if (x->job->gpus != y->job->gpus)
        return x->job->gpus > y->job->gpus ? -1 : 1;
    return by_claim(a, b);
}

/* Grants claims, the first in the list first: at most one for each job, and
 * none that needs more GPUs than its pool has left. Copies the granted claims
 * to the front of the list, over other claims, and returns their number. */
static uint32_t grant(const struct gavel_round *round, struct claim *list,
                      uint32_t n)
{
    double *left = plan_scratch(round->plan, round->n_pools * sizeof *left + 1);
    uint32_t granted = 0;
    struct gavel_job *mine;
    for (uint32_t i = 0; i < round->jobs.n; i++) {
        mine = view_mine(round->view, round->jobs.at[i]);
        mine->granted = mine->stays = false;
    }
    for (uint32_t p = 0; p < round->n_pools; p++)
        left[p] = round->capacity[p];
    for (uint32_t i = 0; i < n; i++) {
        struct claim claim = list[i];
        mine = view_mine(round->view, claim.job);
        if (mine->granted || left[claim.pool] < claim.job->gpus)
            continue;
        mine->granted = true;
        mine->stays = claim.job->state == JOB_RUNNING &&
                      gavel_pool_of(round, claim.job) == claim.pool;
        left[claim.pool] -= claim.job->gpus;
        list[granted++] = claim;
    }
    return granted;
}

/* Carries out the granted claims. A job that already runs in the granted pool
 * stays where it is. All other running jobs are stopped; then the other granted
 * jobs are started, the largest first. */
static void gavel_carry_out(const struct gavel_round *round, struct claim *list,
                            uint32_t n)
{
    for (uint32_t i = 0; i < round->jobs.n; i++) {
        const struct job *job = round->jobs.at[i];
        const struct gavel_job *mine = view_mine(round->view, job);
        if (job->state == JOB_RUNNING && !mine->stays)
            plan_stop(round->plan, job);
    }
    qsort(list, n, sizeof *list, gavel_by_size);
    for (uint32_t i = 0; i < n; i++) {
        const struct job *job = list[i].job;
        const struct gavel_job *mine = view_mine(round->view, job);
        struct shape shape = {.gpu_type =
                                  (uint8_t)round->pools[list[i].pool].type,
                              .gpus = job->gpus,
                              .nodes = 1};
        if (!mine->stays)
            plan_start_as(round->plan, job, shape);
    }
}

static void gavel_run_round(void *self, const struct view *view,
                            struct plan *plan, uint16_t id)
{
    struct gavel *r = self;
    struct gavel_vc *vc = &r->vcs[id];
    struct gavel_round round = {.gavel = r, .view = view, .plan = plan};
    uint32_t n;
    gavel_gather(&round, id);
    if (round.jobs.n == 0)
        return;
    count_received(&round);
    if (vc->changed && view_now(view) - vc->allocated >= r->config->reset)
        allocate(&round, vc);
    struct claim *list = claims(&round, vc->allocated, &n);
    gavel_carry_out(&round, list, grant(&round, list, n));
}

void gavel_decide(void *self, const struct view *view, struct plan *plan)
{
    struct gavel *r = self;
    rounds_decide(&r->rounds, view, plan, gavel_run_round, r);
}
