/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submits what is left of a sweep to Slurm: arrays of tasks that each make one
 * shard of the sweep, and a job after them that collects. A task that Slurm
 * requeues carries on, because a shard carries on. */
#ifndef STUDY_SLURM_H
#define STUDY_SLURM_H

#include "study/sweep.h"

struct slurm_options {
    double task_minutes; /* a task lasts about this long, > 0 */
    uint32_t n_tasks;    /* number of tasks; 0: by task_minutes */
    bool only_ok;        /* collect only if all tasks ended well */
    /* options for sbatch, as given after -- */
    const char *const *sbatch;
    size_t n_sbatch;
};

/* Number of shards for the runs that are left; *seconds becomes the estimate
 * of a task, NaN if no run has been timed. */
uint32_t slurm_shards(const struct sweep *sweep,
                      const struct slurm_options *options, double *seconds);

/* Refuses options of sbatch that cannot be passed on. */
enum status slurm_check(const struct slurm_options *options,
                        struct error *err) MUST_USE;

/* Submits, or prints what it would submit if sweep->options->dry_run is set. */
enum status slurm_submit(const struct sweep *sweep,
                         const struct slurm_options *options,
                         struct error *err) MUST_USE;

#endif
