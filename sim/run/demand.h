/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the jobs of a trace ask of a cluster: which jobs would be dropped or
 * could never start, and, by virtual cluster and GPU type, the GPU time that
 * jobs ask for and the GPU time that the cluster has. No policy is involved: a
 * job counts as able to start if its virtual cluster has enough GPUs of one
 * type that it may use. */
#ifndef SIM_DEMAND_H
#define SIM_DEMAND_H

#include "base/json.h"
#include "base/state/cluster.h"
#include "traces/trace.h"

/* jobs of a trace and the cluster that they are compared with; opaque */
struct trace_demand;

/* Returns a demand without jobs, which the caller owns. `spec` is borrowed. */
struct trace_demand *demand_open(const struct cluster_spec *spec);
void demand_close(struct trace_demand *demand); /* accepts NULL */

/* Adds the job of a row of the trace. Ignores a row that asks for no GPUs or
 * has no run time. */
void demand_add(struct trace_demand *demand, const struct trace_row *row);
/* Prints a table with a row for each virtual cluster and each GPU type that it
 * has, and a row "any" for each virtual cluster with several types. Below the
 * table it prints the numbers of jobs that would be dropped or rejected, each
 * with the first missing name or GPU count. */
void demand_print(const struct trace_demand *demand, struct out *out);
/* Writes the table of demand_print and the counts of dropped and rejected jobs
 * as the object "demand". */
void demand_write(const struct trace_demand *demand, struct json_stream *js);

#endif
