/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submits to Slurm what a sweep has not run yet: arrays of tasks that each make
 * one shard of the sweep, and after them a job that collects. A task that Slurm
 * requeues goes on where it stopped, because a shard does. */
#ifndef STUDY_SLURM_H
#define STUDY_SLURM_H

#include "commands/study/sweep.h"

struct slurm_options {
    double task_minutes; /* approximate length of a task, minutes, > 0 */
    uint32_t n_tasks;    /* number of tasks; 0: chosen by task_minutes */
    /* true: collect only if all tasks ended with status 0 */
    bool only_ok;
    /* options for sbatch, as given after -- */
    const char *const *sbatch;
    size_t n_sbatch;
};

/* Returns the number of shards for the runs that are left. *seconds becomes the
 * estimated time of a task; NaN if no run has been timed. */
uint32_t slurm_shards(const struct sweep *sweep,
                      const struct slurm_options *options, double *seconds);

/* Refuses, with STATUS_USAGE, words that are no options of sbatch, the options
 * --array, --dependency, --parsable and --wrap, on which the sweep depends, and
 * too many words. */
enum status slurm_check(const struct slurm_options *options,
                        struct error *err) MUST_USE;

/* Submits the runs that are left. Returns STATUS_FAILED if jobs of an earlier
 * submission are still in the queue, or if a program of Slurm fails. If
 * sweep->options->dry_run is set, only prints what it would submit. */
enum status slurm_submit(const struct sweep *sweep,
                         const struct slurm_options *options,
                         struct error *err) MUST_USE;

#endif
