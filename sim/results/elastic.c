/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that the papers on elastic jobs (Pollux, Sia) report, computed from
 * the ledger. */
#include "sim/results/summary.h"

#include <math.h>
#include <stdlib.h>

const struct scalar elastic_scalars[] = {
    {{"restarts", "", "count, law elastic",
      "starts, except the first of each job and except moves"},
     SCALAR_FIELD(struct elastic, restarts)},
    {{"restarts_per_job", "", "number or null, law elastic",
      "restarts / jobs, of jobs that count (`--warmup`)"},
     SCALAR_RATIO(struct elastic, counted_restarts, jobs)},
    {{"moves", "", "count, law elastic",
      "moves to other GPUs in an equal shape, at no cost"},
     SCALAR_FIELD(struct elastic, moves)},
    {{"gpu_hours_per_job", "GPU h", "number or null, law elastic",
      "length of attempts x GPUs held, mean over jobs that count"},
     SCALAR_TIME_RATIO(struct elastic, held, SPAN_HOUR, jobs)},
    {{"restart_gpu_hours_per_job", "GPU h", "number or null, law elastic",
      "part of gpu_hours_per_job while the job started up"},
     SCALAR_TIME_RATIO(struct elastic, idle, SPAN_HOUR, jobs)},
    {{"active_jobs_mean", "jobs", "number, law elastic",
      "submitted and not ended, averaged over the makespan (contention)"},
     SCALAR_FIELD(struct elastic, active_mean)},
    {{"active_jobs_max", "jobs", "count, law elastic",
      "largest number of jobs submitted and not ended at one time"},
     SCALAR_FIELD(struct elastic, active_max)},
    {{"jct_p99_floor_s", "s", "time, law elastic",
      "job completion time number floor(0.99 n) of the sorted ones, counted "
      "from 0, as Sia's scripts take it"},
     SCALAR_TIME(struct elastic, jct_p99, SPAN_SECOND)},
    {.column = {.name = NULL}},
};

static void measure_attempts(struct elastic *e, struct facts_reader *reader)
{
    const struct run_result *run = reader->results.run;
    const struct ledger *ledger = &run->ledger;
    for (uint32_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        const struct attempt_cost *cost = ledger_cost(ledger, i);
        gpu_time gpus = ledger_gpus(ledger, a);
        bool first = a->previous == ATTEMPT_NONE;
        bool moved =
            !first && ledger->attempts[a->previous].how == LEDGER_MOVED;
        bool restarted = !first && !moved;
        e->restarts += restarted;
        e->moves += moved;
        if (!counted_has(&run->counted, &run->jobset.jobs[a->job]))
            continue;
        e->counted_restarts += restarted;
        e->held += gpus * (facts_attempt_end(&reader->results, i) - a->start);
        e->idle += cost ? gpus * cost->overhead : 0;
    }
}

static int elastic_by_span(const void *a, const void *b)
{
    sim_span x = *(const sim_span *)a, y = *(const sim_span *)b;
    return (x > y) - (x < y);
}

/* Computes the number of jobs that count, the numbers of active jobs, and
 * jct_p99, from sorted lists of submissions, ends and completion times. */
static void elastic_measure_lives(struct elastic *e,
                                  struct facts_reader *reader)
{
    const struct counted *counted = &reader->results.run->counted;
    const uint32_t n = reader->results.run->jobset.n_jobs;
    uint32_t ended = 0;
    size_t n_jcts = 0;
    sim_span *begins = mem_zalloc(n + 1u, sizeof *begins);
    sim_span *ends = mem_zalloc(n + 1u, sizeof *ends);
    sim_span *jcts = mem_zalloc(n + 1u, sizeof *jcts);
    double sum = 0, last = 0;
    for (job_id i = 0; i < n; i++) {
        struct facts f;
        facts_read(reader, i, &f);
        begins[i] = f.job->submitted;
        ends[i] = f.end;
        sum += (double)facts_jct(&f);
        last = fmax(last, (double)f.end);
        bool counts = counted_has(counted, f.job);
        e->jobs += counts;
        if (f.finished && counts)
            jcts[n_jcts++] = facts_jct(&f);
    }
    qsort(ends, n, sizeof *ends, elastic_by_span);
    qsort(jcts, n_jcts, sizeof *jcts, elastic_by_span);
    for (job_id i = 0; i < n; i++) {
        while (ended < n && ends[ended] <= begins[i])
            ended++;
        /* jobs of no length may have ended before others of this time began */
        if (i + 1 > ended && i + 1 - ended > e->active_max)
            e->active_max = i + 1 - ended;
    }
    e->active_mean = last > 0 ? sum / last : 0;
    e->jct_p99 = n_jcts ? jcts[n_jcts * 99 / 100] : 0;
    free(begins);
    free(ends);
    free(jcts);
}

void elastic_measure(struct elastic *e, const struct results *results)
{
    *e = (struct elastic){.any = true};
    struct facts_reader reader;
    facts_reader_init(&reader, *results);
    measure_attempts(e, &reader);
    elastic_measure_lives(e, &reader);
    facts_reader_fini(&reader);
}
