/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/gauge.h"

#include <stdlib.h>

#include "sim/base/check.h"

void gauge_init(struct gauge *gauge, const struct cluster *c, uint32_t n_jobs)
{
    *gauge = (struct gauge){
        .nodes = mem_zalloc(c->n_nodes, sizeof *gauge->nodes),
        .others = mem_zalloc(c->n_gpus, 1),
        .vcs = mem_zalloc(c->n_vcs, sizeof *gauge->vcs),
        .gpus_up = c->n_gpus,
        .n_jobs = n_jobs,
        .state = mem_zalloc(n_jobs, 1),
        .lives = mem_zalloc(n_jobs, sizeof *gauge->lives),
        .unit_rates = true,
    };
    gauge->jobs_in[JOB_FUTURE] = n_jobs;
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        const struct node *node = &c->nodes[n];
        const struct pool *pool = &c->pools[node->pool];
        gauge->nodes[n] = (struct gauge_node){
            .first_gpu = node->first_gpu,
            .gpus = node->gpus,
            .n_free = node->gpus,
            .up = true,
        };
        if (!pool->profiler)
            gauge->vcs[pool->vc].gpus += node->gpus;
    }
}

void gauge_fini(struct gauge *gauge)
{
    free(gauge->nodes);
    free(gauge->others);
    free(gauge->vcs);
    free(gauge->state);
    free(gauge->lives);
    free(gauge->held);
    *gauge = (struct gauge){0};
}

static void advance(struct gauge *gauge, sim_time to)
{
    sim_span span = to - gauge->now;
    if (span <= 0)
        return;
    /* Copy the total once per instant, not at each job end: loading the 128-bit
     * sum right after storing its halves defeats store forwarding. */
    if (gauge->now == gauge->last_end)
        gauge->total = gauge->sum;
    gauge->sum.up += (gpu_time)gauge->gpus_up * span;
    gauge->sum.busy += (gpu_time)gauge->gpus_busy * span;
    gauge->sum.stranded += (gpu_time)gauge->gpus_stranded * span;
    gauge->now = to;
}

static uint32_t stranded(const struct gauge_node *node)
{
    /* no branches, because they would be mispredicted */
    return node->n_free * (uint32_t)(node->up & (node->n_free < node->gpus));
}

/* Adds `gpus` to the busy GPUs of a node; negative: fewer are busy. */
static void add_busy(struct gauge *gauge, struct gauge_node *node, int gpus)
{
    gauge->gpus_stranded -= stranded(node);
    gauge->gpus_busy += (uint32_t)gpus;
    node->n_free = (uint8_t)(node->n_free - gpus);
    gauge->gpus_stranded += stranded(node);
}

/* Counts the GPUs of a slice as taken. Works on masks, because GPUs are rarely
 * shared: only GPUs with several holders are looked at one by one. */
static void take(struct gauge *gauge, struct gpu_slice slice)
{
    struct gauge_node *node = &gauge->nodes[slice.node];
    uint64_t again = slice.mask & node->held;
    add_busy(gauge, node, (int)mask_count(slice.mask & ~again));
    node->held |= slice.mask;
    node->crowded |= again;
    for (uint64_t m = again; m; m &= m - 1)
        gauge->others[node->first_gpu + (uint32_t)__builtin_ctzll(m)]++;
}

static void give(struct gauge *gauge, struct gpu_slice slice)
{
    struct gauge_node *node = &gauge->nodes[slice.node];
    uint64_t shared = slice.mask & node->crowded, last = slice.mask & ~shared;
    CHECK((last & ~node->held) == 0);
    add_busy(gauge, node, -(int)mask_count(last));
    node->held &= ~last;
    for (uint64_t m = shared; m; m &= m - 1) {
        if (--gauge->others[node->first_gpu + (uint32_t)__builtin_ctzll(m)] ==
            0)
            node->crowded &= ~(m & -m);
    }
}

static void set_up(struct gauge *gauge, node_id id, bool up)
{
    struct gauge_node *node = &gauge->nodes[id];
    if (node->up == up)
        return;
    gauge->gpus_stranded -= stranded(node);
    node->up = up;
    gauge->gpus_up += up ? node->gpus : 0u - node->gpus;
    gauge->gpus_stranded += stranded(node);
}

/* Changes the number of active jobs when a job becomes active in its virtual
 * cluster or stops being so. Returns the integrals so far. */
