/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes that a fault trace names, sorted. */
#ifndef MODELS_FAULT_TRACE_INTERNAL_H
#define MODELS_FAULT_TRACE_INTERNAL_H

#include "models/failures/fault_file.h"

/* Names of the nodes that fail in a trace; the texts belong to the trace. */
struct trace_nodes {
    const char **at; /* names, sorted, each once; the caller frees the array */
    size_t n;
    bool numbers; /* true if all names are whole numbers, and sorted as such */
};
void trace_nodes_init(struct trace_nodes *names, const struct fault_file *file);
/* Returns the index of a name among the sorted names, from 0. The trace must
 * have the name. */
uint32_t trace_nodes_rank(const struct trace_nodes *names, const char *name);

/* Draws a random permutation of 0 .. n-1: element `rank` is the node of the
 * cluster on which the trace's node of this rank fails. The caller frees the
 * array. */
uint32_t *trace_nodes_draw(uint32_t n, uint64_t seed);

#endif
