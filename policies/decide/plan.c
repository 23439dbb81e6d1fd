/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a policy: starts, stops, nodes that leave and return, wakes,
 * queries of the plan so far, and undo. */
#include "policies/decide/plan.h"

#include <stdlib.h>

/* Flags of each job while a plan is filled. */
enum {
    PLANNED_START = 1,
    PLANNED_STOP = 2,
};

const char *plan_kind_name(enum plan_kind kind)
{
    static const char *const words[] = {
        [PLAN_START] = "start",     [PLAN_SHARE] = "share",
        [PLAN_PROFILE] = "profile", [PLAN_STOP] = "stop",
        [PLAN_IMAGINE] = "imagine", [PLAN_BAR] = "bar",
        [PLAN_CLOSE] = "close",     [PLAN_OPEN] = "open",
        [PLAN_LEND] = "lend",       [PLAN_TAKE_BACK] = "take-back",
    };
    return words[kind];
}

void plan_init(struct plan *plan, const struct view *view,
               struct cluster *cluster, const struct placer *placer,
               uint8_t *planned, struct arena *scratch)
{
    uint32_t largest = 1;
    for (uint32_t p = 0; p < cluster->n_pools; p++) {
        if (cluster->pools[p].n_gpus > largest)
            largest = cluster->pools[p].n_gpus;
    }
    *plan = (struct plan){
        .view = view,
        .cluster = cluster,
        .placer = placer,
        .scratch = scratch,
        .planned = planned,
        .slices = mem_alloc(largest * sizeof *plan->slices),
        .wake = TIME_NEVER,
        .broken_job = JOB_NONE,
    };
}

void plan_fini(struct plan *plan)
{
    free(plan->actions);
    free(plan->slices);
    *plan = (struct plan){0};
}

void plan_clear(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_actions; i++) {
        if (plan->actions[i].job)
            plan->planned[plan->actions[i].job->id] = 0;
    }
    plan->n_actions = 0;
    plan->wake = TIME_NEVER;
    plan->rest = 0;
    plan->again = false;
}

/* Records that an action on the job breaks a rule, unless the plan has broken
 * one already. Always returns false, so that a caller can return the result. */
static bool plan_broken(struct plan *plan, const struct job *job,
                        const char *rule)
{
    if (plan->broken.status != STATUS_OK)
        return false;
    plan->broken_job = job->id;
    error_set(&plan->broken, STATUS_BAD_PLAN, "at %.6f s: job %u %s",
              span_seconds(view_now(plan->view)), job->id, rule);
    return false;
}

void plan_refuse(struct plan *plan, enum status status, job_id job,
                 const char *why)
{
    if (plan->broken.status != STATUS_OK)
        return;
    plan->broken_job = job;
    error_set(&plan->broken, status, "at %.6f s: %s",
              span_seconds(view_now(plan->view)), why);
}

/* Appends an action to the plan. All its fields but kind and job are 0. The
 * pointer is valid until the next action is appended. */
static struct plan_action *plan_act(struct plan *plan, enum plan_kind kind,
                                    const struct job *job)
{
    plan->actions = mem_grow(plan->actions, &plan->cap_actions,
                             plan->n_actions + 1, sizeof *plan->actions);
    struct plan_action *action = &plan->actions[plan->n_actions++];
    *action = (struct plan_action){.kind = kind, .job = job};
    return action;
}

bool plan_close(struct plan *plan, node_id id)
{
    const struct node *node = &plan->cluster->nodes[id];
    if (plan->broken.status != STATUS_OK ||
        (node->up && node->n_free < node->gpus))
        return false;
    struct plan_action *action = plan_act(plan, PLAN_CLOSE, NULL);
    action->node = id;
    action->moves = cluster_close(plan->cluster, id);
    return true;
}

void plan_open(struct plan *plan, node_id id)
{
    if (plan->broken.status != STATUS_OK || plan->cluster->nodes[id].up)
        return;
    struct plan_action *action = plan_act(plan, PLAN_OPEN, NULL);
    action->node = id;
    action->moves = cluster_open(plan->cluster, id);
}

