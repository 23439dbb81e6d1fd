/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes rows in the Standard Workload Format, which swf.c reads. */
#ifndef TRACES_SWF_WRITE_H
#define TRACES_SWF_WRITE_H

#include "traces/trace.h"

/* Returns what an SWF file cannot hold of the row: a job without a number, or a
 * user, program or partition that is not a number. NULL if it can hold the row.
 */
const char *swf_cannot_hold(const struct trace_row *row);
void swf_write_row(struct out *out, const struct trace_row *row,
                   uint64_t index);

#endif
