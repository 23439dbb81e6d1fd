/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks of the policies with classes: which jobs are tried, in which order,
 * and what is noted of the jobs that start, end or stop. */
#include <inttypes.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "policies/spot/spot_internal.h"

const char *const spot_forecasts[] = {"week", "peak", "none", NULL};

enum status spot_begin(struct spot *spot, const struct spot_rules *rules,
                       const void *config, const struct run_env *env)
{
    const struct cluster *c = env->cluster;
    uint32_t most = 0;
    spot->config = config;
    spot->rules = rules;
    spot->n_pools = c->n_pools;
    spot->n_nodes = c->n_nodes;
    spot->z = gsl_cdf_ugaussian_Pinv(spot->config->rate);
    spot->pools = mem_zalloc(c->n_pools, sizeof *spot->pools);
    spot->stops = mem_zalloc(c->n_nodes, sizeof *spot->stops);
    for (uint32_t i = 0; i < c->n_pools; i++) {
        spot->pools[i].eta = 1;
        spot->pools[i].updated = -1;
    }
    for (uint32_t i = 0; i < env->n_jobs; i++)
        most = env->jobs[i].user > most ? env->jobs[i].user : most;
    spot->user_of = mem_zalloc((size_t)most + 1, sizeof *spot->user_of);
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        uint32_t *user = &spot->user_of[env->jobs[i].user];
        if (!*user)
            *user = ++spot->n_users;
    }
    spot->demand_of = mem_zalloc((size_t)(spot->n_users + 1) * c->n_pools,
                                 sizeof *spot->demand_of);
    return STATUS_OK;
}

void spot_fini(void *self)
{
    struct spot *s = self;
    for (uint32_t i = 0; s->stops && i < s->n_nodes; i++)
        free(s->stops[i].at);
    free(s->stops);
    free(s->pools);
    free(s->user_of);
    free(s->demand_of);
    free(s->demands);
}

/* Returns the pool of a running job. */
static uint16_t spot_pool_of(const struct view *view, struct gpu_set where)
{
    return view_cluster(view)->nodes[where.at[0].node].pool;
}

void spot_observe(void *self, const struct view *view,
                  const struct event *event)
{
    struct spot *s = self;
    const struct job *job = event->job;
    if (!job)
        return;
    struct spot_mine *mine = spot_mine(view, job);
    const bool is_spot = view_is_spot(view, job);
    s->any |= is_spot;
    if (event->kind == EVENT_SUBMITTED && !is_spot)
        spot_demand_add(s, view, job);
    if (event->kind == EVENT_FINISHED && mine->runs) {
        spot_windows_pass(s, view, job);
        if (mine->mark < view_now(view) || !mine->passed)
            spot_windows_add(&s->pools[mine->pool], view_now(view), 0, 1);
    }
    if (event->kind != EVENT_BELIEF) {
        mine->runs = false;
        mine->waits = view_now(view);
    }
    if (job_is_terminal(job))
        spot_demand_remove(s, view, job);
}

