/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/fidelity_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/accuracy.h"
#include "commands/replay.h"
#include "sim/results/metrics.h"
#include "sim/results/stats.h"
#include "traces/fidelity/series.h"

static struct run_config config_of(const struct fidelity_run *run)
{
    return (struct run_config){.trace = run->path,
                               .format = run->format,
                               .cluster = run->cluster,
                               .load = {.from = run->from, .to = run->to},
                               .seed = 1};
}

static void add_vcs(const struct cluster *cluster,
                    const struct fidelity_read *read, struct measures *out)
{
    const struct fidelity_jobs *jobs = read->jobs;
    struct fidelity_vc *vcs = mem_alloc(cluster->n_vcs * sizeof *vcs);
    for (uint16_t v = 0; v < cluster->n_vcs; v++) {
        const char *name = cluster->vcs[v];
        vcs[v] = (struct fidelity_vc){
            .name = name,
            .symbol = interner_find(&jobs->names, text_from(name)),
            .gpus = cluster_vc_gpus(cluster, v)};
    }
    measure_vcs(jobs->at, jobs->n, read->n_standing, vcs, cluster->n_vcs, out);
    free(vcs);
}

enum status fidelity_capacity(const struct fidelity_run *run,
                              const struct fidelity_read *read, bool demand,
                              bool vcs, struct measures *out, struct error *err)
{
    struct run *prepared;
    struct run_config config = config_of(run);
    enum status st = run_prepare(&config, &prepared, err);
    if (st != STATUS_OK)
        return st;
    const struct cluster *cluster = &run_result(prepared)->cluster;
    if (demand)
        measure_demand(read->jobs->at, read->jobs->n, cluster->n_gpus, out);
    if (vcs && cluster->n_vcs > 1)
        add_vcs(cluster, read, out);
    run_free(prepared);
    return STATUS_OK;
}

/* Adds the mean and the 99th percentile of the queueing delays of a run.
 * Returns the mean; NaN if no job has a delay. */
static double add_delays(const struct results *results, const char *policy,
                         struct measures *out)
{
    struct facts_reader reader;
    struct facts facts;
    const double top = 99;
    size_t n = 0, n_jobs = results->run->jobset.n_jobs;
    double *delays = mem_alloc((n_jobs + 1) * sizeof *delays), sum = 0,
           p99 = NAN;
    facts_reader_init(&reader, *results);
    for (job_id id = 0; id < n_jobs; id++) {
        facts_read(&reader, id, &facts);
        double delay = facts.metric[METRIC_QUEUE_DELAY];
        if (isnan(delay))
            continue;
        delays[n++] = delay;
        sum += delay;
    }
    facts_reader_fini(&reader);
    if (n)
        stats_percentiles(delays, n, &top, 1, &p99);
    free(delays);
    double mean = n ? sum / (double)n : NAN;
    measures_add(out, mean, "waits.%s_mean", policy);
    measures_add(out, p99, "waits.%s_p99", policy);
    return mean;
}

/* Adds the median, over the virtual clusters, of the mean number of GPUs that
 * waiting jobs ask for, as a share of the GPUs of the virtual cluster. */
static void add_pending(const struct results *results, struct measures *out)
{
    const struct run_result *r = results->run;
    uint32_t n = r->jobset.n_jobs;
    double *pending = mem_zalloc(r->cluster.n_vcs + 1u, sizeof *pending);
    double span = n ? span_seconds(r->jobset.jobs[n - 1].submitted) : 0;
    struct facts_reader reader;
    struct facts facts;
    facts_reader_init(&reader, *results);
    for (job_id id = 0; id < n; id++) {
        facts_read(&reader, id, &facts);
        pending[facts.job->vc] += span_seconds(facts.queued) * facts.job->gpus;
    }
    facts_reader_fini(&reader);
    /* NaN, which measures_add leaves out, if all jobs come at one instant */
    for (uint16_t v = 0; v < r->cluster.n_vcs; v++) {
        double most = span * cluster_vc_gpus(&r->cluster, v);
        pending[v] = most > 0 ? pending[v] / most : NAN;
    }
    measures_add(out, series_median(pending, r->cluster.n_vcs),
                 "waits.pending_median");
    free(pending);
}

