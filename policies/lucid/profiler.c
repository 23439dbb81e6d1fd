/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles jobs for a policy that schedules only profiled jobs: chooses which
 * jobs are profiled, in which order and for how long, and which may be
 * scheduled afterwards. */
#include "policies/lucid/lucid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/* The stage of a job. A job that no longer waits stays in the heap until it is
 * at the top, and its stage tells that it does not wait. */
enum profiler_stage {
    PROFILER_STAGE_NEW,
    PROFILER_STAGE_ADVISED, /* held back: an answer of an estimator is on its
                               way */
    PROFILER_STAGE_WAITS,   /* waits for a profile */
    PROFILER_STAGE_PROFILED_NOW,
    PROFILER_STAGE_UNSURE, /* handed out without a profile while an answer is on
                     its way, which will tell whether the demand stays unknown
                   */
    PROFILER_STAGE_DONE,
};

/* Returns the number of words of a set of nodes. */
static size_t profiler_words(const struct cluster *c)
{
    return c->n_nodes / 64 + 1;
}

void profiler_init(struct profiler *p, const struct profiler_config *config,
                   const struct view *view)
{
    *p = (struct profiler){
        .config = config,
        .stages = mem_zalloc(view_n_jobs(view), sizeof *p->stages),
        .n_jobs = view_n_jobs(view),
        .homeless_gpus = UINT32_MAX,
    };
    const struct cluster *c = view_cluster(view);
    p->nodes = mem_zalloc(profiler_words(c), sizeof *p->nodes);
    for (node_id id = 0; id < c->n_nodes; id++) {
        if (!c->nodes[id].lends)
            continue;
        p->own = mem_grow(p->own, &p->cap_own, p->n_own + 1, sizeof *p->own);
        p->own[p->n_own++] =
            (struct profiler_own){id, c->nodes[id].pool, NODE_NONE};
    }
}

void profiler_fini(struct profiler *p)
{
    free(p->stages);
    free(p->heap);
    free(p->ready);
    free(p->lent);
    free(p->own);
    free(p->nodes);
    for (size_t i = 0; i < PROFILER_ANSWERS; i++)
        free(p->answers[i].nodes);
    *p = (struct profiler){0};
}

static bool before(const void *x, const void *y)
{
    const struct profiler_entry *a = x, *b = y;
    return a->job->gpus < b->job->gpus ||
           (a->job->gpus == b->job->gpus && a->seq < b->seq);
}

static const struct heap_kind waiting = {
    .size = sizeof(struct profiler_entry),
    .before = before,
};

static void push(struct profiler *p, const struct job *job)
{
    struct profiler_entry entry = {job, p->seq++};
    p->heap = mem_grow(p->heap, &p->cap, p->n + 1, sizeof *p->heap);
    size_t at = heap_put(&waiting, NULL, p->heap, p->n++, &entry);
    p->blocked = p->blocked && at > 0; /* the new head may need fewer GPUs */
}

static void pop(struct profiler *p)
{
    heap_take(&waiting, NULL, p->heap, p->n--, 0);
}

static void hand_out(struct profiler *p, const struct job *job,
                     enum profiler_stage stage)
{
    p->n_waiting -= p->stages[job->id] == PROFILER_STAGE_WAITS;
    p->stages[job->id] = (uint8_t)stage;
    p->ready =
        mem_grow(p->ready, &p->cap_ready, p->n_ready + 1, sizeof *p->ready);
    p->ready[p->n_ready++] = job;
}

/* True if a standing loan of this pool is not lent now: a job has the node, or
 * it is the first instant. */
static bool is_missed(const struct profiler *p, uint32_t pool)
{
    for (size_t i = 0; i < p->n_own; i++) {
        if (p->own[i].pool == pool && p->own[i].node == NODE_NONE)
            return true;
    }
    return false;
}

/* True if a profiler node that is up, or a node that will be lent to the
 * profiler again, has enough GPUs for the job, of a type on which it can run.
 */
