/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run at a time, as an operator would have seen it: without the
 * run times of jobs that had not ended. */
#ifndef SIM_STATE_OF_H
#define SIM_STATE_OF_H

#include "sim/present/state.h"
#include "sim/run/run.h"

/* Fills in the state before the instant `at`, us since 1970, from a run that
 * has ended and has kept its plans until then (run_keep_plans). The caller
 * calls state_fini. */
void state_of_run(struct run *run, sim_time at, struct state *out);

#endif
