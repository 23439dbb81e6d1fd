/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how much the jobs of a cluster and of its virtual clusters ask
 * for. */
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/demand.h"
#include "traces/fidelity/measures.h"

static double gpu_time(const struct fidelity_job *jobs, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += jobs[i].gpus * jobs[i].run;
    return sum;
}

void measure_demand(const struct fidelity_job *jobs, size_t n, double gpus,
                    struct measures *out)
{
    struct gpu_demand demand = demand_of(jobs, n, gpus);
    double time = gpu_time(jobs, n), span = jobs[n - 1].at - jobs[0].at;
    measures_add(out, time / (double)n, "demand.gpu_s_a_job");
    measures_add(out, time / (span * gpus), "demand.load");
    measures_add(out, demand.mean, "demand.mean_gpus");
    measures_add(out, demand.cv, "demand.cv");
    measures_add(out, demand.peak, "demand.peak_gpus");
    measures_add(out, demand.above, "demand.time_above_capacity");
}

/* Adds the measures of a virtual cluster with n jobs; returns its demand. */
static struct gpu_demand add_vc(const struct fidelity_job *jobs, size_t n,
                                const struct fidelity_vc *vc, size_t n_all,
                                double time_all, struct measures *out)
{
    struct gpu_demand demand = {.above = NAN, .worst_week = NAN};
    double gpus = 0;
    for (size_t i = 0; i < n; i++)
        gpus += jobs[i].gpus;
    if (n)
        demand = demand_of(jobs, n, vc->gpus);
    measures_add(out, (double)n / (double)n_all, "vcs.%s.job_share", vc->name);
    measures_add(out, gpu_time(jobs, n) / time_all, "vcs.%s.gpu_time_share",
                 vc->name);
    measures_add(out, n ? gpus / (double)n : NAN, "vcs.%s.mean_gpus", vc->name);
    measures_add(out, demand.above, "vcs.%s.time_above_capacity", vc->name);
    measures_add(out, demand.worst_week, "vcs.%s.worst_week", vc->name);
    return demand;
}

void measure_vcs(const struct fidelity_job *jobs, size_t n,
                 const struct fidelity_vc *vcs, size_t n_vcs,
                 struct measures *out)
{
    struct fidelity_job *own = mem_alloc(n * sizeof *own);
    double time = gpu_time(jobs, n), above = NAN, worst = NAN;
    for (size_t v = 0; v < n_vcs; v++) {
        size_t n_own = 0;
        for (size_t i = 0; i < n; i++) {
            if (jobs[i].vc == vcs[v].symbol)
                own[n_own++] = jobs[i];
        }
        struct gpu_demand demand = add_vc(own, n_own, &vcs[v], n, time, out);
        above = fmax(above, demand.above);
        worst = fmax(worst, demand.worst_week);
    }
    measures_add(out, above, "vcs.most_time_above_capacity");
    measures_add(out, worst, "vcs.worst_week");
    free(own);
}
