/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux (Qiao et al., OSDI 2021). In each round a genetic search shares out
 * the GPUs of all nodes so that the power mean of the jobs' speed-ups is large.
 * A speed-up is a goodput divided by the goodput with a fair share. Pollux does
 * not distinguish GPU types, and treats a node wider than `node_gpus` as
 * several nodes. Pollux has no rule for jobs that cannot change their shape.
 * Here they start first come, first served, before the elastic jobs, and keep
 * their GPUs. */
#include "policies/pollux/pollux_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const struct option pollux_options[] = {
    OPT_SPAN(struct pollux_config, round, "round_s", 60, 1, 86400,
             "length of a round", "Pollux, section 5.1: 60 s"),
    OPT_SPAN(struct pollux_config, penalty, "penalty_s", 30, 0, 86400,
             "time that a restart is believed to cost",
             "Pollux, section 5.3.2: 30 s"),
    OPT_U32(struct pollux_config, node_gpus, "node_gpus", 4, 1, NODE_GPUS_MAX,
            "GPUs of a node as Pollux counts them: a wider node is several",
            "Sia's simulator: 4"),
    OPT_DOUBLE(struct pollux_config, search.power, "power", -1, -10, 1,
               "exponent of the mean of the speed-ups; 0: geometric mean",
               "Pollux, section 5.1: -1"),
    OPT_U32(struct pollux_config, search.population, "population", 100, 2,
            10000, "number of allocations that the genetic search keeps",
            "Pollux, section 5.1: 100"),
    OPT_U32(struct pollux_config, search.generations, "generations", 100, 0,
            100000, "number of generations of the search in a round",
            "Pollux, section 5.1: 100"),
    OPT_U32(struct pollux_config, search.patience, "patience", 30, 1, 100000,
            "the search of a round ends after this number of generations "
            "without a better allocation",
            "assumed: 30; Pollux' simulator: never (bench/README.md)"),
    OPT_DOUBLE(struct pollux_config, search.reset, "reset", 0.1, 0, 1,
               "probability that a job of a new allocation gets the GPUs that "
               "it holds",
               "Sia's simulator: 0.1"),
    OPT_DOUBLE(struct pollux_config, search.change, "change", 0.1, 0, 1,
               "probability that a job of a new allocation may leave nodes",
               "Sia's simulator: 0.1"),
    OPT_DOUBLE(struct pollux_config, search.drop, "drop", 0.1, 0, 1,
               "for each node of such a job: probability that it leaves",
               "Sia's simulator: 0.1"),
    {0},
};

static enum status pollux_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct pollux *p = self;
    const struct cluster *c = view_cluster(view);
    (void)err;
    *p = (struct pollux){.config = config,
                         .rng = mem_alloc(sizeof *p->rng),
                         .n_jobs = view_n_jobs(view),
                         .n_vcs = c->n_vcs};
    *p->rng = rng_inline_open(view_seed(view), "pollux");
    p->rounds = (struct rounds){.length = p->config->round, .last = -1};
    p->jobs = mem_zalloc(p->n_jobs + (size_t)1, sizeof *p->jobs);
    p->searches = mem_zalloc(c->n_vcs, sizeof *p->searches);
    for (uint32_t vc = 0; vc < c->n_vcs; vc++)
        p->searches[vc] = genetic_new(&p->config->search);
    pollux_split_nodes(p, c);
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
    free(p->rng);
}

static void pollux_observe(void *self, const struct view *view,
                           const struct event *event)
{
    struct pollux *p = self;
    (void)view;
    if (event->kind == EVENT_FINISHED)
        pollux_job_fini(&p->jobs[event->job->id]);
}

/* Returns the learner of a job that can change its GPUs; NULL for other
 * jobs. */
static const struct learner *scaling(const struct view *view,
                                     const struct job *job)
{
    const struct learner *learner = view_learner(view, job);
    return learner && learner->scales ? learner : NULL;
}

/* The hook `never`: returns why the job can never start. A job without a model
 * first gets one GPU, so a job that cannot run on one GPU never starts. */
static const char *pollux_never(const void *self, const struct view *view,
                                const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    (void)self;
    if (!scaling(view, job))
        return NULL;
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        if (!pool->profiler && pool->n_gpus > 0 &&
            (job->gpu_type == GPU_TYPE_ANY || job->gpu_type == pool->type) &&
            view_is_able(view, job, (uint8_t)pool->type, 1))
            return NULL;
    }
    return "this policy starts jobs on one GPU, where its application cannot "
           "run";
}

/* Stops the jobs that scale, so that their GPUs are free for the search, and
 * starts other waiting jobs on the number of GPUs that they ask for. */
