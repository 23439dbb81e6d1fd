/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace`: describes, checks, converts and generates traces. This file finds
 * the subcommand. */
#include "sim/cli/cmd_trace.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "traces/registry.h"

static const struct command *const subcommands[] = {
    &trace_command_info,
    &trace_command_validate,
    &trace_command_convert,
    &trace_command_generate,
    NULL,
};

static void print_formats(void)
{
    fputs("\nformats:\n", stdout);
    for (size_t i = 0; trace_formats[i]; i++)
        printf("  %-12s %s%s\n", trace_formats[i]->name,
               trace_formats[i]->summary,
               trace_formats[i]->write_row ? "" : " (read only)");
}

static enum status run(int argc, char **argv, struct error *err)
{
    return cli_run_group(&command_trace, argc, argv, err);
}

const struct command command_trace = {
    .name = "trace",
    .summary = "describe, check, convert or generate a trace",
    .run = run,
    .members = subcommands,
    .print_more = print_formats,
};
