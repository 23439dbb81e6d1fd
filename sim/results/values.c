/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void values_init(struct values *values, const struct run_result *run)
{
    size_t n = run->jobset.n_jobs + (size_t)1;
    *values = (struct values){.jobset = &run->jobset,
                              .counted = &run->counted,
                              .outcome = mem_alloc(n)};
    if (run->extras.by_type)
        values->type = mem_alloc(n);
    for (unsigned m = 0; m < METRICS; m++) {
        if (!metrics[m].follows && m != METRIC_WAIT)
            values->of[m] = mem_alloc(n * sizeof *values->of[m]);
    }
}

void values_fini(struct values *values)
{
    for (unsigned m = 0; m < METRICS; m++)
        free(values->of[m]);
    free(values->outcome);
    free(values->type);
}

/* Makes the array of METRIC_WAIT, for the first job whose wait is not its
 * queueing delay. */
static void add_waits(struct values *values, job_id id)
{
    size_t n = values->jobset->n_jobs + (size_t)1;
    double *waits = mem_alloc(n * sizeof *waits);
    memcpy(waits, values->of[METRIC_QUEUE_DELAY], id * sizeof *waits);
    values->of[METRIC_WAIT] = waits;
    values->has_waits = true;
}

void values_add(struct values *values, const struct facts *f)
{
    job_id id = f->job->id;
    bool counts = counted_has(values->counted, f->job);
    if (!values->has_waits && f->finished && facts_wait(f) != f->queued)
        add_waits(values, id);
    values->outcome[id] = (uint8_t)f->outcome;
    if (values->type)
        values->type[id] = f->type;
    for (unsigned m = 0; m < METRICS; m++) {
        if (values->of[m])
            values->of[m][id] = counts ? f->metric[m] : NAN;
    }
}

/* Computes a metric that follows from the JCT and the recorded running time;
 * NaN if it is not defined for the job. */
static double follow(const struct values *values, enum metric_number metric,
                     job_id id)
{
    double seconds = values->of[METRIC_JCT][id];
    if (isnan(seconds))
        return NAN;
    sim_span jct = span_from_seconds(seconds);
    sim_span duration = jobset_duration(values->jobset, id);
    return metric == METRIC_BOUNDED ? facts_bounded_slowdown(jct, duration)
                                    : facts_slowdown(jct, duration);
}

struct metric_sample values_sample(const struct values *values,
                                   enum metric_number metric,
                                   const job_id *jobs, size_t n, double *to)
{
    const double *from = values->of[metric];
    struct metric_sample sample = {.values = to};
    if (metrics[metric].follows) {
        CHECK(!jobs);
        for (job_id id = 0; id < n; id++)
            to[id] = follow(values, metric, id);
        from = to;
    }
    for (size_t i = 0; i < n; i++) {
        double value = from[jobs ? jobs[i] : i];
        if (isnan(value))
            continue;
        to[sample.n++] = value;
        sample.sum += value;
    }
    return sample;
}
