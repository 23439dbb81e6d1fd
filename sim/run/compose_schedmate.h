/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the evidence of the jobs of a run
 * (schedmate/simulated/evidence/evidence.h): the side-car that the user names,
 * the side-car beside the trace, or, if the user says "generated", evidence
 * that is made up from the repositories of traces/evidence. */
#ifndef SIM_COMPOSE_SCHEDMATE_H
#define SIM_COMPOSE_SCHEDMATE_H

#include "sim/run/compose_internal.h"

/* Returns the path of the side-car beside a trace, in the arena of the run;
 * NULL: there is none. `trace` may be NULL. */
const char *gather_sidecar(struct run *run, const char *trace);

/* Sets run->evidence and, for the jobs of --train, run->past_evidence, each
 * NULL if there is no evidence, and records the files. The jobs must be final.
 * Returns the error of reading or of making up the evidence. */
enum status gather_evidence(struct run *run, struct error *err) MUST_USE;

#endif
