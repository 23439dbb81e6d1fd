/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profiling=parallel: the first stage of Lucid's simulator profiles all jobs of
 * up to profile_max_gpus GPUs, fewest GPUs first, each for a limited time, on a
 * profiler that has one more node while many jobs wait. The first stage is a
 * policy of its own, in a side run before the jobs of this run begin. A job
 * that ends within the limit starts in this run at the time and on the GPUs of
 * the side run. For the other jobs the time of profiling does not count. */
#include <stdlib.h>

#include "policies/lucid/lucid.h"

struct stage_queue {
    job_id *at;
    size_t first, n, cap; /* the jobs at[first] to at[n - 1] wait */
};

struct lucid_first_stage {
    const struct lucid_config *config;
    /* queues by number of GPUs that a job asks for */
    struct stage_queue *queues;
    size_t n_waiting; /* number of jobs in all queues */
    node_id spare;    /* spare node of the profiler; NODE_NONE: there is none */
    bool scaled;      /* true while the spare node is in use */
    bool began;       /* true once the first decision is over */
};

/* Returns the last node of the profiler, if the profiler has more nodes than
 * are in use at first; else NODE_NONE. */
static node_id find_spare(const struct view *view, uint32_t in_use)
{
    const struct cluster *c = view_cluster(view);
    uint32_t seen = 0;
    node_id last = NODE_NONE;
    for (uint32_t p = 0; p < c->n_pools; p++) {
        const struct pool *pool = &c->pools[p];
        if (!pool->profiler || pool->loan)
            continue;
        seen += pool->n_nodes;
        last = pool->first_node + pool->n_nodes - 1;
    }
    return seen > in_use ? last : NODE_NONE;
}

static enum status stage_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct lucid_first_stage *s = self;
    (void)err;
    s->config = config;
    s->queues =
        mem_zalloc(s->config->profiler.max_gpus + 1u, sizeof *s->queues);
    s->spare = find_spare(view, s->config->profile_nodes);
    return STATUS_OK;
}

static void stage_fini(void *self)
{
    struct lucid_first_stage *s = self;
    for (uint32_t g = 0; s->queues && g <= s->config->profiler.max_gpus; g++)
        free(s->queues[g].at);
    free(s->queues);
}

static void stage_observe(void *self, const struct view *view,
                          const struct event *event)
{
    struct lucid_first_stage *s = self;
    const struct job *job = event->job;
    (void)view;
    if (event->kind != EVENT_SUBMITTED ||
        job->gpus > s->config->profiler.max_gpus)
        return;
    struct stage_queue *q = &s->queues[job->gpus];
    q->at = mem_grow(q->at, &q->cap, q->n + 1, sizeof *q->at);
    q->at[q->n++] = job->id;
    s->n_waiting++;
}

static void fill(struct lucid_first_stage *s, struct plan *plan)
{
    for (uint32_t g = 0; g <= s->config->profiler.max_gpus; g++) {
        struct stage_queue *q = &s->queues[g];
        for (; q->first < q->n; q->first++, s->n_waiting--) {
            const struct job *job = view_job(plan->view, q->at[q->first]);
            if (!plan_profile(plan, job, s->config->profiler.limit))
                return;
        }
    }
}

/* True if few jobs wait and the forecast, if there is one, expects little
 * demand for GPUs. */
static bool is_quiet(const struct lucid_first_stage *s, const struct view *view)
{
    struct outlook outlook;
    const struct lucid_config *c = s->config;
    double enough = (double)c->down_factor * (double)c->profiler.max_gpus;
    return s->n_waiting < c->down_waiting &&
           (!view_outlook(view, view_now(view), &outlook) ||
            outlook.gpus <= enough);
}

/* Opens the spare node when many jobs wait, closes it when the profiler is
 * quiet, and asks for the wakes at which to look again. Called after the jobs
 * of this instant have started, so that the change takes effect a second
 * later. */
static void scale(struct lucid_first_stage *s, struct plan *plan)
{
    const struct lucid_config *c = s->config;
    const struct view *view = plan->view;
    bool change = false;
    if (!s->scaled && s->n_waiting > c->up_waiting &&
        view_is_round(view, c->up_period)) {
        plan_open(plan, s->spare);
        change = s->scaled = true;
    } else if (s->scaled && view_is_round(view, c->down_period) &&
               is_quiet(s, view) && plan_close(plan, s->spare)) {
        s->scaled = false;
        change = true;
    }
    if (change)
        plan_wake_at(plan, view_now(view) + SPAN_SECOND);
    if (!s->scaled && s->n_waiting > c->up_waiting)
        plan_wake_at(plan, view_next_round(view, c->up_period));
    if (s->scaled)
        plan_wake_at(plan, view_next_round(view, c->down_period));
}

static void stage_decide(void *self, const struct view *view, struct plan *plan)
{
    struct lucid_first_stage *s = self;
    (void)view;
    if (!s->began && s->spare != NODE_NONE)
        plan_close(plan, s->spare);
    s->began = true;
    fill(s, plan);
    if (s->spare != NODE_NONE)
        scale(s, plan);
}

static const struct policy_ops first_stage = {
    .name = "lucid-first-stage",
    .summary = "profiles every job once",
    .config_size = sizeof(struct lucid_config),
    .state_size = sizeof(struct lucid_first_stage),
    .init = stage_init,
    .observe = stage_observe,
    .decide = stage_decide,
    .fini = stage_fini,
};

enum status lucid_first_run(struct lucid *s, const struct run_env *env,
                            struct error *err)
{
    if (s->config->profiling != LUCID_PROFILING_PARALLEL || !env->side_run)
        return STATUS_OK;
    return env->side_run(env->side_run_self, &first_stage, s->config, &s->first,
                         err);
}

bool lucid_first_ended(const struct lucid *s, const struct job *job)
{
    uint32_t attempt =
        s->first ? s->first->last_attempt[job->id] : ATTEMPT_NONE;
    return attempt != ATTEMPT_NONE &&
           s->first->attempts[attempt].how == LEDGER_FINISHED;
}

sim_time lucid_first_repeat(struct lucid *s, struct plan *plan)
{
    struct gpu_slice slices[CLUSTER_TYPES_MAX];
    const struct ledger *first = s->first;
    for (; first && s->next_first < first->n_attempts; s->next_first++) {
        const struct attempt *a = &first->attempts[s->next_first];
        const struct job *job = view_job(plan->view, a->job);
        if (a->how != LEDGER_FINISHED || job->state == JOB_REJECTED)
            continue;
        if (a->start > view_now(plan->view))
            return a->start;
        uint32_t n = ledger_where(first, a, slices, CLUSTER_TYPES_MAX);
        plan_profile_on(plan, job, (struct gpu_set){slices, n},
                        s->config->profiler.limit);
    }
    return TIME_NEVER;
}
