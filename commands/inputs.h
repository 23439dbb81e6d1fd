/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats for `list --explain` and docs/input.md. Those of traces, the cluster
 * file, the file of --config and the side-car of a trace are printed from the
 * tables that their readers use. The clauses of --what-if and decisions.log,
 * which other programs read, have tables of their own in inputs.c. */
#ifndef SIM_INPUTS_H
#define SIM_INPUTS_H

#include <stdio.h>

#include "base/out.h"
#include "traces/trace.h"

/* A format other than that of a trace. The last one has a NULL name. */
struct input_format {
    const char *name, *summary;
};
extern const struct input_format input_formats[];

/* A column or key of a format. */
struct input_row {
    const char *name, *unit, *help; /* "" if there is no unit or no help */
    bool required;
};

/* Fill *out with row `i` of a trace format, or of the format in input_formats
 * with this name. Return false if `i` is after the last row. *out is valid
 * until the next call. */
bool input_trace_row(const struct trace_ops *format, size_t i,
                     struct input_row *out);
bool input_format_row(const char *name, size_t i, struct input_row *out);

/* Print the columns or keys of a format for people. */
void inputs_explain_trace(FILE *to, const struct trace_ops *format);
void inputs_explain(FILE *to, const char *name);
/* Prints docs/input.md. */
void inputs_print(struct out *out);

#endif
