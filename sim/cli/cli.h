/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands. To add one: write sim/cli/cmd_NAME.c with one `const struct
 * command`, and add a row to the array in cli_help.c. A command declares its
 * arguments as rows (args.h) and gets them in a structure of its own. Commands
 * print data to stdout and messages to stderr. */
#ifndef SIM_CLI_H
#define SIM_CLI_H

#include <stdio.h>

#include "sim/cli/args.h"

/* The first member of every command's input; filled before the command runs. */
struct cli_call {
    int argc;
    const char *const *argv; /* as the user gave it; argv[0] is the name of the
                                command, such as "trace info" */
    struct arena arena; /* for texts that the input refers to; freed after the
                           command has run */
};

/* A table of rows and the place of its structure in the command's input. If
 * two parts have an option of one name, the first part has it. */
struct arg_part {
    const struct arg *rows; /* NULL: the end of the parts */
    size_t offset;          /* bytes from the start of the input */
    /* Bytes from the start of the input to an array of texts, by row of the
     * table, that receives each value as the user wrote it; 0: none. */
    size_t given;
    unsigned group; /* group in --help of rows that name none */
};
enum { ARG_PARTS_MAX = 4 };

struct command {
    const char *name, *summary;
    const char *about;    /* --help before the options */
    const char *notes;    /* --help after the options, or NULL */
    const char *examples; /* for --help: lines without "schedsim "; or NULL */
    struct arg_part parts[ARG_PARTS_MAX];
    size_t input_size;    /* bytes of the input, which begins with a struct
                             cli_call */
    const void *defaults; /* an input to start from; NULL: all zeroes */
    enum status (*run)(void *input, struct error *err);
    /* Subcommands, ends with NULL. Set only for a command that does nothing but
     * hold subcommands. */
    const struct command *const *members;
    void (*print_more)(void); /* prints more --help of a command with members,
                                 or NULL */
    /* Exit statuses of the command besides OK, FAILED, USAGE and BAD_INPUT:
     * bits of CLI_ENDS. */
    unsigned ends;
    bool is_simulation; /* prepare the heap for a run (sim/base/huge_pages.h) */
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
/* Returns STATUS_USAGE with "no command 'x'; did you mean 'y'?". `owner` is the
 * command that holds the list, such as "trace", or NULL for the program itself.
 */
enum status cli_unknown(const char *owner, const struct command *const *list,
                        const char *name, struct error *err);

/* Runs a command, or the subcommand that argv[1] names; argv[0] is not read.
 * `path` is the full name of the command, such as "trace info". STATUS_END
 * means that --help or --usage was answered on stdout. */
enum status cli_run(const struct command *command, const char *path, int argc,
                    char **argv, struct error *err) MUST_USE;
/* Prints the --help of a command. */
void cli_print_help(const struct command *command, const char *path);

/* Fills `input` from the command line. A wrong argument gives STATUS_USAGE with
 * a message. Old names of options are replaced by the new ones, with a note on
 * stderr (cli_renamed.h). */
enum status cli_parse(const struct command *command, const char *path, int argc,
                      char **argv, struct cli_call *input,
                      struct error *err) MUST_USE;
/* Prints the usage line of a command and, unless `only_usage`, its texts and
 * options. */
void cli_print_arguments(const struct command *command, const char *path,
                         bool only_usage);

/* Prints the commands of the program. */
void cli_print_commands(FILE *to);

/* True if the arguments ask for JSON; the error is then printed as JSON too. */
bool cli_wants_json(int argc, char **argv);
/* Prints "schedsim: MESSAGE", or as JSON {"error": {"exit_status", "meaning",
 * "message"}}. */
void cli_print_error(FILE *to, const struct error *err, bool json);

/* True if stderr is a terminal, so that a progress line may be drawn. */
bool cli_is_terminal(void);

#endif
