/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of trace formats. If two recognise a file equally well, the earlier
 * one reads it. */
#ifndef TRACES_REGISTRY_H
#define TRACES_REGISTRY_H

#include "traces/trace.h"

extern const struct trace_ops *const trace_formats[]; /* ends with NULL */

/* Returns NULL if there is no such format. */
const struct trace_ops *trace_find(struct text name);

#endif
