/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finish-time fairness: how long a job would take on an equal share of its
 * virtual cluster. */
#include "sim/results/facts.h"

#include <math.h>
#include <stdlib.h>

#include "models/elastic/throughput.h"

/* Gives each virtual cluster its quota, of each GPU type as much as the type
 * has of all GPUs, which are in row 0. */
static void fairness_split_quotas(const struct cluster *c, uint32_t *gpus)
{
    uint64_t all = 0;
    uint32_t *of_type = mem_zalloc(c->n_types, sizeof *of_type);
    for (uint32_t t = 0; t < c->n_types; t++) {
        of_type[t] = gpus[t];
        all += gpus[t];
    }
    for (uint32_t v = 0; v < c->n_vcs && all; v++) {
        for (uint32_t t = 0; t < c->n_types; t++)
            gpus[(size_t)v * c->n_types + t] =
                (uint32_t)((uint64_t)c->nominal[v] * of_type[t] / all);
    }
    free(of_type);
}

uint32_t *fairness_gpus(const struct cluster *c)
{
    uint32_t *gpus = mem_zalloc((size_t)c->n_vcs * c->n_types, sizeof *gpus);
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        uint32_t *at = &gpus[(size_t)pool->vc * c->n_types + pool->type];
        if (pool->profiler || pool->loan)
            continue;
        for (uint32_t n = 0; n < pool->n_nodes; n++)
            *at += c->nodes[pool->first_node + n].gpus;
    }
    if (c->merged)
        fairness_split_quotas(c, gpus);
    return gpus;
}

static double rate_on(const struct run_result *run, const struct job *job,
                      uint8_t type, uint32_t gpus)
{
    const struct throughput *model = run->throughput;
    struct shape shape = {.gpu_type = type, .gpus = gpus, .nodes = 1};
    return model ? model->ops->rate(model, &run->cluster, job, shape)
                 : run->cluster.types[type].speed;
}

/* Returns the rate of an elastic job on a whole number of GPUs. If there are
 * more GPUs than the job can use, it uses as many as it can. If there are fewer
 * than it needs, it takes turns with other jobs. Returns 0 if it can run on no
 * number up to `most`. */
static double rate_of_share(const struct run_result *run, const struct job *job,
                            uint8_t type, uint32_t share, uint32_t most)
{
    for (uint32_t n = share < most ? share : most; n > 0; n--) {
        double rate = rate_on(run, job, type, n);
        if (rate > 0)
            return rate;
    }
    for (uint32_t n = share + 1; n <= most; n++) {
        double rate = rate_on(run, job, type, n);
        if (rate > 0)
            return rate * share / n;
    }
    return 0;
}

static double elastic_time(const struct run_result *run, const struct job *job,
                           uint8_t type, uint32_t most, double work,
                           double share)
{
    uint32_t low = share < 1 ? 1 : (uint32_t)share;
    double time = work / rate_of_share(run, job, type, low, most);
    if (share < 1)
        return time / share;
    double part = share - low;
    if (part > 0)
        time +=
            part * (work / rate_of_share(run, job, type, low + 1, most) - time);
    return time;
}

double fairness_time(const struct run_result *run, const uint32_t *gpus,
                     const struct job *job, sim_span work, double active)
{
    const struct throughput *model = run->throughput;
    bool elastic =
        model && job->elasticity != JOB_RIGID && throughput_knows(model, job);
    uint32_t n_types = run->cluster.n_types;
    double all = 0, sum = 0, weight = 0;
    for (uint32_t t = 0; t < n_types; t++)
        all += gpus[t];
    double share = all / (active > 1 ? active : 1);
    double turns = job->gpus > share ? job->gpus / share : 1;
    for (uint8_t t = 0; t < n_types; t++) {
        double time;
        if (!gpus[t] || (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != t))
            continue;
        if (elastic)
            time = elastic_time(run, job, t, gpus[t], (double)work, share);
        else
            time = (double)work / rate_on(run, job, t, job->gpus) * turns;
        if (!isfinite(time))
            continue;
        sum += time * gpus[t];
        weight += gpus[t];
    }
    return weight > 0 ? sum / weight : 0;
}

/* A period in which the speed of an attempt is constant. */
struct alone_segment {
    sim_span since; /* active time of the attempt before the segment, us */
    double cost;    /* see fairness_cost_of; 0: sharing does not slow the job */
};

void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs)
{
    *alone = (struct alone){.ledger = ledger, .n_jobs = n_jobs};
}

void alone_fini(struct alone *alone)
{
    free(alone->segments);
    free(alone->rest);
    *alone = (struct alone){0};
}

/* Returns the cost of sharing per unit of active time, in which the attempt
 * works or writes checkpoints: 1 - relative speed, times the share of the
 * active time in which it works. */
static double fairness_cost_of(const struct ledger_move *move)
{
    /* rate while no checkpoint is written */
    double unwritten = move->alone * move->rel_speed;
    return (1 - move->rel_speed) * (move->rate / unwritten);
}

/* Adds the cost of the segment that ends when the attempt has been active for
 * `active`. */
static void end_segment(struct alone *alone, const struct ledger_move *move,
                        sim_span active)
{
    if (!alone->segments)
        return;
    struct alone_segment *segment = &alone->segments[move->job->id];
    if (segment->cost != 0)
        alone->slowed += segment->cost * (double)(active - segment->since) *
                         (double)gpu_set_size(move->where);
    segment->cost = 0;
}

static void begin_segment(struct alone *alone, const struct ledger_move *move,
                          sim_span active)
{
    if (move->rel_speed == 1)
        return;
    if (!alone->segments)
        alone->segments = mem_zalloc(alone->n_jobs, sizeof *alone->segments);
    alone->segments[move->job->id] =
        (struct alone_segment){.since = active, .cost = fairness_cost_of(move)};
}

static void fairness_end(struct alone *alone, const struct ledger_move *move)
{
    const struct ledger *ledger = alone->ledger;
    job_id id = move->job->id;
    const struct attempt *a = &ledger->attempts[ledger->last_attempt[id]];
    sim_span worked = move->at - a->start - (move->overhead - move->resume);
    end_segment(alone, move, worked + move->writing);
    double rest = (double)worked - move->work / move->alone;
    if (rest == 0)
        return;
    if (!alone->rest)
        alone->rest = mem_zalloc(alone->n_jobs, sizeof *alone->rest);
    alone->rest[id] += rest * (double)gpu_set_size(move->where);
}

static void alone_read(void *self, const struct ledger_move *move)
{
    if (move->kind == LEDGER_STARTED) {
        begin_segment(self, move, 0);
    } else if (move->kind == LEDGER_RATE) {
        end_segment(self, move, move->active);
        begin_segment(self, move, move->active);
    } else if (ledger_ends_attempt(move->kind) || move->kind == LEDGER_OPEN) {
        fairness_end(self, move);
    }
}

struct ledger_reader alone_reader(struct alone *alone)
{
    return (struct ledger_reader){alone_read, alone};
}
