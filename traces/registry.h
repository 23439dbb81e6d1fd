/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of trace formats. If two formats recognise a file equally well, the
 * first one reads it. */
#ifndef TRACES_REGISTRY_H
#define TRACES_REGISTRY_H

#include "traces/trace.h"

extern const struct trace_ops *const trace_formats[]; /* ends with NULL */

/* Finds a format by name; NULL if there is none. */
const struct trace_ops *trace_find(struct text name);

#endif
