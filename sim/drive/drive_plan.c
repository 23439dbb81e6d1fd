/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy does at the present instant of a state. */
#include <stdlib.h>
#include <string.h>

#include "sim/drive/drive_internal.h"
#include "sim/present/beliefs.h"

/* One run from the state, and where its jobs are in the state. */
struct plan_run {
    const struct state *state;
    const struct run_result *result;
    uint32_t *state_job; /* by job of the run; JOB_NONE */
    sim_time now;        /* the present on the clock of the run */
    bool stops;          /* the policy may stop jobs */
    uint32_t *free;      /* by virtual cluster: free GPUs before the plan */
    uint32_t *total;     /* by virtual cluster: GPUs */
    bool *starts;        /* by job of the state: the plan starts it */
    struct drive_plan *out;
};

/* Refuses a SchedMate whose beliefs are the believed run times with errors that
 * are drawn: it would order real jobs by chance. */
static enum status plan_check_schedmate(const struct run_result *r,
                                        struct error *err)
{
    for (size_t i = 0; i < r->n_settings; i++) {
        const struct run_setting *s = &r->settings[i];
        if (strcmp(s->owner, "schedmate") == 0 &&
            strcmp(s->key, "fidelity") == 0 && strcmp(s->value, "replay") != 0)
            return error_set(err, STATUS_USAGE,
                             "drive: %s with fidelity=%s makes up what "
                             "SchedMate says; give --schedmate fidelity=replay "
                             "and --evidence",
                             r->policy, s->value);
    }
    return STATUS_OK;
}

/* Refuses a policy that does what Slurm has no commands for. */
static enum status plan_check(const struct plan_run *p, struct error *err)
{
    const struct run_result *r = p->result;
    const struct cluster *c = &r->cluster;
    bool profiles = false;
    for (uint32_t i = 0; i < c->n_pools; i++)
        profiles |= c->pools[i].profiler;
    if (r->policy_needs & POLICY_ELASTIC)
        return error_set(err, STATUS_USAGE,
                         "drive: %s changes the number of GPUs of jobs, which "
                         "Slurm cannot follow",
                         r->policy);
    if ((r->policy_needs & POLICY_PROFILES) && profiles)
        return error_set(err, STATUS_USAGE,
                         "drive: %s profiles jobs on nodes of their own, which "
                         "Slurm cannot follow; give --profilers 0",
                         r->policy);
    if ((r->policy_needs & POLICY_SHARES) && c->share_limit > 1 &&
        strncmp(r->policy, "exec", 4) != 0)
        return error_set(err, STATUS_USAGE,
                         "drive: %s lets jobs share GPUs, which Slurm cannot "
                         "follow; give --engine share_limit=1",
                         r->policy);
    if ((r->policy_needs & POLICY_PREEMPTS) && !p->stops)
        return error_set(err, STATUS_USAGE,
                         "drive: %s stops running jobs, which then lose their "
                         "work; --requeue allows it",
                         r->policy);
    return plan_check_schedmate(r, err);
}

/* Finds the jobs of the state in those of the run. */
static void plan_map(struct plan_run *p)
{
    const struct jobset *jobs = &p->result->jobset;
    struct interner ids;
    uint32_t *by_symbol = mem_alloc((p->state->n_jobs + 2) * sizeof *by_symbol);
    interner_init(&ids);
    for (size_t i = 0; i < p->state->n_jobs; i++)
        by_symbol[interner_add(&ids, text_from(p->state->jobs[i].id))] =
            (uint32_t)i;
    p->state_job = mem_alloc((jobs->n_jobs + 1u) * sizeof *p->state_job);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        char buf[SOURCE_ID_MAX];
        uint32_t symbol = interner_find(
            &ids, text_from(jobset_source_id(jobs, &jobs->jobs[i], buf)));
        p->state_job[i] = symbol == UINT32_MAX ? JOB_NONE : by_symbol[symbol];
    }
    interner_fini(&ids);
    free(by_symbol);
}

/* Counts the free GPUs before the plan, and refuses a plan after which a GPU
 * has two jobs. */
static enum status plan_count_gpus(struct plan_run *p, struct error *err)
{
    const struct cluster *c = &p->result->cluster;
    const struct ledger *ledger = &p->result->ledger;
    struct gpu_slice *where = mem_alloc(c->n_nodes * sizeof *where);
    uint8_t *used = mem_zalloc(c->n_gpus + 1u, 1);
    enum status st = STATUS_OK;
    for (node_id i = 0; i < c->n_nodes; i++) {
        uint32_t vc = c->pools[c->nodes[i].pool].vc;
        p->total[vc] += c->nodes[i].gpus;
        p->free[vc] += c->nodes[i].gpus;
    }
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        const bool before = a->start < p->now && a->end >= p->now;
        const bool after = a->start <= p->now && a->end > p->now;
        uint32_t n = ledger_where(ledger, a, where, c->n_nodes);
        for (uint32_t k = 0; k < n && (before || after); k++) {
            const struct node *node = &c->nodes[where[k].node];
            for (struct gpu_walk w = gpu_walk(node->first_gpu, where[k].mask);
                 gpu_walk_next(&w);) {
                if (before && !(used[w.gpu] & 1)) {
                    used[w.gpu] |= 1;
                    p->free[c->pools[node->pool].vc]--;
                }
                if (after && used[w.gpu] & 2)
                    st = error_set(err, STATUS_USAGE,
                                   "drive: %s lets jobs share GPUs, which "
                                   "Slurm cannot follow",
                                   p->result->policy);
                used[w.gpu] |= after ? 2 : 0;
            }
        }
    }
    free(used);
    free(where);
    return st;
}

