/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `help`: describes a command. */
#include <string.h>

#include "commands/cli.h"

struct help_input {
    struct cli_call call;
    struct arg_words words;
};

static enum status run_help(void *self, struct error *err)
{
    const struct help_input *input = self;
    const struct command *const *list = commands, *command = NULL;
    char path[64] = "";
    for (size_t i = 0; i < input->words.n; i++) {
        const char *word = input->words.at[i];
        if (!list)
            return error_set(err, STATUS_USAGE,
                             "help: '%s' is not understood; see 'schedsim "
                             "help'",
                             word);
        const struct command *found = cli_find(list, word);
        if (!found)
            return cli_unknown(command ? path : NULL, list, word, err);
        const size_t len = strlen(path);
        snprintf(path + len, sizeof path - len, "%s%s", len ? " " : "", word);
        command = found;
        list = found->members;
    }
    if (command)
        cli_print_help(command, path, CLI_HELP);
    else
        cli_print_commands(stdout);
    return STATUS_END;
}

static const struct arg help_args[] = {
    TAKE_OPTIONAL_WORDS(struct help_input, words, "COMMAND", "command"),
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
