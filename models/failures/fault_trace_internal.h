/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes that a fault trace names, in order. */
#ifndef MODELS_FAULT_TRACE_INTERNAL_H
#define MODELS_FAULT_TRACE_INTERNAL_H

#include "models/failures/fault_file.h"

/* Names of the nodes that fail in a trace. */
struct trace_nodes {
    const char **at; /* sorted, each once; owned: free */
    size_t n;
    bool numbers; /* all names are whole numbers, and sorted as such */
};
void trace_nodes_init(struct trace_nodes *names, const struct fault_file *file);
/* Returns the index of a name of the trace among the sorted names, from 0. */
uint32_t trace_nodes_rank(const struct trace_nodes *names, const char *name);

/* Draws for each of n nodes of a trace, by rank, another node below n. Owned by
 * the caller: free. */
uint32_t *trace_nodes_draw(uint32_t n, uint64_t seed);

#endif
