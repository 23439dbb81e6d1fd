/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What estimators may know before a run begins: the jobs of a trace that were
 * submitted and, had none of them waited, had ended before the run's first
 * submission. */
#ifndef SIM_PAST_H
#define SIM_PAST_H

#include "sim/compose.h"

/* Reads the trace `config.train`, if there is one. The run's workload is bound
 * to its cluster already; run->past is the caller's to free. */
enum status past_load(struct run *run, struct error *err) MUST_USE;

#endif
