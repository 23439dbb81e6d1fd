/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measures of a trace that need the cluster, a simulation or an estimator,
 * for `trace fidelity`; the others are in traces/fidelity. */
#ifndef SIM_FIDELITY_RUNS_H
#define SIM_FIDELITY_RUNS_H

#include "traces/fidelity/measures.h"

/* Which jobs of a trace run, and on which cluster. */
struct fidelity_run {
    const char *path, *format; /* format NULL: recognised by content */
    const char *cluster;       /* NULL: the cluster of the trace */
    sim_time from, to;         /* us since 1970; see struct load_options */
};

/* The jobs that were read from the trace of a run; the first n_standing of them
 * ran before the trace began. */
struct fidelity_read {
    const struct fidelity_jobs *jobs;
    size_t n_standing;
};

/* Adds the groups "demand" and "vcs", which need the GPUs of the cluster.
 * `demand`, `vcs`: true if the group is wanted; "vcs" is left out if the
 * cluster has only one virtual cluster. */
enum status fidelity_capacity(const struct fidelity_run *run,
                              const struct fidelity_read *read, bool demand,
                              bool vcs, struct measures *out,
                              struct error *err) MUST_USE;

/* Adds the group "waits": queueing delays under fifo, fjf, srtf and tiresias,
 * ratios of their means, and, if the cluster has several virtual clusters, the
 * GPUs that pending jobs ask for under fifo. */
enum status fidelity_waits(const struct fidelity_run *run, struct measures *out,
                           struct error *err) MUST_USE;

/* Adds the rank correlations of estimated and true run times on the second half
 * of the jobs, for the estimators history, gbdt and ga2m. "equal": the
 * estimators see only the time, the GPUs and the user of a job, which all logs
 * have. "all": the estimators see all columns of the trace. "leak": loss of
 * correlation if the name, the model with its batch size and demand, and the
 * limit are dropped. */
enum status fidelity_learning(const struct fidelity_run *run,
                              struct measures *out, struct error *err) MUST_USE;

#endif
