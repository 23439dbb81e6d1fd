/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/state_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs of the run at the time. */
struct state_view {
    const struct run_result *run;
    struct state *state;
    sim_time at;         /* on the clock of the run */
    uint32_t *attempt;   /* by job: the attempt that runs; ATTEMPT_NONE */
    sim_span *ran;       /* by job: sum of its attempts that have ended */
    bool *has_ended;     /* by job */
    uint32_t n_before;   /* running and waiting jobs with earlier attempts */
    uint32_t n_profiled; /* jobs that are being profiled, taken to wait */
    struct gpu_slice *where; /* scratch, a slice per node */
};

static json_t *state_types(const struct cluster *c)
{
    json_t *types = json_array();
    for (uint32_t i = 0; i < c->n_types; i++) {
        const struct gpu_type_spec *type = &c->types[i];
        json_t *one = json_object();
        json_put(one, "name", json_text(type->name));
        if (type->mem_mib > 0)
            json_put(one, "mem_mib", json_number(type->mem_mib));
        if (type->speed_known)
            json_put(one, "speed", json_number(type->speed));
        json_array_append_new(types, one);
    }
    return types;
}

/* Describes the cluster node by node, so that each keeps its number. */
static json_t *state_cluster(const struct cluster *c)
{
    json_t *cluster = json_object(), *nodes = json_array();
    json_put(cluster, "types", state_types(c));
    for (node_id i = 0; i < c->n_nodes; i++) {
        const struct node *node = &c->nodes[i];
        const struct pool *pool = &c->pools[node->pool];
        json_t *one = json_object();
        json_put(one, "gpus", json_integer(node->gpus));
        json_put(one, "type", json_text(c->types[pool->type].name));
        json_put(one, "vc", json_text(c->vcs[pool->vc]));
        json_put(one, "rack", json_integer(node->rack));
        if (pool->profiler)
            json_put(one, "profiler", json_true());
        json_array_append_new(nodes, one);
    }
    json_put(cluster, "nodes", nodes);
    return cluster;
}

/* Finds what each job has done before the time. */
static void view_attempts(struct state_view *v)
{
    const struct ledger *ledger = &v->run->ledger;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        if (a->start >= v->at)
            continue;
        if (a->end >= v->at || a->how == LEDGER_OPEN) {
            if (a->profiling)
                v->n_profiled++;
            else
                v->attempt[a->job] = (uint32_t)i;
            continue;
        }
        v->ran[a->job] += a->end - a->start;
        v->has_ended[a->job] |= a->how == LEDGER_FINISHED;
    }
    for (size_t i = 0; i < ledger->n_rejections; i++) {
        if (ledger->rejections[i].at < v->at)
            v->has_ended[ledger->rejections[i].job] = true;
    }
}

static const char *view_string(const struct state_view *v, uint32_t symbol)
{
    const char *s = symbol ? jobset_string(&v->run->jobset, symbol) : "";
    return arena_copy(&v->state->arena, s, strlen(s));
}

static void view_add_ended(struct state_view *v, const struct job *job)
{
    if (v->ran[job->id] <= 0)
        return;
    struct state_ended *ended = state_add_ended(v->state);
    ended->user = view_string(v, job->user);
    ended->name = view_string(v, job->name);
    ended->gpus = job->gpus;
    ended->limit = job->declared;
    ended->ran = v->ran[job->id];
}

static void view_add_where(struct state_view *v, const struct attempt *a,
                           struct state_job *out)
{
    struct arena *arena = &v->state->arena;
    const struct ledger *ledger = &v->run->ledger;
    out->n_where = ledger_where(ledger, a, v->where, v->run->cluster.n_nodes);
    out->where = ARENA_ARRAY(arena, struct state_slice, out->n_where);
    out->gpus = 0;
    for (uint32_t i = 0; i < out->n_where; i++) {
        char name[24];
        int n = snprintf(name, sizeof name, "%u", v->where[i].node);
        out->where[i] = (struct state_slice){
            .node = arena_copy(arena, name, (size_t)n),
            .mask = v->where[i].mask,
            .count = (uint32_t)__builtin_popcountll(v->where[i].mask),
        };
        out->gpus += out->where[i].count;
    }
}

