/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid (Hu et al., ASPLOS 2023): profiles jobs, ranks them by believed run
 * time x GPUs and, if their sharing scores allow, packs them two to a GPU. It
 * preempts no job and breaks up no pair.
 *
 * A job may join a running job that asks for an equal number of GPUs if the
 * memory of the GPUs holds both, the sum of their scores is at most
 * `score_sum`, and the believed GPU time of the joining job is at most `ratio`
 * times that of the other. Packing is indolent: a job that fits on idle GPUs
 * does not join another job. While sharing is on, a job that cannot start does
 * not block the jobs after it. While few submissions are expected, sharing is
 * off, and the first job that does not fit blocks the queue. The authors'
 * simulator prefers sharing to idle GPUs (idle_first=false); their text does
 * not. */
#include "policies/lucid/lucid.h"

#include <math.h>
#include <stdlib.h>

#include "policies/queue/order.h"

/* Returns the threshold for this cluster: the option quiet_jobs, which is meant
 * for quiet_gpus GPUs, scaled to the GPUs of the cluster. */
static double quiet_jobs_of(const struct lucid_config *c,
                            const struct cluster *cluster)
{
    return c->quiet_gpus ? c->quiet_jobs * cluster->n_gpus / c->quiet_gpus
                         : c->quiet_jobs;
}

static enum status lucid_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct lucid *s = self;
    s->config = config;
    s->n_vcs = view_cluster(view)->n_vcs;
    s->share_limit = view_cluster(view)->share_limit;
    s->vcs = mem_zalloc(s->n_vcs, sizeof *s->vcs);
    s->shares = s->config->sharing != LUCID_SHARING_OFF;
    s->quiet_jobs = quiet_jobs_of(s->config, view_cluster(view));
    s->fallbacks.n_jobs = view_n_jobs(view);
    lucid_nodes_init(&s->nodes);
    profiler_init(&s->profiler, &s->config->profiler, view);
    for (uint32_t vc = 0; vc < s->n_vcs; vc++)
        s->vcs[vc].walked = -1;
    enum status st = lucid_first_run(s, env, err);
    if (st == STATUS_OK)
        lucid_echo_init(&s->echo, s, view);
    return st;
}

static void lucid_fini(void *self)
{
    struct lucid *s = self;
    for (uint32_t vc = 0; vc < s->n_vcs; vc++) {
        free(s->vcs[vc].classes);
        free(s->vcs[vc].arrived.at);
        free(s->vcs[vc].residents.at);
    }
    free(s->vcs);
    free(s->found.at);
    free(s->joined.at);
    lucid_nodes_fini(&s->nodes);
    profiler_fini(&s->profiler);
    lucid_echo_fini(&s->echo);
}

static uint32_t lucid_profiles(const void *config)
{
    const struct lucid_config *c = config;
    return c->profiling == LUCID_PROFILING_NONE ? 0 : c->profiler.max_gpus;
}

static bool lucid_lends(const void *config)
{
    const struct lucid_config *c = config;
    return c->profiling == LUCID_PROFILING_BEFORE;
}

static uint16_t lucid_class_of(struct lucid_vc *vc, const struct job *job)
{
    size_t i = 0;
    while (i < vc->n_classes && (vc->classes[i].gpus != job->gpus ||
                                 vc->classes[i].gpu_type != job->gpu_type))
        i++;
    if (i == vc->n_classes) {
        vc->classes =
            mem_grow(vc->classes, &vc->cap_classes, i + 1, sizeof *vc->classes);
        vc->classes[vc->n_classes++] =
            (struct lucid_class){.gpus = job->gpus,
                                 .gpu_type = job->gpu_type,
                                 .waiting = NODE_NIL,
                                 .first = NODE_NIL,
                                 .residents = NODE_NIL};
    }
    return (uint16_t)i;
}

/* Sets what the policy believes about a job: its GPU time from the start of its
 * attempt on, its memory and its score. The attempt has lasted for the time
 * `ran`; 0 if the job waits. */
static void rank(struct lucid *s, const struct view *view,
                 const struct job *job, sim_span ran, struct lucid_node *node)
{
    struct belief belief;
    struct demand demand;
    node->priority = view_remaining(view, job, &belief)
                         ? order_by_service(job->gpus, belief.mean + ran)
                         : INT64_MAX;
    /* a barred job or one of unknown demand must not share */
    bool barred = !view_may_share(view, job);
    if (barred || !view_demand(view, job, &demand)) {
        node->memory = INFINITY;
        node->score = SHARING_CLASSES - 1;
        if (!barred)
            lucid_count_unknown(s, view, job);
        return;
    }
    node->memory = demand.mem_mib;
    node->score = lucid_score(s, view, job, &demand);
}

/* Sets what the policy believes about a waiting job, and its place in the
 * queue. */
