/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the questions to a program, one line of JSON each (docs/policy-
 * protocol.md). */
#include "policies/outside/program_internal.h"

#include <stdlib.h>

#include "base/json.h"

/* Writes ,"KEY": before a value. */
static void message_put_key(struct out *out, const char *key)
{
    out_text(out, ",\"");
    out_text(out, key);
    out_text(out, "\":");
}

static void message_put_whole(struct out *out, const char *key, int64_t value)
{
    message_put_key(out, key);
    out_i64(out, value);
}

static void message_put_text(struct out *out, const char *key,
                             const char *value)
{
    message_put_key(out, key);
    json_put_text(out, value);
}

static void put_comma(struct out *out, bool *more)
{
    if (*more)
        out_char(out, ',');
    *more = true;
}

/* Writes [[node,[gpu,...]],...]; GPUs are numbered within their node. */
static void put_where(struct out *out, struct gpu_set where)
{
    bool more = false;
    out_char(out, '[');
    for (uint32_t i = 0; i < where.count; i++) {
        bool next = false;
        put_comma(out, &more);
        out_char(out, '[');
        out_u64(out, where.at[i].node);
        out_text(out, ",[");
        for (struct gpu_walk w = gpu_walk(0, where.at[i].mask);
             gpu_walk_next(&w);) {
            put_comma(out, &next);
            out_u64(out, w.gpu);
        }
        out_text(out, "]]");
    }
    out_char(out, ']');
}

static void put_beliefs(struct messages *m, struct out *out,
                        const struct view *view, const struct job *job)
{
    struct belief belief;
    struct demand demand;
    if (m->knows_times && view_remaining(view, job, &belief))
        message_put_whole(out, "remaining_us", belief.mean);
    if (m->knows_demand && view_demand(view, job, &demand)) {
        message_put_key(out, "gpu_util");
        out_double(out, demand.compute * 100);
        message_put_key(out, "gpu_memory_mib");
        out_double(out, demand.mem_mib);
    }
}

static void message_put_symbol(const struct messages *m, struct out *out,
                               const char *key, uint32_t symbol)
{
    if (symbol)
        message_put_text(out, key, m->env->string(m->env->strings, symbol));
}

/* Writes a job as docs/policy-protocol.md describes it. Keys whose value is
 * unknown are left out. */
static void message_put_job(struct messages *m, struct out *out,
                            const struct view *view, const struct job *job)
{
    out_text(out, "{\"id\":");
    out_u64(out, job->id);
    message_put_whole(out, "gpus", job->gpus);
    message_put_whole(out, "vc", job->vc);
    message_put_whole(out, "submitted_us", job->submitted);
    if (job->gpu_type < GPU_TYPE_NONE)
        message_put_whole(out, "gpu_type", job->gpu_type);
    if (job->declared)
        message_put_whole(out, "declared_us", job->declared);
    message_put_symbol(m, out, "user", job->user);
    message_put_symbol(m, out, "name", job->name);
    message_put_symbol(m, out, "model", job->model);
    if (view_deadline(view, job) != TIME_NEVER)
        message_put_whole(out, "deadline_us", view_deadline(view, job));
    message_put_symbol(m, out, "priority", view_priority(view, job));
    const struct job_extras extras = view_extras(view, job);
    if (extras.cpus)
        message_put_whole(out, "cpus", extras.cpus);
    if (extras.mem_mib > 0) {
        message_put_key(out, "mem_mib");
        out_double(out, (double)extras.mem_mib);
    }
    message_put_symbol(m, out, "kind", extras.kind);
    if (job->batch_size)
        message_put_whole(out, "batch_size", job->batch_size);
    if (job->attempts)
        message_put_whole(out, "starts", job->attempts);
    put_beliefs(m, out, view, job);
    out_char(out, '}');
}

static const char *const event_names[EVENT_N_KINDS] = {
    [EVENT_FINISHED] = "finished", [EVENT_PROFILED] = "profiled",
    [EVENT_FAILED] = "failed",     [EVENT_NODE_DOWN] = "node-down",
    [EVENT_NODE_UP] = "node-up",   [EVENT_SUBMITTED] = "submitted",
    [EVENT_BELIEF] = "belief",     [EVENT_WAKE] = "wake",
    [EVENT_STOPPED] = "stopped",   [EVENT_REJECTED] = "rejected",
    [EVENT_CAPACITY] = "capacity",
};

static const char *message_state_name(const struct job *job)
{
    static const char *const names[JOB_N_STATES] = {
        [JOB_FUTURE] = "future",     [JOB_PENDING] = "waiting",
        [JOB_RUNNING] = "running",   [JOB_HELD] = "held",
        [JOB_FINISHED] = "finished", [JOB_FAILED] = "given-up",
        [JOB_REJECTED] = "rejected",
    };
    return names[job->state];
}