static void view_add_job(struct state_view *v, const struct job *job)
{
    const struct run_result *run = v->run;
    char buf[SOURCE_ID_MAX];
    const char *id = jobset_source_id(&run->jobset, job, buf);
    struct state_job *out = state_add_job(v->state);
    out->id = arena_copy(&v->state->arena, id, strlen(id));
    out->user = view_string(v, job->user);
    out->name = view_string(v, job->name);
    if (run->cluster.n_vcs > 1)
        out->vc = run->cluster.vcs[job->vc];
    if (job->gpu_type < run->cluster.n_types)
        out->gpu_type = run->cluster.types[job->gpu_type].name;
    out->gpus = job->gpus;
    out->submitted = job->submitted + run->jobset.zero;
    out->limit = job->declared;
    v->n_before += v->ran[job->id] > 0;
    if (v->attempt[job->id] == ATTEMPT_NONE)
        return;
    const struct attempt *a = &run->ledger.attempts[v->attempt[job->id]];
    out->started = a->start + run->jobset.zero;
    view_add_where(v, a, out);
}

/* Adds the nodes that are out, and when they return. */
static void view_add_outs(struct state_view *v)
{
    const struct ledger *ledger = &v->run->ledger;
    for (node_id node = 0; node < v->run->cluster.n_nodes; node++) {
        const char *why = NULL;
        sim_time until = TIME_NEVER;
        for (size_t i = 0; i < ledger->n_node_changes; i++) {
            const struct node_change *change = &ledger->node_changes[i];
            if (change->node != node || (change->kind != LEDGER_NODE_DOWN &&
                                         change->kind != LEDGER_NODE_UP))
                continue;
            const bool down = change->kind == LEDGER_NODE_DOWN;
            if (change->at < v->at)
                why = down ? change->why ? change->why : "out" : NULL;
            else if (!down && until == TIME_NEVER)
                until = change->at + v->run->jobset.zero;
        }
        if (!why)
            continue;
        struct state_out *out = state_add_out(v->state);
        char name[24];
        int n = snprintf(name, sizeof name, "%u", node);
        out->node = arena_copy(&v->state->arena, name, (size_t)n);
        out->why = why;
        out->until = until;
    }
}

void state_of_run(const struct run_result *run, sim_time at, struct state *out)
{
    const struct jobset *jobs = &run->jobset;
    struct state_view v = {.run = run, .state = out, .at = at - jobs->zero};
    state_init(out, "state of the run");
    out->at = at;
    out->cluster = state_cluster(&run->cluster);
    v.attempt = mem_alloc((jobs->n_jobs + 1u) * sizeof *v.attempt);
    memset(v.attempt, 0xff, (jobs->n_jobs + 1u) * sizeof *v.attempt);
    v.ran = mem_zalloc(jobs->n_jobs + 1u, sizeof *v.ran);
    v.has_ended = mem_zalloc(jobs->n_jobs + 1u, sizeof *v.has_ended);
    v.where = mem_alloc(run->cluster.n_nodes * sizeof *v.where);
    view_attempts(&v);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        const struct job *job = &jobs->jobs[i];
        if (job->submitted < v.at && v.has_ended[i])
            view_add_ended(&v, job);
        else if (job->submitted < v.at)
            view_add_job(&v, job);
    }
    view_add_outs(&v);
    if (v.n_before)
        state_note(out,
                   "%u jobs ran before and were stopped; their work so far is "
                   "not in the state",
                   v.n_before);
    if (v.n_profiled)
        state_note(out, "%u jobs are being profiled, and are taken to wait",
                   v.n_profiled);
    free(v.attempt);
    free(v.ran);
    free(v.has_ended);
    free(v.where);
}
