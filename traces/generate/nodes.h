/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of a virtual cluster and the jobs on them. A job that is smaller
 * than a node takes a part of the fullest node that has room; a larger job
 * takes idle nodes, and its remainder a part of one more. */
#ifndef TRACES_NODES_H
#define TRACES_NODES_H

#include <stdbool.h>
#include <stdint.h>

struct nodes {
    uint32_t n, size; /* number of nodes, GPUs of each */
    uint32_t *idle;   /* by node: GPUs that no job uses */
    uint32_t *owner;  /* by node: the job that was given the whole node;
                       * UINT32_MAX: none */
    uint32_t *count;  /* by number of idle GPUs, 0 to size: number of nodes */
};

/* Where a job runs. */
struct place {
    uint32_t first; /* first of the nodes that it uses as a whole; UINT32_MAX:
                     * none */
    uint32_t rest;  /* the node that it uses only in part; UINT32_MAX: none */
};

void nodes_open(struct nodes *nodes, uint32_t n, uint32_t size);
void nodes_close(struct nodes *nodes); /* accepts all zeroes */
/* True if a job with this number of GPUs can start. */
bool nodes_fit(const struct nodes *nodes, uint32_t gpus);
/* Starts a job that fits (nodes_fit). `job`: a number that no other job on
 * these nodes has. */
struct place nodes_take(struct nodes *nodes, uint32_t job, uint32_t gpus);
/* Ends a job that began at this place. */
void nodes_leave(struct nodes *nodes, uint32_t job, uint32_t gpus,
                 struct place place);

#endif
