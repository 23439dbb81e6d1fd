/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command: answers --help, fills the command's input from the command
 * line, and frees it. */
#include "commands/cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/huge_pages.h"
#include "commands/tone.h"

static enum status run_member(const struct command *group, int argc,
                              char **argv, struct error *err)
{
    char path[64];
    if (argc < 2)
        return error_set(
            err, STATUS_USAGE,
            "%s: a command is missing; 'schedsim help %s' lists them",
            group->name, group->name);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_help(group, group->name);
        return STATUS_END;
    }
    const struct command *command = cli_find(group->members, argv[1]);
    if (!command)
        return cli_unknown(group->name, group->members, argv[1], err);
    snprintf(path, sizeof path, "%s %s", group->name, command->name);
    return cli_run(command, path, argc - 1, argv + 1, err);
}

/* Answers --help and --usage before argp parses, because argp would print help
 * while it parses and not report that it did. Returns true if it answered. */
static bool answer_help(const struct command *command, const char *path,
                        int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--usage") == 0) {
            cli_print_arguments(command, path, true);
            return true;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_print_help(command, path);
            return true;
        }
    }
    return false;
}

enum status cli_run(const struct command *command, const char *path, int argc,
                    char **argv, struct error *err)
{
    /* jansson leaves out what it has no memory for, which nobody checks. */
    json_set_alloc_funcs(mem_alloc, free);
    if (command->members)
        return run_member(command, argc, argv, err);
    if (answer_help(command, path, argc, argv))
        return STATUS_END;
    if (command->is_simulation)
        huge_pages_prepare();
    const char **given = mem_zalloc((size_t)argc + 1, sizeof *given);
    memcpy(given, argv, (size_t)argc * sizeof *given);
    given[0] = path;
    struct cli_call *input = mem_zalloc(1, command->input_size);
    if (command->defaults)
        memcpy(input, command->defaults, command->input_size);
    *input = (struct cli_call){.argc = argc, .argv = given};
    arena_init(&input->arena);
    enum status st = cli_parse(command, path, argc, argv, input, err);
    tone_choose(input->color);
    if (st == STATUS_OK)
        st = command->run(input, err);
    arena_fini(&input->arena);
    free(input);
    free(given);
    return st;
}

bool cli_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