/* Finds the jobs that the start passes. */
static void plan_passes(const struct plan_run *p, struct drive_choice *choice)
{
    const struct state *state = p->state;
    const struct state_job *job = &state->jobs[choice->job];
    for (uint32_t i = 0; i < p->result->jobset.n_jobs; i++) {
        const uint32_t k = p->state_job[i];
        if (k == JOB_NONE || p->starts[k] || k == choice->job ||
            p->result->jobset.jobs[i].vc != choice->vc ||
            state->jobs[k].started != TIME_NEVER ||
            state->jobs[k].submitted >= job->submitted)
            continue;
        if (choice->passes++ == 0 ||
            state->jobs[k].submitted < state->jobs[choice->first].submitted)
            choice->first = k;
    }
}

static struct drive_choice plan_choice(const struct plan_run *p, job_id job)
{
    const uint32_t vc = p->result->jobset.jobs[job].vc;
    return (struct drive_choice){.job = p->state_job[job],
                                 .vc = vc,
                                 .free = p->free[vc],
                                 .total = p->total[vc]};
}

/* Takes a start at the present; refuses one that is no start of a whole job. */
static enum status plan_take_start(struct plan_run *p, const struct attempt *a,
                                   struct error *err)
{
    const struct run_result *r = p->result;
    struct drive_plan *out = p->out;
    const uint32_t job = p->state_job[a->job];
    if (a->profiling ||
        ledger_gpus(&r->ledger, a) != r->jobset.jobs[a->job].gpus)
        return error_set(err, STATUS_USAGE,
                         "drive: %s starts job %.60s on a node for profiling, "
                         "or on another number of GPUs than it asks for, which "
                         "Slurm cannot follow",
                         r->policy, p->state->jobs[job].id);
    if (p->state->jobs[job].started != TIME_NEVER) {
        out->n_moves++; /* stopped and started at once */
        return STATUS_OK;
    }
    p->starts[job] = true;
    out->starts[out->n_starts++] = plan_choice(p, a->job);
    return STATUS_OK;
}

/* True if the run starts the job again at the present. */
static bool plan_moves(const struct plan_run *p, job_id job)
{
    const struct ledger *ledger = &p->result->ledger;
    const uint32_t last = ledger->last_attempt[job];
    return last != ATTEMPT_NONE && ledger->attempts[last].start == p->now;
}

static enum status plan_take(struct plan_run *p, struct error *err)
{
    const struct ledger *ledger = &p->result->ledger;
    struct drive_plan *out = p->out;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < ledger->n_attempts && st == STATUS_OK; i++) {
        const struct attempt *a = &ledger->attempts[i];
        if (p->state_job[a->job] == JOB_NONE)
            continue;
        if (a->start == p->now)
            st = plan_take_start(p, a, err);
        else if (a->start < p->now && a->end == p->now &&
                 a->how == LEDGER_STOPPED && !plan_moves(p, a->job))
            out->stops[out->n_stops++] = plan_choice(p, a->job);
    }
    for (size_t i = 0; i < out->n_starts; i++)
        plan_passes(p, &out->starts[i]);
    if (st == STATUS_OK && out->n_stops && !p->stops)
        st = error_set(err, STATUS_USAGE,
                       "drive: %s stops running jobs, which then lose their "
                       "work; --requeue allows it",
                       p->result->policy);
    return st;
}

struct plan_first {
    sim_time start;
    size_t job;
};

static int plan_by_start(const void *a, const void *b)
{
    const struct plan_first *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Orders the waiting jobs by their first starts. */
static void plan_take_order(struct plan_run *p)
{
    const struct ledger *ledger = &p->result->ledger;
    const size_t n = p->state->n_jobs;
    struct plan_first *first = mem_alloc((n + 1) * sizeof *first);
    size_t n_first = 0;
    bool *is_known = mem_zalloc(n + 1, sizeof *is_known);
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        const uint32_t job = p->state_job[a->job];
        if (job == JOB_NONE || is_known[job] || a->start < p->now ||
            p->state->jobs[job].started != TIME_NEVER)
            continue;
        is_known[job] = true;
        first[n_first++] = (struct plan_first){a->start, job};
    }
    if (n_first)
        qsort(first, n_first, sizeof *first, plan_by_start);
    p->out->order = ARENA_ARRAY(&p->out->arena, size_t, n_first + 1);
    p->out->n_order = n_first;
    for (size_t i = 0; i < n_first; i++)
        p->out->order[i] = first[i].job;
    free(is_known);
    free(first);
}

