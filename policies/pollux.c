/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux (Qiao et al., OSDI 2021; specs/sia.md 12.1): every round a genetic
 * search shares out the GPUs of all nodes so that the power mean of the jobs'
 * speed-ups is large, a speed-up being the goodput over that of a fair share.
 * It does not see GPU types, and nodes only up to a size: wider ones are
 * several to it. Jobs that cannot change their shape are older than it: they
 * start first come, first served, and keep their GPUs. */
#include "policies/pollux.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/base/rng.h"

static const struct option pollux_options[] = {
    OPT_SPAN(struct pollux_config, round, "round_s", 60, 1, 86400,
             "length of a round", "Pollux, section 5.1: 60"),
    OPT_SPAN(struct pollux_config, penalty, "penalty_s", 30, 0, 86400,
             "what a restart is taken to cost", "Pollux, section 5.3.2: 30"),
    OPT_U32(struct pollux_config, node_gpus, "node_gpus", 4, 1, NODE_GPUS_MAX,
            "GPUs of a node as it is seen: wider ones are several",
            "Sia's simulator: 4"),
    OPT_DOUBLE(struct pollux_config, search.power, "power", -1, -10, 1,
               "exponent of the mean of the speed-ups; 0: geometric",
               "Pollux, section 5.1: -1"),
    OPT_U32(struct pollux_config, search.population, "population", 100, 2,
            10000, "allocations in the genetic search",
            "Pollux, section 5.1: 100"),
    OPT_U32(struct pollux_config, search.generations, "generations", 100, 0,
            100000, "of the search in a round", "Pollux, section 5.1: 100"),
    OPT_DOUBLE(struct pollux_config, search.reset, "reset", 0.1, 0, 1,
               "probability that a job of a child goes back to what it holds",
               "Sia's simulator: 0.1"),
    OPT_DOUBLE(struct pollux_config, search.change, "change", 0.1, 0, 1,
               "probability that a job of a child is changed",
               "Sia's simulator: 0.1"),
    OPT_DOUBLE(struct pollux_config, search.drop, "drop", 0.1, 0, 1,
               "probability that a changed job leaves a node",
               "Sia's simulator: 0.1"),
    {0},
};

/* A node as Pollux sees it: `gpus` of a real one, behind `before` others. */
struct part {
    node_id node;
    uint16_t gpus, before;
};

struct pollux {
    const struct pollux_config *config;
    gsl_rng *rng;
    sim_time last; /* round */
    uint32_t n_jobs, n_vcs;
    struct pollux_job *jobs;   /* by id */
    struct genetic **searches; /* by virtual cluster */
    struct part *parts;        /* by virtual cluster */
    uint32_t *first;           /* of its parts */
};

/* One virtual cluster at one round. */
struct round {
    const struct pollux *pollux;
    const struct view *view;
    struct plan *plan;
    uint16_t vc;
    const struct part *parts;
    uint32_t n_parts;
    const struct job **jobs; /* that scale, by id */
    uint32_t n_jobs;
    struct pollux_fair fair;
};

static void split_nodes(struct pollux *p, const struct cluster *c)
{
    uint32_t n = 0, room = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        room += (c->nodes[i].gpus + p->config->node_gpus - 1u) /
                p->config->node_gpus;
    p->parts = mem_alloc((room + 1) * sizeof *p->parts);
    p->first = mem_alloc((c->n_vcs + 1) * sizeof *p->first);
    for (uint32_t vc = 0; vc < c->n_vcs; vc++) {
        p->first[vc] = n;
        for (uint32_t k = c->vc_first[vc]; k < c->vc_first[vc + 1]; k++) {
            const struct pool *pool = &c->pools[k];
            node_id end = pool->first_node + pool->n_nodes;
            for (node_id i = pool->first_node; i < end && !pool->profiler;
                 i++) {
                uint32_t size = p->config->node_gpus, gpus = c->nodes[i].gpus;
                for (uint32_t at = 0; at < gpus; at += size)
                    p->parts[n++] = (struct part){
                        .node = i,
                        .gpus = (uint16_t)(gpus - at < size ? gpus - at : size),
                        .before = (uint16_t)at};
            }
        }
    }
    p->first[c->n_vcs] = n;
}

