/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace`: what a trace holds, what is wrong with it, other formats of it, and
 * new ones. Finds the subcommand. */
#include "sim/cmd_trace.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "traces/registry.h"

static const struct command *const subcommands[] = {
    &trace_command_info,
    &trace_command_validate,
    &trace_command_convert,
    &trace_command_generate,
};

enum { N_SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void usage(void)
{
    fputs("usage: schedsim trace COMMAND [arguments]\n\ncommands:\n", stdout);
    for (size_t i = 0; i < N_SUBCOMMANDS; i++)
        printf("  %-10s %s\n", subcommands[i]->name, subcommands[i]->summary);
    fputs("\nformats:\n", stdout);
    for (size_t i = 0; trace_formats[i]; i++)
        printf("  %-12s %s%s\n", trace_formats[i]->name,
               trace_formats[i]->summary,
               trace_formats[i]->write_row ? "" : " (read only)");
    fputs("\n'schedsim trace COMMAND --help' tells more of each.\n", stdout);
}

static enum status run(int argc, char **argv, struct error *err)
{
    const char *names[N_SUBCOMMANDS];
    if (argc < 2)
        return error_set(err, STATUS_USAGE,
                         "trace: a command is missing; see trace --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        usage();
        return STATUS_END;
    }
    for (size_t i = 0; i < N_SUBCOMMANDS; i++) {
        names[i] = subcommands[i]->name;
        if (strcmp(argv[1], names[i]) == 0)
            return subcommands[i]->run(argc - 1, argv + 1, err);
    }
    const char *near = text_nearest(text_from(argv[1]), names, N_SUBCOMMANDS);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "trace: no command '%s'; did you mean '%s'?", argv[1],
                         near);
    return error_set(err, STATUS_USAGE,
                     "trace: no command '%s'; see trace --help", argv[1]);
}

const struct command command_trace = {
    .name = "trace",
    .summary = "look into a trace, check it, convert it, generate one",
    .run = run,
};
