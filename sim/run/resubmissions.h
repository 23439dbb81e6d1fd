/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --chains: rows of a trace that continue a failed job become part of it
 * (traces/chains.h). */
#ifndef SIM_RUN_RESUBMISSIONS_H
#define SIM_RUN_RESUBMISSIONS_H

#include "sim/run/run.h"

/* Reads --chains into the options of the loader, and notes it for the manifest.
 */
enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err) MUST_USE;
/* Gives each failure of a job's own its cause, by draws keyed by job and number
 * of the failure, and says how many rows were linked. Refuses jobs whose work
 * is not what the trace recorded. */
enum status resubmissions_finish(struct run *run, struct error *err) MUST_USE;

#endif