void message_event(struct messages *m, const struct view *view,
                   const struct event *event)
{
    struct out *out = m->events;
    const struct job *job = event->job;
    if (out->len)
        out_char(out, ',');
    out_text(out, "{\"event\":\"");
    out_text(out, event_names[event->kind]);
    out_char(out, '"');
    message_put_whole(out, "at_us", event->at);
    if (event->kind == EVENT_SUBMITTED) {
        message_put_key(out, "job");
        message_put_job(m, out, view, job);
    } else if (job) {
        message_put_whole(out, "job", job->id);
        message_put_text(out, "state", message_state_name(job));
        if (job->state == JOB_PENDING || job->state == JOB_RUNNING)
            put_beliefs(m, out, view, job);
    }
    if (event->lost)
        message_put_whole(out, "lost_us", event->lost);
    if (event->aborted)
        out_text(out, ",\"aborted\":true");
    if (event->node != NODE_NONE)
        message_put_whole(out, "node", event->node);
    out_char(out, '}');
}

void message_adopt(struct messages *m, const struct view *view,
                   const struct job *job)
{
    struct out *out = m->events;
    if (out->len)
        out_char(out, ',');
    out_text(out, "{\"event\":\"running\"");
    message_put_whole(out, "at_us", view_started(view, job));
    message_put_key(out, "on");
    put_where(out, view_where(view, job));
    message_put_key(out, "job");
    message_put_job(m, out, view, job);
    out_char(out, '}');
}

static void note_vc(struct messages *m, uint16_t vc)
{
    if (m->is_changed[vc])
        return;
    m->is_changed[vc] = true;
    m->changed[m->n_changed++] = vc;
}

void message_touch(struct messages *m, const struct view *view)
{
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        note_vc(m, touched.at[i]);
}

static void note_stopped(struct messages *m, job_id job)
{
    m->stopped = mem_grow(m->stopped, &m->cap_stopped, m->n_stopped + 1,
                          sizeof *m->stopped);
    m->stopped[m->n_stopped++] = job;
}

void message_plan(struct messages *m, const struct plan *plan)
{
    m->n_stopped = 0;
    out_clear(m->moves);
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        if (i)
            out_char(m->moves, ',');
        out_text(m->moves,
                 a->kind == PLAN_STOP ? "{\"stopped\":" : "{\"started\":");
        out_u64(m->moves, a->job->id);
        if (a->kind != PLAN_STOP) {
            message_put_key(m->moves, "on");
            put_where(m->moves, a->where);
        }
        out_char(m->moves, '}');
        note_vc(m, a->job->vc);
        if (a->kind == PLAN_STOP)
            note_stopped(m, a->job->id);
    }
}

static void message_put_nodes(struct messages *m)
{
    const struct cluster *c = m->env->cluster;
    out_text(m->out, ",\"nodes\":[");
    for (node_id id = 0; id < c->n_nodes; id++) {
        const struct node *node = &c->nodes[id];
        const struct pool *pool = &c->pools[node->pool];
        if (id)
            out_char(m->out, ',');
        out_text(m->out, "{\"node\":");
        out_u64(m->out, id);
        message_put_whole(m->out, "gpus", node->gpus);
        if (!c->merged) /* else jobs of all virtual clusters run on it */
            message_put_whole(m->out, "vc", pool->vc);
        message_put_whole(m->out, "gpu_type", pool->type);
        message_put_whole(m->out, "rack", node->rack);
        if (pool->profiler)
            out_text(m->out, ",\"profiler\":true");
        out_char(m->out, '}');
    }
    out_char(m->out, ']');
}

struct text message_begin(struct messages *m)
{
    const struct cluster *c = m->env->cluster;
    bool more = false;
    out_clear(m->out);
    out_text(m->out, "{\"say\":\"begin\",\"seed\":");
    out_u64(m->out, m->env->seed);
    message_put_whole(m->out, "zero_us", m->env->zero);
    message_put_whole(m->out, "share_limit", c->share_limit);
    out_text(m->out, ",\"vcs\":[");
    for (uint32_t vc = 0; vc < c->n_vcs; vc++) {
        put_comma(m->out, &more);
        json_put_text(m->out, c->vcs[vc]);
    }
    out_text(m->out, "],\"gpu_types\":[");
    for (uint32_t t = 0; t < c->n_types; t++) {
        if (t)
            out_char(m->out, ',');
        out_text(m->out, "{\"name\":");
        json_put_text(m->out, c->types[t].name);
        message_put_key(m->out, "speed");
        out_double(m->out, c->types[t].speed);
        message_put_key(m->out, "memory_mib");
        out_double(m->out, c->types[t].mem_mib);
        out_char(m->out, '}');
    }
    out_char(m->out, ']');
    message_put_nodes(m);
    out_text(m->out, "}\n");
    return out_memory(m->out);
}

