/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer of the format philly; the reader is in philly.c. */
#ifndef TRACES_PHILLY_INTERNAL_H
#define TRACES_PHILLY_INTERNAL_H

#include "traces/trace.h"

/* Implements trace_ops.cannot_hold for the format philly. */
const char *philly_cannot_hold(const struct trace_row *row);
/* Writes the row as element `index` of the array. */
void philly_write_row(struct out *out, const struct trace_row *row,
                      uint64_t index);

#endif
