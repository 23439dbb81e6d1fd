/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random workloads. Run times are whole minutes. Submissions are whole seconds,
 * in the small jobsets whole half minutes, so that many events fall on one
 * instant. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/out.h"
#include "base/rng.h"
#include "sim/judge/judge_internal.h"

static int workload_by_time(const void *a, const void *b)
{
    const struct workload_job *x = a, *y = b;
    if (x->submitted != y->submitted)
        return x->submitted < y->submitted ? -1 : 1;
    if (x->runs != y->runs)
        return x->runs < y->runs ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

void workload_draw(struct workload *w, uint64_t seed, uint32_t number)
{
    static const uint32_t sizes[] = {1, 1, 1, 2, 2, 4, 8, 3};
    gsl_rng *rng = rng_open(seed + number, "judge workload");
    uint32_t nodes = 1 + rng_below(rng, 4), width = 2u << rng_below(rng, 3);
    w->n_jobs = 4 + rng_below(rng, 28);
    w->n_vcs = 1 + (rng_below(rng, 3) == 0);
    if (w->n_vcs == 1)
        snprintf(w->cluster, sizeof w->cluster, "%ux%u", nodes, width);
    else
        snprintf(w->cluster, sizeof w->cluster, "vc0=%ux%u,vc1=%ux%u", nodes,
                 width, nodes, width);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct workload_job *job = &w->jobs[i];
        uint32_t gpus = sizes[rng_below(rng, 8)];
        bool long_one = rng_below(rng, 8) == 0;
        *job = (struct workload_job){
            .submitted = 30 * SPAN_SECOND * rng_below(rng, 60),
            .runs = 60 * SPAN_SECOND * (1 + rng_below(rng, 20)),
            .gpus = gpus < nodes * width ? gpus : nodes * width,
            .user = rng_below(rng, 4),
            .vc = rng_below(rng, w->n_vcs),
        };
        job->runs *= long_one ? 12 : 1;
    }
    /* a run counts time from its first submission, so one job must be
     * submitted at 0 */
    w->jobs[0].submitted = 0;
    qsort(w->jobs, w->n_jobs, sizeof *w->jobs, workload_by_time);
    rng_free(rng);
}

/* Returns a nearly normal deviate: the sum of twelve uniform numbers less 6
 * (Irwin-Hall). */
static double workload_normal(gsl_rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += gsl_rng_uniform(rng);
    return sum;
}

void workload_draw_load(struct workload *w, uint64_t seed, uint32_t number)
{
    static const uint32_t sizes[] = {1, 1, 1, 1, 1, 2, 2, 4, 4, 8};
    enum { N_JOBS = 300, GPUS = 32 };
    const double load = 0.9;
    gsl_rng *rng = rng_open(seed + number, "judge load");
    double work = 0, at = 0;
    snprintf(w->cluster, sizeof w->cluster, "4x8");
    w->n_jobs = N_JOBS;
    w->n_vcs = 1;
    for (uint32_t i = 0; i < N_JOBS; i++) {
        struct workload_job *job = &w->jobs[i];
        double minutes = exp(3 + 1.5 * workload_normal(rng));
        minutes = minutes < 1 ? 1 : minutes > 1440 ? 1440 : minutes;
        *job = (struct workload_job){
            .runs = 60 * SPAN_SECOND * (sim_span)minutes,
            .gpus = sizes[rng_below(rng, 10)],
            .user = rng_below(rng, 20),
        };
        work += span_seconds(job->runs) * job->gpus;
    }
    double gap = work / GPUS / load / N_JOBS;
    for (uint32_t i = 0; i < N_JOBS; i++) {
        w->jobs[i].submitted = SPAN_SECOND * (sim_span)at;
        at -= gap * log(1 - gsl_rng_uniform(rng));
    }
    rng_free(rng);
}

enum status workload_write(const struct workload *w, const char *path,
                           struct error *err)
{
    struct out *out;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "submitted_unix_s,duration_s,gpus,job_id,user,vc,name\n");
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct workload_job *job = &w->jobs[i];
        out_span(out, job->submitted);
        out_char(out, ',');
        out_span(out, job->runs);
        out_printf(out, ",%" PRIu32 ",%" PRIu32 ",u%" PRIu32, job->gpus, i + 1,
                   job->user);
        if (w->n_vcs > 1)
            out_printf(out, ",vc%" PRIu32, job->vc);
        else
            out_char(out, ',');
        out_printf(out, ",train-%" PRIu32 "\n", job->user);
    }
    return out_close(out, err);
}
