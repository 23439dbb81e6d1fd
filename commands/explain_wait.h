/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the events of one job: its waits here, its attempts in explain.c. The
 * code is in explain_job.c. */
#ifndef SIM_CLI_EXPLAIN_WAIT_H
#define SIM_CLI_EXPLAIN_WAIT_H

#include "base/json.h"
#include "commands/explain_waits.h"

/* Formats a time as "84122 s (day 0.97)"; days count from 0. Returns `buf`. */
#define EXPLAIN_TIME_MAX 64
const char *explain_time(sim_time at, char buf[EXPLAIN_TIME_MAX]);
/* "s" unless n is 1. */
const char *explain_plural(uint64_t n);
/* Adds an event to the member `events` of `json`; returns the event, which
 * `json` owns. */
json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to);
/* Shows a wait of the job and its reasons. `named`: also who held the GPUs, and
 * which jobs blocked it. Prints lines, or adds an event to `json` if that is
 * not NULL. */
void explain_wait(const struct verify_data *d,
                  const struct explain_waits *waits,
                  const struct verify_job *job, const struct waiting *wait,
                  bool named, json_t *json);

#endif