static bool plan_is_idle(const struct plan *plan, node_id id)
{
    const struct node *node = &plan->cluster->nodes[id];
    return plan->broken.status == STATUS_OK && node->up &&
           node->n_free == node->gpus;
}

bool plan_lend(struct plan *plan, node_id id)
{
    const struct cluster *c = plan->cluster;
    if (!plan_is_idle(plan, id) || c->pools[c->nodes[id].pool].profiler)
        return false;
    cluster_lend(plan->cluster, id);
    plan_act(plan, PLAN_LEND, NULL)->node = id;
    return true;
}

bool plan_take_back(struct plan *plan, node_id id)
{
    if (!plan_is_idle(plan, id) || !cluster_is_lent(plan->cluster, id))
        return false;
    cluster_take_back(plan->cluster, id);
    plan_act(plan, PLAN_TAKE_BACK, NULL)->node = id;
    return true;
}

static __attribute__((noinline)) void plan_charge_gate(
    struct plan *plan, const struct plan_action *a, int sign)
{
    bool ends = a->kind == PLAN_STOP || a->kind == PLAN_IMAGINE;
    bool runs = a->job->state == JOB_RUNNING;
    if (a->kind == PLAN_PROFILE || a->kind == PLAN_BAR ||
        (ends && runs &&
         board_allocation(plan->view->board, a->job)->profiling))
        return;
    plan->gate->uses(plan->gate->self, a->job,
                     (ends ? -sign : sign) * (int64_t)gpu_set_size(a->where));
}

/* Tells the gate that a start or the end of a hold is planned (sign 1), or
 * undone (-1). Without a gate it costs one comparison. */
static inline void plan_charge(struct plan *plan, const struct plan_action *a,
                               int sign)
{
    if (plan->gate)
        plan_charge_gate(plan, a, sign);
}

static void give_up(struct plan *plan, enum plan_kind kind,
                    const struct job *job, struct gpu_set where)
{
    struct plan_action *action = plan_act(plan, kind, job);
    action->where = where;
    for (uint32_t i = 0; i < where.count; i++)
        cluster_give(plan->cluster, where.at[i], job->id);
    plan_charge(plan, action, 1);
}

void plan_stop(struct plan *plan, const struct job *job)
{
    if (plan->broken.status != STATUS_OK)
        return;
    if (job->state != JOB_RUNNING) {
        plan_broken(plan, job, "stopped while not running");
        return;
    }
    if (plan->planned[job->id] & PLANNED_STOP) {
        plan_broken(plan, job, "stopped twice in one plan");
        return;
    }
    give_up(plan, PLAN_STOP, job, view_where(plan->view, job));
    plan->planned[job->id] |= PLANNED_STOP;
}

void plan_ask_again(struct plan *plan)
{
    plan->again = true;
}

void plan_imagine_gone(struct plan *plan, const struct job *job)
{
    struct gpu_set where = plan_where(plan, job);
    if (where.count == 0)
        plan_broken(plan, job, "imagined gone while it does not run");
    else
        give_up(plan, PLAN_IMAGINE, job, where);
}

void plan_bar(struct plan *plan, const struct job *job, struct gpu_set set)
{
    struct gpu_slice *at = arena_take(plan->scratch, set.count * sizeof *at);
    struct plan_action *action = plan_act(plan, PLAN_BAR, job);
    uint32_t n = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        uint64_t mask =
            set.at[i].mask & plan->cluster->nodes[set.at[i].node].free;
        if (!mask)
            continue;
        at[n] = (struct gpu_slice){set.at[i].node, mask};
        cluster_take(plan->cluster, at[n++], job->id);
    }
    action->where = (struct gpu_set){at, n};
}

void plan_wake_at(struct plan *plan, sim_time at)
{
    if (plan->broken.status != STATUS_OK)
        return;
    if (at <= view_now(plan->view)) {
        error_set(&plan->broken, STATUS_BAD_PLAN,
                  "at %.6f s: a wake at %.6f s does not lie after now",
                  span_seconds(view_now(plan->view)), span_seconds(at));
        return;
    }
    if (at < plan->wake)
        plan->wake = at;
}

void plan_rest_until(struct plan *plan, sim_time at)
{
    plan->rest = at;
}

