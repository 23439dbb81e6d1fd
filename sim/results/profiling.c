/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/profiling.h"

#include <math.h>

static double of_gpus(const struct profiling *p)
{
    return p->gpus;
}

static double of_profiled(const struct profiling *p)
{
    return (double)p->profiled;
}

static double of_finished(const struct profiling *p)
{
    return (double)p->finished;
}

static double of_cut_short(const struct profiling *p)
{
    return (double)p->cut_short;
}

static double of_use(const struct profiling *p)
{
    double whole = (double)p->gpus * (double)p->makespan + (double)p->lent;
    return whole > 0 ? (double)p->time / whole : NAN;
}

static double of_lent(const struct profiling *p)
{
    return (double)p->lent / (double)SPAN_HOUR;
}

static double mean_of(const struct profiling *p, gpu_time sum)
{
    double n = (double)p->counted * (double)SPAN_SECOND;
    return n > 0 ? (double)sum / n : NAN;
}

static double of_wait(const struct profiling *p)
{
    return mean_of(p, p->wait_sum);
}

static double of_delay(const struct profiling *p)
{
    return mean_of(p, p->delay_sum);
}

static double of_delay_most(const struct profiling *p)
{
    return p->counted ? span_seconds(p->delay_most) : NAN;
}

const struct profiling_scalar profiling_scalars[] = {
    {{"profiler_gpus", "GPUs", "GPUs of the nodes set aside for profiling"},
     of_gpus},
    {{"profiled_jobs", "jobs", "jobs profiled until the limit"}, of_profiled},
    {{"finished_jobs", "jobs",
      "jobs that ran to their end while they were profiled"},
     of_finished},
    {{"cut_short", "", "profilings ended by a failure or a stop"},
     of_cut_short},
    {{"lent_gpu_hours", "GPU h",
      "GPU time of nodes for jobs while they were lent to the profiler"},
     of_lent},
    {{"use", "",
      "GPU time of profilings / GPU time of the profiler nodes over the "
      "makespan and of lent nodes"},
     of_use},
    {{"wait_mean_s", "s",
      "submission to the start of the profiling, mean over the profiled"},
     of_wait},
    {{"delay_mean_s", "s",
      "submission to the end of the profiling, before which the job is not "
      "scheduled: mean over the profiled"},
     of_delay},
    {{"delay_max_s", "s",
      "longest time from submission to the end of the profiling"},
     of_delay_most},
    {{NULL, NULL, NULL}, NULL},
};

static uint32_t profiler_gpus(const struct cluster *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        n += c->pools[c->nodes[i].pool].profiler && !cluster_is_lent(c, i)
                 ? c->nodes[i].gpus
                 : 0;
    return n;
}

static void add_profiled(struct profiling *p, const struct run_result *run,
                         const struct attempt *a)
{
    const struct job *job = &run->jobset.jobs[a->job];
    sim_span delay = a->end - job->submitted;
    p->profiled++;
    if (!counted_has(&run->counted, job))
        return;
    p->counted++;
    p->wait_sum += a->start - job->submitted;
    p->delay_sum += delay;
    if (delay > p->delay_most)
        p->delay_most = delay;
}

/* Returns the total GPU time of loans, which count up to `end`, the end of the
 * last attempt. */
static gpu_time lent_time(const struct run_result *run, sim_time end)
{
    const struct ledger *ledger = &run->ledger;
    gpu_time sum = 0;
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        gpu_time gpus = run->cluster.nodes[change->node].gpus;
        if (change->at >= end)
            break;
        if (change->kind == LEDGER_NODE_LENT)
            sum += gpus * (end - change->at);
        else if (change->kind == LEDGER_NODE_BACK)
            sum -= gpus * (end - change->at);
    }
    return sum;
}

static bool has_loan(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        if (ledger->node_changes[i].kind == LEDGER_NODE_LENT)
            return true;
    }
    return false;
}

void profiling_measure(struct profiling *p, const struct results *results)
{
    const struct run_result *run = results->run;
    *p = (struct profiling){.gpus = profiler_gpus(&run->cluster),
                            .makespan = results->meter->last_end,
                            .lent = lent_time(run, results->meter->last_end)};
    p->any = p->gpus > 0 || has_loan(&run->ledger);
    if (!p->any)
        return;
    for (uint32_t i = 0; i < run->ledger.n_attempts; i++) {
        const struct attempt *a = &run->ledger.attempts[i];
        if (!a->profiling)
            continue;
        sim_span length = facts_attempt_end(results, i) - a->start;
        p->time += (gpu_time)ledger_gpus(&run->ledger, a) * length;
        if (a->end == TIME_NEVER)
            continue;
        if (a->how == LEDGER_PROFILED)
            add_profiled(p, run, a);
        else if (a->how == LEDGER_FINISHED)
            p->finished++;
        else
            p->cut_short++;
    }
}
