/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the jobs of a trace ask of a cluster: which would be dropped or never
 * start there, and GPU time asked for beside GPU time that there is, by virtual
 * cluster and GPU type. No policy is asked, so a job counts as one that can
 * start if its GPUs fit into one virtual cluster's GPUs of one type. */
#ifndef SIM_DEMAND_H
#define SIM_DEMAND_H

#include "sim/cluster.h"
#include "traces/trace.h"

struct demand; /* opaque */

/* `spec` is borrowed. Owned by the caller. */
struct demand *demand_open(const struct cluster_spec *spec);
void demand_close(struct demand *demand); /* accepts NULL */

/* A row that becomes a job: it asks for GPUs and has a run time. */
void demand_add(struct demand *demand, const struct trace_row *row);
/* A table, a row a virtual cluster and GPU type, and below it what would be
 * dropped or rejected, with the names that the cluster does not have. */
void demand_print(const struct demand *demand, struct out *out);

#endif
