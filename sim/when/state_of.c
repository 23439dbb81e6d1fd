/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/state_of.h"

#include <inttypes.h>
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
    uint32_t *numbers;       /* by node: its number in the cluster file */
};

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
    for (uint32_t i = 0; i < v->run->jobset.n_jobs; i++) {
        const uint32_t last = ledger->last_attempt[i];
        if (v->run->jobset.jobs[i].state == JOB_FAILED &&
            ledger->attempts[last].end < v->at)
            v->has_ended[i] = true; /* it was given up */
    }
}

static const char *view_string(const struct state_view *v, uint32_t symbol)
{
    const char *s = symbol ? jobset_string(&v->run->jobset, symbol) : "";
    return arena_copy(&v->state->arena, s, strlen(s));
}

static const char *view_id(const struct state_view *v, job_id job)
{
    const struct jobset *jobs = &v->run->jobset;
    char buf[SOURCE_ID_MAX];
    const char *id = jobset_source_id(jobs, &jobs->jobs[job], buf);
    return arena_copy(&v->state->arena, id, strlen(id));
}

/* Returns the name of a node in the state. */
static const char *view_node(const struct state_view *v, node_id node)
{
    char name[24];
    const int n = snprintf(name, sizeof name, "%u", v->numbers[node]);
    return arena_copy(&v->state->arena, name, (size_t)n);
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
        out->where[i] = (struct state_slice){
            .node = view_node(v, v->where[i].node),
            .mask = v->where[i].mask,
            .count = (uint32_t)__builtin_popcountll(v->where[i].mask),
        };
        out->gpus += out->where[i].count;
    }
}

static void view_add_job(struct state_view *v, const struct job *job)
{
    const struct run_result *run = v->run;
    struct state_job *out = state_add_job(v->state);
    out->id = view_id(v, job->id);
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
        out->node = view_node(v, node);
        out->why = why;
        out->until = until;
    }
}

static const char *view_action(const struct state_view *v,
                               const struct redo_action *action)
{
    struct out *text = out_to_memory();
    out_text(text, plan_kind_name(action->kind));
    if (action->kind == PLAN_PROFILE) {
        out_char(text, ' ');
        out_span(text, action->limit);
    }
    for (uint32_t i = 0; i < action->where.count; i++)
        out_printf(text, "%c%u:%" PRIx64, i ? ',' : ' ',
                   v->numbers[action->where.at[i].node],
                   action->where.at[i].mask);
    out_printf(text, " %s",
               action->job == JOB_NONE ? view_node(v, action->node)
                                       : view_id(v, action->job));
    const struct text all = out_memory(text);
    const char *copy = arena_copy(&v->state->arena, all.at, all.len);
    out_abandon(text);
    return copy;
}

static void view_add_past(struct state_view *v)
{
    struct state *state = v->state;
    const struct run_result *run = v->run;
    const struct redo_log *log = &run->plans;
    const char **settings;
    const size_t n_settings =
        run_setting_texts(run, run->n_settings_kept, &state->arena, &settings);
    state->has_past = true;
    for (size_t i = 0; i < n_settings; i++)
        state_add_setting(state, settings[i]);
    for (size_t i = 0; i < log->n_plans; i++) {
        const struct redo_plan *from = &log->plans[i];
        struct state_plan *plan = state_add_plan(state);
        plan->at = from->at + run->jobset.zero;
        plan->n = from->n;
        plan->does = ARENA_ARRAY(&state->arena, const char *, from->n);
        for (size_t k = 0; k < from->n; k++)
            plan->does[k] = view_action(v, &log->actions[from->first + k]);
    }
    for (size_t i = 0; i < log->n_refusals; i++) {
        struct state_refusal *refusal = state_add_refusal(state);
        refusal->job = view_id(v, log->refusals[i].job);
        refusal->why = log->refusals[i].why;
    }
}

void state_of_run(struct run *made, sim_time at, struct state *out)
{
    const struct run_result *run = run_result(made);
    const struct jobset *jobs = &run->jobset;
    struct state_view v = {.run = run, .state = out, .at = at - jobs->zero};
    state_init(out, "state of the run");
    out->at = at;
    out->cluster = run_cluster_text(made);
    v.numbers = mem_zalloc(run->cluster.n_nodes, sizeof *v.numbers);
    run_node_numbers(made, v.numbers);
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
    view_add_past(&v);
    if (v.n_before)
        state_note(out,
                   "%u jobs ran before and were stopped; only a run with the "
                   "trace knows their work so far",
                   v.n_before);
    if (v.n_profiled)
        state_note(out, "%u jobs are being profiled, and are taken to wait",
                   v.n_profiled);
    free(v.attempt);
    free(v.ran);
    free(v.has_ended);
    free(v.where);
    free(v.numbers);
}
