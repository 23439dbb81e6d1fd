/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line on a terminal that says how far a run is: simulated time, jobs done,
 * jobs per second, time left. It appears after a second, is drawn over itself
 * and leaves nothing behind. Real time is read for this line only and reaches
 * no result. */
#ifndef SIM_PROGRESS_LINE_H
#define SIM_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/units.h"

struct progress_line {
    FILE *to;
    const char *label; /* borrowed */
    uint32_t n_jobs, n_instants;
    int64_t begun, drawn; /* of the monotonic clock, ns */
    bool visible;
};

/* Starts the clock. */
void progress_line_init(struct progress_line *line, FILE *to, const char *label,
                        uint32_t n_jobs);
/* A call for run_on_instant; always true. */
bool progress_line_instant(void *self, sim_time now, uint32_t n_done);
/* Wipes the line. */
void progress_line_fini(struct progress_line *line);

#endif