/* Executes the run up to the end of the present instant. */
static enum status plan_reach(struct run *run, sim_time present,
                              struct error *err)
{
    enum status st = run_begin(run, err);
    const sim_time to = present - run_result(run)->jobset.zero;
    do {
        if (st == STATUS_OK)
            st = run_reach(run, to, err);
    } while (st == STATUS_OK && run_question(run));
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status plan_read(struct plan_run *p, bool ordered,
                             struct error *err)
{
    const struct run_result *r = p->result;
    struct drive_plan *out = p->out;
    p->now = p->state->at - r->jobset.zero;
    p->free = mem_zalloc(r->cluster.n_vcs, sizeof *p->free);
    p->total = mem_zalloc(r->cluster.n_vcs, sizeof *p->total);
    p->starts = mem_zalloc(p->state->n_jobs + 1, sizeof *p->starts);
    plan_map(p);
    out->starts =
        ARENA_ARRAY(&out->arena, struct drive_choice, p->state->n_jobs + 1);
    out->stops =
        ARENA_ARRAY(&out->arena, struct drive_choice, p->state->n_jobs + 1);
    enum status st = plan_count_gpus(p, err);
    if (st == STATUS_OK)
        st = plan_take(p, err);
    if (st == STATUS_OK && ordered)
        plan_take_order(p);
    free(p->free);
    free(p->total);
    free(p->starts);
    free(p->state_job);
    return st;
}

/* True if some job waits; without one no policy has anything to do. */
static bool plan_has_waiting(const struct state *state)
{
    for (size_t i = 0; i < state->n_jobs; i++) {
        if (state->jobs[i].started == TIME_NEVER && !state->jobs[i].held &&
            state->jobs[i].submitted <= state->at)
            return true;
    }
    return false;
}

static enum status plan_run(const struct run_config *config, struct plan_run *p,
                            bool ordered, struct error *err)
{
    struct run *run;
    enum status st = run_prepare(config, &run, err);
    if (st != STATUS_OK)
        return st;
    p->result = run_result(run);
    p->out->policy = arena_copy(&p->out->arena, p->result->policy,
                                strlen(p->result->policy));
    st = plan_check(p, err);
    if (st == STATUS_OK)
        st = ordered ? run_execute(run, err)
                     : plan_reach(run, p->state->at, err);
    if (st == STATUS_INCOMPLETE)
        st = STATUS_OK; /* some job never starts; it stays where it is */
    if (st == STATUS_OK)
        st = plan_read(p, ordered, err);
    run_free(run);
    return st;
}

enum status drive_plan_make(const struct run_config *config,
                            const struct state *state, bool ordered, bool stops,
                            struct drive_plan *out, struct error *err)
{
    struct run_config own = *config;
    struct plan_run p = {.state = state, .stops = stops, .out = out};
    enum status st = STATUS_OK;
    *out = (struct drive_plan){.policy = ""};
    arena_init(&out->arena);
    if (!plan_has_waiting(state))
        return STATUS_OK;
    struct beliefs *beliefs = beliefs_new(state);
    sim_span *runs = mem_alloc((state->n_jobs + 1) * 2 * sizeof *runs);
    sim_span *plans = runs + state->n_jobs + 1;
    for (size_t i = 0; i < state->n_jobs; i++)
        runs[i] = beliefs_run(beliefs, i, 0.5);
    beliefs_plan(beliefs, plans);
    own.present = (struct run_present){state, runs, plans};
    st = plan_run(&own, &p, ordered, err);
    free(runs);
    beliefs_free(beliefs);
    if (st != STATUS_OK)
        drive_plan_fini(out);
    return st;
}

void drive_plan_fini(struct drive_plan *plan)
{
    arena_fini(&plan->arena);
    *plan = (struct drive_plan){0};
}

static json_t *plan_ids(const struct drive_choice *choices, size_t n,
                        const struct state *state)
{
    json_t *ids = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(ids, json_text(state->jobs[choices[i].job].id));
    return ids;
}

json_t *drive_plan_json(const struct drive_plan *plan,
                        const struct state *state)
{
    json_t *root = json_object(), *order = json_array();
    json_put(root, "policy", json_text(plan->policy));
    json_put(root, "starts", plan_ids(plan->starts, plan->n_starts, state));
    json_put(root, "stops", plan_ids(plan->stops, plan->n_stops, state));
    for (size_t i = 0; i < plan->n_order; i++)
        json_array_append_new(order, json_text(state->jobs[plan->order[i]].id));
    if (plan->n_order)
        json_object_set(root, "order", order);
    json_decref(order);
    return root;
}