static void rank_waiting(struct lucid *s, const struct view *view,
                         const struct job *job, struct lucid_node *node)
{
    rank(s, view, job, 0, node);
    node->key.major = node->priority;
}

static void lucid_enter(struct lucid *s, const struct view *view,
                        const struct job *job)
{
    struct lucid_vc *vc = &s->vcs[job->vc];
    struct lucid_mine *mine = view_mine(view, job);
    uint32_t number = lucid_node_new(&s->nodes, job->id);
    struct lucid_node *node = &s->nodes.at[number];
    mine->node = number + 1;
    node->class = lucid_class_of(vc, job);
    node->role = LUCID_WAITS;
    node->key.minor = ++s->entries;
    rank_waiting(s, view, job, node);
    lucid_wait(s, vc, number);
    lucid_list_add(&vc->arrived, number);
    vc->n_waiting++;
    s->n_waiting++;
    vc->dirty = true;
}

/* Gives a waiting job a new rank, because the belief about the job has changed.
 * Among equal ranks the job keeps its turn. */
static void rank_again(struct lucid *s, const struct view *view,
                       const struct job *job, struct lucid_node *node)
{
    struct lucid_vc *vc = &s->vcs[job->vc];
    uint32_t number = (uint32_t)(node - s->nodes.at);
    lucid_wait_no_more(s, vc, number);
    lucid_count_known(s, view, job);
    rank_waiting(s, view, job, node);
    lucid_wait(s, vc, number);
    lucid_list_add(&vc->arrived, number);
    vc->dirty = true;
}

/* Applies a new belief about a running job. A job that runs alone may now suit
 * other partners than before; a pair stays together. */
static void believe_again(struct lucid *s, const struct view *view,
                          const struct job *job, struct lucid_node *node)
{
    struct lucid_vc *vc = &s->vcs[job->vc];
    uint32_t number = (uint32_t)(node - s->nodes.at);
    uint32_t *residents = &vc->classes[node->class].residents;
    if (node->role == LUCID_RESIDENT)
        lucid_remove(&s->nodes, residents, number);
    lucid_count_known(s, view, job);
    rank(s, view, job, view_now(view) - view_started(view, job), node);
    if (node->memory < INFINITY)
        node->memory -= lucid_gpu_memory(s, view, view_where(view, job));
    if (node->role != LUCID_RESIDENT)
        return;
    lucid_insert(&s->nodes, residents, number);
    lucid_list_drop(&vc->residents, number);
    lucid_list_add(&vc->residents, number);
    vc->dirty = true;
}

static void unblock(struct lucid_vc *vc)
{
    for (size_t i = 0; i < vc->n_classes; i++)
        vc->classes[i].blocked = false;
    vc->dirty = true;
}

/* Removes a job that has stopped running. Its partner, if it has one, then runs
 * alone. The partner may get a new partner if it started before the job, or
 * with the option later_alone. */
static void leave(struct lucid *s, const struct view *view,
                  const struct job *job, struct lucid_node *node)
{
    struct lucid_vc *vc = &s->vcs[job->vc];
    struct lucid_mine *mine = view_mine(view, job);
    uint32_t *residents = &vc->classes[node->class].residents;
    if (node->role == LUCID_RESIDENT)
        lucid_remove(&s->nodes, residents, mine->node - 1);
    lucid_list_drop(&vc->residents, mine->node - 1);
    if (node->role == LUCID_PAIRED) {
        struct lucid_node *other = &s->nodes.at[node->partner];
        bool restored = s->config->later_alone || !other->came_later;
        other->role = restored ? LUCID_RESIDENT : LUCID_SOLE;
        if (!view_may_share(view, view_job(view, other->job)))
            other->memory = INFINITY; /* fits beside no job */
        if (restored) {
            lucid_insert(&s->nodes, residents, node->partner);
            lucid_list_add(&vc->residents, node->partner);
        }
    }
    lucid_node_free(&s->nodes, mine->node - 1);
    mine->node = 0;
    unblock(vc);
}

static void lucid_observe(void *self, const struct view *view,
                          const struct event *event)
{
    struct lucid *s = self;
    const struct job *job = event->job;
    if (s->config->profiling == LUCID_PROFILING_BEFORE)
        profiler_observe(&s->profiler, view, event);
    if (!job) {
        for (uint32_t vc = 0; vc < s->n_vcs; vc++)
            unblock(&s->vcs[vc]);
        return;
    }
    struct lucid_node *node = lucid_node_of(s, view, job);
    if (node && node->role == LUCID_WAITS) {
        if (job->state == JOB_REJECTED)
            lucid_forget(s, view, job);
        else if (event->kind == EVENT_BELIEF)
            rank_again(s, view, job, node);
        return;
    }
    if (node && job->state != JOB_RUNNING)
        leave(s, view, job, node);
    else if (node && event->kind == EVENT_BELIEF)
        believe_again(s, view, job, node);
    if (job->state == JOB_PENDING && s->config->profiling &&
        !lucid_first_ended(s, job))
        lucid_enter(s, view, job);
}