static bool has_node(const struct profiler *p, const struct view *view,
                     const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        if ((!pool->profiler && !is_missed(p, i)) ||
            (job->gpu_type != GPU_TYPE_ANY && pool->type != job->gpu_type) ||
            !view_is_able(view, job, (uint8_t)pool->type, job->gpus))
            continue;
        for (uint32_t n = 0; n < pool->n_nodes; n++) {
            const struct node *node = &c->nodes[pool->first_node + n];
            if (node->up && node->gpus >= job->gpus &&
                pool_has(c, pool, pool->first_node + n))
                return true;
        }
    }
    return false;
}

/* Returns the number of GPUs of the widest profiler node that is up; 0: there
 * is none. */
static uint32_t widest_node(const struct profiler *p, const struct cluster *c)
{
    uint32_t most = 0;
    for (size_t i = 0; i < p->n_own; i++) {
        uint32_t gpus = c->nodes[p->own[i].home].gpus;
        most = gpus > most ? gpus : most;
    }
    for (node_id id = 0; id < c->n_nodes; id++) {
        const struct node *node = &c->nodes[id];
        const struct pool *pool = &c->pools[node->pool];
        if (pool->profiler && node->up && pool_has(c, pool, id) &&
            node->gpus > most)
            most = node->gpus;
    }
    return most;
}

static void count_homeless(struct profiler *p, const struct view *view,
                           const struct job *job)
{
    uint32_t gpus = p->n_homeless ? 0 : widest_node(p, view_cluster(view));
    p->n_homeless++;
    p->node_gpus = gpus > p->node_gpus ? gpus : p->node_gpus;
    if (job->gpus < p->homeless_gpus)
        p->homeless_gpus = job->gpus;
}

/* True if the job can have no profile: it is too large, or no profiler node
 * could take it. */
static bool is_exempt(const struct profiler *p, const struct view *view,
                      const struct job *job)
{
    return job->gpus > p->config->max_gpus || !has_node(p, view, job);
}

/* Counts a job of unknown demand that can have no profile. */
static void count_exempt(struct profiler *p, const struct view *view,
                         const struct job *job)
{
    if (job->gpus > p->config->max_gpus)
        p->n_large++;
    else
        count_homeless(p, view, job);
}

/* Decides about a pending job that was never profiled: the job is handed out,
 * is held back until an estimator answers, or waits for a profile. */
static void enter_new(struct profiler *p, const struct view *view,
                      const struct job *job)
{
    bool is_due = view_advice_due(view, job) != TIME_NEVER;
    if (view_demand_settled(view, job)) {
        hand_out(p, job, PROFILER_STAGE_DONE);
    } else if (is_exempt(p, view, job)) {
        if (!is_due)
            count_exempt(p, view, job);
        hand_out(p, job, is_due ? PROFILER_STAGE_UNSURE : PROFILER_STAGE_DONE);
    } else if (is_due) {
        p->stages[job->id] = PROFILER_STAGE_ADVISED;
    } else {
        p->stages[job->id] = PROFILER_STAGE_WAITS;
        p->n_waiting++;
        push(p, job);
    }
}

/* Takes a job that begins to be pending. A job that was profiled or handed out
 * before is handed out now. */
static void profiler_enter(struct profiler *p, const struct view *view,
                           const struct job *job)
{
    enum profiler_stage stage = p->stages[job->id];
    if (stage == PROFILER_STAGE_DONE || stage == PROFILER_STAGE_UNSURE)
        hand_out(p, job, stage);
    else
        enter_new(p, view, job);
}

/* By kind of event: true if it may free GPUs of a profiler node. */
static const bool may_free[EVENT_N_KINDS] = {
    [EVENT_FINISHED] = true, [EVENT_FAILED] = true,    [EVENT_STOPPED] = true,
    [EVENT_PROFILED] = true, [EVENT_NODE_DOWN] = true, [EVENT_NODE_UP] = true,
};
/* By kind of event: true if its job may begin to wait. */
static const bool profiler_may_enter[EVENT_N_KINDS] = {
    [EVENT_SUBMITTED] = true,
    [EVENT_FAILED] = true,
    [EVENT_STOPPED] = true,
    [EVENT_PROFILED] = true,
};

