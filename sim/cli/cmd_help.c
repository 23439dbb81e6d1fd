/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `help` and `version`, as commands. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"

static enum status help_of(const struct command *command, const char *owner,
                           struct error *err)
{
    char name[64], ask[] = "--help";
    snprintf(name, sizeof name, "%s%s%s", owner ? owner : "", owner ? " " : "",
             command->name);
    char *argv[] = {name, ask, NULL};
    return command->run(2, argv, err);
}

static enum status cmd_help(int argc, char **argv, struct error *err)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        cli_print_commands(stdout);
        return STATUS_END;
    }
    const struct command *command = cli_find(commands, argv[1]);
    if (!command)
        return cli_unknown(NULL, commands, argv[1], err);
    if (argc == 2)
        return help_of(command, NULL, err);
    const struct command *below = cli_find(command->members, argv[2]);
    if (below && argc == 3)
        return help_of(below, command->name, err);
    if (command->members && argc == 3)
        return cli_unknown(command->name, command->members, argv[2], err);
    return error_set(err, STATUS_USAGE, "help: '%s' is not understood; %s",
                     argv[argc - 1], "see 'schedsim help'");
}

static enum status cmd_version(int argc, char **argv, struct error *err)
{
    if (argc > 1 && strcmp(argv[1], "--help") != 0 &&
        strcmp(argv[1], "-h") != 0)
        return error_set(err, STATUS_USAGE, "version: '%s' is not understood",
                         argv[1]);
    puts("schedsim " SCHEDSIM_VERSION);
    return STATUS_END;
}

const struct command command_help = {
    .name = "help",
    .summary = "describe a command: help [COMMAND]",
    .run = cmd_help,
};

const struct command command_version = {
    .name = "version",
    .summary = "print the version of the program",
    .run = cmd_version,
};
