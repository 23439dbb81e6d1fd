/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `profiling` of summary.json again. */
#include <math.h>

#include "sim/verify/verify.h"

static double profiling_profiler_gpus(const struct verify_data *data)
{
    double gpus = 0;
    for (size_t i = 0; i < data->n_nodes; i++)
        gpus += data->nodes[i].profiler ? data->nodes[i].gpus : 0;
    return gpus;
}

/* Returns the GPU time of all loans, GPU-microseconds, each from its start to
 * its end or to the end of the last attempt. */
static double profiling_lent_time(const struct verify_data *data)
{
    double sum = 0;
    for (size_t i = 0; i < data->n_changes; i++) {
        const struct verify_change *change = &data->changes[i];
        double rest = (double)(data->last_end - change->at) *
                      data->nodes[change->node].gpus;
        if (rest > 0 && change->kind == NODE_LENT)
            sum += rest;
        else if (rest > 0 && change->kind == NODE_BACK)
            sum -= rest;
    }
    return sum;
}

void verify_profiling(const struct verify_data *data,
                      struct verify_report *report)
{
    double gpus = profiling_profiler_gpus(data), profiled = 0, finished = 0,
           cut = 0;
    double time = 0, wait = 0, delay = 0, most = 0, counted = 0;
    struct verify_part part;
    if (!verify_part_find(data, "profiling", gpus > 0 || data->n_loans > 0,
                          report, &part))
        return;
    for (size_t i = 0; i < data->n_attempts; i++) {
        const struct verify_attempt *a = &data->attempts[i];
        sim_time submitted = data->jobs[a->job].submitted;
        if (!a->profiling)
            continue;
        time += (double)(a->end - a->start) * a->gpus;
        finished += a->how == 'f';
        cut += a->how == 's' || a->how == 'x';
        if (a->how != 'p')
            continue;
        profiled++;
        if (!verify_counts(data, &data->jobs[a->job]))
            continue;
        counted++;
        wait += span_seconds(a->start - submitted);
        delay += span_seconds(a->end - submitted);
        most = fmax(most, span_seconds(a->end - submitted));
    }
    double lent = profiling_lent_time(data);
    double whole = gpus * (double)data->last_end + lent;
    verify_part_expect(&part, "profiler_gpus", gpus);
    verify_part_expect(&part, "profiled_jobs", profiled);
    verify_part_expect(&part, "finished_jobs", finished);
    verify_part_expect(&part, "cut_short", cut);
    verify_part_expect(&part, "lent_gpu_hours", lent / 3600e6);
    verify_part_expect(&part, "use", whole > 0 ? time / whole : NAN);
    verify_part_expect(&part, "wait_mean_s",
                       counted > 0 ? wait / counted : NAN);
    verify_part_expect(&part, "delay_mean_s",
                       counted > 0 ? delay / counted : NAN);
    verify_part_expect(&part, "delay_max_s", counted > 0 ? most : NAN);
}
