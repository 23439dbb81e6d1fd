/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the Slurm of this machine for the present. The commands are those of
 * $PATH; none changes anything:
 *
 *   squeue --all --json            jobs
 *   scontrol show nodes --json     nodes; where scontrol has no JSON (22.05),
 *                                  sinfo --all --json
 *   scontrol show config           time of the controller, SchedulerType,
 *                                  SchedulerParameters, PriorityType
 *   scontrol --all -o show partition   limits, tiers, states
 *   scontrol -o show reservation   reservations
 *   sacct --json -X -S now-Ndays   ended jobs, if asked for
 *
 * What a user may not see (PrivateData) is missing from the answers without an
 * error. */
#ifndef SIM_PRESENT_SLURM_LIVE_H
#define SIM_PRESENT_SLURM_LIVE_H

#include "sim/present/slurm_state.h"

struct slurm_live {
    sim_span limit;   /* longest time for one command, us; 0: 30 s */
    const char *conf; /* file in place of what scontrol shows, slurm.conf or the
                       * saved output of scontrol; NULL: scontrol is asked */
    uint32_t history_days; /* days of sacct; 0: sacct is not asked. If it
                            * fails, the state has a note. */
    bool only_json; /* false: where Slurm gives no JSON, its text is read */
};

/* Asks Slurm. `out` is for slurm_state_make; slurm_answers_fini frees it. On
 * failure there is nothing to free. STATUS_FAILED: a command is not found, not
 * permitted, does not answer in time, ends with an error, such as that
 * slurmctld is down; STATUS_BAD_INPUT: what it prints is cut off or is no JSON.
 * The error begins with the command. */
enum status slurm_live_ask(const struct slurm_live *live,
                           struct slurm_answers *out,
                           struct error *err) MUST_USE;

#endif