static struct gauge_life change_active(struct gauge *gauge,
                                       const struct job *job, bool begins)
{
    struct gauge_vc *vc = &gauge->vcs[job->vc];
    uint64_t span = (uint64_t)(gauge->now - vc->since);
    uint64_t gpus = job->gpus;
    vc->integral.demand += vc->demand * span;
    vc->integral.active += vc->active * span;
    vc->since = gauge->now;
    vc->demand += begins ? gpus : 0 - gpus;
    vc->active += begins ? 1 : 0 - UINT64_C(1);
    return vc->integral;
}

/* The state in which each move leaves its job. Taken from the move and not from
 * the job, because the state of the job changes before some moves are reported
 * and after others. The state that follows a failure comes with the next move
 * of the same instant. */
static const uint8_t state_after[] = {
    [LEDGER_SUBMITTED] = JOB_PENDING, [LEDGER_STARTED] = JOB_RUNNING,
    [LEDGER_STOPPED] = JOB_PENDING,   [LEDGER_MOVED] = JOB_RUNNING,
    [LEDGER_PROFILED] = JOB_PENDING,  [LEDGER_FINISHED] = JOB_FINISHED,
    [LEDGER_FAILED] = JOB_PENDING,    [LEDGER_HELD] = JOB_HELD,
    [LEDGER_RETRIED] = JOB_PENDING,   [LEDGER_GIVEN_UP] = JOB_FAILED,
    [LEDGER_REJECTED] = JOB_REJECTED, [LEDGER_RATE] = JOB_RUNNING,
    [LEDGER_OPEN] = JOB_RUNNING,
};

static void hold(struct gauge *gauge, job_id job, sim_time since)
{
    if (!gauge->held)
        gauge->held = mem_zalloc(gauge->n_jobs, sizeof *gauge->held);
    gauge->held[job] += since;
}

static void change_state(struct gauge *gauge, const struct job *job,
                         enum job_state new)
{
    enum job_state old = (enum job_state)gauge->state[job->id];
    if (old == new)
        return;
    gauge->state[job->id] = (uint8_t) new;
    gauge->jobs_in[old]--;
    gauge->jobs_in[new]++;
    gauge->gpus_in[old] -= job->gpus;
    gauge->gpus_in[new] += job->gpus;
    if (old == JOB_FUTURE)
        gauge->lives[job->id] = change_active(gauge, job, true);
    if (new == JOB_HELD)
        hold(gauge, job->id, -gauge->now);
    if (old == JOB_HELD)
        hold(gauge, job->id, gauge->now);
    if (new == JOB_FINISHED || new == JOB_FAILED || new == JOB_REJECTED) {
        struct gauge_life now = change_active(gauge, job, false);
        struct gauge_life *life = &gauge->lives[job->id];
        life->demand = now.demand - life->demand;
        life->active = now.active - life->active;
    }
}

static void gauge_read(void *self, const struct ledger_move *move)
{
    struct gauge *gauge = self;
    advance(gauge, move->at);
    switch (move->kind) {
    case LEDGER_STARTED:
        for (uint32_t i = 0; i < move->where.count; i++)
            take(gauge, move->where.at[i]);
        gauge->unit_rates &= move->rate == 1.0;
        break;
    case LEDGER_STOPPED:
    case LEDGER_MOVED:
    case LEDGER_PROFILED:
    case LEDGER_FINISHED:
    case LEDGER_FAILED:
        for (uint32_t i = 0; i < move->where.count; i++)
            give(gauge, move->where.at[i]);
        gauge->last_end = move->at;
        break;
    case LEDGER_RATE:
        gauge->unit_rates &= move->rate == 1.0;
        break;
    case LEDGER_NODE_DOWN:
    case LEDGER_NODE_UP:
        set_up(gauge, move->node, move->kind == LEDGER_NODE_UP);
        break;
    case LEDGER_NODE_LENT:
    case LEDGER_NODE_BACK:
    case LEDGER_SUBMITTED:
    case LEDGER_HELD:
    case LEDGER_RETRIED:
    case LEDGER_GIVEN_UP:
    case LEDGER_REJECTED:
    case LEDGER_OPEN:
        break;
    }
    if (move->job)
        change_state(gauge, move->job, (enum job_state)state_after[move->kind]);
}

struct ledger_reader gauge_reader(struct gauge *gauge)
{
    return (struct ledger_reader){gauge_read, gauge};
}

void gauge_close(struct gauge *gauge, sim_time end)
{
    if (gauge->gpus_busy > 0) {
        advance(gauge, end);
        gauge->last_end = end;
        gauge->total = gauge->sum;
    } else if (gauge->now == gauge->last_end) {
        gauge->total = gauge->sum;
    }
}
