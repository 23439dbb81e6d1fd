/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes again the slowdowns of jobs.csv that compare a job with others of
 * its virtual cluster: slowdown by load, and rho, which assumes an equal share
 * of GPUs for each job. No file has the speeds of elastic jobs in other shapes,
 * so if there may be elastic jobs, rho is taken from jobs.csv. */
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "sim/verify/verify_replay.h"

/* Active jobs in a virtual cluster: the GPUs they ask for, their number, and
 * the integrals of both over time. */
struct active {
    uint64_t gpus, jobs, gpu_time, job_time;
    sim_time since;
};

/* What a job met in its virtual cluster during its life: the GPU-us that active
 * jobs asked for, and the job-us of these jobs. */
struct fairness_life {
    uint64_t demand, active;
};

/* Counts a job in its virtual cluster from its submission on, or no longer
 * after its end. */
static void life_edge(const struct verify_job *job, struct active *vcs,
                      struct fairness_life *m, sim_time at, bool begins)
{
    struct active *vc = &vcs[job->vc];
    uint64_t span = (uint64_t)(at - vc->since);
    vc->gpu_time += vc->gpus * span;
    vc->job_time += vc->jobs * span;
    vc->since = at;
    vc->gpus += begins ? job->gpus : 0 - (uint64_t)job->gpus;
    vc->jobs += begins ? 1 : 0 - UINT64_C(1);
    m->demand = begins ? vc->gpu_time : vc->gpu_time - m->demand;
    m->active = begins ? vc->job_time : vc->job_time - m->active;
}

static bool fairness_is_before(const void *a, const void *b)
{
    const struct verify_timed *x = a, *y = b;
    return x->at != y->at ? x->at < y->at : x->index < y->index;
}

/* Computes, for each job, the integrals of active jobs in its virtual cluster
 * over the life of the job. Jobs are in the order of their submission. The
 * caller frees the list. */
static struct fairness_life *fairness_measure_lives(
    const struct verify_data *data)
{
    static const struct heap_kind kind = {.size = sizeof(struct verify_timed),
                                          .before = fairness_is_before};
    struct fairness_life *lives = mem_zalloc(data->n_jobs + 1, sizeof *lives);
    struct active *vcs = mem_zalloc(data->vcs.n_strings, sizeof *vcs);
    struct verify_timed *ends = NULL; /* a heap: of the active jobs */
    size_t n_ends = 0, cap_ends = 0;
    for (uint32_t i = 0; i < data->n_jobs || n_ends;) {
        const struct verify_job *job = &data->jobs[i];
        if (i == data->n_jobs || (n_ends && ends[0].at < job->submitted)) {
            const struct verify_timed end = ends[0];
            heap_take(&kind, NULL, ends, n_ends--, 0);
            life_edge(&data->jobs[end.index], vcs, &lives[end.index], end.at,
                      false);
            continue;
        }
        life_edge(job, vcs, &lives[i], job->submitted, true);
        if (job->ended) {
            const struct verify_timed end = {job->finish, i};
            ends = mem_grow(ends, &cap_ends, n_ends + 1, sizeof *ends);
            heap_put(&kind, NULL, ends, n_ends++, &end);
        }
        i++;
    }
    free(ends);
    free(vcs);
    return lives;
}

/* GPUs by virtual cluster and type, those of each virtual cluster, and the
 * speed of each GPU type. Quotas are divided among types in whole GPUs, so a
 * quota may be more than its parts. */
struct verify_fairness_shares {
    double *gpus, *of_vc, *speed;
    size_t n_types;
};

/* Under quotas: gives each virtual cluster its quota, of each type as much as
 * the type has of all GPUs. */
static void fairness_take_quotas(const struct verify_data *data,
                                 struct verify_fairness_shares *s)
{
    double all = 0, *of_type = mem_zalloc(s->n_types + 1, sizeof *of_type);
    for (size_t i = 0; i < data->n_nodes; i++) {
        const struct verify_node *node = &data->nodes[i];
        of_type[node->type] += node->profiler ? 0 : node->gpus;
        all += node->profiler ? 0 : node->gpus;
    }
    for (size_t i = 0; i < data->n_quotas; i++) {
        const struct verify_quota *q = &data->quotas[i];
        for (size_t t = 0; t < s->n_types && q->vc != UINT32_MAX; t++)
            s->gpus[q->vc * s->n_types + t] =
                all > 0 ? floor((double)q->nominal * of_type[t] / all) : 0;
        if (q->vc != UINT32_MAX)
            s->of_vc[q->vc] = (double)q->nominal;
    }
    free(of_type);
}