static enum status pollux_init(void *self, const void *config,
                               const struct view *view, struct error *err)
{
    struct pollux *p = self;
    const struct cluster *c = view_cluster(view);
    (void)err;
    *p = (struct pollux){.config = config,
                         .rng = rng_open(view_seed(view), "pollux"),
                         .last = -1,
                         .n_jobs = view_n_jobs(view),
                         .n_vcs = c->n_vcs};
    p->jobs = mem_zalloc(p->n_jobs + (size_t)1, sizeof *p->jobs);
    p->searches = mem_zalloc(c->n_vcs, sizeof *p->searches);
    for (uint32_t vc = 0; vc < c->n_vcs; vc++)
        p->searches[vc] = genetic_new(&p->config->search);
    split_nodes(p, c);
    return STATUS_OK;
}

static void pollux_fini(void *self)
{
    struct pollux *p = self;
    for (uint32_t i = 0; p->jobs && i < p->n_jobs; i++)
        pollux_job_fini(&p->jobs[i]);
    for (uint32_t vc = 0; p->searches && vc < p->n_vcs; vc++)
        genetic_free(p->searches[vc]);
    free(p->jobs);
    free(p->searches);
    free(p->parts);
    free(p->first);
    rng_free(p->rng);
}

static void pollux_observe(void *self, const struct view *view,
                           const struct event *event)
{
    struct pollux *p = self;
    (void)view;
    if (event->kind == EVENT_FINISHED)
        pollux_job_fini(&p->jobs[event->job->id]);
}

