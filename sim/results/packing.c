/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/packing.h"

#include <math.h>

#include "sim/results/coloc.h"

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double of_attempts(const struct packing *p)
{
    return ratio((double)p->shared_attempts, (double)p->attempts);
}

static double of_jobs(const struct packing *p)
{
    return (double)p->shared_jobs;
}

static double of_busy(const struct packing *p)
{
    return ratio((double)p->coloc->crowded, (double)p->busy);
}

static double of_held(const struct packing *p)
{
    return ratio((double)coloc_time(p->coloc), (double)p->held);
}

static double of_speed(const struct packing *p)
{
    return ratio(p->coloc->work, (double)coloc_time(p->coloc));
}

static double of_refusals(const struct packing *p)
{
    return (double)p->refusals;
}

const struct packing_scalar packing_scalars[] = {
    {{"attempts_share", "",
      "attempts that shared a GPU at some time / all attempts"},
     of_attempts},
    {{"jobs", "jobs", "jobs that shared a GPU at some time"}, of_jobs},
    {{"busy_share", "",
      "GPU time held by two jobs or more / GPU time held by any; each GPU "
      "counts once"},
     of_busy},
    {{"held_share", "",
      "GPU time of jobs while some GPU of theirs is shared / all GPU time of "
      "jobs; a shared GPU counts for each holder"},
     of_held},
    {{"pace_mean", "",
      "rate / rate alone, mean over the GPU time of co-located jobs"},
     of_speed},
    {{"memory_refusals", "",
      "how often a job was not placed with another because the memory of the "
      "GPU does not hold both"},
     of_refusals},
    {{NULL, NULL, NULL}, NULL},
};

const struct column speed_columns[] = {
    [SPEED_TINY] = {.name = "tiny",
                    .unit = "",
                    .help = "pace 0.95 or more (Lucid's sharing score 0)"},
    [SPEED_MEDIUM] = {.name = "medium",
                      .unit = "",
                      .help = "0.85 to 0.95 (score 1)"},
    [SPEED_JUMBO] = {.name = "jumbo",
                     .unit = "",
                     .help = "0.65 to 0.85 (score 2)"},
    [SPEED_WORSE] = {.name = "worse",
                     .unit = "",
                     .help =
                         "pace below 0.65, where SchedMate separates a pair"},
    [SPEED_N] = {.name = NULL},
};

const struct column pair_columns[] = {
    {.name = "workload",
     .unit = "",
     .help = "model, batch size and precision, as far as known"},
    {.name = "beside",
     .unit = "",
     .help = "model, batch size and precision of the other job, on the GPU "
             "that changed last"},
    {.name = "gpu_hours",
     .unit = "GPU h",
     .help = "GPU time of the workload in that pairing"},
    {.name = "pace",
     .unit = "",
     .help = "mean pace of the workload in that pairing"},
    {.name = NULL},
};

void packing_measure(struct packing *p, const struct results *results,
                     gpu_time held)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    *p = (struct packing){.coloc = results->coloc,
                          .attempts = ledger->n_attempts,
                          .refusals = run->n_memory_refusals,
                          .busy = results->meter->total.busy,
                          .held = held};
    if (!p->coloc)
        return;
    for (size_t i = 0; i < ledger->n_attempts; i++)
        p->shared_attempts += ledger->attempts[i].shared;
    for (job_id id = 0; id < run->jobset.n_jobs; id++) {
        bool shared = false;
        for (uint32_t a = ledger->last_attempt[id]; a != ATTEMPT_NONE;
             a = ledger->attempts[a].previous)
            shared |= ledger->attempts[a].shared;
        p->shared_jobs += shared;
    }
}

size_t packing_pairs(const struct packing *p,
                     const struct coloc_pair *out[PACKING_PAIRS])
{
    size_t n = 0;
    for (size_t i = 0; i < p->coloc->n_pairs; i++) {
        const struct coloc_pair *pair = &p->coloc->pairs[i];
        size_t at = n < PACKING_PAIRS ? n++ : n;
        if (at == PACKING_PAIRS && out[--at]->time >= pair->time)
            continue;
        for (; at > 0 && out[at - 1]->time < pair->time; at--)
            out[at] = out[at - 1];
        out[at] = pair;
    }
    return n;
}
