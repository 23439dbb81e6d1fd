/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of what is read, said from the tables that the readers use, for
 * `list --explain` and docs/input.md: traces, the cluster file, the file of
 * --config, and decisions.log, which others read. */
#ifndef SIM_INPUTS_H
#define SIM_INPUTS_H

#include <stdio.h>

#include "sim/base/out.h"
#include "traces/trace.h"

/* A format that is no trace; `name` NULL: the last. */
struct input_format {
    const char *name, *summary;
};
extern const struct input_format input_formats[];

/* A column or key. */
struct input_row {
    const char *name, *unit, *help; /* "" where there is nothing to say */
    bool required;
};

/* Row `i` of a trace format, or of one of input_formats by its name; false
 * behind the last. *out lives until the next call. */
bool input_trace_row(const struct trace_ops *format, size_t i,
                     struct input_row *out);
bool input_format_row(const char *name, size_t i, struct input_row *out);

/* For people, on a terminal. */
void inputs_explain_trace(FILE *to, const struct trace_ops *format);
void inputs_explain(FILE *to, const char *name);
/* docs/input.md */
void inputs_print(struct out *out);

#endif
