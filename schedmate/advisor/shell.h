/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows a shell script without running it: variables, arrays, positional
 * parameters, branches whose conditions are decidable, loops, functions and
 * sourced files. Each command of the script goes to the caller with its words
 * as they would be at run time. Whatever depends on the machine, such as the
 * output of most programs or a variable of the environment, is unknown: its
 * reference, such as $HOME, stays in the word. After a condition that is not
 * decidable, both branches are followed, and a variable that they set to
 * different values becomes unknown. Steps, nesting and memory are bounded. */
#ifndef MODELS_SHELL_H
#define MODELS_SHELL_H

#include "schedmate/advisor/shell_lex.h"

#define SHELL_WORDS_MAX 512u

/* The name under which a script sees the root of the directory of the job: its
 * $0 and $PWD begin with it. */
#define SHELL_ROOT "/."

enum shell_truth { SHELL_NO, SHELL_YES, SHELL_UNKNOWN };

struct shell_words {
    const char *at[SHELL_WORDS_MAX];
    size_t n;
};

struct shell_variable {
    const char *name;
    const char *const *items; /* one item unless the variable is an array */
    size_t n;
    bool is_array;
    bool is_exported; /* true if commands of the script get it */
};

struct shell_function {
    const char *name;
    const struct shell_token *body;
    size_t n;
};

struct shell;

/* A command whose words are expanded. */
struct shell_command {
    const char *const *words; /* without the assignments before the command */
    size_t n;
    size_t line;
    struct text document; /* here-document, text after `<<<`, or content of the
                             file after `<`; empty: none, or not readable */
};

struct shell_host {
    void *self;
    /* Receives each command that is neither a function nor carried out by the
     * shell itself, unless it is in $(...). NULL: commands are ignored. */
    void (*command)(void *self, struct shell *shell,
                    const struct shell_command *command);
    /* Reads the file `path`, which the script names while its folder is `dir`,
     * into *out and sets *found to its path from the root. Returns false if it
     * cannot be read. NULL: no file can be read. */
    bool (*read)(void *self, const char *dir, const char *path,
                 const char **found, struct text *out);
    /* taken: returns the number of launches that the commands have started so
     * far. drop: drops all launches after the first n_taken. Either may be
     * NULL. */
    size_t (*taken)(const void *self);
    void (*drop)(void *self, size_t n_taken);
};

/* Value of shell.runs if the number of runs is not known. */
#define SHELL_RUNS_MANY SIZE_MAX

/* Bounds that a script and all that it starts share. */
struct shell_budget {
    size_t steps;    /* commands that may still be followed */
    size_t branches; /* undecidable conditions that may still be followed */
    size_t bytes;    /* bytes that expansions may still write */
};

#define SHELL_VARIABLES_MAX 400u
#define SHELL_FUNCTIONS_MAX 64u

struct shell {
    struct arena *arena;
    const struct shell_host *host;
    struct shell_budget *budget;
    /* path of the script from the root; NULL: a command line */
    const char *path;
    const char *dir; /* current folder from the root; "" is the root */
    const char *const *args;
    size_t n_args;
    struct shell_variable variables[SHELL_VARIABLES_MAX];
    size_t n_variables;
    struct shell_function functions[SHELL_FUNCTIONS_MAX];
    size_t n_functions;
    /* nesting depth of functions, sourced files, `eval` and $(...) */
    size_t depth;
    size_t expanding;  /* depth of nested expansions */
    size_t options_at; /* argument that getopts reads next; 1 is the first */
    /* Letters of grouped options such as -ab that getopts reads before the next
     * argument; NULL or "": none. */
    const char *option_group;
    bool is_over; /* true after `exit`, or if compound commands nest too
                     deeply */
    bool returns; /* true after `return` */
    size_t loops; /* number of loops around the current command in its
                     function */
    /* number of loops that `break` or `continue` still ends */
    size_t breaks;
    /* true after `continue`, until the loop that it continues goes on */
    bool continues;
    /* Number of runs of the current command by loops that are followed only
     * once, or by a job array (set by the caller); 0: neither, SHELL_RUNS_MANY:
     * not known. */
    size_t runs;
    /* Line that is reported for all commands; 0: each command has its own. */
    size_t line;
    bool exports_all; /* true after `set -a` */
    /* True if a sourced file could not be read, or the nesting was too deep to
     * follow it: a variable that is not set may then have any value. */
    bool misses_source;
    /* receives what the commands print, inside of $(...); NULL: outside */
    struct out *capture;
    struct text piped;    /* input of the captured command; .at NULL: none */
    bool capture_unknown; /* true if the commands print something unknown */
};

void shell_init(struct shell *shell, struct arena *arena,
                const struct shell_host *host, struct shell_budget *budget);

/* Follows a script. Returns whether its last command succeeds; SHELL_UNKNOWN
 * also if the nesting is too deep to follow the script. */
enum shell_truth shell_run(struct shell *shell, struct text script);

/* Sets a variable to text. Keeps both pointers. Does nothing if the variable is
 * new and there are SHELL_VARIABLES_MAX already. */
void shell_set(struct shell *shell, const char *name, const char *value);
/* Returns the first item of a variable; NULL if it is not set or has no items.
 */
const char *shell_get(const struct shell *shell, const char *name);
const struct shell_variable *shell_find(const struct shell *shell,
                                        const char *name);

/* True for text with a '$', which is taken for a reference that could not be
 * replaced. */
bool shell_is_unknown(const char *word);

/* Returns the path from the root of the file `name` in the folder `dir`,
 * without "." and "..". A name that begins with '/', '$' or SHELL_ROOT does not
 * depend on `dir`. */
const char *shell_path(const char *dir, const char *name, struct arena *arena);

#endif
