/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands `help` and `version`. */
#include "commands/cli.h"

struct help_input {
    struct cli_call call;
    const char *command, *member;
};

static enum status run_help(void *self, struct error *err)
{
    const struct help_input *input = self;
    char path[64];
    if (!input->command) {
        cli_print_commands(stdout);
        return STATUS_END;
    }
    const struct command *command = cli_find(commands, input->command);
    if (!command)
        return cli_unknown(NULL, commands, input->command, err);
    if (!input->member) {
        cli_print_help(command, command->name);
        return STATUS_END;
    }
    if (!command->members)
        return error_set(err, STATUS_USAGE,
                         "help: '%s' is not understood; see 'schedsim help'",
                         input->member);
    const struct command *member = cli_find(command->members, input->member);
    if (!member)
        return cli_unknown(command->name, command->members, input->member, err);
    snprintf(path, sizeof path, "%s %s", command->name, member->name);
    cli_print_help(member, path);
    return STATUS_END;
}

static const struct arg help_args[] = {
    TAKE_OPTIONAL_WORD(struct help_input, command, "COMMAND", "command"),
    TAKE_OPTIONAL_WORD(struct help_input, member, "SUBCOMMAND", "subcommand"),
    {0},
};

const struct command command_help = {
    .name = "help",
    .summary = "describe a command: help [COMMAND]",
    .about = "Describes a command, or lists all commands.",
    .examples = "help run\nhelp trace info",
    .parts = {{.rows = help_args}},
    .input_size = sizeof(struct help_input),
    .run = run_help,
};

static enum status run_version(void *self, struct error *err)
{
    (void)self;
    (void)err;
    puts("schedsim " SCHEDSIM_VERSION);
    return STATUS_END;
}

const struct command command_version = {
    .name = "version",
    .summary = "print the version of the program",
    .about = "Prints the version of the program.",
    .input_size = sizeof(struct cli_call),
    .run = run_version,
};
