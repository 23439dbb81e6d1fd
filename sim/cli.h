/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands. One file sim/cmd_NAME.c, one `const struct command`, one row in
 * the array of cli.c. Data goes to stdout, words to stderr. */
#ifndef SIM_CLI_H
#define SIM_CLI_H

/* argp.h brings getopt's struct option; sim/base/option.h has its own. */
#define option getopt_option
#include <argp.h>
#undef option
#include <stdbool.h>

#include "sim/base/error.h"

struct command {
    const char *name, *summary;
    /* argv[0] is the name of the command, "run" or "trace info". */
    enum status (*run)(int argc, char **argv, struct error *err);
};

extern const struct command *const commands[]; /* ends with NULL */

extern const struct command command_advise, command_run, command_compare,
    command_diagnose, command_verify, command_estimate, command_explain,
    command_history, command_list, command_trace, command_track;

/* The command of a list that ends with NULL; NULL: there is none. */
const struct command *cli_find(const struct command *const *list,
                               const char *name);

/* A command that only has commands below it. */
struct command_group {
    const char *name;
    const struct command *const *commands; /* 16 at most, then NULL */
    void (*print_more)(void); /* behind the commands in --help; may be NULL */
};
/* Runs the command that argv[1] names, or answers --help (STATUS_END). */
enum status cli_run_group(const struct command_group *group, int argc,
                          char **argv, struct error *err) MUST_USE;

/* The first member of whatever a command passes to cli_parse as `input`. */
struct cli_input {
    struct error *err;
    bool failed;
};

/* argp_parse that returns instead of exiting or printing: a wrong argument is
 * STATUS_USAGE with a message; STATUS_END says that --help or --usage was
 * answered on stdout and nothing is left to do. `input` begins with a struct
 * cli_input, which this fills. */
enum status cli_parse(const struct argp *argp, int argc, char **argv,
                      void *input, struct error *err) MUST_USE;

/* In a parser callback: `return cli_fail(state, "--jobs: '%s' is not ...")`. */
error_t cli_fail(struct argp_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* True if stderr is a terminal and progress may be drawn. */
bool cli_is_terminal(void);

#endif
