/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program of the machine, such as sbatch or a compiler, and reads what
 * it prints. */
#ifndef COMMANDS_TOOL_H
#define COMMANDS_TOOL_H

#include <stdbool.h>

#include "base/error.h"

struct tool_run {
    const char *const *argv; /* ends with NULL; argv[0] is found in PATH */
    const char *input;       /* standard input; NULL: empty */
    /* true: the program's standard error is thrown away */
    bool is_silent;
    /* Set by tool_run. */
    int status; /* exit status; 128 + signal if a signal ended it */
    /* start of the program's standard output, with a final 0 */
    char output[8192];
};

/* Runs the program and waits for its end. Returns STATUS_FAILED if the program
 * cannot be started or its input cannot be stored. Does not check the exit
 * status of the program. */
enum status tool_run(struct tool_run *run, struct error *err) MUST_USE;

#endif
