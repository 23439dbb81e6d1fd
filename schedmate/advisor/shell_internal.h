/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that follow shell scripts (shell_*.c). */
#ifndef MODELS_SHELL_INTERNAL_H
#define MODELS_SHELL_INTERNAL_H

#include "schedmate/advisor/shell.h"

void shell_set_items(struct shell *shell, const char *name,
                     const char *const *items, size_t n, bool is_array);
/* Makes a variable unknown: its value becomes the reference to itself. */
void shell_forget(struct shell *shell, const char *name);
void shell_unset(struct shell *shell, const char *name);
void shell_export(struct shell *shell, const char *name);

/* In shell_expand.c. Expands a word, removes its quotes and adds what it
 * becomes: none, one or several words. */
void shell_expand(struct shell *shell, struct text word,
                  struct shell_words *out);
/* Expands a word to one text, as on the right of an assignment. */
const char *shell_expand_one(struct shell *shell, struct text word);
/* Expands the references in a here-document. Its quotes stay. */
struct text shell_expand_document(struct shell *shell, struct text document);

/* In shell_parameter.c. Expands the reference at the start of `t`, which begins
 * after the dollar sign, and returns its length; 0 if there is none. Adds the
 * values to `out`. Sets *joins to true if the values form one word. */
size_t shell_parameter(struct shell *shell, struct text t,
                       struct shell_words *out, bool *joins);

/* In shell_change.c. Returns the value changed by `op`, the operator and word
 * of a reference, such as "%.py" of ${x%.py}. */
const char *shell_change(struct shell *shell, const char *value,
                         struct text op);

/* In shell_number.c. Computes an arithmetic expression and carries out the
 * assignments in it. Returns false if the value is unknown, or the expression
 * is not valid, too long, nested too deeply or too large. */
bool shell_number(struct shell *shell, struct text expression, long long *out);

/* In shell_test.c. Decides `test`, `[`, `[[` and `((`. */
enum shell_truth shell_test(struct shell *shell, const struct shell_token *at,
                            size_t n);
bool shell_matches(const char *pattern, const char *text);

/* In shell_builtin.c. Carries out a command of the shell itself, or leaves out
 * a program that need not be followed, such as `sleep`. `document`: its here
 * document, or empty. Returns false for any other command, and for `source` if
 * the host cannot read files. Sets *truth only for `read`, `false`, `eval` and
 * `getopts`; the others are taken to succeed, and leave it as it was. */
bool shell_builtin(struct shell *shell, const struct shell_words *words,
                   struct text document, enum shell_truth *truth);
/* In shell_capture.c. Returns the words from index `from` on, with blanks
 * between them. */
const char *shell_joined(struct shell *shell, const struct shell_words *words,
                         size_t from);
/* Makes the output captured so far the input of the next command of a pipeline.
 */
void shell_pipe(struct shell *shell);
/* Adds the output of a command to shell->capture, or sets capture_unknown if
 * the output is not known. Uses up shell->piped. */
void shell_capture(struct shell *shell, const struct shell_words *words);

/* In shell_assign.c. True for a word such as NAME=value, NAME+=value or
 * NAME[1]=value. */
bool shell_is_assignment(struct text word);
/* Carries out an assignment; returns the name of the variable. */
const char *shell_assign(struct shell *shell, struct text word);

/* In shell_merge.c. A saved state of a shell: variables, folder, arguments, and
 * whether it goes on. */
struct shell_state;
const struct shell_state *shell_save(struct shell *shell);
void shell_restore(struct shell *shell, const struct shell_state *state);
/* Merges the state of another branch into the shell: variables that differ
 * become unknown. A branch that has left the script, the function or the loop
 * does not count. Otherwise, the folder and the arguments stay those of
 * `shell`. */
void shell_merge(struct shell *shell, const struct shell_state *other);

/* A position in the tokens of a script. */
struct shell_cursor {
    struct shell *shell;
    const struct shell_token *at;
    size_t n, i;
    int depth;
};
bool shell_is_now(const struct shell_cursor *c, const char *word);
/* If the next token is the word, goes past it and returns true. */
bool shell_take(struct shell_cursor *c, const char *word);
void shell_skip_breaks(struct shell_cursor *c);
/* True until the script, the function or the iteration ends, or the steps of
 * the budget are used up. */
bool shell_goes_on(const struct shell *shell);
/* True after `break` or `continue`, until the iteration ends. */
bool shell_leaves(const struct shell *shell);
/* Takes one unknown condition from the budget; false if none is left. */
bool shell_may_branch(struct shell *shell);
/* Follows commands up to a word that ends them, such as `fi`; skips them if not
 * `live`. Returns whether the last command succeeds. */
enum shell_truth shell_list(struct shell_cursor *c, bool live);

/* In shell_loops.c. The next three functions follow a loop or a `case` after
 * its first word. */
void shell_for(struct shell_cursor *c, bool live);
void shell_while(struct shell_cursor *c, bool live, bool until);
void shell_case(struct shell_cursor *c, bool live);

/* In shell_run.c. Follows the tokens of a script or of the body of a function.
 * Returns whether the last command succeeds; SHELL_UNKNOWN also if the nesting
 * is too deep to follow them. */
enum shell_truth shell_follow(struct shell *shell, const struct shell_token *at,
                              size_t n);
/* In shell_simple.c. Follows one simple command. Decides it if it is a test.
 * Otherwise carries out its assignments, then calls a function, carries out a
 * command of the shell, captures the output (in $(...)) or gives the command to
 * the host. */
enum shell_truth shell_simple(struct shell *shell, const struct shell_token *at,
                              size_t n);
/* In shell_builtin.c. Follows a script that the source command names, with the
 * arguments of the caller if n_args is 0. Sets misses_source if the script
 * cannot be read or the nesting is too deep. shell->host->read must not be
 * NULL. */
void shell_source(struct shell *shell, const char *path,
                  const char *const *args, size_t n_args);
#endif
