/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes for each node how long its GPUs were in each state over time. */
#ifndef REPORT_OCCUPANCY_H
#define REPORT_OCCUPANCY_H

#include "commands/report/axis.h"
#include "commands/report/runs.h"

enum occupancy_state {
    OCCUPANCY_BUSY,      /* a job held the GPU; includes the next two states */
    OCCUPANCY_SHARED,    /* two or more jobs held the GPU */
    OCCUPANCY_PROFILING, /* a job held the GPU to be profiled */
    OCCUPANCY_DOWN,      /* the node of the GPU was out of service */
    OCCUPANCY_STATES,
};

struct occupancy {
    struct axis axis;
    /* GPU-us by node and state: [node * OCCUPANCY_STATES + state] */
    struct axis_sum *sums;
    size_t n_nodes;
};

/* Computes the states of all GPUs of a run over the axis of time of `runs`. The
 * caller frees the result with occupancy_fini. */
struct occupancy occupancy_of(const struct report_runs *runs,
                              const struct report_run *run);
void occupancy_fini(struct occupancy *occupancy);
/* Returns GPU-us of a node in a state during a bin. */
uint64_t occupancy_at(const struct occupancy *occupancy, size_t node,
                      enum occupancy_state state, unsigned bin);

#endif
