/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The starts of a plan: whether the job may be started, whether it fits, and on
 * which GPUs. */
#include "policies/decide/plan_internal.h"

/* Rule 3: true if this plan may start the job. If not, the plan is broken. */
static bool may_start(struct plan *plan, const struct job *job)
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
static void add_start(struct plan *plan, enum plan_kind kind,
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
}

static bool is_free(const struct cluster *c, struct gpu_set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        const struct node *node = &c->nodes[set.at[i].node];
        if (!node->up || (node->free & set.at[i].mask) != set.at[i].mask)
            return false;
    }
    return set.count > 0;
}

static bool in_reach(const struct pool *pool, uint8_t gpu_type)
{
    return !pool->profiler &&
           (gpu_type == GPU_TYPE_ANY || gpu_type == pool->type);
}

static const struct pool *pool_of(const struct plan *plan, struct gpu_set where)
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
    const struct pool *pool = pool_of(plan, back);
    if (gpu_set_size(back) != gpus || !in_reach(pool, gpu_type) ||
        !is_free(c, back))
        return (struct gpu_set){0};
    return back;
}

static bool is_able(const struct plan *plan, const struct job *job,
                    const struct pool *pool, uint32_t gpus)
{
    return !throughput_knows(plan->view->throughput, job) ||
           view_is_able(plan->view, job, (uint8_t)pool->type, gpus);
}

static bool start_in_pool(struct plan *plan, const struct job *job,
                          const struct pool *pool, uint32_t gpus,
                          enum plan_kind kind, sim_span limit)
{
    if (gpus == 0 || pool->n_free < gpus || !is_able(plan, job, pool, gpus))
        return false;
    uint32_t n =
        plan->placer->ops->place(plan->placer->self, plan->placer->config,
                                 plan->cluster, pool, gpus, plan->slices);
    if (n == 0)
        return false;
    add_start(plan, kind, job, (struct gpu_set){plan->slices, n}, gpus, limit);
    return true;
}

static bool start(struct plan *plan, const struct job *job, uint8_t gpu_type,
                  uint32_t gpus)
{
    const struct cluster *c = plan->cluster;
    if (!may_start(plan, job))
        return false;
    struct gpu_set back = former(plan, job, gpu_type, gpus);
    if (back.count) {
        add_start(plan, PLAN_START, job, back, gpus, 0);
        return true;
    }
    for (uint32_t p = c->vc_first[job->vc]; p < c->vc_first[job->vc + 1]; p++) {
        const struct pool *pool = &c->pools[p];
        if (in_reach(pool, gpu_type) &&
            start_in_pool(plan, job, pool, gpus, PLAN_START, 0))
            return true;
    }
    return false;
}

bool plan_start(struct plan *plan, const struct job *job)
{
    return start(plan, job, job->gpu_type, job->gpus);
}

bool plan_start_as(struct plan *plan, const struct job *job, struct shape shape)
{
    return start(plan, job, (uint8_t)shape.gpu_type, shape.gpus);
}

bool plan_start_on(struct plan *plan, const struct job *job, struct gpu_set on)
{
    if (!may_start(plan, job) || !is_free(plan->cluster, on))
        return false;
    const struct pool *pool = pool_of(plan, on);
    if (pool->vc != job->vc)
        return plan_broken(plan, job, "started outside its virtual cluster");
    if (pool->profiler)
        return plan_broken(plan, job,
                           "started on a node set aside for profiling");
    uint32_t gpus = gpu_set_size(on);
    if (!is_able(plan, job, pool, gpus))
        return false;
    for (uint32_t i = 1; i < on.count; i++) {
        struct gpu_set rest = {on.at + i, 1};
        if (pool_of(plan, rest) != pool)
            return plan_broken(plan, job, "started on GPUs of several pools");
    }
    add_start(plan, PLAN_START, job, on, gpus, 0);
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
    if (!may_start(plan, job) || on.count == 0)
        return false;
    uint16_t first = c->nodes[on.at[0].node].pool;
    const struct pool *pool = &c->pools[first];
    if (pool->profiler)
        return false;
    if (pool->vc != job->vc)
        return plan_broken(plan, job, "shares outside its virtual cluster");
    for (uint32_t i = 0; i < on.count; i++) {
        const struct node *node = &c->nodes[on.at[i].node];
        if (node->pool != first)
            return plan_broken(plan, job, "shares across pools");
        if (!node->up)
            return false;
    }
    uint32_t gpus = gpu_set_size(on);
    if (!in_reach(pool, job->gpu_type) || !is_able(plan, job, pool, gpus))
        return false;
    enum room room = room_at(plan, job, on);
    plan->memory_refusals += room == ROOM_NO_MEMORY;
    if (room != ROOM_ENOUGH)
        return false;
    add_start(plan, PLAN_SHARE, job, on, gpus, 0);
    return true;
}

bool plan_share(struct plan *plan, const struct job *job,
                const struct job *resident)
{
    if (!may_start(plan, job))
        return false;
    struct gpu_set where = plan_where(plan, resident);
    if (where.count == 0)
        return plan_broken(plan, job, "shares with a job that does not run");
    if (resident->vc != job->vc)
        return plan_broken(plan, job, "shares outside its virtual cluster");
    return gpu_set_size(where) == job->gpus && plan_share_on(plan, job, where);
}

bool plan_profile(struct plan *plan, const struct job *job, sim_span limit)
{
    const struct cluster *c = plan->cluster;
    if (!may_start(plan, job))
        return false;
    if (limit <= 0)
        return plan_broken(plan, job, "profiled for no time");
    for (uint32_t p = 0; p < c->n_pools; p++) {
        const struct pool *pool = &c->pools[p];
        if (!pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && pool->type != job->gpu_type))
            continue;
        if (start_in_pool(plan, job, pool, job->gpus, PLAN_PROFILE, limit))
            return true;
    }
    return false;
}

bool plan_profile_on(struct plan *plan, const struct job *job,
                     struct gpu_set on, sim_span limit)
{
    if (!may_start(plan, job) || !is_free(plan->cluster, on))
        return false;
    if (limit <= 0)
        return plan_broken(plan, job, "profiled for no time");
    const struct pool *pool = pool_of(plan, on);
    for (uint32_t i = 0; i < on.count; i++) {
        struct gpu_set rest = {on.at + i, 1};
        if (!pool->profiler || pool_of(plan, rest) != pool)
            return plan_broken(plan, job, "profiled outside the profiler");
    }
    add_start(plan, PLAN_PROFILE, job, on, gpu_set_size(on), limit);
    return true;
}
