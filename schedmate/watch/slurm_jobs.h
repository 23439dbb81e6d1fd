/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks Slurm for its jobs: squeue for state, user and nodes, scontrol for logs,
 * exit codes and GPUs, and sacct for jobs that squeue no longer lists.
 *
 * Users choose the names of jobs and of logs. The user of a job is therefore
 * never read from scontrol's text, and a log is read only if the user of the
 * job owns it. */
#ifndef SIM_WATCH_SLURM_JOBS_H
#define SIM_WATCH_SLURM_JOBS_H

#include "schedmate/watch/watch_internal.h"

struct slurm_jobs *slurm_jobs_new(void);
void slurm_jobs_free(struct slurm_jobs *slurm); /* accepts NULL */
/* Asks Slurm if watch_config.slurm has passed since the last question. If
 * squeue or scontrol fails, no job changes. If only sacct fails, it is asked
 * again; if it fails for ten minutes, the jobs that squeue no longer lists end
 * without a state. */
void slurm_jobs_ask(struct slurm_jobs *slurm, struct watch *w);

#endif
