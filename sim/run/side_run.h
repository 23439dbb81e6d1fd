/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A side run: the simulation of another policy on the jobs, nodes and models of
 * a run, in an engine of its own. A policy asks for one in its init
 * (run_env.side_run) and reads the ledger, which is all that is kept. The code
 * is in run.c. */
#ifndef SIM_SIDE_RUN_H
#define SIM_SIDE_RUN_H

#include "sim/run/compose_internal.h"

/* The hook run_env.side_run; `self` is a struct run whose parts are complete.
 * The ledger belongs to the run. Returns STATUS_USAGE if the run has had a side
 * run already, else the error of the simulation. */
enum status side_run(void *self, const struct policy_ops *policy,
                     const void *config, const struct ledger **out,
                     struct error *err) MUST_USE;

#endif