/* Order in which waiting jobs are tried. */
static int spot_by_size(const void *a, const void *b)
{
    const struct job *x = *(const struct job *const *)a;
    const struct job *y = *(const struct job *const *)b;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int spot_by_submission(const void *a, const void *b)
{
    const struct job *x = *(const struct job *const *)a;
    const struct job *y = *(const struct job *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes the waiting jobs of a class to `out`, in the order in which they began
 * to wait; returns their number. A job that the policy stopped at this instant
 * waits for the next. */
static uint32_t spot_waiting(const struct spot_room *room, bool spot,
                             const struct job **out)
{
    const struct view *view = room->plan->view;
    uint32_t n = 0;
    for (const struct job *job = view_first_pending(view, room->vc); job;
         job = view_next_pending(view, job)) {
        if (view_is_spot(view, job) == spot &&
            spot_mine(view, job)->stopped != view_now(view) + 1)
            out[n++] = job;
    }
    return n;
}

/* True if the quota of some pool has room for the spot job. */
static bool spot_has_quota(const struct spot_room *room, const struct job *job)
{
    const struct cluster *c = view_cluster(room->plan->view);
    if (room->spot->config->forecast == SPOT_NONE)
        return true;
    for (uint32_t p = c->vc_pools[room->vc].first;
         p < c->vc_pools[room->vc].end; p++) {
        if (spot_suits(c, job, p) &&
            room->in_use[p] + job->gpus <= room->spot->pools[p].quota)
            return true;
    }
    return false;
}

static void spot_start_class(struct spot_room *room, const struct job **jobs,
                             uint32_t n, bool is_spot)
{
    const struct spot_rules *rules = room->spot->rules;
    uint32_t blocked = UINT32_MAX; /* jobs as large as this find no place */
    if (n && rules->by_size)
        qsort(jobs, n, sizeof(const struct job *), spot_by_size);
    else if (n && !is_spot)
        qsort(jobs, n, sizeof(const struct job *), spot_by_submission);
    for (uint32_t i = 0; i < n; i++) {
        if (jobs[i]->gpus >= blocked ||
            (is_spot && !spot_has_quota(room, jobs[i])))
            continue;
        if (spot_place(room, jobs[i], is_spot))
            continue;
        if (!rules->by_size)
            break;
        /* a job that accepts one type only tells nothing about others */
        if (jobs[i]->gpu_type == GPU_TYPE_ANY)
            blocked = jobs[i]->gpus;
    }
}

/* Notes what the plan does with spot jobs: where windows begin and fail. */
static void spot_note_plan(struct spot *s, struct plan *plan)
{
    const struct view *view = plan->view;
    const sim_time now = view_now(view);
    bool stops = false;
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        if (!view_is_spot(view, a->job))
            continue;
        struct spot_mine *mine = spot_mine(view, a->job);
        if (a->kind == PLAN_START) {
            mine->runs = true;
            mine->passed = false;
            mine->mark = now;
            mine->pool = spot_pool_of(view, a->where);
            continue;
        }
        spot_windows_pass(s, view, a->job);
        spot_windows_add(&s->pools[mine->pool], now, 1, 0);
        mine->runs = false;
        mine->stopped = now + 1;
        mine->waits = now;
        stops = true;
        for (uint32_t k = 0; k < a->where.count; k++) {
            struct spot_stops *on = &s->stops[a->where.at[k].node];
            on->at = mem_grow(on->at, &on->cap, on->n + 1, sizeof *on->at);
            on->at[on->n++] = now;
        }
    }
    if (stops) /* GFS' clock has ticks of a second */
        plan_wake_at(plan, now + SPAN_SECOND);
}

static void spot_decide_in(struct spot *s, struct plan *plan, uint16_t vc)
{
    const struct view *view = plan->view;
    const uint32_t most = view_n_pending(view, vc);
    struct spot_room room = {.spot = s, .plan = plan, .vc = vc};
    if (!most)
        return;
    const struct job **guaranteed =
        plan_scratch(plan, most * sizeof *guaranteed);
    const struct job **spots = plan_scratch(plan, most * sizeof *spots);
    const uint32_t n = spot_waiting(&room, false, guaranteed);
    const uint32_t n_spots = spot_waiting(&room, true, spots);
    spot_room_fill(&room);
    spot_quota_update(&room, n_spots ? spots[0] : NULL);
    spot_start_class(&room, guaranteed, n, false);
    uint32_t n_fit = 0; /* spot jobs that the quota allows now */
    for (uint32_t i = 0; i < n_spots; i++) {
        if (spot_has_quota(&room, spots[i]))
            spots[n_fit++] = spots[i];
    }
    spot_start_class(&room, spots, n_fit, true);
    if (n_spots && s->config->forecast != SPOT_NONE)
        plan_wake_at(plan, spot_quota_next(&room));
}

void spot_decide(void *self, const struct view *view, struct plan *plan)
{
    struct spot *s = self;
    const struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        spot_decide_in(s, plan, touched.at[i]);
    spot_note_plan(s, plan);
}

size_t spot_count(const void *self, struct policy_count *out)
{
    const struct spot *s = self;
    if (s->config->forecast == SPOT_NONE)
        return 0;
    out[0] = (struct policy_count){"quota_updates",
                                   "times at which the quota of spot GPUs of a "
                                   "pool was computed",
                                   s->updates};
    out[1] = (struct policy_count){"quota_violations",
                                   "of these, times at which spot jobs held "
                                   "more GPUs than the new quota",
                                   s->violations};
    return 2;
}

void spot_remark(const void *self, struct remarks *remarks)
{
    if (!((const struct spot *)self)->any)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "no job is of class spot, so nothing is preempted; a "
                    "column `priority` and --job-classes give classes");
}
