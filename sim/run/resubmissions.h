/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option --chains: rows of a trace that continue a failed job become part
 * of that job (traces/chains.h). */
#ifndef SIM_RUN_RESUBMISSIONS_H
#define SIM_RUN_RESUBMISSIONS_H

#include "sim/run/run.h"

/* Reads --chains into the options of the loader, and records it for the
 * manifest. */
enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err) MUST_USE;
/* Draws a cause for each recorded failure of a job, keyed by job and number of
 * the failure. Adds a remark on how many rows were linked. Refuses jobs whose
 * work is not what the trace recorded. */
enum status resubmissions_finish(struct run *run, struct error *err) MUST_USE;

#endif
