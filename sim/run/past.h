/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The past of a run: jobs of another trace from which estimators may learn
 * before the run begins. A job belongs to the past if it would have ended,
 * without waiting, by the first submission of the run. The code is in intake.c.
 */
#ifndef SIM_PAST_H
#define SIM_PAST_H

#include "sim/run/compose_internal.h"

/* Reads the trace `config.train`, if there is one, into run->past. The jobs of
 * the run must be bound to its cluster. Returns the error of reading the trace.
 * run_free frees the array. */
enum status past_load(struct run *run, struct error *err) MUST_USE;

#endif