/* Called when an estimator has answered about a job, even if the answer says
 * nothing new. */
static void believe(struct profiler *p, const struct view *view,
                    const struct job *job)
{
    enum profiler_stage stage = p->stages[job->id];
    if (stage == PROFILER_STAGE_ADVISED)
        enter_new(p, view, job);
    else if (stage == PROFILER_STAGE_WAITS && view_demand_settled(view, job))
        hand_out(p, job, PROFILER_STAGE_DONE);
    else if (stage == PROFILER_STAGE_UNSURE &&
             view_advice_due(view, job) == TIME_NEVER) {
        p->stages[job->id] = PROFILER_STAGE_DONE;
        if (!view_demand_settled(view, job))
            count_exempt(p, view, job);
    }
}

/* Forgets a job that will never run. It leaves the heap later, by its stage. */
static void forget(struct profiler *p, const struct job *job)
{
    p->n_waiting -= p->stages[job->id] == PROFILER_STAGE_WAITS;
    p->stages[job->id] = PROFILER_STAGE_DONE;
    p->blocked = false;
}

void profiler_observe(struct profiler *p, const struct view *view,
                      const struct event *event)
{
    const struct job *job = event->job;
    if (may_free[event->kind])
        p->blocked = false;
    if (job && job->state == JOB_REJECTED) {
        forget(p, job);
        return;
    }
    if (event->kind == EVENT_BELIEF)
        believe(p, view, job);
    if (event->kind == EVENT_PROFILED)
        p->stages[job->id] = PROFILER_STAGE_DONE;
    if (profiler_may_enter[event->kind] && job->state == JOB_PENDING)
        profiler_enter(p, view, job);
}

/* Starts to profile the head of the queue. Returns false if that job has to
 * wait for GPUs; true if it is profiled now, need not be, or cannot be any
 * more. */
static bool start_head(struct profiler *p, const struct view *view,
                       struct plan *plan)
{
    const struct job *job = p->heap[0].job;
    if (p->stages[job->id] != PROFILER_STAGE_WAITS)
        return true;
    if (plan_profile(plan, job, p->config->limit)) {
        p->stages[job->id] = PROFILER_STAGE_PROFILED_NOW;
        p->n_waiting--;
        return true;
    }
    if (has_node(p, view, job))
        return false;
    /* no profiler node that is up can profile the job any more */
    count_homeless(p, view, job);
    hand_out(p, job, PROFILER_STAGE_DONE);
    return true;
}

static void start_waiting(struct profiler *p, const struct view *view,
                          struct plan *plan)
{
    while (p->n && !p->blocked) {
        p->blocked = !start_head(p, view, plan);
        if (!p->blocked)
            pop(p);
    }
}

/* Returns the last node of the pool that is wholly idle and has at least `gpus`
 * GPUs; NODE_NONE if there is none. */
static node_id idle_node(const struct cluster *c, const struct pool *pool,
                         uint32_t gpus)
{
    for (uint32_t i = pool->n_nodes; i-- > 0;) {
        node_id id = pool->first_node + i;
        const struct node *node = &c->nodes[id];
        if (node->up && node->n_free == node->gpus && node->gpus >= gpus &&
            pool_has(c, pool, id))
            return id;
    }
    return NODE_NONE;
}

/* Returns an idle node with at least `gpus` GPUs of a type (GPU_TYPE_ANY: of
 * any), of the pool with the most GPUs on idle nodes; among equal pools, of the
 * first one. NODE_NONE if there is none. */
static node_id idle_anywhere(const struct cluster *c, uint16_t gpu_type,
                             uint32_t gpus)
{
    uint32_t most = 0;
    node_id best = NODE_NONE;
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        if (pool->profiler || pool->n_idle <= most ||
            (gpu_type != GPU_TYPE_ANY && pool->type != gpu_type))
            continue;
        node_id node = idle_node(c, pool, gpus);
        if (node == NODE_NONE)
            continue;
        most = pool->n_idle;
        best = node;
    }
    return best;
}

