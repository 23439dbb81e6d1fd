/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiresias (NSDI'19): run times are unknown, but the service that a job has
 * attained says something about them. Jobs begin in the first of a few queues
 * and move on to the next when their attained service reaches the limit of
 * their queue; earlier queues go first. Within a queue jobs are ordered by
 * submission, or by the Gittins index.
 *
 * Service is GPU time ("2D": time x GPUs) or time. The policy does not add up
 * service at each event. For a running job it keeps the time at which the
 * service would have been 0 if the job had run ever since, and computes from
 * this time when the job leaves its queue. If jobs wait, the policy asks for a
 * wake at that time. With rounds, it acts only when a round begins, and only if
 * something has happened or become due since the last round. */
#include <stdlib.h>

#include "policies/tiresias/tiresias.h"

/* The key has the queue in its upper bits and below them 55 bits of the index,
 * inverted, so that a job with a larger index goes first. This works because
 * the bit patterns of doubles > 0 are in the order of their values. */
#define RANK_BITS 55

static int64_t tiresias_key_of(const struct tiresias *t,
                               const struct tiresias_mine *mine,
                               int64_t service)
{
    int64_t key = (int64_t)mine->queue << RANK_BITS;
    if (t->config->index == INDEX_NONE)
        return key;
    union {
        double value;
        int64_t bits;
    } index = {.value = gittins_index(&t->gittins, span_seconds(service))};
    return key | (INT64_MAX - index.bits) >> (63 - RANK_BITS);
}

/* Returns the time at which a running job has the service `limit` if it runs
 * until then; TIME_NEVER if `limit` is TIME_NEVER. */
static sim_time attains_at(const struct tiresias *t,
                           const struct order_runner *runner, int64_t limit)
{
    int64_t per = tiresias_gpu_rate(t, runner->gpus);
    return limit >= TIME_NEVER ? TIME_NEVER
                               : runner->mark + (limit + per - 1) / per;
}

/* Sets the key, the mark and steady_until of a job that runs or has just been
 * started, from its service up to now. Notes that the job has started since its
 * last promotion. */
static void note_runner(const struct tiresias *t, const struct view *view,
                        const struct job *job, struct order_runner *runner)
{
    struct tiresias_mine *mine = view_mine(view, job);
    int64_t service = tiresias_service(t, view, job);
    if (service == 0 && t->config->promote > 0)
        mine->waited = tiresias_waited(view, job);
    runner->entry.key = tiresias_key_of(t, mine, service);
    runner->mark = view_now(view) - service / tiresias_gpu_rate(t, job->gpus);
    mine->promoted = false;
    runner->steady_until =
        t->config->index == INDEX_NONE
            ? attains_at(t, runner, tiresias_leaves_with(t, mine, service))
            : 0;
}

/* order_own: moves the job to the queue in which it now belongs, and returns
 * its key. A running job moves on past each limit that its service has reached;
 * with wakes=divided past one limit at most, as in Tiresias' simulator. */
static int64_t rank_job(void *self, const struct view *view,
                        const struct job *job, struct order_runner *runner)
{
    struct tiresias *t = self;
    struct tiresias_mine *mine = view_mine(view, job);
    int64_t service = tiresias_service(t, view, job);
    uint32_t queue = mine->queue;
    if (!runner)
        tiresias_believe(t, view, job);
    if (mine->whole > service)
        mine->queue = tiresias_aware_queue(t, mine, service, runner != NULL);
    else if (t->follows)
        mine->queue = tiresias_queue_of(t, service);
    if (!runner)
        return tiresias_key_of(t, mine, service);
    while (service >= tiresias_leaves_with(t, mine, service)) {
        mine->queue++;
        if (t->config->wakes == WAKES_DIVIDED)
            break;
    }
    if (mine->queue != queue && t->order.ties == ORDER_TIES_QUEUES)
        runner->entry.tie = order_tail(&t->order, view, job);
    note_runner(t, view, job, runner);
    return runner->entry.key;
}

/* True if a round begins at `now`. Sets t->coming to the first round after now.
 * Most calls need no division, because time never goes back. */
static bool is_round(struct tiresias *t, sim_time now)
{
    sim_span round = t->config->round;
    if (round == 0)
        return true;
    if (now >= t->coming)
        t->coming += ((now - t->coming) / round + 1) * round;
    return now == t->coming - round;
}

/* Returns the start of the first round at or after `at`, which must be after
 * now; `at` itself if there are no rounds or `at` is TIME_NEVER. */
static sim_time round_from(const struct tiresias *t, sim_time at)
{
    sim_span round = t->config->round;
    if (round == 0 || at >= TIME_NEVER)
        return at;
    if (at <= t->coming)
        return t->coming;
    return t->coming + (at - t->coming + round - 1) / round * round;
}

/* Returns the time at which to check whether a running job leaves its queue.
 * With wakes=divided, as in Tiresias' simulator, it is too late for a job on
 * several GPUs: the limit less the time that the job has run, and not less its
 * service, is divided by its GPUs. */
static sim_time looked_at(const struct tiresias *t, const struct view *view,
                          const struct order_runner *runner)
{
    const struct job *job = view_job(view, runner->entry.job);
    int64_t limit = tiresias_leaves_with(t, view_mine(view, job),
                                         tiresias_service(t, view, job));
    sim_time now = view_now(view);
    if (t->config->wakes == WAKES_EXACT || limit >= TIME_NEVER)
        return attains_at(t, runner, limit);
    sim_span ahead =
        (limit - (now - runner->mark)) / tiresias_gpu_rate(t, runner->gpus);
    ahead -= ahead % SPAN_SECOND;
    return now + (ahead > 0 ? ahead : SPAN_SECOND);
}

/* Returns the first time at which a running job must be checked; TIME_NEVER if
 * none must be. */
static sim_time next_look(const struct tiresias *t, const struct view *view,
                          struct order_vc *vc)
{
    sim_time first = TIME_NEVER;
    if (t->config->wakes == WAKES_EXACT && t->config->index == INDEX_NONE) {
        if (vc->steady_left)
            order_find_steady(vc);
        return vc->steady;
    }
    for (size_t i = 0; i < vc->running.n; i++) {
        sim_time at = looked_at(t, view, &vc->running.at[i]);
        first = at < first ? at : first;
    }
    return first;
}

/* Sets the keys of the jobs that were just started. Returns the first time at
 * which the order may change although nothing happens. */
static sim_time next_change(struct tiresias *t, const struct view *view,
                            uint16_t id)
{
    struct order_vc *vc = &t->order.vcs[id];
    bool matters = vc->n_waiting > 0 || t->order.eager;
    sim_time now = view_now(view);
    sim_time next = tiresias_next_promotion(t, view, &t->vcs[id]);
    for (size_t i = vc->n_steady; i < vc->running.n; i++) {
        struct order_runner *runner = &vc->running.at[i];
        int64_t key = runner->entry.key;
        if (runner->steady_until == 0)
            note_runner(t, view, view_job(view, runner->entry.job), runner);
        if (runner->entry.key != key)
            order_unsort(vc, i);
        if (runner->steady_until < vc->steady)
            vc->steady = runner->steady_until;
    }
    vc->n_steady = vc->running.n;
    vc->n_fresh = 0;
    if (matters) {
        sim_time at = next_look(t, view, vc);
        next = at < next ? at : next;
    }
    return next > now ? next : now + 1;
}

/* Builds the index again when the number of ended jobs has grown by an eighth,
 * and renews the keys of the waiting jobs. */
static void tiresias_learn(struct tiresias *t, const struct view *view)
{
    if (t->gittins.n < t->learn_at)
        return;
    gittins_build(&t->gittins);
    t->learn_at = t->gittins.n + t->gittins.n / 8 + 1;
    order_renew(&t->order, view);
}

/* Sets new limits if they are due. Returns true if it has set some; then every
 * job of every virtual cluster may be in another queue. */
static bool tiresias_follow(struct tiresias *t, const struct view *view)
{
    if (!tiresias_limits_follow(t))
        return false;
    order_renew(&t->order, view);
    order_doubt_all(&t->order);
    for (uint32_t v = 0; v < t->n_vcs; v++)
        t->vcs[v].changed = true;
    return true;
}

static void tiresias_look_at(struct tiresias *t, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct tiresias_vc *vc = &t->vcs[id];
    size_t stopped = t->order.n_stopped;
    if (vc->n_overdue || vc->n_watch)
        tiresias_promote(t, view, vc);
    order_fill_preempting(&t->order, plan, id);
    for (size_t i = stopped; i < t->order.n_stopped; i++)
        tiresias_watch(t, view, view_job(view, t->order.stopped[i]));
    vc->changed = false;
    vc->next = next_change(t, view, id);
}

static void tiresias_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    struct tiresias *t = self;
    sim_time now = view_now(view), wake = TIME_NEVER;
    struct vc_list touched = view_touched(view);
    tiresias_learn(t, view);
    order_begin(&t->order, view);
    bool all = tiresias_follow(t, view);
    bool round = is_round(t, now);
    /* t->coming is 0, which means no rest, if there are no rounds */
    plan_rest_until(plan, t->coming);
    for (uint32_t i = 0; i < (all ? t->n_vcs : touched.count); i++) {
        uint16_t id = all ? (uint16_t)i : touched.at[i];
        struct tiresias_vc *vc = &t->vcs[id];
        if (!vc->changed && vc->next > now)
            continue;
        if (round)
            tiresias_look_at(t, plan, id);
        else
            vc->next = t->coming;
    }
    for (uint32_t v = 0; v < t->n_vcs; v++)
        wake = t->vcs[v].next < wake ? t->vcs[v].next : wake;
    if (wake != TIME_NEVER)
        plan_wake_at(plan, round_from(t, wake));
}

