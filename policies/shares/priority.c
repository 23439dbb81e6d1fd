/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/shares/priority.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const char *const priority_factor_names[] = {"fair-tree", "fair-tree-document",
                                             "classic", NULL};
const char *const priority_trace_names[] = {"ignored", "qos", "nice", NULL};

struct priority_job {
    int64_t charged; /* GPU-us of the job that are in the usage */
    double rank;     /* its priority in the trace as a number; 0: none */
};

static void priority_read_ranks(struct priority *p, const struct run_env *env)
{
    for (uint32_t i = 0; i < env->n_jobs && env->terms; i++) {
        const uint32_t symbol = env->terms[i].priority;
        double rank = 0;
        if (!symbol)
            continue;
        if (!text_to_double(text_from(env->string(env->strings, symbol)),
                            &rank))
            p->n_words++;
        p->jobs[i].rank = rank;
        p->largest_qos = fmax(p->largest_qos, rank);
    }
}

void priority_init(struct priority *p, const struct priority_config *config,
                   const struct run_env *env)
{
    *p = (struct priority){.config = config, .view = env->view};
    share_owners_init(&p->owners, env, (enum share_by)config->by);
    p->decay =
        share_decay_of(SHARE_DECAY_SLURM, span_seconds(config->half_life));
    p->jobs = mem_zalloc(env->n_jobs, sizeof *p->jobs);
    for (uint32_t i = 0; i < env->n_jobs && env->extras; i++)
        p->cpus = env->extras[i].cpus ? env->cpus : p->cpus;
    priority_read_ranks(p, env);
    share_tree_classic_accounts(&p->owners.tree);
    p->stale = true;
}

void priority_fini(struct priority *p)
{
    share_owners_fini(&p->owners);
    free(p->jobs);
    *p = (struct priority){0};
}

/* Returns the usage of the job in a second. */
static double priority_bill(const struct priority *p, const struct job *job)
{
    const struct priority_config *c = p->config;
    const struct job_extras x = view_extras(p->view, job);
    return c->bill_gpu * job->gpus + c->bill_cpu * x.cpus +
           c->bill_gib * (double)x.mem_mib / 1024;
}

/* Returns the usage, as of tick `to`, of a job that runs from `from` on, which
 * is not before the last tick, to `to`. At each tick in between the usage so
 * far decays, and the job adds that since the tick before. */
static double priority_ticks(const struct priority *p, double rate,
                             sim_time from, sim_time to)
{
    const sim_span period = p->config->calc_period;
    const sim_time first = (from / period + 1) * period;
    if (first > to)
        return 0;
    const double one = pow(p->decay, span_seconds(period));
    const double n = (double)((to - first) / period); /* after the first */
    const double full = share_usage_of(p->decay, rate, span_seconds(period));
    double usage = share_usage_of(p->decay, rate, span_seconds(first - from)) *
                   pow(one, n);
    usage += one < 1 ? full * (1 - pow(one, n)) / (1 - one) : full * n;
    return usage;
}

/* Adds what the job has used since it was charged last, until tick `to`, or if
 * `ended` until now. */
static void priority_charge(struct priority *p, const struct job *job,
                            sim_time to, bool ended)
{
    struct priority_job *mine = &p->jobs[job->id];
    const sim_time now = view_now(p->view);
    const int64_t gpus = job->gpus ? job->gpus : 1;
    const sim_span open = (view_attained(p->view, job) - mine->charged) / gpus;
    const sim_time from = now - open;
    const double rate = priority_bill(p, job);
    double usage = priority_ticks(p, rate, from, to);
    sim_time until = from > to ? from : to;
    if (ended) {
        usage += share_usage_of(p->decay, rate, span_seconds(now - until));
        until = now;
    }
    if (usage > 0)
        share_tree_charge(&p->owners.tree, p->owners.leaf[job->id], usage);
    mine->charged += (until - from) * gpus;
}