static enum status wait_under(const struct fidelity_run *run,
                              const char *policy, struct measures *out,
                              double *mean, struct error *err)
{
    struct replay replay;
    struct run_config config = config_of(run);
    const struct replay_options options = {.label = policy};
    config.policy = policy;
    enum status st = replay_run(&config, &options, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    *mean = add_delays(&replay.results, policy, out);
    if (strcmp(policy, "fifo") == 0 && replay.results.run->cluster.n_vcs > 1)
        add_pending(&replay.results, out);
    replay_fini(&replay);
    return STATUS_OK;
}

enum status fidelity_waits(const struct fidelity_run *run, struct measures *out,
                           struct error *err)
{
    static const char *const policies[] = {"fifo", "fjf", "srtf", "tiresias"};
    double means[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        enum status st = wait_under(run, policies[i], out, &means[i], err);
        if (st != STATUS_OK)
            return st;
    }
    measures_add(out, means[0] / means[2], "waits.fifo_by_srtf");
    measures_add(out, means[0] / means[3], "waits.fifo_by_tiresias");
    return STATUS_OK;
}

/* Which columns of a trace estimators may read. */
enum columns_kept { KEEP_ALL, KEEP_WITHOUT_LEAKS, KEEP_EQUAL, N_KEPT };

/* Removes, from the jobs of a prepared run, the columns that estimators may not
 * read. */
static void drop_columns(struct jobset *jobs, enum columns_kept kept)
{
    for (uint32_t i = 0; kept != KEEP_ALL && i < jobs->n_jobs; i++) {
        struct job *job = &jobs->jobs[i];
        job->name = job->model = 0;
        job->declared = 0;
        job->batch_size = 0;
        job->mem_mib = 0;
        job->gpu_util = GPU_UTIL_UNKNOWN;
        job->usage = 0;
        if (kept == KEEP_EQUAL)
            job->vc = 0;
    }
}

/* Measures the rank correlation of one estimator on the second half of the
 * jobs; NaN if it answers for no job. */
static enum status rank_of(const struct fidelity_run *run,
                           const char *estimator, enum columns_kept kept,
                           double *rank, struct error *err)
{
    struct run *prepared;
    struct accuracy accuracy;
    struct run_config config = config_of(run);
    config.estimators = estimator;
    enum status st = run_prepare(&config, &prepared, err);
    if (st != STATUS_OK)
        return st;
    struct jobset *jobs = &run_result(prepared)->jobset;
    struct guess *guesses = mem_zalloc(jobs->n_jobs + 1u, sizeof *guesses);
    drop_columns(jobs, kept);
    st = rehearse(prepared, guesses, err);
    bool any = st == STATUS_OK &&
               accuracy_of(jobs, guesses, jobs->n_jobs / 2, &accuracy);
    *rank = any ? accuracy.rank : NAN;
    free(guesses);
    run_free(prepared);
    return st;
}

enum status fidelity_learning(const struct fidelity_run *run,
                              struct measures *out, struct error *err)
{
    static const char *const names[] = {"history", "gbdt", "ga2m"};
    double ranks[N_KEPT];
    for (size_t i = 0; i < 3; i++) {
        for (enum columns_kept kept = KEEP_ALL; kept < N_KEPT; kept++) {
            enum status st = rank_of(run, names[i], kept, &ranks[kept], err);
            if (st != STATUS_OK)
                return st;
        }
        measures_add(out, ranks[KEEP_EQUAL], "learning.%s_equal", names[i]);
        measures_add(out, ranks[KEEP_ALL], "learning.%s_all", names[i]);
        measures_add(out, ranks[KEEP_ALL] - ranks[KEEP_WITHOUT_LEAKS],
                     "learning.%s_leak", names[i]);
    }
    return STATUS_OK;
}