static const struct agent *scaling(const struct view *view,
                                   const struct job *job)
{
    const struct agent *agent = view_agent(view, job);
    return agent && agent->scales ? agent : NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct job *x = *(const struct job *const *)a;
    const struct job *y = *(const struct job *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Takes those that scale off their GPUs, for a moment, and gives the others
 * that wait what they ask for. */
static void gather(struct round *r)
{
    const struct view *view = r->view;
    const struct job *next;
    size_t room = view_n_pending(view, r->vc);
    for (const struct job *j = view_first_running(view, r->vc); j;
         j = view_next_running(view, j))
        room++;
    r->jobs = plan_scratch(r->plan, room * sizeof(struct job *) + 1);
    for (const struct job *j = view_first_running(view, r->vc); j; j = next) {
        next = view_next_running(view, j);
        if (!scaling(view, j))
            continue;
        r->jobs[r->n_jobs++] = j;
        plan_stop(r->plan, j);
    }
    for (const struct job *j = view_first_pending(view, r->vc); j; j = next) {
        next = view_next_pending(view, j);
        if (scaling(view, j))
            r->jobs[r->n_jobs++] = j;
        else
            plan_start(r->plan, j);
    }
    if (r->n_jobs)
        qsort(r->jobs, r->n_jobs, sizeof *r->jobs, by_id);
}

/* GPUs that the job has of a part of a node, of so many on the whole node. */
static uint16_t in_part(const struct part *part, uint32_t gpus)
{
    if (gpus <= part->before)
        return 0;
    gpus -= part->before;
    return (uint16_t)(gpus < part->gpus ? gpus : part->gpus);
}

static uint32_t on_node(struct gpu_set set, node_id node)
{
    for (uint32_t i = 0; i < set.count; i++) {
        if (set.at[i].node == node)
            return mask_count(set.at[i].mask);
    }
    return 0;
}

/* The GPUs of a row on the node of a part. */
static uint32_t row_on_node(const struct round *r, const uint16_t *row,
                            node_id node)
{
    uint32_t gpus = 0;
    for (uint32_t k = 0; k < r->n_parts; k++)
        gpus += r->parts[k].node == node ? row[k] : 0;
    return gpus;
}

static bool same_nodes(const struct round *r, const uint16_t *row,
                       struct gpu_set where)
{
    uint32_t gpus = 0;
    for (uint32_t k = 0; k < r->n_parts; k++)
        gpus += row[k];
    if (gpus != gpu_set_size(where))
        return false;
    for (uint32_t i = 0; i < where.count; i++) {
        if (row_on_node(r, row, where.at[i].node) !=
            mask_count(where.at[i].mask))
            return false;
    }
    return true;
}

/* What a job holds, as the last round has put it if that is still so. */
static void held_row(const struct round *r, const struct job *job,
                     uint16_t *row)
{
    const uint16_t *last = r->pollux->jobs[job->id].row;
    if (job->state != JOB_RUNNING)
        return;
    struct gpu_set where = view_where(r->view, job);
    if (last && same_nodes(r, last, where)) {
        memcpy(row, last, r->n_parts * sizeof *row);
        return;
    }
    for (uint32_t k = 0; k < r->n_parts; k++)
        row[k] = in_part(&r->parts[k], on_node(where, r->parts[k].node));
}

/* What part of its speed-up a job keeps that is moved now, if it goes on as it
 * has (specs/sia.md 12.1). */
static double moved_factor(const struct round *r, const struct job *job)
{
    double penalty = span_seconds(r->pollux->config->penalty);
    double age = span_seconds(view_now(r->view) - job->submitted);
    double restarts = job->attempts ? job->attempts - 1.0 : 0;
    double kept = age - penalty * restarts;
    if (age + penalty <= 0)
        return 1;
    return kept > 0 ? kept / (age + penalty) : 0;
}

static double speedup(void *context, uint32_t job, uint32_t nodes,
                      uint32_t gpus)
{
    const struct round *r = context;
    const struct job *j = r->jobs[job];
    return pollux_speedup(&r->pollux->jobs[j->id], view_agent(r->view, j),
                          &r->fair, nodes, gpus);
}

static struct pollux_fair fair_share(const struct round *r)
{
    const struct cluster *c = view_cluster(r->view);
    uint32_t gpus = 0, least = UINT32_MAX;
    for (uint32_t k = c->vc_first[r->vc]; k < c->vc_first[r->vc + 1]; k++) {
        const struct pool *pool = &c->pools[k];
        if (pool->profiler || pool->n_gpus == 0)
            continue;
        gpus += pool->n_gpus;
        least = pool->n_gpus < least ? pool->n_gpus : least;
    }
    uint32_t share = (gpus + r->n_jobs - 1) / r->n_jobs;
    return (struct pollux_fair){.gpus = share > 0 ? share : 1,
                                .node_gpus = r->pollux->config->node_gpus,
                                .least = least < UINT32_MAX ? least : 1,
                                .n_nodes = r->n_parts};
}

static uint16_t *search(struct round *r)
{
    const struct cluster *c = view_cluster(r->view);
    uint32_t n = r->n_jobs, parts = r->n_parts;
    uint64_t *key = plan_scratch(r->plan, n * sizeof *key);
    uint16_t *capacity = plan_scratch(r->plan, parts * sizeof *capacity + 1);
    uint16_t *held = plan_scratch(r->plan, (size_t)n * parts * sizeof *held);
    uint16_t *out = plan_scratch(r->plan, (size_t)n * parts * sizeof *out);
    uint32_t *most = plan_scratch(r->plan, n * sizeof *most);
    double *moved = plan_scratch(r->plan, n * sizeof *moved);
    for (uint32_t k = 0; k < parts; k++) {
        const struct node *node = &c->nodes[r->parts[k].node];
        capacity[k] = in_part(&r->parts[k], node->up ? node->n_free : 0);
    }
    for (uint32_t j = 0; j < n; j++) {
        const struct job *job = r->jobs[j];
        key[j] = job->id;
        held_row(r, job, held + (size_t)j * parts);
        most[j] = pollux_gpus_most(view_agent(r->view, job), &r->fair);
        moved[j] = moved_factor(r, job);
    }
    struct genetic_problem problem = {.n_jobs = n,
                                      .n_nodes = parts,
                                      .key = key,
                                      .capacity = capacity,
                                      .held = held,
                                      .gpus_most = most,
                                      .moved = moved,
                                      .speedup = speedup,
                                      .context = r};
    genetic_search(r->pollux->searches[r->vc], &problem, r->pollux->rng, out);
    return out;
}

static const struct pool *pool_of(const struct round *r, uint32_t part)
{
    const struct cluster *c = view_cluster(r->view);
    return &c->pools[c->nodes[r->parts[part].node].pool];
}

/* Of several types a job keeps the one with most of its GPUs, of equals the
 * faster; the others idle until the next round. */
static void keep_one_type(const struct round *r, const struct job *job,
                          uint16_t *row)
{
    const struct agent *agent = view_agent(r->view, job);
    uint32_t gpus[CLUSTER_TYPES_MAX] = {0}, kept = 0;
    for (uint32_t k = 0; k < r->n_parts; k++) {
        uint16_t type = pool_of(r, k)->type;
        if ((job->gpu_type == GPU_TYPE_ANY || job->gpu_type == type) &&
            agent->types[type].runs)
            gpus[type] += row[k];
    }
    for (uint32_t t = 1; t < agent->n_types; t++) {
        bool faster = agent->types[t].one_gpu > agent->types[kept].one_gpu;
        if (gpus[t] > gpus[kept] || (gpus[t] == gpus[kept] && faster))
            kept = t;
    }
    for (uint32_t k = 0; k < r->n_parts; k++) {
        if (pool_of(r, k)->type != kept || gpus[kept] == 0)
            row[k] = 0;
    }
}

static void remember(const struct round *r, const struct job *job,
                     const uint16_t *row)
{
    struct pollux_job *mine = &r->pollux->jobs[job->id];
    mine->row = mem_resize(mine->row, (r->n_parts + 1) * sizeof *row);
    memcpy(mine->row, row, r->n_parts * sizeof *row);
}

/* Any free GPUs of its nodes. */
static void start(const struct round *r, const struct job *job,
                  const uint16_t *row)
{
    const struct cluster *c = view_cluster(r->view);
    struct gpu_slice *at =
        plan_scratch(r->plan, (r->n_parts + (size_t)1) * sizeof *at);
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_parts; k++) {
        node_id node = r->parts[k].node;
        uint32_t gpus = row_on_node(r, row, node);
        if (gpus == 0 || (n > 0 && at[n - 1].node == node))
            continue;
        at[n++] = (struct gpu_slice){node, node_lowest(&c->nodes[node], gpus)};
    }
    if (n > 0)
        plan_start_on(r->plan, job, (struct gpu_set){at, n});
}

/* Whose nodes stay the same keeps its GPUs, if it can. */
static void carry_out(const struct round *r, uint16_t *rows)
{
    for (uint32_t j = 0; j < r->n_jobs; j++) {
        const struct job *job = r->jobs[j];
        uint16_t *row = rows + (size_t)j * r->n_parts;
        keep_one_type(r, job, row);
        remember(r, job, row);
        if (job->state == JOB_RUNNING &&
            same_nodes(r, row, view_where(r->view, job)))
            plan_start_on(r->plan, job, view_where(r->view, job));
    }
    for (uint32_t j = 0; j < r->n_jobs; j++) {
        if (!plan_is_started(r->plan, r->jobs[j]))
            start(r, r->jobs[j], rows + (size_t)j * r->n_parts);
    }
}

static void run_round(const struct pollux *p, const struct view *view,
                      struct plan *plan, uint16_t vc)
{
    struct round r = {.pollux = p,
                      .view = view,
                      .plan = plan,
                      .vc = vc,
                      .parts = p->parts + p->first[vc],
                      .n_parts = p->first[vc + 1] - p->first[vc]};
    gather(&r);
    if (r.n_jobs == 0 || r.n_parts == 0)
        return;
    r.fair = fair_share(&r);
    carry_out(&r, search(&r));
}

static void pollux_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct pollux *p = self;
    sim_span length = p->config->round;
    sim_time now = view_now(view), next = view_next_round(view, length);
    bool any = false;
    for (uint16_t vc = 0; vc < p->n_vcs; vc++) {
        if (view_n_pending(view, vc) == 0 && !view_first_running(view, vc))
            continue;
        any = true;
        if (next == now && p->last != now)
            run_round(p, view, plan, vc);
    }
    if (next == now)
        p->last = now;
    if (any)
        plan_wake_at(plan, next == now ? now + length : next);
}

const struct policy_ops policy_pollux = {
    .name = "pollux",
    .summary = "elastic jobs: the best mean speed-up, by a genetic search",
    .options = pollux_options,
    .config_size = sizeof(struct pollux_config),
    .state_size = sizeof(struct pollux),
    .needs = POLICY_PREEMPTS | POLICY_ELASTIC,
    .init = pollux_init,
    .observe = pollux_observe,
    .decide = pollux_decide,
    .fini = pollux_fini,
};