/* Returns how many GPUs a program may still give to jobs of the virtual
 * cluster: those that are free and, under a gate, that the gate leaves; none if
 * a layer does not ask about the virtual cluster now. */
static uint32_t message_free_gpus(const struct plan *plan, uint16_t vc)
{
    uint32_t free_gpus = cluster_vc_free(plan->cluster, vc), i = 0;
    if (!plan->gate)
        return free_gpus;
    struct vc_list asked = view_touched(plan->view);
    while (i < asked.count && asked.at[i] != vc)
        i++;
    if (i == asked.count)
        return 0;
    uint32_t left = plan_free_gpus(plan, vc);
    return left < free_gpus ? left : free_gpus;
}

/* Writes the state of the virtual clusters that changed, and, for a program
 * that needs run times, the believed remaining time of each job that runs
 * there, because this time changes without an event. */
static void put_clusters(struct messages *m, const struct plan *plan)
{
    const struct view *view = plan->view;
    /* where virtual clusters share nodes, what is free changes for all */
    for (uint32_t vc = 0; plan->gate && vc < plan->cluster->n_vcs; vc++)
        note_vc(m, (uint16_t)vc);
    out_text(m->out, ",\"vcs\":[");
    for (uint32_t i = 0; i < m->n_changed; i++) {
        uint16_t vc = m->changed[i];
        bool more = false;
        m->is_changed[vc] = false;
        if (i)
            out_char(m->out, ',');
        out_text(m->out, "{\"vc\":");
        out_u64(m->out, vc);
        message_put_whole(m->out, "free", message_free_gpus(plan, vc));
        message_put_whole(m->out, "waiting", view_n_pending(view, vc));
        out_text(m->out, ",\"running\":[");
        const struct job *job = view_first_running(view, vc);
        for (; job && m->knows_times; job = view_next_running(view, job)) {
            struct belief belief;
            put_comma(m->out, &more);
            out_char(m->out, '[');
            out_u64(m->out, job->id);
            if (view_remaining(view, job, &belief)) {
                out_char(m->out, ',');
                out_i64(m->out, belief.mean);
            }
            out_char(m->out, ']');
        }
        out_text(m->out, "]}");
    }
    m->n_changed = 0;
    out_char(m->out, ']');
}

/* Adds the beliefs about the jobs that the last plan stopped, because a stop
 * can add work. */
static void add_stopped(struct messages *m, const struct view *view)
{
    for (size_t i = 0; i < m->n_stopped; i++) {
        const struct job *job = view_job(view, m->stopped[i]);
        struct event event = {.at = view_now(view),
                              .kind = EVENT_BELIEF,
                              .node = NODE_NONE,
                              .job = job};
        if (job->state == JOB_PENDING && (m->knows_times || m->knows_demand))
            message_event(m, view, &event);
    }
    m->n_stopped = 0;
}

struct text message_decide(struct messages *m, const struct plan *plan,
                           uint64_t number)
{
    const struct view *view = plan->view;
    add_stopped(m, view);
    out_clear(m->out);
    out_text(m->out, "{\"say\":\"decide\",\"number\":");
    out_u64(m->out, number);
    message_put_whole(m->out, "now_us", view_now(view));
    out_text(m->out, ",\"moves\":[");
    out_bytes(m->out, m->moves->buf, m->moves->len);
    out_text(m->out, "],\"events\":[");
    out_bytes(m->out, m->events->buf, m->events->len);
    out_char(m->out, ']');
    put_clusters(m, plan);
    out_text(m->out, "}\n");
    out_clear(m->moves);
    out_clear(m->events);
    return out_memory(m->out);
}

void messages_init(struct messages *m, const struct run_env *env,
                   struct arena *arena)
{
    struct run_env *copy = ARENA_NEW(arena, struct run_env);
    *copy = *env;
    m->env = copy;
    m->out = out_to_memory();
    m->events = out_to_memory();
    m->moves = out_to_memory();
    m->is_changed = ARENA_ARRAY(arena, bool, env->cluster->n_vcs);
    m->changed = ARENA_ARRAY(arena, uint16_t, env->cluster->n_vcs);
}

void messages_fini(struct messages *m)
{
    out_abandon(m->out);
    out_abandon(m->events);
    out_abandon(m->moves);
    free(m->stopped);
}
