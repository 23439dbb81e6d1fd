/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes replications of a recorded trace on a shelf: the blocks of each virtual
 * cluster in another order, as `trace resample` makes them. */
#ifndef STUDY_REPLICAS_H
#define STUDY_REPLICAS_H

#include "sim/run/run.h"

struct shelf;    /* defined in traces/shelf.h */
struct replicas; /* the replications of one trace; opaque */

/* Puts replications 1 .. n of the trace of `config`, which have these numbers
 * as seeds, on the shelf. `name` begins the names of the replications there; no
 * other replicas on the shelf may have it. `block_days`: length of a block,
 * days. Free the replicas after the shelf. Returns STATUS_USAGE if the run
 * would use evidence of the recorded jobs, because evidence cannot be
 * resampled, and an error if the trace cannot be opened; *out is set only on
 * success. */
enum status replicas_open(const struct run_config *config, const char *name,
                          uint32_t n, uint32_t block_days, struct shelf *shelf,
                          struct replicas **out, struct error *err) MUST_USE;
void replicas_free(struct replicas *replicas); /* accepts NULL */
/* Makes `config`, which is that of the recorded trace, the configuration of a
 * replication, 1 or more. New texts live in `arena` or are owned by `replicas`.
 */
void replicas_configure(const struct replicas *replicas, uint32_t replication,
                        struct arena *arena, struct run_config *config);

#endif
