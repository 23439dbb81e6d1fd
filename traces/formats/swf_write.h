/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes rows in the Standard Workload Format, which swf.c reads. */
#ifndef TRACES_SWF_WRITE_H
#define TRACES_SWF_WRITE_H

#include "traces/trace.h"

/* Implements trace_ops.cannot_hold for the format swf: job ids, users, job
 * names and virtual clusters must be numbers, and the id must not be missing.
 */
const char *swf_cannot_hold(const struct trace_row *row);
void swf_write_row(struct out *out, const struct trace_row *row,
                   uint64_t index);

#endif
