/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the part `elastic` of summary.json again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify_internal.h"

struct elastic_sums {
    double restarts, counted_restarts, moves, held, idle, jobs;
};

static void elastic_add_job(const struct verify_data *d,
                            const struct verify_job *job,
                            struct elastic_sums *s)
{
    const bool counts = verify_counts(d, job);
    s->jobs += counts;
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + k];
        const struct verify_attempt_more *m = verify_more_of_attempt(d, a);
        const bool moved = k > 0 && a[-1].how == 'm';
        s->moves += moved;
        s->restarts += k > 0 && !moved;
        s->counted_restarts += counts && k > 0 && !moved;
        s->held += counts ? (double)(a->end - a->start) * a->gpus : 0;
        s->idle += counts ? (double)(m->idle + m->resume) * a->gpus : 0;
    }
}

static double elastic_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Gives the numbers of jobs that are submitted and not ended. A job that ends
 * as it is submitted is at no time among them. */
static void elastic_expect_active(const struct verify_data *d,
                                  const struct verify_part *part)
{
    double *ends = mem_alloc((d->n_jobs + 1) * sizeof *ends);
    double *lives = mem_alloc((d->n_jobs + 1) * sizeof *lives);
    double sum = 0, last = 0, most = 0;
    size_t n = 0, ended = 0;
    for (size_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *job = &d->jobs[i];
        const double life = (double)verify_life(job);
        ends[i] = (double)job->submitted + life;
        sum += life;
        last = fmax(last, ends[i]);
        if (job->finished && verify_counts(d, job))
            lives[n++] = life;
    }
    verify_sort(ends, d->n_jobs);
    verify_sort(lives, n);
    for (size_t i = 0; i < d->n_jobs; i++) {
        while (ended < d->n_jobs && ends[ended] <= (double)d->jobs[i].submitted)
            ended++;
        most = fmax(most, (double)i + 1 - (double)ended);
    }
    verify_part_expect(part, "active_jobs_mean", last > 0 ? sum / last : 0);
    verify_part_expect(part, "active_jobs_max", most);
    verify_part_expect(part, "jct_p99_floor_s",
                       n ? lives[n * 99 / 100] / 1e6 : 0);
    free(ends);
    free(lives);
}

/* True if the throughput model knows how jobs scale, and so has work in phases.
 */
static bool elastic_is_known(const struct verify_data *data)
{
    const json_t *model = json_object_get(
        json_object_get(data->manifest, "configuration"), "throughput");
    const char *name = json_string_value(json_object_get(model, "name"));
    return name && strcmp(name, "application") == 0;
}

void verify_elastic(const struct verify_data *data,
                    struct verify_report *report)
{
    struct verify_part part;
    struct elastic_sums s = {0};
    if (!verify_part_find(data, "elastic", elastic_is_known(data), report,
                          &part))
        return;
    for (size_t i = 0; i < data->n_jobs; i++)
        elastic_add_job(data, &data->jobs[i], &s);
    verify_part_expect(&part, "restarts", s.restarts);
    verify_part_expect(&part, "restarts_per_job",
                       elastic_ratio(s.counted_restarts, s.jobs));
    verify_part_expect(&part, "moves", s.moves);
    verify_part_expect(&part, "gpu_hours_per_job",
                       elastic_ratio(s.held / 3600e6, s.jobs));
    verify_part_expect(&part, "restart_gpu_hours_per_job",
                       elastic_ratio(s.idle / 3600e6, s.jobs));
    elastic_expect_active(data, &part);
}
