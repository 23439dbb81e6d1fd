/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands. To add one: write commands/cmd_NAME.c with one `const struct
 * command`, declare it below, and add a row to the array in cli.c. A
 * command declares its arguments as rows (args.h) and gets them in a structure
 * of its own. Commands print data to stdout and messages to stderr. */
#ifndef SIM_CLI_H
#define SIM_CLI_H

#include <stdio.h>

#include "commands/args.h"

/* The first member of every command's input; filled before the command runs. */
struct cli_call {
    int argc;
    /* arguments as typed; argv[0] is the name of the command, such as "trace
     * info" */
    const char *const *argv;
    bool force;     /* --force, of commands that write a file that is named */
    unsigned color; /* --color, as an enum tone_when */
    /* owns what is made for the input, such as joined texts; freed after the
     * command has run */
    struct arena arena;
};

/* The row of --force, whose value out_open_sparing takes. */
#define TAKE_FORCE(type) \
    TAKE_FLAG(type, call.force, "force", \
              "replace a file that another program wrote")

/* A table of rows, and the place of their structure in the command's input. If
 * two rows of a command have the same name, the first gets the value. */
struct arg_part {
    const struct arg *rows; /* NULL: the end of the parts */
    size_t offset;          /* bytes from the start of the input */
    /* Bytes from the start of the input to an array of texts, one per row, that
     * receives each value as typed (NULL for a flag); 0: there is no such
     * array. */
    size_t given;
    /* group in --help of the rows that name no group; see struct arg */
    unsigned group;
    bool is_rare; /* true if brief help leaves all rows out */
};
enum { ARG_PARTS_MAX = 4 };

/* The options of every command; they fill a struct cli_call. */
extern const struct arg cli_common_args[];

struct command {
    const char *name, *summary;
    const char *about; /* text of --help before the options; NULL: `summary` */
    const char *notes; /* text of --help after the options; NULL: none */
    /* for --help: lines without "schedsim "; NULL: none */
    const char *examples;
    struct arg_part parts[ARG_PARTS_MAX];
    size_t input_size;    /* bytes of the input, which begins with a struct
                           * cli_call */
    const void *defaults; /* initial values of the input; NULL: all zeroes */
    enum status (*run)(void *input, struct error *err);
    /* Subcommands, ending with NULL, for a command that only holds subcommands;
     * otherwise NULL. */
    const struct command *const *members;
    /* prints more --help of a command with members; NULL: there is no more */
    void (*print_more)(void);
    /* Exit statuses of the command besides OK, FAILED, USAGE and BAD_INPUT:
     * bits of CLI_ENDS. */
    unsigned ends;
    /* true if the heap is prepared for a run (base/huge_pages.h) */
    bool is_simulation;
};
#define CLI_ENDS(status) (1u << STATUS_##status)

extern const struct command *const commands[]; /* ends with NULL */

extern const struct command command_run, command_compare, command_trace,
    command_sweep, command_gate, command_plot, command_report, command_size,
    command_when, command_drive, command_explain, command_mate, command_policy,
    command_verify, command_list, command_help;
/* members of other commands */
extern const struct command command_advise, command_track, command_diagnose,
    command_watch, command_history, command_cases, command_llm_trust,
    command_worth, command_policy_new, command_policy_build,
    command_check_policy, command_estimate;

/* Returns the command with this name from a list that ends with NULL; NULL if
 * there is none. */
const struct command *cli_find(const struct command *const *list,
                               const char *name);
/* Makes the error "no command 'x'; did you mean 'y'?", or one that points to
 * `schedsim help` if no name is near, and returns STATUS_USAGE. `owner`: the
 * command that holds the list, such as "trace"; NULL: the program itself. */
enum status cli_unknown(const char *owner, const struct command *const *list,
                        const char *name, struct error *err);

/* Runs a command, or the subcommand that argv[1] names. argv[0] is not used.
 * `path`: full name of the command, such as "trace info". STATUS_END means that
 * the program has printed about itself (--help, --usage, `help`, --version) and
 * is done. */
enum status cli_run(const struct command *command, const char *path, int argc,
                    char **argv, struct error *err) MUST_USE;
/* True if the command may end with this status. */
bool cli_may_end(const struct command *command, enum status st);
/* What to print of a command: its usage line, --help or --help-all. */
enum cli_help { CLI_USAGE, CLI_HELP, CLI_HELP_ALL };
void cli_print_help(const struct command *command, const char *path,
                    enum cli_help help);

/* Fills `input` from the command line. Its texts point into `argv` or lie in
 * its arena. A wrong argument gives STATUS_USAGE with a message. Old names of
 * options are replaced by new ones, with a note on stderr (cli_renamed.h). */
enum status cli_parse(const struct command *command, const char *path, int argc,
                      char **argv, struct cli_call *input,
                      struct error *err) MUST_USE;
/* Prints the usage line of a command and, if `help` says so, its texts and
 * options. Returns the number of options that it left out. */
unsigned cli_print_arguments(const struct command *command, const char *path,
                             enum cli_help help);

/* Returns argv with the old name of a command, also after `help`, replaced by
 * the new one, with a note on stderr; argv itself if it has none. *argc becomes
 * the new length. */
char **cli_moved(int *argc, char **argv);

/* Prints the commands of the program. */
void cli_print_commands(FILE *to);

/* True if --json or -j is among the arguments before "--". Errors are then
 * printed as JSON too. */
bool cli_wants_json(int argc, char **argv);
/* Prints "schedsim: MESSAGE", or as JSON {"error": {"exit_status", "meaning",
 * "message"}}. */
void cli_print_error(FILE *to, const struct error *err, bool json);

/* True if stderr is a terminal, so that a progress line may be drawn. */
bool cli_is_terminal(void);

#endif
