/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes again the slowdowns of jobs.csv that compare a job with others of
 * its virtual cluster: slowdown by load, and rho, which assumes an equal share
 * of GPUs for each job. No file has the speeds of elastic jobs in other shapes,
 * so if there may be elastic jobs, rho is taken from jobs.csv. */
#include <math.h>
#include <stdlib.h>

#include "sim/verify/verify.h"

/* Active jobs in a virtual cluster: the GPUs they ask for, their number, and
 * the integrals of both over time. */
struct active {
    uint64_t gpus, jobs, gpu_time, job_time;
    sim_time since;
};

/* Submission or end of a job, the edges of its life in its virtual cluster. */
struct life_edge {
    sim_time at;
    uint32_t job;
    bool begins;
};

static int by_life(const void *a, const void *b)
{
    const struct life_edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static struct life_edge *life_edges(const struct verify_data *data,
                                    size_t *count)
{
    struct life_edge *edges = mem_zalloc(2 * data->n_jobs + 1, sizeof *edges);
    size_t n = 0;
    for (uint32_t i = 0; i < data->n_jobs; i++) {
        edges[n++] = (struct life_edge){data->jobs[i].submitted, i, true};
        if (data->jobs[i].ended)
            edges[n++] = (struct life_edge){data->jobs[i].finish, i, false};
    }
    qsort(edges, n, sizeof *edges, by_life);
    *count = n;
    return edges;
}

/* Computes, for each job, the integrals of active jobs in its virtual cluster
 * over the life of the job. */
static void fairness_measure_lives(struct verify_data *data)
{
    size_t n, n_vcs = data->vcs.n_strings;
    struct life_edge *edges = life_edges(data, &n);
    struct active *vcs = mem_zalloc(n_vcs, sizeof *vcs);
    for (size_t i = 0; i < n; i++) {
        const struct verify_job *job = &data->jobs[edges[i].job];
        struct verify_job_more *m = &data->job_more[edges[i].job];
        struct active *vc = &vcs[job->vc];
        uint64_t span = (uint64_t)(edges[i].at - vc->since);
        bool begins = edges[i].begins;
        vc->gpu_time += vc->gpus * span;
        vc->job_time += vc->jobs * span;
        vc->since = edges[i].at;
        vc->gpus += begins ? job->gpus : 0 - (uint64_t)job->gpus;
        vc->jobs += begins ? 1 : 0 - UINT64_C(1);
        m->demand = begins ? vc->gpu_time : vc->gpu_time - m->demand;
        m->active = begins ? vc->job_time : vc->job_time - m->active;
    }
    free(edges);
    free(vcs);
}

/* GPUs by virtual cluster and type, and the speed of each GPU type. */
struct verify_fairness_shares {
    double *gpus, *speed;
    size_t n_types;
};

static struct verify_fairness_shares fairness_shares_of(
    const struct verify_data *data)
{
    struct verify_fairness_shares s = {.n_types = data->types.n_strings};
    s.gpus = mem_zalloc(s.n_types * data->vcs.n_strings + 1, sizeof *s.gpus);
    s.speed = mem_zalloc(s.n_types + 1, sizeof *s.speed);
    for (size_t i = 0; i < data->n_nodes; i++) {
        const struct verify_node *node = &data->nodes[i];
        s.speed[node->type] = node->speed;
        if (!node->profiler)
            s.gpus[node->vc * s.n_types + node->type] += node->gpus;
    }
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
           (defined && fabs(want - value) > 1e-6 + 1e-9 * want);
}

static void fairness_check(const struct verify_data *data,
                           const struct verify_job *job,
                           struct verify_job_more *m,
                           const struct verify_fairness_shares *s,
                           struct verify_report *report)
{
    double life = (double)verify_life(job), gpus = 0;
    for (size_t t = 0; t < s->n_types; t++)
        gpus += s->gpus[job->vc * s->n_types + t];
    bool defined = job->finished && job->duration > 0 && gpus > 0;
    double load = life > 0 ? (double)m->demand / life / gpus : 0;
    double active = life > 0 ? (double)m->active / life : 1;
    double by_load = defined ? life / (double)job->duration / fmax(1, load) : 0;
    double fair = defined ? fair_time(s, job, gpus / active) : 0;
    if (fairness_differs(m->has_by_load, m->by_load, defined, by_load))
        verify_say(report,
                   "job %s: slowdown_by_load is not what the load of its "
                   "virtual cluster gives",
                   job->id);
    m->by_load = by_load; /* the unrounded value, for the metrics */
    m->has_by_load = defined;
    if (verify_sizes_may_change(data))
        return;
    defined = fair > 0;
    if (fairness_differs(m->has_rho, m->rho, defined, life / fair))
        verify_say(report,
                   "job %s: rho is not what an equal share of its virtual "
                   "cluster gives",
                   job->id);
    m->rho = life / fair;
    m->has_rho = defined;
}

void verify_contention(struct verify_data *data, struct verify_report *report)
{
    struct verify_fairness_shares shares = fairness_shares_of(data);
    fairness_measure_lives(data);
    for (size_t i = 0; i < data->n_jobs; i++)
        fairness_check(data, &data->jobs[i], &data->job_more[i], &shares,
                       report);
    free(shares.gpus);
    free(shares.speed);
}
