/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the demand of a cluster and of its virtual clusters. */
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/demand.h"
#include "traces/fidelity/measures.h"

static double vcs_gpu_time(const struct fidelity_job *jobs, size_t n)
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
    measures_add(out, demand.mean / gpus, "demand.mean_by_capacity");
    measures_add(out, demand.cv, "demand.cv");
    measures_add(out, demand.peak, "demand.peak_gpus");
    measures_add(out, demand.above, "demand.time_above_capacity");
    measures_add(out, demand.worst_week, "demand.worst_week");
}

/* The jobs of a virtual cluster. The first n_standing of them are already
 * running when the trace begins. */
struct vcs_part {
    struct fidelity_job *jobs;
    size_t n, n_standing;
};

static void add_shares(const struct vcs_part *part,
                       const struct fidelity_vc *vc, size_t n_all,
                       double time_all, struct measures *out)
{
    const struct fidelity_job *jobs = part->jobs + part->n_standing;
    size_t n = part->n - part->n_standing;
    double gpus = 0;
    for (size_t i = 0; i < n; i++)
        gpus += jobs[i].gpus;
    measures_add(out, (double)n / (double)n_all, "vcs.%s.job_share", vc->name);
    measures_add(out, vcs_gpu_time(jobs, n) / time_all, "vcs.%s.gpu_time_share",
                 vc->name);
    measures_add(out, n ? gpus / (double)n : NAN, "vcs.%s.mean_gpus", vc->name);
}

static void vcs_collect(const struct fidelity_job *jobs, size_t n,
                        size_t n_standing, uint32_t symbol,
                        struct vcs_part *part)
{
    part->n = part->n_standing = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].vc != symbol)
            continue;
        part->jobs[part->n++] = jobs[i];
        part->n_standing += i < n_standing;
    }
}

void measure_vcs(const struct fidelity_job *jobs, size_t n, size_t n_standing,
                 const struct fidelity_vc *vcs, size_t n_vcs,
                 struct measures *out)
{
    struct vcs_part part = {.jobs = mem_alloc(n * sizeof *part.jobs)};
    double time = vcs_gpu_time(jobs + n_standing, n - n_standing);
    double above = NAN, worst = NAN;
    for (size_t v = 0; v < n_vcs; v++) {
        struct gpu_demand demand = {.above = NAN, .worst_week = NAN};
        vcs_collect(jobs, n, n_standing, vcs[v].symbol, &part);
        if (part.n)
            demand = demand_of(part.jobs, part.n, vcs[v].gpus);
        add_shares(&part, &vcs[v], n - n_standing, time, out);
        measures_add(out, demand.above, "vcs.%s.time_above_capacity",
                     vcs[v].name);
        measures_add(out, demand.worst_week, "vcs.%s.worst_week", vcs[v].name);
        above = fmax(above, demand.above);
        worst = fmax(worst, demand.worst_week);
    }
    measures_add(out, above, "vcs.most_time_above_capacity");
    measures_add(out, worst, "vcs.worst_week");
    free(part.jobs);
}
