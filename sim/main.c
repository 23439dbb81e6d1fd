/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: finds the subcommand, prints the one error line, exits. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli.h"

static int usage(FILE *to, int code)
{
    fputs("schedsim replays GPU-cluster job traces through scheduling "
          "policies.\n\n"
          "usage: schedsim [run] TRACE [options]\n"
          "       schedsim COMMAND [arguments]\n\ncommands:\n",
          to);
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'schedsim COMMAND --help' tells more of each.\n", to);
    return code;
}

int main(int argc, char **argv)
{
    static struct error err;
    if (argc < 2)
        return usage(stderr, status_exit(STATUS_USAGE));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return usage(stdout, 0);
    if (strcmp(argv[1], "--version") == 0) {
        puts("schedsim " SCHEDSIM_VERSION);
        return 0;
    }
    /* `run` is the default: anything that is no command is its argument. */
    const struct command *command = cli_find(commands, argv[1]);
    bool named = command != NULL;
    if (!command)
        command = cli_find(commands, "run");
    if (!command)
        return usage(stderr, status_exit(STATUS_USAGE));
    char *first = argv[0];
    if (!named)
        argv[0] = (char *)(uintptr_t)command->name;
    enum status st = named ? command->run(argc - 1, argv + 1, &err)
                           : command->run(argc, argv, &err);
    argv[0] = first;
    if (st != STATUS_OK && st != STATUS_END)
        fprintf(stderr, "schedsim: %s\n", err.message);
    if (fflush(stdout) != 0 && st == STATUS_OK)
        return status_exit(STATUS_FAILED);
    return status_exit(st);
}
