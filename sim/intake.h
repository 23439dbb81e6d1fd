/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run takes in: of the trace, which jobs are left and why the others are
 * not; of the cluster, whether it can be run on as it is described. Wrong input
 * is refused here, what is assumed or dropped becomes a remark. */
#ifndef SIM_INTAKE_H
#define SIM_INTAKE_H

#include "sim/run.h"

struct run; /* sim/compose.h */

/* --vc names a virtual cluster of the trace; else STATUS_USAGE with the known
 * ones. */
enum status intake_check_vc(const struct run *run, struct error *err) MUST_USE;
/* The cluster when the user names none: the one the trace is from, or one that
 * is assumed, and remarked. */
const char *intake_default_cluster(struct run *run);
/* Once the jobs are bound: rows that did not become jobs, and what the reader
 * has to say, are remarked; STATUS_BAD_INPUT with the trace's own window if
 * there is no job left. */
enum status intake_check_jobs(struct run *run, struct error *err) MUST_USE;
/* Once models are bound. Jobs that may run on GPU types of which nobody said
 * how fast they are, one beside the other: STATUS_USAGE with the words that
 * would say it. */
enum status intake_check_speeds(struct run *run, struct error *err) MUST_USE;
/* Once the run is over: jobs that were rejected, by reason. */
void intake_remark_rejected(struct run *run);

#endif
