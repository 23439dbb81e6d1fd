/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands. To add one: write sim/cli/cmd_NAME.c with one `const struct
 * command`, and add a row to the array in cli_help.c. Commands print data to
 * stdout and messages to stderr. */
#ifndef SIM_CLI_H
#define SIM_CLI_H

/* argp.h brings getopt's struct option; sim/base/option.h has its own. */
#define option getopt_option
#include <argp.h>
#undef option
#include <stdbool.h>
#include <stdio.h>

#include "sim/base/error.h"

struct command {
    const char *name, *summary;
    /* argv[0] is the name of the command, "run" or "trace info". */
    enum status (*run)(int argc, char **argv, struct error *err);
    /* Subcommands, ends with NULL. Set only for a command that does nothing but
     * hold subcommands. */
    const struct command *const *members;
    void (*print_more)(void); /* prints more --help, or NULL */
    const char *examples; /* for --help: lines without "schedsim "; or NULL */
    /* Exit statuses of the command besides OK, FAILED, USAGE and BAD_INPUT:
     * bits of CLI_ENDS. */
    unsigned ends;
};
#define CLI_ENDS(status) (1u << STATUS_##status)

extern const struct command *const commands[]; /* ends with NULL */

extern const struct command command_advise, command_run, command_compare,
    command_diagnose, command_verify, command_estimate, command_explain,
    command_help, command_history, command_list, command_rerun, command_trace,
    command_track, command_version;

/* Finds a command by name in a list that ends with NULL. Returns NULL if there
 * is none. */
const struct command *cli_find(const struct command *const *list,
                               const char *name);
/* Finds a command by its full name, such as "run" or "trace info". Returns NULL
 * if there is none. */
const struct command *cli_find_path(const char *path);
/* Returns STATUS_USAGE with "no command 'x'; did you mean 'y'?". `owner` is the
 * command that holds the list, such as "trace", or NULL for the program itself.
 */
enum status cli_unknown(const char *owner, const struct command *const *list,
                        const char *name, struct error *err);

/* Runs the subcommand of `group` that argv[1] names, or answers --help and
 * returns STATUS_END. */
enum status cli_run_group(const struct command *group, int argc, char **argv,
                          struct error *err) MUST_USE;

/* Print the commands of the program, or the subcommands of `group`. */
void cli_print_commands(FILE *to);
void cli_print_group(const struct command *group);
/* Prints the end of every --help: examples and exit statuses. */
void cli_print_ends(const struct command *command);

/* True if the arguments ask for JSON; the error is then printed as JSON too. */
bool cli_wants_json(int argc, char **argv);
/* Prints "schedsim: MESSAGE", or as JSON {"error": {"exit_status", "meaning",
 * "message"}}. */
void cli_print_error(FILE *to, const struct error *err, bool json);

/* Flag of an argp_option that may be given more than once. Any other option
 * with a value is refused the second time. argp itself uses bits up to 0x10. */
#define CLI_REPEATABLE 0x1000

/* The first member of every structure that a command passes to cli_parse as
 * `input`. */
struct cli_input {
    struct error *err;
    bool failed;

    /* Set by cli_parse. */
    const struct argp *argp;
    const char *given[64]; /* by row of argp->options: its value, or NULL */
};

/* Calls argp_parse, but returns where argp would exit or print. A wrong
 * argument gives STATUS_USAGE with a message. STATUS_END means that --help or
 * --usage was answered on stdout and nothing is left to do. `input` begins with
 * a struct cli_input, which this function fills. Old names of options are
 * replaced by the new ones, with a note on stderr. */
enum status cli_parse(const struct argp *argp, int argc, char **argv,
                      void *input, struct error *err) MUST_USE;

/* For parser callbacks: `return cli_fail(state, "--jobs: '%s' is not ...")`. */
error_t cli_fail(struct argp_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* True if stderr is a terminal, so that a progress line may be drawn. */
bool cli_is_terminal(void);

#endif
