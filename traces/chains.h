/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of resubmissions. A job that failed and was submitted again is two
 * rows of a trace, although it is one piece of work: the second row continues
 * what the first one began. Linking makes one job of such rows, which fails at
 * the recorded points of its work and is submitted again when the next row was
 * submitted.
 *
 * Row j continues row i if both have the same user, number of GPUs, GPU type,
 * virtual cluster and name (kind of job, or model, where there is no name), i
 * ended as failed, and j was submitted between the end of i and `link` later.
 * Each row has at most one successor, the earliest; if a row could continue
 * several, it continues the one that ended first. Rows without a user are not
 * linked.
 *
 * The job is submitted with its first row; its work is the sum of the run
 * times; it fails at the end of each row except the last, and is submitted
 * again after the gap between that end and the submission of the next row; it
 * ends as its last row did. The trace does not tell how much work a failure
 * lost, because the run time of the next row includes the work that was
 * repeated. */
#ifndef TRACES_CHAINS_H
#define TRACES_CHAINS_H

#include "traces/load.h"
#include "traces/trace.h"

struct chains;

/* Makes an empty set of rows. `link`: longest time from the end of a row to the
 * submission of the row that continues it, us, > 0. */
struct chains *chains_new(sim_span link);
void chains_free(struct chains *chains);
/* Records what linking needs of the job that was added to the jobset last. Must
 * be called once after each job is added. */
void chains_add(struct chains *chains, struct jobset *jobset,
                const struct trace_row *row);
/* Must be called if the jobs were sorted after they were added: the job that is
 * now number i was added as number from[i]. */
void chains_order(struct chains *chains, const uint32_t *from);
/* Links the jobs of the jobset, which must be sorted by submission, and removes
 * each job that continues another one. Returns the number of removed jobs. May
 * be called once. */
uint32_t chains_link(struct chains *chains, struct jobset *jobset);

#endif
