/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace`: lists the subcommands that work on traces, prints the formats for
 * --help, and finds a format that can be written. */
#include "commands/cmd_trace_internal.h"

#include <stdio.h>

#include "traces/registry.h"

static const struct command *const subcommands[] = {
    &trace_command_info,     &trace_command_guess,
    &trace_command_validate, &trace_command_convert,
    &trace_command_generate, &trace_command_resample,
    &trace_command_fidelity, NULL,
};

enum status trace_find_target(const char *name, const struct trace_ops **out,
                              struct error *err)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; trace_formats[i] && n < 64; i++) {
        if (trace_formats[i]->write_row)
            names[n++] = trace_formats[i]->name;
    }
    *out = trace_find(text_from(name));
    if (*out && (*out)->write_row)
        return STATUS_OK;
    if (*out)
        return error_set(err, STATUS_USAGE, "format '%s' can only be read",
                         name);
    const char *near = text_nearest(text_from(name), names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no trace format '%s'; did you mean '%s'?", name,
                         near);
    return error_set(err, STATUS_USAGE,
                     "no trace format '%s'; 'schedsim help trace' lists them",
                     name);
}

static void print_formats(void)
{
    fputs("\nformats:\n", stdout);
    for (size_t i = 0; trace_formats[i]; i++)
        printf("  %-12s %s%s\n", trace_formats[i]->name,
               trace_formats[i]->summary,
               trace_formats[i]->write_row ? "" : " (read only)");
}

const struct command command_trace = {
    .name = "trace",
    .summary = "describe, check, convert, generate or resample a trace",
    .members = subcommands,
    .print_more = print_formats,
};