/* Lends a node for the head of the queue. Returns false if no pool has an idle
 * node for that job. */
static bool lend(struct profiler *p, struct plan *plan)
{
    const struct job *head = p->heap[0].job;
    node_id best = idle_anywhere(plan->cluster, head->gpu_type, head->gpus);
    if (best == NODE_NONE || !plan_lend(plan, best))
        return false;
    p->lent = mem_grow(p->lent, &p->cap_lent, p->n_lent + 1, sizeof *p->lent);
    p->lent[p->n_lent++] = best;
    return true;
}

/* How often to ask the forecast whether lent nodes can be given back. The times
 * are whole multiples of this interval, so that many decisions share one wake.
 */
#define LOOK_AGAIN (100 * SPAN_SECOND)

/* Gives back lent nodes that are idle; nodes that are in use or down stay.
 * While the forecast expects more demand than quiet_gpus, gives back none and
 * asks for a wake to look again. */
static void profiler_give_back(struct profiler *p, const struct view *view,
                               struct plan *plan)
{
    struct outlook outlook;
    if (view_outlook(view, view_now(view), &outlook) &&
        outlook.gpus > p->config->quiet_gpus) {
        sim_time now = view_now(view);
        plan_wake_at(plan, now - now % LOOK_AGAIN + LOOK_AGAIN);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < p->n_lent; i++) {
        if (!plan_take_back(plan, p->lent[i]))
            p->lent[n++] = p->lent[i];
    }
    p->n_lent = n;
}

/* Renews a standing loan: lends an idle node of its own pool or, while that
 * has none, of another. A node of another pool goes back when the own pool can
 * lend again. */
static void profiler_renew(struct profiler *p, struct plan *plan,
                           struct profiler_own *own)
{
    const struct cluster *c = plan->cluster;
    const struct node *home = &c->nodes[own->home];
    bool is_lent = own->node != NODE_NONE;
    if (is_lent && c->pools[c->nodes[own->node].pool].home == own->pool)
        return;
    node_id node = idle_node(c, &c->pools[own->pool], home->gpus);
    if (is_lent && (node == NODE_NONE || !plan_take_back(plan, own->node)))
        return;
    if (node == NODE_NONE)
        node = idle_anywhere(c, c->pools[own->pool].type, home->gpus);
    own->node = NODE_NONE;
    if (node == NODE_NONE || !plan_lend(plan, node))
        return;
    own->node = node;
    p->blocked = false;
}

void profiler_decide(struct profiler *p, const struct view *view,
                     struct plan *plan)
{
    const struct profiler_config *c = p->config;
    p->yielded = false;
    if (p->drain)
        return;
    for (size_t i = 0; i < p->n_own; i++)
        profiler_renew(p, plan, &p->own[i]);
    start_waiting(p, view, plan);
    while (p->n_lent < c->lend_nodes && p->n_waiting > c->lend_above &&
           lend(p, plan)) {
        p->blocked = false;
        start_waiting(p, view, plan);
    }
    if (p->n_lent && p->n_waiting < c->return_below)
        profiler_give_back(p, view, plan);
}

static bool suits(const struct cluster *c, const struct pool *pool,
                  const struct job *job)
{
    return cluster_serves(c, pool, job->vc) &&
           (job->gpu_type == GPU_TYPE_ANY || job->gpu_type == pool->type);
}

/* In a what-if: ends the jobs that hold GPUs of the node. */
static void imagine_idle(struct plan *plan, node_id id)
{
    const struct cluster *c = plan->cluster;
    const struct node *node = &c->nodes[id];
    for (gpu_id gpu = node->first_gpu; gpu < node->first_gpu + node->gpus;
         gpu++) {
        while (c->n_holders[gpu])
            plan_imagine_gone(
                plan,
                view_job(plan->view, c->holders[(size_t)gpu * c->share_limit]));
    }
}