bool priority_renew(struct priority *p)
{
    const struct cluster *cluster = view_cluster(p->view);
    const sim_span period = p->config->calc_period;
    const sim_time tick = view_now(p->view) / period * period;
    if (tick <= p->tick)
        return false;
    if (p->config->factor == PRIORITY_CLASSIC)
        share_tree_classic_accounts(&p->owners.tree);
    share_tree_decay(&p->owners.tree,
                     pow(p->decay, span_seconds(tick - p->tick)));
    p->tick = tick;
    p->stale = true;
    for (uint16_t vc = 0; vc < cluster->n_vcs; vc++) {
        for (const struct job *job = view_first_running(p->view, vc); job;
             job = view_next_running(p->view, job))
            priority_charge(p, job, tick, false);
    }
    return true;
}

sim_time priority_next(const struct priority *p)
{
    const sim_span period = p->config->calc_period;
    return (view_now(p->view) / period + 1) * period;
}

void priority_observe(struct priority *p, const struct event *event)
{
    priority_renew(p);
    if (event->job && event->job->state != JOB_RUNNING)
        priority_charge(p, event->job, p->tick, true);
}

static void priority_compute(struct priority *p)
{
    struct share_tree *tree = &p->owners.tree;
    p->stale = false;
    if (p->config->factor == PRIORITY_CLASSIC)
        share_tree_classic(tree);
    else
        share_tree_rank(tree, p->config->factor == PRIORITY_FAIR_TREE
                                  ? SHARE_TIES_CODE
                                  : SHARE_TIES_DOCUMENT);
}

/* J of Slurm, of which GPUs stand in for CPUs that are not known. */
static double priority_size(const struct priority *p, const struct job *job)
{
    const struct cluster *cluster = view_cluster(p->view);
    const uint32_t cpus = view_extras(p->view, job).cpus;
    uint32_t widest = 1;
    for (uint32_t i = 0; i < cluster->n_pools; i++)
        widest = cluster->pools[i].widest > widest ? cluster->pools[i].widest
                                                   : widest;
    const uint32_t nodes = (job->gpus + widest - 1) / widest;
    double size = (double)nodes / cluster->n_nodes;
    size += p->cpus > 0 && cpus ? cpus / p->cpus
                                : (double)job->gpus / cluster->n_gpus;
    size = fmin(size / 2, 1);
    return p->config->favor_small ? 1 - size : size;
}

uint32_t priority_of(struct priority *p, const struct job *job)
{
    const struct priority_config *c = p->config;
    const double rank = p->jobs[job->id].rank;
    const double wait = (double)(view_now(p->view) - job->submitted);
    if (p->stale)
        priority_compute(p);
    double sum = fmin(wait / (double)c->max_age, 1) * c->weight_age;
    sum +=
        p->owners.tree.at[p->owners.leaf[job->id]].factor * c->weight_fairshare;
    sum += priority_size(p, job) * c->weight_jobsize;
    sum += (double)job->gpus / view_cluster(p->view)->n_gpus * c->weight_gpus;
    if (c->trace_priority == PRIORITY_QOS && p->largest_qos > 0)
        sum += fmax(rank, 0) / p->largest_qos * c->weight_qos;
    if (c->trace_priority == PRIORITY_NICE)
        sum -= rank;
    return (uint32_t)fmin(fmax(sum, 1), (double)UINT32_MAX);
}

void priority_remark(const struct priority *p, struct remarks *remarks)
{
    const bool used = p->config->trace_priority != PRIORITY_IGNORED;
    if (used && p->n_words)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "the priority of %" PRIu64 " jobs is not a number, and "
                    "counts as 0",
                    p->n_words);
    if (!used && (p->largest_qos > 0 || p->n_words))
        remarks_add(remarks, REMARK_CONCLUSION,
                    "the priorities in the trace are ignored; "
                    "trace_priority=qos or nice uses them");
}
