/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option --chains: rows of a trace that continue a failed job become part
 * of that job (traces/chains.h). The code is in intake.c. */
#ifndef SIM_RUN_RESUBMISSIONS_H
#define SIM_RUN_RESUBMISSIONS_H

#include "sim/run/run.h"

/* Reads --chains into the options of the loader, and records it for the
 * manifest. Returns STATUS_USAGE if it is not understood. */
enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err) MUST_USE;
/* Draws a cause for each recorded failure of a job. The random number depends
 * only on the seed, the job and the number of the failure. Adds a remark with
 * the numbers of these jobs and failures. Returns STATUS_USAGE if a model of
 * throughput replaces the recorded work of one of them, or if the law of time
 * rounds times of work or needs a constant speed. */
enum status resubmissions_finish(struct run *run, struct error *err) MUST_USE;

#endif
