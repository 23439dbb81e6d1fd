/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands. One file sim/cmd_NAME.c, one `const struct command`, one row in
 * the array of cli_help.c. Data goes to stdout, words to stderr. */
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
    /* Of a command that only has commands below it; ends with NULL. */
    const struct command *const *members;
    void (*print_more)(void); /* after the members in --help; may be NULL */
    const char *examples; /* of --help: lines without "schedsim "; or NULL */
    /* How it can end besides OK, FAILED, USAGE and BAD_INPUT: bits of
     * CLI_ENDS. */
    unsigned ends;
};
#define CLI_ENDS(status) (1u << STATUS_##status)

extern const struct command *const commands[]; /* ends with NULL */

extern const struct command command_advise, command_run, command_compare,
    command_diagnose, command_verify, command_estimate, command_explain,
    command_help, command_history, command_list, command_rerun, command_trace,
    command_track, command_version;

/* The command of a list that ends with NULL; NULL: there is none. */
const struct command *cli_find(const struct command *const *list,
                               const char *name);
/* "run", "trace info"; NULL: there is none. */
const struct command *cli_find_path(const char *path);
/* STATUS_USAGE "no command 'x'; did you mean 'y'?". `owner` is "trace", or NULL
 * for the program itself. */
enum status cli_unknown(const char *owner, const struct command *const *list,
                        const char *name, struct error *err);

/* Runs the command below `group` that argv[1] names, or answers --help
 * (STATUS_END). */
enum status cli_run_group(const struct command *group, int argc, char **argv,
                          struct error *err) MUST_USE;

/* The commands of the program, or of one that only has commands below it. */
void cli_print_commands(FILE *to);
void cli_print_group(const struct command *group);
/* The end of every --help: examples, and the exit statuses. */
void cli_print_ends(const struct command *command);

/* Is the error to be told as JSON, because the command was to print JSON? */
bool cli_wants_json(int argc, char **argv);
/* "schedsim: MESSAGE", or {"error": {"exit_status", "meaning", "message"}}. */
void cli_print_error(FILE *to, const struct error *err, bool json);

/* In the flags of an argp_option: may be given more than once. Any other option
 * with a value is refused the second time. argp knows bits up to 0x10. */
#define CLI_REPEATABLE 0x1000

/* The first member of whatever a command passes to cli_parse as `input`. */
struct cli_input {
    struct error *err;
    bool failed;

    /* Of cli_parse. */
    const struct argp *argp;
    const char *given[64]; /* by row of argp->options: the value, or NULL */
};

/* argp_parse that returns instead of exiting or printing: a wrong argument is
 * STATUS_USAGE with a message; STATUS_END says that --help or --usage was
 * answered on stdout and nothing is left to do. `input` begins with a struct
 * cli_input, which this fills. Old names of options are taken for the new ones,
 * with a note on stderr. */
enum status cli_parse(const struct argp *argp, int argc, char **argv,
                      void *input, struct error *err) MUST_USE;

/* In a parser callback: `return cli_fail(state, "--jobs: '%s' is not ...")`. */
error_t cli_fail(struct argp_state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* True if stderr is a terminal and progress may be drawn. */
bool cli_is_terminal(void);

#endif