static struct verify_fairness_shares fairness_shares_of(
    const struct verify_data *data)
{
    struct verify_fairness_shares s = {.n_types = data->types.n_strings};
    s.gpus = mem_zalloc(s.n_types * data->vcs.n_strings + 1, sizeof *s.gpus);
    s.of_vc = mem_zalloc(data->vcs.n_strings + (size_t)1, sizeof *s.of_vc);
    s.speed = mem_zalloc(s.n_types + 1, sizeof *s.speed);
    for (size_t i = 0; i < data->n_nodes; i++) {
        const struct verify_node *node = &data->nodes[i];
        s.speed[node->type] = node->speed;
        if (node->profiler)
            continue;
        s.gpus[node->vc * s.n_types + node->type] += node->gpus;
        s.of_vc[node->vc] += node->gpus;
    }
    if (data->merged)
        fairness_take_quotas(data, &s);
    return s;
}

/* Returns the time, us, that the job needs alone on `share` GPUs: the mean over
 * the types on which it may run, weighted by their GPUs. 0 if its virtual
 * cluster has no such GPUs. */
static double fair_time(const struct verify_fairness_shares *s,
                        const struct verify_job *job, double share)
{
    double sum = 0, weight = 0;
    for (uint32_t t = 0; t < s->n_types; t++) {
        double gpus = s->gpus[job->vc * s->n_types + t];
        if (gpus <= 0 || (job->type != UINT32_MAX && job->type != t))
            continue;
        weight += gpus;
        sum += gpus * (double)job->duration / s->speed[t];
    }
    return weight > 0 ? sum / weight * fmax(1, job->gpus / share) : 0;
}

static bool fairness_differs(bool has, double value, bool defined, double want)
{
    return has != defined ||
           (defined && fabs(want - value) > 6e-7 + 1e-12 * want);
}

static void fairness_check(const struct verify_data *data,
                           const struct verify_job *job,
                           const struct fairness_life *met,
                           struct verify_job_more *m,
                           const struct verify_fairness_shares *s,
                           struct verify_report *report)
{
    double life = (double)verify_life(job), gpus = 0;
    for (size_t t = 0; t < s->n_types; t++)
        gpus += s->gpus[job->vc * s->n_types + t];
    double whole = s->of_vc[job->vc];
    bool defined = job->finished && job->duration > 0 && whole > 0;
    double load = life > 0 ? (double)met->demand / life / whole : 0;
    double active = life > 0 ? (double)met->active / life : 1;
    double by_load = defined ? life / (double)job->duration / fmax(1, load) : 0;
    double fair = defined ? fair_time(s, job, gpus / active) : 0;
    if (fairness_differs(m->has_by_load, m->by_load, defined, by_load))
        verify_say_job(data, report, job, "slowdown_by_load",
                       "slowdown_by_load is not what the load of its "
                       "virtual cluster gives");
    m->by_load = by_load; /* the unrounded value, for the metrics */
    m->has_by_load = defined;
    if (data->elastic)
        return;
    defined = fair > 0;
    if (fairness_differs(m->has_rho, m->rho, defined, life / fair))
        verify_say_job(data, report, job, "rho",
                       "rho is not what an equal share of its virtual "
                       "cluster gives");
    m->rho = life / fair;
    m->has_rho = defined;
}

void verify_contention(struct verify_data *data, struct verify_report *report)
{
    struct verify_fairness_shares shares = fairness_shares_of(data);
    struct fairness_life *lives = fairness_measure_lives(data);
    for (size_t i = 0; i < data->n_jobs; i++)
        fairness_check(data, &data->jobs[i], &lives[i], &data->job_more[i],
                       &shares, report);
    free(lives);
    free(shares.gpus);
    free(shares.of_vc);
    free(shares.speed);
}
