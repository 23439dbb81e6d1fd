/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that wants another to be run before it (policy_ops.first): the same
 * jobs, nodes and machinery in an engine of its own, of which nothing but the
 * ledger is left. */
#ifndef SIM_FIRST_STAGE_H
#define SIM_FIRST_STAGE_H

#include "sim/compose.h"

/* Of a run whose parts are complete. Does nothing if the policy wants none;
 * otherwise parts.first is the ledger, which belongs to the run. */
enum status first_stage(struct run *run, struct error *err) MUST_USE;

#endif