static void tiresias_observe(void *self, const struct view *view,
                             const struct event *event)
{
    struct tiresias *t = self;
    const struct job *job = event->job;
    bool is_news = event->kind == EVENT_BELIEF;
    if (is_news && job->state == JOB_RUNNING)
        tiresias_believe(t, view, job);
    order_observe(&t->order, view, event);
    for (uint32_t v = 0; !job && event->kind != EVENT_WAKE && v < t->n_vcs; v++)
        t->vcs[v].changed = true;
    if (!job)
        return;
    t->vcs[job->vc].changed |= !is_news || t->config->aware != AWARE_NONE;
    if (job->state == JOB_PENDING)
        tiresias_watch(t, view, job);
    if (event->kind == EVENT_FINISHED)
        tiresias_limits_learn(t, view, job);
    if (event->kind == EVENT_FINISHED && t->learn_at != SIZE_MAX)
        gittins_learn(&t->gittins,
                      span_seconds(tiresias_service(t, view, job)));
}

static void tiresias_adopt(void *self, const struct view *view,
                           const struct job *job)
{
    struct tiresias *t = self;
    order_adopt(&t->order, view, job);
    t->vcs[job->vc].changed = true;
}

static enum status init_index(struct tiresias *t, struct error *err)
{
    const struct tiresias_config *c = t->config;
    t->learn_at = SIZE_MAX;
    if (c->index == INDEX_NONE)
        return STATUS_OK;
    if (c->index == INDEX_SIMULATOR)
        t->gittins.delta = span_seconds(c->delta);
    if (!*c->samples) {
        t->learn_at = 1;
        return STATUS_OK;
    }
    enum status st = gittins_read(&t->gittins, c->samples, err);
    gittins_build(&t->gittins);
    return st;
}

