/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `compare --replications`: runs each policy on several traces that are made of
 * the rows of one (traces/resample/resample.h). The intervals are taken over
 * the replications by the rule of sim/results/difference.h; differences to the
 * first policy are paired by replication. */
#ifndef SIM_REPLICATIONS_H
#define SIM_REPLICATIONS_H

#include "commands/args.h"
#include "sim/run/run.h"

/* Prints one row for each policy, as a table or as JSON. Replication i, from 1,
 * has the seed i. Returns STATUS_INCOMPLETE if a run was not complete,
 * STATUS_USAGE if the trace is standard input or has evidence beside it that
 * the run would use. */
enum status replications_compare(const struct run_config *config,
                                 const struct arg_list *policies, uint32_t n,
                                 bool json, bool all_remarks,
                                 struct error *err) MUST_USE;

#endif