static void pollux_gather(struct pollux_round *r)
{
    const struct view *view = r->view;
    const struct job *next;
    uint32_t n;
    r->jobs = rounds_jobs(view, r->plan, r->vc, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (scaling(view, r->jobs[i]))
            r->jobs[r->n_jobs++] = r->jobs[i];
    }
    for (const struct job *j = view_first_running(view, r->vc); j; j = next) {
        next = view_next_running(view, j);
        if (scaling(view, j))
            plan_stop(r->plan, j);
    }
    for (const struct job *j = view_first_pending(view, r->vc); j; j = next) {
        next = view_next_pending(view, j);
        if (!scaling(view, j))
            plan_start(r->plan, j);
    }
}

/* Returns the factor, 0..1, on the speed-up of a job that would move now. The
 * factor assumes that the job keeps moving as often as it has until now. */
static double moved_factor(const struct pollux_round *r, const struct job *job)
{
    double penalty = span_seconds(r->pollux->config->penalty);
    double age = span_seconds(view_now(r->view) - job->submitted);
    double restarts = job->attempts ? job->attempts - 1.0 : 0;
    double kept = age - penalty * restarts;
    if (age + penalty <= 0)
        return 1;
    return kept > 0 ? kept / (age + penalty) : 0;
}

static double pollux_speedup_one(void *context, uint32_t job, uint32_t nodes,
                                 uint32_t gpus)
{
    const struct pollux_round *r = context;
    const struct job *j = r->jobs[job];
    return pollux_speedup(&r->pollux->jobs[j->id], view_learner(r->view, j),
                          &r->fair, nodes, gpus);
}

static struct pollux_fair fair_share(const struct pollux_round *r)
{
    const struct cluster *c = view_cluster(r->view);
    uint32_t gpus = 0, least = UINT32_MAX;
    for (uint32_t k = c->vc_pools[r->vc].first; k < c->vc_pools[r->vc].end;
         k++) {
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

/* A job with the GPU time, us, that it has received. */
struct pollux_served {
    int64_t service;
    uint32_t job;
};

/* Orders jobs by service; those of equal service by id, and so by submission.
 */
static int pollux_by_service(const void *a, const void *b)
{
    const struct pollux_served *x = a, *y = b;
    if (x->service != y->service)
        return x->service < y->service ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Returns the jobs, those first that have received the least GPU time. */
static uint32_t *pollux_order(const struct pollux_round *r)
{
    struct pollux_served *served =
        plan_scratch(r->plan, r->n_jobs * sizeof *served);
    uint32_t *order = plan_scratch(r->plan, r->n_jobs * sizeof *order);
    for (uint32_t j = 0; j < r->n_jobs; j++)
        served[j] = (struct pollux_served){
            .service = view_attained(r->view, r->jobs[j]), .job = j};
    qsort(served, r->n_jobs, sizeof *served, pollux_by_service);
    for (uint32_t j = 0; j < r->n_jobs; j++)
        order[j] = served[j].job;
    return order;
}

/* Returns the allocation of this round: numbers of GPUs by job, then by part of
 * a node. */
static uint16_t *pollux_search(struct pollux_round *r)
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
        capacity[k] = pollux_in_part(&r->parts[k], node->up ? node->n_free : 0);
    }
    for (uint32_t j = 0; j < n; j++) {
        const struct job *job = r->jobs[j];
        key[j] = job->id;
        pollux_held(r, job, held + (size_t)j * parts);
        most[j] = pollux_gpus_most(view_learner(r->view, job), &r->fair);
        moved[j] = moved_factor(r, job);
    }
    struct genetic_problem problem = {.n_jobs = n,
                                      .n_nodes = parts,
                                      .key = key,
                                      .order = pollux_order(r),
                                      .capacity = capacity,
                                      .held = held,
                                      .gpus_most = most,
                                      .moved = moved,
                                      .speedup = pollux_speedup_one,
                                      .context = r};
    genetic_search(r->pollux->searches[r->vc], &problem, r->pollux->rng, out);
    return out;
}

static void pollux_run_round(void *self, const struct view *view,
                             struct plan *plan, uint16_t vc)
{
    const struct pollux *p = self;
    struct pollux_round r = {.pollux = p,
                             .view = view,
                             .plan = plan,
                             .vc = vc,
                             .parts = p->parts + p->first[vc],
                             .n_parts = p->first[vc + 1] - p->first[vc]};
    pollux_gather(&r);
    if (r.n_jobs == 0 || r.n_parts == 0)
        return;
    r.fair = fair_share(&r);
    pollux_carry_out(&r, pollux_search(&r));
}

static void pollux_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct pollux *p = self;
    rounds_decide(&p->rounds, view, plan, pollux_run_round, p);
}

const struct policy_ops policy_pollux = {
    .name = "pollux",
    .summary = "elastic jobs: the best mean speed-up, by a genetic search",
    .options = pollux_options,
    .config_size = sizeof(struct pollux_config),
    .state_size = sizeof(struct pollux),
    .needs = POLICY_PREEMPTS | POLICY_ELASTIC | POLICY_OWNS_NODES,
    .init = pollux_init,
    .never = pollux_never,
    .observe = pollux_observe,
    .decide = pollux_decide,
    .fini = pollux_fini,
};
