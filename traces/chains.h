/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of resubmissions. A job that failed and was submitted again is two
 * rows of a trace, although it is one piece of work: the second row begins
 * where the first one left off. Linking makes them one job that fails at the
 * recorded points of its work, and whose next row tells when it was submitted
 * again.
 *
 * Row j continues row i if both have the same user, number of GPUs, GPU type,
 * virtual cluster and name (kind of job, or model, where there is no name), i
 * ended as failed, and j was submitted between the end of i and `link` later.
 * Each row has at most one successor, the earliest; if a row could continue
 * several, it continues the one that ended first. Rows without a user are not
 * linked.
 *
 * The job is submitted with its first row; its work is the sum of the run
 * times; it fails after each row but the last with the gap between the end of
 * that row and the next submission; it ends as its last row did. What a failure
 * lost is not known: the run time of the next row contains what had to be done
 * again. */
#ifndef TRACES_CHAINS_H
#define TRACES_CHAINS_H

#include "traces/load.h"
#include "traces/trace.h"

struct chains;

struct chains *chains_new(sim_span link);
void chains_free(struct chains *chains); /* accepts NULL */
/* Records what linking needs of a job's row. Call it once for each job, in the
 * order in which jobs are added. */
void chains_add(struct chains *chains, struct jobset *jobset,
                const struct trace_row *row);
/* Records how the jobs were sorted since they were added: job i was added as
 * job from[i]. */
void chains_order(struct chains *chains, const uint32_t *from);
/* Links the jobs of the jobset, which must be sorted by submission. Jobs that
 * continue another job are removed. Returns their number. */
uint32_t chains_link(struct chains *chains, struct jobset *jobset);

#endif
