/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shell script, read: words, the commands that it runs, its variables. */
#ifndef SCHEDMATE_ADVISOR_SHELL_INTERNAL_H
#define SCHEDMATE_ADVISOR_SHELL_INTERNAL_H

#include "base/text.h"

/* == Splits a shell script into words, operators, here-documents and names of
 * input files (POSIX XCU section 2.3, with the arrays and `((...))` of bash).
 * Other redirections are dropped. A word keeps its quotes; shell_expand removes
 * them. The code is in shell_words.c. */

/* Largest size of a script in bytes, and largest number of its tokens. The rest
 * of a script is not read. */
#define SHELL_SCRIPT_MAX (1u << 18)
#define SHELL_TOKENS_MAX 40000u

enum shell_token_kind {
    SHELL_WORD,
    SHELL_OPERATOR, /* ; ;; & && | || |& ( ) or a line feed */
    SHELL_DOCUMENT, /* the text of a here-document */
    SHELL_STRING,   /* the word of `<<< word` */
    SHELL_INPUT,    /* the name of the file in `< FILE` */
};

struct shell_token {
    enum shell_token_kind kind;
    struct text text;
    size_t line; /* 1 for the first line */
    /* SHELL_DOCUMENT: true if variables in it are replaced */
    bool is_expanded;
};

struct shell_tokens {
    const struct shell_token *at;
    size_t n;
};

/* Splits a script. The tokens lie in the arena. */
struct shell_tokens shell_lex(struct text script, struct arena *arena);

/* Returns the index after the bracket that closes the bracket `{`, `(` or `[`
 * at index `i`, outside of quotes; the length of the text if none closes it. */
size_t shell_bracket_end(struct text t, size_t i);

/* == shell.c: Follows a shell script without running it: variables, arrays,
 * positional parameters, branches whose conditions are decidable, loops,
 * functions and sourced files. Each command of the script goes to the caller
 * with its words as they would be at run time. Whatever depends on the machine,
 * such as the output of most programs or a variable of the environment, is
 * unknown: its reference, such as $HOME, stays in the word. After a condition
 * that is not decidable, both branches are followed, and a variable that they
 * set to different values becomes unknown. Steps, nesting and memory are
 * bounded. */

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
     * shell itself, unless it is in $(...). */
    void (*command)(void *self, struct shell *shell,
                    const struct shell_command *command);
    /* Reads the file `path`, which the script names while its folder is `dir`,
     * into *out and sets *found to its path from the root. Returns false if it
     * cannot be read. */
    bool (*read)(void *self, const char *dir, const char *path,
                 const char **found, struct text *out);
    /* taken: returns the number of launches that the commands have started so
     * far. drop: drops all launches after the first n_taken. */
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

struct shell_local {
    const char *name;
    bool had; /* true if the variable was set before */
    struct shell_variable old;
    struct shell_local *before;
};

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
    /* The variables that the functions being followed have made local, the
     * last one first, with the values to which they return. */
    struct shell_local *locals;
    bool in_function;
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

/* Shared by the files that follow shell scripts (shell_*.c). */

void shell_set_items(struct shell *shell, const char *name,
                     const char *const *items, size_t n, bool is_array);
/* Makes a variable unknown: its value becomes the reference to itself. */
void shell_forget(struct shell *shell, const char *name);
void shell_unset(struct shell *shell, const char *name);
void shell_export(struct shell *shell, const char *name);
/* Makes a variable local to the function that is followed. */
void shell_localise(struct shell *shell, const char *name);

/* In shell_words.c. Expands a word, removes its quotes and adds what it
 * becomes: none, one or several words. */
void shell_expand(struct shell *shell, struct text word,
                  struct shell_words *out);
/* Expands a word to one text, as on the right of an assignment. */
const char *shell_expand_one(struct shell *shell, struct text word);
/* Expands the references in a here-document. Its quotes stay. */
struct text shell_expand_document(struct shell *shell, struct text document);

/* In shell_builtin.c. Computes an arithmetic expression and carries out the
 * assignments in it. Returns false if the value is unknown, or the expression
 * is not valid, too long, nested too deeply or too large. */
bool shell_number(struct shell *shell, struct text expression, long long *out);

/* In shell_builtin.c. Decides `test`, `[`, `[[` and `((`. */
enum shell_truth shell_test(struct shell *shell, const struct shell_token *at,
                            size_t n);
bool shell_matches(const char *pattern, const char *text);

/* In shell_builtin.c. Carries out a command of the shell itself, or leaves out
 * a program that need not be followed, such as `sleep`. `document`: its here
 * document, or empty. Returns false for any other command. Sets *truth only for
 * `read`, `false`, `eval` and `getopts`; the others are taken to succeed, and
 * leave it as it was. */
bool shell_builtin(struct shell *shell, const struct shell_words *words,
                   struct text document, enum shell_truth *truth);
/* Makes the output captured so far the input of the next command of a pipeline.
 */
void shell_pipe(struct shell *shell);
/* Returns the words from index `from` on, with `between` between them. */
const char *shell_join(struct shell *shell, const struct shell_words *words,
                       size_t from, const char *between);
/* Adds the output of a command to shell->capture, or sets capture_unknown if
 * the output is not known. Uses up shell->piped. */
void shell_capture(struct shell *shell, const struct shell_words *words);

/* In shell_builtin.c. True for a word such as NAME=value, NAME+=value or
 * NAME[1]=value. */
bool shell_is_assignment(struct text word);
/* Carries out an assignment; returns the name of the variable. */
const char *shell_assign(struct shell *shell, struct text word);

/* In shell.c. A saved state of a shell: variables, folder, arguments, and
 * whether it goes on. */
struct shell_state;

/* A position in the tokens of a script. */
struct shell_cursor {
    struct shell *shell;
    const struct shell_token *at;
    size_t n, i;
    int depth;
};

#endif