static void tiresias_fini(void *self)
{
    struct tiresias *t = self;
    order_fini(&t->order);
    gittins_fini(&t->gittins);
    free(t->ended);
    for (uint32_t v = 0; v < t->n_vcs; v++) {
        free(t->vcs[v].watch);
        free(t->vcs[v].overdue);
    }
    free(t->vcs);
}

static enum status tiresias_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct tiresias *t = self;
    const struct tiresias_config *c = config;
    t->config = c;
    t->coming = c->round ? c->phase % c->round : 0;
    order_init(&t->order, view, NULL);
    t->order.own = rank_job;
    t->order.own_self = t;
    t->order.preempt = (enum order_preempt)c->preempt;
    t->order.ties = c->within == WITHIN_RUNNING_FIRST && c->index == INDEX_NONE
                        ? ORDER_TIES_QUEUES
                        : ORDER_TIES_SUBMISSION;
    t->order.eager =
        c->wakes == WAKES_DIVIDED || t->order.ties == ORDER_TIES_QUEUES;
    t->n_vcs = view_cluster(view)->n_vcs;
    t->vcs = mem_zalloc(t->n_vcs, sizeof *t->vcs);
    for (uint32_t v = 0; v < t->n_vcs; v++)
        t->vcs[v].next = TIME_NEVER;
    enum status st = tiresias_limits_init(t, env, err);
    return st == STATUS_OK ? init_index(t, err) : st;
}

static size_t tiresias_count(const void *self, struct policy_count *out)
{
    const struct tiresias *t = self;
    size_t n = tiresias_limits_count(t, out);
    if (t->config->promote > 0)
        out[n++] = (struct policy_count){
            "promotions", "jobs moved back to the first queue", t->promotions};
    return n;
}

static void tiresias_remark(const void *self, struct remarks *remarks)
{
    tiresias_limits_remark(self, remarks);
}

static bool tiresias_asks_times(const void *config)
{
    return ((const struct tiresias_config *)config)->aware != AWARE_NONE;
}

const struct policy_ops policy_tiresias = {
    .name = "tiresias",
    .summary = "least attained service first, in queues, preemptive",
    .options = tiresias_options,
    .config_size = sizeof(struct tiresias_config),
    .state_size = sizeof(struct tiresias),
    .job_size = sizeof(struct tiresias_mine),
    .needs = POLICY_PREEMPTS | POLICY_USES_DURATION,
    .init = tiresias_init,
    .observe = tiresias_observe,
    .adopt = tiresias_adopt,
    .decide = tiresias_decide,
    .count = tiresias_count,
    .asks_times = tiresias_asks_times,
    .remark = tiresias_remark,
    .fini = tiresias_fini,
};