/* Whether a job fits outside the profiler. */
enum outside { OUTSIDE_NO, OUTSIDE_ASK, OUTSIDE_YES };

/* Returns OUTSIDE_YES if one node of the pool that is up could hold the job,
 * OUTSIDE_ASK if only several together could and the placer has to say so. */
static enum outside pool_fits(const struct plan *plan, const struct pool *pool,
                              const struct job *job)
{
    const struct cluster *c = plan->cluster;
    if (pool->profiler || !suits(c, pool, job) || pool->n_gpus < job->gpus ||
        !view_is_able(plan->view, job, (uint8_t)pool->type, job->gpus))
        return OUTSIDE_NO;
    for (uint32_t n = 0; n < pool->n_nodes; n++) {
        const struct node *node = &c->nodes[pool->first_node + n];
        if (node->up && node->gpus >= job->gpus &&
            pool_has(c, pool, pool->first_node + n))
            return OUTSIDE_YES;
    }
    return OUTSIDE_ASK;
}

static void outside_add_nodes(const struct cluster *c, const struct pool *pool,
                              uint64_t *nodes)
{
    for (uint32_t n = 0; n < pool->n_nodes; n++) {
        node_id id = pool->first_node + n;
        if (c->nodes[id].up && pool_has(c, pool, id))
            nodes[id / 64] |= UINT64_C(1) << id % 64;
    }
}

/* Asks the placer, in a what-if in which the nodes of the set are idle. */
static bool outside_ask(struct plan *plan, const struct job *job,
                        const uint64_t *nodes)
{
    size_t mark = plan_mark(plan);
    for (node_id id = 0; id < plan->cluster->n_nodes; id++) {
        if (nodes[id / 64] >> id % 64 & 1)
            imagine_idle(plan, id);
    }
    bool fits = plan_start(plan, job);
    plan_undo_to(plan, mark);
    return fits;
}

/* As outside_ask, for the set p->nodes, but repeats an answer that was given
 * for the same set and a job of the same size and type. Not if the placer
 * draws, if the model of the job matters, or if the job may get its former
 * GPUs. */
static bool outside_answer(struct profiler *p, struct plan *plan,
                           const struct job *job)
{
    size_t bytes = profiler_words(plan->cluster) * sizeof *p->nodes;
    if (plan->placer->ops->state_size || view_learner(plan->view, job) ||
        plan_is_stopped(plan, job))
        return outside_ask(plan, job, p->nodes);
    for (size_t i = 0; i < PROFILER_ANSWERS; i++) {
        const struct profiler_answer *a = &p->answers[i];
        if (a->gpus == job->gpus && a->vc == job->vc &&
            a->gpu_type == job->gpu_type &&
            memcmp(a->nodes, p->nodes, bytes) == 0)
            return a->fits;
    }
    struct profiler_answer *a = &p->answers[p->n_answers++ % PROFILER_ANSWERS];
    a->nodes = mem_resize(a->nodes, bytes);
    memcpy(a->nodes, p->nodes, bytes);
    a->gpus = job->gpus;
    a->vc = job->vc;
    a->gpu_type = job->gpu_type;
    a->fits = outside_ask(plan, job, p->nodes);
    return a->fits;
}

/* True if the job could run on the nodes of its virtual cluster that are up and
 * not lent, if these were all empty. The placer may refuse it although they
 * have enough GPUs, so it is asked unless one node suffices. */
static bool fits_outside(struct profiler *p, struct plan *plan,
                         const struct job *job)
{
    const struct cluster *c = plan->cluster;
    enum outside found = OUTSIDE_NO;
    memset(p->nodes, 0, profiler_words(c) * sizeof *p->nodes);
    for (uint32_t i = c->vc_pools[job->vc].first; i < c->vc_pools[job->vc].end;
         i++) {
        enum outside fits = pool_fits(plan, &c->pools[i], job);
        found = fits > found ? fits : found;
        if (fits == OUTSIDE_ASK)
            outside_add_nodes(c, &c->pools[i], p->nodes);
    }
    return found == OUTSIDE_YES ||
           (found == OUTSIDE_ASK && outside_answer(p, plan, job));
}

