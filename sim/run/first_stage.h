/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the first stage: the policy that another policy needs to have run before
 * it (policy_ops.first). It runs on the same jobs, nodes and models, in its own
 * engine, of which only the ledger is kept. */
#ifndef SIM_FIRST_STAGE_H
#define SIM_FIRST_STAGE_H

#include "sim/run/compose_internal.h"

/* Runs the first stage, if the policy has one; run->parts.first is then its
 * ledger, which belongs to the run. The parts of the run must be complete. */
enum status first_stage(struct run *run, struct error *err) MUST_USE;

#endif
