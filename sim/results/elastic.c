/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/elastic.h"

#include <math.h>
#include <stdlib.h>

static double elastic_hours(gpu_time time)
{
    return (double)time / (double)SPAN_HOUR;
}

static double per_job(const struct elastic *e, double sum)
{
    return e->jobs ? sum / (double)e->jobs : NAN;
}

static double elastic_of_restarts(const struct elastic *e)
{
    return (double)e->restarts;
}

static double of_restarts_per_job(const struct elastic *e)
{
    return per_job(e, (double)e->counted_restarts);
}

static double of_moves(const struct elastic *e)
{
    return (double)e->moves;
}

static double elastic_of_held(const struct elastic *e)
{
    return per_job(e, elastic_hours(e->held));
}

static double elastic_of_idle(const struct elastic *e)
{
    return per_job(e, elastic_hours(e->idle));
}

static double of_active_mean(const struct elastic *e)
{
    return e->active_mean;
}

static double of_active_max(const struct elastic *e)
{
    return e->active_max;
}

static double of_p99(const struct elastic *e)
{
    return span_seconds(e->jct_p99);
}

const struct elastic_scalar elastic_scalars[] = {
    {{"restarts", "", "starts, except the first of each job and except moves"},
     elastic_of_restarts},
    {{"restarts_per_job", "",
      "restarts / jobs, of jobs that count (`--warmup`)"},
     of_restarts_per_job},
    {{"moves", "", "moves to other GPUs in an equal shape, at no cost"},
     of_moves},
    {{"gpu_hours_per_job", "GPU h",
      "length of attempts x GPUs held, mean over jobs that count"},
     elastic_of_held},
    {{"restart_gpu_hours_per_job", "GPU h",
      "part of gpu_hours_per_job while the job started up"},
     elastic_of_idle},
    {{"active_jobs_mean", "jobs",
      "submitted and not ended, averaged over the makespan (contention)"},
     of_active_mean},
    {{"active_jobs_max", "jobs",
      "largest number of jobs submitted and not ended at one time"},
     of_active_max},
    {{"jct_p99_floor_s", "s",
      "job completion time number floor(0.99 n) of the sorted ones, counted "
      "from 0, as Sia's scripts take it"},
     of_p99},
    {{NULL, NULL, NULL}, NULL},
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
    uint32_t n = reader->results.run->jobset.n_jobs, active = 0, ended = 0;
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
        for (; ended < n && ends[ended] <= begins[i]; ended++)
            active--;
        if (++active > e->active_max)
            e->active_max = active;
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
