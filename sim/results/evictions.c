/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/evictions.h"

#include <stdlib.h>

#include "base/json_stream.h"

static double of_evictions(const struct evictions *e)
{
    return (double)e->evictions;
}

static double of_jobs(const struct evictions *e)
{
    return (double)e->jobs;
}

static double of_hosts(const struct evictions *e)
{
    return (double)e->hosts;
}

static double of_host_most(const struct evictions *e)
{
    return (double)e->host_most;
}

static double of_lost(const struct evictions *e)
{
    return (double)e->lost / (double)SPAN_HOUR;
}

static double of_held(const struct evictions *e)
{
    return (double)e->held / (double)SPAN_HOUR;
}

const struct eviction_scalar eviction_scalars[] = {
    {{"evictions", "", "attempts that the monitor ended"}, of_evictions},
    {{"jobs", "jobs", "jobs that were evicted; each at most once"}, of_jobs},
    {{"hosts", "jobs", "jobs beside which another one was evicted"}, of_hosts},
    {{"host_most", "", "largest number of evictions beside one job"},
     of_host_most},
    {{"lost_gpu_hours", "GPU h",
      "work that evicted jobs had done since their submission and lost, times "
      "the GPUs that they ask for"},
     of_lost},
    {{"held_gpu_hours", "GPU h", "GPU time of the attempts that were evicted"},
     of_held},
    {{NULL, NULL, NULL}, NULL},
};

static void count_hosts(struct evictions *e, const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    uint32_t *beside = mem_zalloc(run->jobset.n_jobs + 1, sizeof *beside);
    for (size_t i = 0; i < ledger->n_evictions; i++) {
        uint32_t n = ++beside[ledger->evictions[i].host];
        e->hosts += n == 1;
        if (n > e->host_most)
            e->host_most = n;
    }
    free(beside);
}

void evictions_measure(struct evictions *evictions,
                       const struct results *results)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    struct evictions *e = evictions;
    *e = (struct evictions){.any = run->monitor != NULL};
    if (!e->any)
        return;
    e->evictions = ledger->n_evictions;
    e->jobs = ledger->n_evictions; /* an evicted job never shares again */
    for (size_t i = 0; i < ledger->n_evictions; i++) {
        uint32_t number = ledger->evictions[i].attempt;
        const struct attempt *a = &ledger->attempts[number];
        const struct attempt_cost *cost = ledger_cost(ledger, number);
        e->lost +=
            (gpu_time)(cost ? cost->lost : 0) * run->jobset.jobs[a->job].gpus;
        e->held += (gpu_time)(a->end - a->start) * ledger_gpus(ledger, a);
    }
    count_hosts(e, run);
}

void report_evictions(struct json_stream *js, const struct evictions *evictions)
{
    json_stream_object(js, "evictions");
    for (const struct eviction_scalar *row = eviction_scalars; row->of; row++)
        json_stream_number(js, row->column.name, row->of(evictions));
    json_stream_object_end(js);
}
