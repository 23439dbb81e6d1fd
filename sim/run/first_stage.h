/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the policy that another one needs to have run before it
 * (policy_ops.first). It runs on the same jobs, nodes and models, in an engine
 * of its own, of which only the ledger is kept. */
#ifndef SIM_FIRST_STAGE_H
#define SIM_FIRST_STAGE_H

#include "sim/run/compose_internal.h"

/* The parts of the run must be complete. If the policy wants a first stage,
 * run->parts.first becomes its ledger, which belongs to the run; otherwise
 * nothing happens. */
enum status first_stage(struct run *run, struct error *err) MUST_USE;

#endif