/* With sharing=dynamic, decides from the forecast whether GPUs are shared now,
 * and when to ask the forecast again. */
static void ask_outlook(struct lucid *s, const struct view *view)
{
    const struct lucid_config *c = s->config;
    struct outlook outlook;
    if (view_now(view) < s->ask_again)
        return;
    s->ask_again = TIME_NEVER;
    if (c->sharing != LUCID_SHARING_DYNAMIC)
        return;
    sim_time since = view_next_round(view, c->switch_period);
    since -= c->switch_period; /* the start of the current period */
    bool known = view_outlook(view, since, &outlook);
    s->shares = !known || outlook.jobs > s->quiet_jobs;
    s->fallbacks.no_forecast |= !known && outlook.until == TIME_NEVER;
    if (outlook.until != TIME_NEVER) {
        sim_span past = view_zero(view) + outlook.until;
        past = (past % c->switch_period + c->switch_period) % c->switch_period;
        s->ask_again = outlook.until + (past ? c->switch_period - past : 0);
    }
}

/* Lets the profiler decide, and takes over the jobs that it hands out. They
 * wait for GPUs from now on. */
static void profile(struct lucid *s, struct plan *plan)
{
    const struct job *job;
    if (s->config->profiling != LUCID_PROFILING_BEFORE)
        return;
    profiler_decide(&s->profiler, plan->view, plan);
    if (s->profiler.drain) {
        uint16_t vc = s->profiler.drain->vc;
        unblock(&s->vcs[vc]);
        lucid_list_add(&s->joined, vc);
    }
    while ((job = profiler_take_ready(&s->profiler))) {
        lucid_enter(s, plan->view, job);
        lucid_list_add(&s->joined, job->vc);
    }
}

/* Walks the queue if a start may have become possible. Returns true if a
 * further walk is due a second from now. */
static bool walk_if_due(struct lucid *s, struct plan *plan, uint16_t id,
                        bool switched)
{
    struct lucid_vc *vc = &s->vcs[id];
    bool may = s->config->walks == LUCID_WALKS_SETTLED ||
               vc->walked < view_now(plan->view);
    if (may && (vc->dirty || (vc->n_waiting && switched)))
        lucid_walk(s, plan, id);
    return vc->dirty;
}

static bool walk_all(struct lucid *s, struct plan *plan, bool switched)
{
    struct vc_list touched = view_touched(plan->view);
    bool again = false;
    for (uint32_t i = 0; i < touched.count; i++)
        again |= walk_if_due(s, plan, touched.at[i], switched);
    for (size_t i = 0; i < s->joined.n; i++)
        again |= walk_if_due(s, plan, (uint16_t)s->joined.at[i], switched);
    s->joined.n = 0;
    return again;
}

static void lucid_decide(void *self, const struct view *view, struct plan *plan)
{
    struct lucid *s = self;
    bool shared = s->shares, again = false, drained;
    sim_time wake = lucid_first_repeat(s, plan);
    ask_outlook(s, view);
    do { /* what the walk changes for the profiler is settled at once */
        profile(s, plan);
        drained = s->profiler.drain;
        again |= walk_all(s, plan, shared != s->shares);
    } while (s->profiler.yielded || (drained && !s->profiler.drain));
    if (lucid_echo_decide(&s->echo, plan)) {
        unblock(&s->vcs[s->echo.vc]);
        again = true;
    }
    if (lucid_echo_next(&s->echo) < wake)
        wake = lucid_echo_next(&s->echo);
    if (again && view_now(view) + SPAN_SECOND < wake)
        wake = view_now(view) + SPAN_SECOND;
    if (s->n_waiting && s->ask_again < wake)
        wake = s->ask_again;
    if (wake != TIME_NEVER)
        plan_wake_at(plan, wake);
}

const struct policy_ops policy_lucid = {
    .name = "lucid",
    .summary = "profiled, ranked by GPU time, packed by sharing score",
    .options = lucid_options,
    .config_size = sizeof(struct lucid_config),
    .state_size = sizeof(struct lucid),
    .job_size = sizeof(struct lucid_mine),
    .forecast = "ga2m",
    .needs = POLICY_NEEDS_DURATION | POLICY_NEEDS_DEMAND | POLICY_SHARES |
             POLICY_PROFILES,
    .init = lucid_init,
    .observe = lucid_observe,
    .decide = lucid_decide,
    .remark = lucid_remark,
    .profiles = lucid_profiles,
    .lends = lucid_lends,
    .fini = lucid_fini,
};
