/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of trace formats. If two formats recognise a file equally well, the
 * first one reads it. */
#ifndef TRACES_REGISTRY_H
#define TRACES_REGISTRY_H

#include "traces/trace.h"

extern const struct trace_ops *const trace_formats[]; /* all formats; ends
                                                       * with NULL */

/* Returns the format with this name; NULL if there is none. */
const struct trace_ops *trace_find(struct text name);

#endif
