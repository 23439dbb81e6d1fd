/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one pass over all jobs of a run. For each job it reads the ledger, writes
 * the rows of the job, adds the job to the totals, and keeps its values of the
 * metrics. */
#ifndef SIM_JOB_PASS_H
#define SIM_JOB_PASS_H

#include "base/out.h"
#include "sim/results/summary.h"

/* Writes jobs.csv and attempts.csv, each unless its stream is NULL, and makes
 * the summary, which the caller frees with summary_fini. */
void job_pass(struct out *jobs, struct out *attempts, struct results results,
              struct summary *summary);

#endif
