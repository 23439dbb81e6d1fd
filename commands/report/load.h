/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how busy a virtual cluster was over time, and how many jobs
 * waited. */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include "commands/report/occupancy.h"

#define LOAD_ALL UINT32_MAX /* all virtual clusters together */

/* Means over each bin, or over its part before the end of the run. NaN: the run
 * was over before the bin. */
struct load {
    double up[AXIS_BINS];           /* GPUs of nodes in service */
    double busy[AXIS_BINS];         /* GPUs that at least one job held */
    double pending[AXIS_BINS];      /* jobs that wait for GPUs */
    double pending_gpus[AXIS_BINS]; /* GPUs that these jobs ask for */
};

/* Computes the load of one virtual cluster. `vc`: its symbol in run->data.vcs;
 * LOAD_ALL: the load of all together. */
void load_of(const struct report_run *run, const struct occupancy *occupancy,
             uint32_t vc, struct load *out);

#endif