/* Takes lent nodes back, one by one, until the job can start: those on which
 * jobs are profiled if `busy`, as a what-if, otherwise the idle ones. `fits`:
 * the job can do without, so it gets only nodes that it fills. Returns
 * true if the plan starts the job. */
static bool start_with_loans(const struct profiler *p, struct plan *plan,
                             const struct job *job, bool fits, bool busy)
{
    const struct cluster *c = plan->cluster;
    for (size_t i = 0; i < p->n_own + p->n_lent; i++) {
        node_id id = i < p->n_own ? p->own[i].node : p->lent[i - p->n_own];
        const struct node *node = id == NODE_NONE ? NULL : &c->nodes[id];
        if (!node || !suits(c, &c->pools[node->pool], job) ||
            (node->n_free < node->gpus) != busy ||
            (fits && job->gpus < node->gpus))
            continue;
        if (busy && node->up)
            imagine_idle(plan, id);
        if (plan_take_back(plan, id) && plan_start(plan, job))
            return true;
    }
    return false;
}

/* Forgets the loans that the plan has ended. */
static void forget_loans(struct profiler *p, const struct cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_own; i++) {
        node_id id = p->own[i].node;
        if (id != NODE_NONE && !cluster_is_lent(c, id))
            p->own[i].node = NODE_NONE;
    }
    for (size_t i = 0; i < p->n_lent; i++) {
        if (cluster_is_lent(c, p->lent[i]))
            p->lent[n++] = p->lent[i];
    }
    p->n_lent = n;
}

bool profiler_yield(struct profiler *p, struct plan *plan,
                    const struct job *job)
{
    const struct cluster *c = plan->cluster;
    size_t mark = plan_mark(plan);
    if (p->n_own + p->n_lent == 0)
        return false;
    bool fits = fits_outside(p, plan, job);
    if (fits && p->n_waiting > 0)
        return false; /* profiles come before a job that needs no loan */
    if (start_with_loans(p, plan, job, fits, false)) {
        forget_loans(p, c);
        p->yielded = true;
        p->blocked = false; /* the head may have no node any more */
        return true;
    }
    if (!fits && start_with_loans(p, plan, job, false, true) && !p->drain)
        p->drain = job;
    plan_undo_to(plan, mark);
    return false;
}

const struct job *profiler_take_ready(struct profiler *p)
{
    if (p->next_ready < p->n_ready)
        return p->ready[p->next_ready++];
    p->next_ready = p->n_ready = 0;
    return NULL;
}

void profiler_remark(const struct profiler *p, struct remarks *remarks)
{
    if (p->n_homeless && p->node_gpus == 0)
        remarks_add(
            remarks, remark_rank_of(p->n_homeless, p->n_jobs),
            "profiling: there was no profiler node for %" PRIu32 " of %" PRIu32
            " jobs, so their demand stayed unknown and they did not share "
            "(--profilers)",
            p->n_homeless, p->n_jobs);
    else if (p->n_homeless)
        remarks_add(remarks, remark_rank_of(p->n_homeless, p->n_jobs),
                    "profiling: no profiler node was wide enough or of their "
                    "GPU type for %" PRIu32 " of %" PRIu32 " jobs, of %" PRIu32
                    " GPUs and more (the widest has %" PRIu32
                    "), so their demand stayed unknown and they did not share "
                    "(--profilers)",
                    p->n_homeless, p->n_jobs, p->homeless_gpus, p->node_gpus);
    if (p->n_large)
        remarks_add(remarks, remark_rank_of(p->n_large, p->n_jobs),
                    "profiling: %" PRIu32 " of %" PRIu32 " jobs ask for more "
                    "than profile_max_gpus (%" PRIu32 ") GPUs, so their demand "
                    "stayed unknown and they did not share",
                    p->n_large, p->n_jobs, p->config->max_gpus);
}