uint32_t plan_free_gpus(const struct plan *plan, uint16_t vc)
{
    return plan->gate ? plan->gate->room(plan->gate->self, vc)
                      : cluster_vc_free(plan->cluster, vc);
}

uint32_t plan_most_gpus(const struct plan *plan, uint16_t vc)
{
    return plan->gate ? plan->gate->most(plan->gate->self, vc)
                      : cluster_vc_gpus(plan->cluster, vc);
}

bool plan_is_started(const struct plan *plan, const struct job *job)
{
    return plan->planned[job->id] & PLANNED_START;
}

bool plan_is_stopped(const struct plan *plan, const struct job *job)
{
    return plan->planned[job->id] & PLANNED_STOP;
}

struct gpu_set plan_where(const struct plan *plan, const struct job *job)
{
    uint8_t flags = plan->planned[job->id];
    if (flags & PLANNED_START) {
        for (size_t i = plan->n_actions; i-- > 0;) {
            const struct plan_action *a = &plan->actions[i];
            /* its stop, if there is one, comes before its start */
            if (a->job == job && a->kind != PLAN_IMAGINE && a->kind != PLAN_BAR)
                return a->where;
        }
    }
    if (job->state == JOB_RUNNING && !(flags & PLANNED_STOP))
        return view_where(plan->view, job);
    return (struct gpu_set){0};
}

size_t plan_mark(const struct plan *plan)
{
    return plan->n_actions;
}

static void undo(struct plan *plan, const struct plan_action *action)
{
    switch (action->kind) {
    case PLAN_START:
    case PLAN_SHARE:
    case PLAN_PROFILE:
    case PLAN_BAR: /* a start of the same job was undone before */
        plan_charge(plan, action, -1);
        for (uint32_t i = action->where.count; i-- > 0;)
            cluster_give(plan->cluster, action->where.at[i], action->job->id);
        plan->planned[action->job->id] &= (uint8_t)~PLANNED_START;
        break;
    case PLAN_STOP:
    case PLAN_IMAGINE:
        plan_charge(plan, action, -1);
        for (uint32_t i = action->where.count; i-- > 0;)
            cluster_join(plan->cluster, action->where.at[i], action->job->id);
        if (action->kind == PLAN_STOP)
            plan->planned[action->job->id] &= (uint8_t)~PLANNED_STOP;
        break;
    case PLAN_CLOSE:
        cluster_open(plan->cluster, action->node);
        break;
    case PLAN_OPEN:
        cluster_close(plan->cluster, action->node);
        break;
    case PLAN_LEND:
        cluster_take_back(plan->cluster, action->node);
        break;
    case PLAN_TAKE_BACK:
        cluster_lend(plan->cluster, action->node);
        break;
    }
}

void plan_undo_to(struct plan *plan, size_t mark)
{
    while (plan->n_actions > mark)
        undo(plan, &plan->actions[--plan->n_actions]);
}

void *plan_scratch(struct plan *plan, size_t bytes)
{
    return arena_alloc(plan->scratch, bytes);
}

/* The starts of a plan: whether the job may be started, whether it fits, and on
 * which GPUs. */

/* Rule 3: true if this plan may start the job. If not, the plan is broken. */
static bool plan_may_start(struct plan *plan, const struct job *job)
{
    uint8_t flags = plan->planned[job->id];
    if (plan->broken.status != STATUS_OK)
        return false;
    if (flags & PLANNED_START)
        return plan_broken(plan, job, "started twice in one plan");
    if (job->state != JOB_PENDING && !(flags & PLANNED_STOP))
        return plan_broken(plan, job,
                           job->state == JOB_RUNNING
                               ? "started while running"
                               : "started while not pending");
    return true;
}

/* Reserves the slices in `where`, which have `gpus` GPUs together, and appends
 * the start to the plan. */
static void plan_add_start(struct plan *plan, enum plan_kind kind,
                           const struct job *job, struct gpu_set where,
                           uint32_t gpus, sim_span limit)
{
    uint32_t count = where.count;
    struct gpu_slice *kept = arena_take(plan->scratch, count * sizeof *kept);
    struct plan_action *action = plan_act(plan, kind, job);
    action->where = (struct gpu_set){kept, count};
    action->gpus = gpus;
    action->limit = limit;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = where.at[i];
        if (kind == PLAN_SHARE)
            cluster_join(plan->cluster, kept[i], job->id);
        else
            cluster_take(plan->cluster, kept[i], job->id);
    }
    plan->planned[job->id] |= PLANNED_START;
    plan_charge(plan, action, 1);
}

