/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on a terminal: simulated time, jobs done, jobs per second,
 * time left. It appears after one second, overwrites itself and is erased at
 * the end. The real time that it reads reaches no result. The code is in
 * terminal.c. */
#ifndef SIM_PROGRESS_LINE_H
#define SIM_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/units.h"

struct progress_line {
    FILE *to;
    const char *label; /* name of the run on the line; borrowed */
    uint32_t n_jobs, n_instants;
    int64_t begun, drawn; /* times on the monotonic clock, ns */
    bool visible;
};

/* Starts the clock of the progress line. */
void progress_line_init(struct progress_line *line, FILE *to, const char *label,
                        uint32_t n_jobs);
/* Draws the line if enough real time has passed. A callback for run_on_instant;
 * always returns true, so that the run goes on. */
bool progress_line_instant(void *self, sim_time now, uint32_t n_done);
/* Erases the line if it was drawn. */
void progress_line_fini(struct progress_line *line);

#endif
