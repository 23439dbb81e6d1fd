/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the input of a run: which jobs of the trace remain and why others do
 * not, and whether the cluster can be simulated as described. Wrong input is
 * refused here; assumptions and dropped rows become remarks. */
#ifndef SIM_INTAKE_H
#define SIM_INTAKE_H

#include "sim/run/run.h"

struct run; /* defined in sim/run/compose_internal.h */

/* Returns STATUS_USAGE with the known names if --vc names a virtual cluster
 * that the trace does not have. */
enum status intake_check_vc(const struct run *run, struct error *err) MUST_USE;
/* Returns the cluster for a run whose user names none: the one that the trace
 * comes from, or else the proposed one (traces/footprint.h), with a remark. */
const char *intake_default_cluster(struct run *run);
/* Called after the jobs are bound to the cluster. Adds the note of the trace
 * reader, and remarks on the rows that did not become jobs, except those that
 * the user chose to leave out. Returns STATUS_BAD_INPUT with the time window of
 * the trace if no job is left. */
enum status intake_check_jobs(struct run *run, struct error *err) MUST_USE;
/* Called after the models are bound. If jobs may run on several GPU types whose
 * relative speeds are not stated, returns STATUS_USAGE with the option text
 * that would state them. Adds a remark if a preset states equal speeds for
 * them. */
enum status intake_check_speeds(struct run *run, struct error *err) MUST_USE;
/* Called after the cluster is made. Adds a first remark if the jobs, were none
 * to wait, would need more than 95 % of the GPU time of the cluster between
 * the first and the last submission. Says nothing of a trace of fewer than 20
 * jobs, or that is submitted within less than the mean run time, because these
 * have no rate. */
void intake_remark_load(struct run *run);
/* Returns why a job was rejected, for the user: the reason in the ledger, or
 * that the job needs nodes that are set aside for profiling. */
const char *intake_cause(struct run *run, const struct rejection *rejection);
/* Called after the run: adds a remark for each reason for which jobs were
 * rejected, 16 at most. */
void intake_remark_rejected(struct run *run);

#endif