/* False if the gate does not let the job have its GPUs. */
static bool plan_passes_gate(struct plan *plan, const struct job *job,
                             uint32_t gpus)
{
    const struct plan_gate *gate = plan->gate;
    if (!gate || gate->admits(gate->self, job, gpus))
        return true;
    gate->refused(gate->self, job, gpus);
    return false;
}

static bool plan_is_free(const struct cluster *c, struct gpu_set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        const struct node *node = &c->nodes[set.at[i].node];
        if (!node->up || (node->free & set.at[i].mask) != set.at[i].mask)
            return false;
    }
    return set.count > 0;
}

static bool plan_in_reach(const struct pool *pool, uint8_t gpu_type)
{
    return !pool->profiler &&
           (gpu_type == GPU_TYPE_ANY || gpu_type == pool->type);
}

static const struct pool *plan_pool_of(const struct plan *plan,
                                       struct gpu_set where)
{
    const struct cluster *c = plan->cluster;
    return &c->pools[c->nodes[where.at[0].node].pool];
}

/* Rule 2: returns the GPUs that the job held before this plan stopped it, if
 * they are free, of a suitable type and `gpus` in number. Otherwise returns an
 * empty set. */
static struct gpu_set former(const struct plan *plan, const struct job *job,
                             uint8_t gpu_type, uint32_t gpus)
{
    const struct cluster *c = plan->cluster;
    if (!(plan->planned[job->id] & PLANNED_STOP))
        return (struct gpu_set){0};
    struct gpu_set back = view_where(plan->view, job);
    const struct pool *pool = plan_pool_of(plan, back);
    if (gpu_set_size(back) != gpus || !plan_in_reach(pool, gpu_type) ||
        !plan_is_free(c, back))
        return (struct gpu_set){0};
    return back;
}

static bool is_able(const struct plan *plan, const struct job *job,
                    const struct pool *pool, uint32_t gpus)
{
    return !throughput_knows(plan->view->throughput, job) ||
           view_is_able(plan->view, job, (uint8_t)pool->type, gpus);
}

static uint32_t plan_place(struct plan *plan, const struct pool *pool,
                           uint32_t gpus)
{
    return plan->placer->ops->place(plan->placer->self, plan->placer->config,
                                    plan->cluster, pool, gpus, plan->slices);
}

/* Lets the placer choose among the nodes that no booking keeps from a job that
 * would start at `at`. */
static __attribute__((noinline)) uint32_t plan_place_booked(
    struct plan *plan, const struct job *job, const struct pool *pool,
    uint32_t gpus, sim_time at)
{
    struct bookings *bookings = plan->bookings;
    const uint32_t keeps =
        bookings_bar(bookings, plan->cluster, pool, job, at, job->declared);
    const uint32_t n = pool->n_free < gpus ? 0 : plan_place(plan, pool, gpus);
    bookings_unbar(bookings, plan->cluster, job);
    if (n == 0 && keeps && at == view_now(plan->view))
        bookings->kept[job->id] = keeps;
    return n;
}

static bool start_in_pool(struct plan *plan, const struct job *job,
                          const struct pool *pool, uint32_t gpus,
                          enum plan_kind kind, sim_span limit, sim_time at)
{
    if (gpus == 0 || pool->n_free < gpus || !is_able(plan, job, pool, gpus))
        return false;
    const uint32_t n = plan->bookings
                           ? plan_place_booked(plan, job, pool, gpus, at)
                           : plan_place(plan, pool, gpus);
    if (n == 0)
        return false;
    plan_add_start(plan, kind, job, (struct gpu_set){plan->slices, n}, gpus,
                   limit);
    return true;
}

