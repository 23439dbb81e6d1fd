/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how busy a virtual cluster was over time, and how many jobs waited.
 */
#include "commands/report/report_internal.h"

#include <math.h>
#include <stdlib.h>

/* The integrals from which load_of computes the means of struct load. */
struct load_sums {
    struct axis_sum down, busy, jobs, gpus;
};

static sim_time load_later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

/* Returns, by attempt, the time at which the job was pending again after this
 * attempt failed; -1: the attempt did not fail, or the job was given up. The
 * caller frees the array. */
static sim_time *pending_again(const struct report_run *run)
{
    const struct verify_data *d = &run->data;
    sim_time *at = mem_alloc((d->n_attempts + 1) * sizeof *at);
    for (size_t i = 0; i < d->n_attempts; i++)
        at[i] = -1;
    for (size_t i = 0; i < run->failures.n_rows; i++) {
        const struct verify_failure *f = &run->failures.rows[i];
        const struct verify_attempt *a =
            verify_failed_attempt(&run->failures, f);
        if (a && f->delay >= 0 && f->delay < TIME_NEVER && f->at < TIME_NEVER)
            at[a - d->attempts] = f->at + f->delay;
    }
    return at;
}

/* Adds the times for which a job was pending. */
static void load_add_waits(const struct verify_data *d, const struct axis *axis,
                           const struct verify_job *job, const sim_time *again,
                           struct load_sums *sums)
{
    sim_time since = job->submitted;
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        bool last = i == job->n_attempts;
        size_t number = job->first_attempt + i;
        sim_time until = last ? (job->ended ? job->finish : d->end)
                              : d->attempts[number].start;
        if (last && job->n_attempts &&
            (job->finished || d->attempts[number - 1].how == 'o'))
            break;
        axis_add(axis, &sums->jobs, since, until, 1);
        axis_add(axis, &sums->gpus, since, until, job->gpus);
        if (!last)
            since = load_later(d->attempts[number].end, again[number]);
    }
}

static void load_add_nodes(const struct verify_data *d,
                           const struct occupancy *o, uint32_t vc,
                           struct load_sums *sums, uint64_t *n_gpus)
{
    for (size_t n = 0; n < d->n_nodes; n++) {
        if (vc != LOAD_ALL && d->nodes[n].vc != vc)
            continue;
        *n_gpus += d->nodes[n].gpus;
        for (unsigned b = 0; b < AXIS_BINS; b++) {
            sums->down.at[b] += occupancy_at(o, n, OCCUPANCY_DOWN, b);
            sums->busy.at[b] += occupancy_at(o, n, OCCUPANCY_BUSY, b);
        }
    }
}

/* Under quotas, where virtual clusters share nodes: adds the GPUs that the jobs
 * of one hold, of which its nominal quota is the whole. */
static void load_add_held(const struct verify_data *d, const struct axis *axis,
                          uint32_t vc, struct load_sums *sums, uint64_t *n_gpus)
{
    for (size_t i = 0; i < d->n_quotas; i++) {
        if (d->quotas[i].vc == vc)
            *n_gpus += (uint64_t)d->quotas[i].nominal;
    }
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[i];
        if (d->jobs[a->job].vc == vc && !a->profiling)
            axis_add(axis, &sums->busy, a->start, a->end, a->gpus);
    }
    axis_finish(axis, &sums->busy);
}

void load_of(const struct report_run *run, const struct occupancy *o,
             uint32_t vc, struct load *out)
{
    const struct verify_data *d = &run->data;
    struct load_sums sums = {0};
    uint64_t n_gpus = 0;
    sim_time *again = pending_again(run);
    if (vc != LOAD_ALL && d->merged)
        load_add_held(d, &o->axis, vc, &sums, &n_gpus);
    else
        load_add_nodes(d, o, vc, &sums, &n_gpus);
    for (size_t i = 0; i < d->n_jobs; i++) {
        if (vc == LOAD_ALL || d->jobs[i].vc == vc)
            load_add_waits(d, &o->axis, &d->jobs[i], again, &sums);
    }
    free(again);
    axis_finish(&o->axis, &sums.jobs);
    axis_finish(&o->axis, &sums.gpus);
    for (unsigned b = 0; b < AXIS_BINS; b++) {
        double length = (double)axis_length(&o->axis, b, d->end);
        double whole = (double)n_gpus * length;
        if (length <= 0)
            length = NAN;
        out->up[b] = (whole - (double)sums.down.at[b]) / length;
        out->busy[b] = (double)sums.busy.at[b] / length;
        out->pending[b] = (double)sums.jobs.at[b] / length;
        out->pending_gpus[b] = (double)sums.gpus.at[b] / length;
    }
}
