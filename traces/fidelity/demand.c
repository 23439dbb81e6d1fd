/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fidelity/demand.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

static const double demand_week_s = 7 * 86400.0;

/* Sums over the time that has passed. The demand is constant between two
 * events. */
struct demand_sums {
    double time, gpus, squares, above;
    /* End of the current week, s, and GPU time of this week so far, GPU
     * seconds. */
    double week_end, week;
    double worst; /* largest GPU time of a whole week, GPU seconds;
                   * -1: no whole week yet */
};

static void demand_hold(struct demand_sums *s, double from, double to,
                        double gpus, double capacity)
{
    double span = to - from;
    s->time += span;
    s->gpus += gpus * span;
    s->squares += gpus * gpus * span;
    s->above += gpus > capacity ? span : 0;
    while (to >= s->week_end) {
        s->week += gpus * (s->week_end - from);
        s->worst = fmax(s->worst, s->week);
        s->week = 0;
        from = s->week_end;
        s->week_end += demand_week_s;
    }
    s->week += gpus * (to - from);
}

/* Returns the GPUs that a job adds to the demand. A job with a run time of 0
 * adds none: its end equals its submission and may come first, which would make
 * the demand negative. */
static double demand_gpus_of_one(const struct fidelity_job *job)
{
    return job->run > 0 ? job->gpus : 0;
}

struct gpu_demand demand_of(const struct fidelity_job *jobs, size_t n,
                            double capacity)
{
    size_t *by_end = mem_alloc(n * sizeof *by_end), done = 0;
    double *ends = mem_alloc(n * sizeof *ends);
    struct demand_sums s = {.week_end = jobs[0].at + demand_week_s,
                            .worst = -1};
    double gpus = 0, peak = 0, now = jobs[0].at;
    for (size_t i = 0; i < n; i++)
        ends[i] = jobs[i].at + jobs[i].run;
    gsl_sort_index(by_end, ends, 1, n);
    for (size_t i = 0; i < n; i++) {
        for (; done < n && ends[by_end[done]] <= jobs[i].at; done++) {
            demand_hold(&s, now, ends[by_end[done]], gpus, capacity);
            now = ends[by_end[done]];
            gpus -= demand_gpus_of_one(&jobs[by_end[done]]);
        }
        demand_hold(&s, now, jobs[i].at, gpus, capacity);
        now = jobs[i].at;
        gpus += demand_gpus_of_one(&jobs[i]);
        peak = fmax(peak, gpus);
    }
    free(by_end);
    free(ends);
    double mean = s.time > 0 ? s.gpus / s.time : NAN;
    double variance = s.time > 0 ? s.squares / s.time - mean * mean : NAN;
    return (struct gpu_demand){
        .mean = mean,
        .cv = mean > 0 ? sqrt(fmax(variance, 0)) / mean : NAN,
        .peak = peak,
        .above = s.time > 0 ? s.above / s.time : NAN,
        .worst_week =
            s.worst >= 0 ? s.worst / (capacity * demand_week_s) : NAN};
}