static bool plan_start_one(struct plan *plan, const struct job *job,
                           uint8_t gpu_type, uint32_t gpus, sim_time at)
{
    const struct cluster *c = plan->cluster;
    if (!plan_may_start(plan, job) || !plan_passes_gate(plan, job, gpus))
        return false;
    struct gpu_set back = former(plan, job, gpu_type, gpus);
    if (back.count) {
        plan_add_start(plan, PLAN_START, job, back, gpus, 0);
        return true;
    }
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        if (plan_in_reach(pool, gpu_type) &&
            start_in_pool(plan, job, pool, gpus, PLAN_START, 0, at))
            return true;
    }
    if (plan->gate)
        plan->gate->refused(plan->gate->self, job, gpus);
    return false;
}

bool plan_start(struct plan *plan, const struct job *job)
{
    return plan_start_at(plan, job, view_now(plan->view));
}

bool plan_start_at(struct plan *plan, const struct job *job, sim_time at)
{
    return plan_start_one(plan, job, job->gpu_type, job->gpus, at);
}

bool plan_start_as(struct plan *plan, const struct job *job, struct shape shape)
{
    return plan_start_one(plan, job, (uint8_t)shape.gpu_type, shape.gpus,
                          view_now(plan->view));
}

/* True if a booking keeps the job from one of these nodes. */
static bool plan_is_booked(const struct plan *plan, const struct job *job,
                           struct gpu_set on)
{
    if (!plan->bookings)
        return false;
    const uint32_t keeps = bookings_refuse(plan->bookings, job, on,
                                           view_now(plan->view), job->declared);
    if (keeps)
        plan->bookings->kept[job->id] = keeps;
    return keeps > 0;
}

bool plan_is_booked_out(const struct plan *plan, const struct job *job)
{
    const struct cluster *c = plan->cluster;
    uint64_t gpus = 0;
    if (!plan->bookings)
        return false;
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node *node = &c->nodes[n];
        const struct pool *pool = &c->pools[node->pool];
        const struct gpu_slice whole = {n, UINT64_MAX};
        if (node->up && cluster_serves(c, pool, job->vc) &&
            plan_in_reach(pool, job->gpu_type) &&
            !bookings_refuse(plan->bookings, job, (struct gpu_set){&whole, 1},
                             view_now(plan->view), job->declared))
            gpus += node->gpus;
    }
    return gpus < job->gpus;
}

bool plan_start_on(struct plan *plan, const struct job *job, struct gpu_set on)
{
    if (!plan_may_start(plan, job) || !plan_is_free(plan->cluster, on))
        return false;
    const struct pool *pool = plan_pool_of(plan, on);
    if (!cluster_serves(plan->cluster, pool, job->vc))
        return plan_broken(plan, job, "started outside its virtual cluster");
    if (pool->profiler)
        return plan_broken(plan, job,
                           "started on a node set aside for profiling");
    uint32_t gpus = gpu_set_size(on);
    if (!is_able(plan, job, pool, gpus) || plan_is_booked(plan, job, on) ||
        !plan_passes_gate(plan, job, gpus))
        return false;
    for (uint32_t i = 1; i < on.count; i++) {
        struct gpu_set rest = {on.at + i, 1};
        if (plan_pool_of(plan, rest) != pool)
            return plan_broken(plan, job, "started on GPUs of several pools");
    }
    plan_add_start(plan, PLAN_START, job, on, gpus, 0);
    return true;
}

/* Whether a job may join the jobs on a GPU. ROOM_FULL: the share limit prevents
 * it, or one of the jobs is barred from sharing. ROOM_NO_MEMORY: the memory
 * prevents it. */
enum room { ROOM_ENOUGH, ROOM_FULL, ROOM_NO_MEMORY };

/* Tests one GPU: its share limit, its memory, and whether a job is barred from
 * sharing. A job alone on a GPU always fits, whatever memory it declares,
 * because the trace shows that it ran. */
static enum room gpu_room(const struct plan *plan, const struct job *job,
                          gpu_id gpu, double mem_mib)
{
    const struct cluster *c = plan->cluster;
    const job_id *list = c->holders + (size_t)gpu * c->share_limit;
    uint32_t n = c->n_holders[gpu];
    double used = (double)job->mem_mib;
    bool barred = job->barred;
    for (uint32_t k = 0; k < n; k++) {
        const struct job *holder = view_job(plan->view, list[k]);
        used += (double)holder->mem_mib;
        barred |= holder->barred;
    }
    if (n >= c->share_limit || (n > 0 && barred))
        return ROOM_FULL;
    return n > 0 && mem_mib > 0 && used > mem_mib ? ROOM_NO_MEMORY
                                                  : ROOM_ENOUGH;
}

static enum room room_at(const struct plan *plan, const struct job *job,
                         struct gpu_set where)
{
    const struct cluster *c = plan->cluster;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        double mem = c->types[c->pools[node->pool].type].mem_mib;
        for (struct gpu_walk w = gpu_walk(node->first_gpu, where.at[i].mask);
             gpu_walk_next(&w);) {
            gpu_id gpu = w.gpu;
            enum room room = gpu_room(plan, job, gpu, mem);
            if (room != ROOM_ENOUGH)
                return room;
        }
    }
    return ROOM_ENOUGH;
}

bool plan_share_on(struct plan *plan, const struct job *job, struct gpu_set on)
{
    const struct cluster *c = plan->cluster;
    if (!plan_may_start(plan, job) || on.count == 0)
        return false;
    uint16_t first = c->nodes[on.at[0].node].pool;
    const struct pool *pool = &c->pools[first];
    if (pool->profiler)
        return false;
    if (!cluster_serves(c, pool, job->vc))
        return plan_broken(plan, job, "shares outside its virtual cluster");
    for (uint32_t i = 0; i < on.count; i++) {
        const struct node *node = &c->nodes[on.at[i].node];
        if (node->pool != first)
            return plan_broken(plan, job, "shares across pools");
        if (!node->up || node->drains)
            return false;
    }
    uint32_t gpus = gpu_set_size(on);
    if (!plan_in_reach(pool, job->gpu_type) ||
        !is_able(plan, job, pool, gpus) || plan_is_booked(plan, job, on) ||
        !plan_passes_gate(plan, job, gpus))
        return false;
    enum room room = room_at(plan, job, on);
    plan->memory_refusals += room == ROOM_NO_MEMORY;
    if (room != ROOM_ENOUGH)
        return false;
    plan_add_start(plan, PLAN_SHARE, job, on, gpus, 0);
    return true;
}

bool plan_share(struct plan *plan, const struct job *job,
                const struct job *resident)
{
    if (!plan_may_start(plan, job))
        return false;
    struct gpu_set where = plan_where(plan, resident);
    if (where.count == 0)
        return plan_broken(plan, job, "shares with a job that does not run");
    if (resident->vc != job->vc && !plan->cluster->merged)
        return plan_broken(plan, job, "shares outside its virtual cluster");
    return gpu_set_size(where) == job->gpus && plan_share_on(plan, job, where);
}

static bool plan_may_profile(struct plan *plan, const struct job *job,
                             sim_span limit)
{
    if (!plan_may_start(plan, job))
        return false;
    return limit > 0 || plan_broken(plan, job, "profiled for no time");
}

bool plan_profile(struct plan *plan, const struct job *job, sim_span limit)
{
    const struct cluster *c = plan->cluster;
    if (!plan_may_profile(plan, job, limit))
        return false;
    for (uint32_t p = 0; p < c->n_pools; p++) {
        const struct pool *pool = &c->pools[p];
        if (!pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && pool->type != job->gpu_type))
            continue;
        if (start_in_pool(plan, job, pool, job->gpus, PLAN_PROFILE, limit,
                          view_now(plan->view)))
            return true;
    }
    return false;
}

bool plan_profile_on(struct plan *plan, const struct job *job,
                     struct gpu_set on, sim_span limit)
{
    if (!plan_may_profile(plan, job, limit) || !plan_is_free(plan->cluster, on))
        return false;
    const struct pool *pool = plan_pool_of(plan, on);
    for (uint32_t i = 0; i < on.count; i++) {
        struct gpu_set rest = {on.at + i, 1};
        if (!pool->profiler || plan_pool_of(plan, rest) != pool)
            return plan_broken(plan, job, "profiled outside the profiler");
    }
    plan_add_start(plan, PLAN_PROFILE, job, on, gpu_set_size(on), limit);
    return true;
}
