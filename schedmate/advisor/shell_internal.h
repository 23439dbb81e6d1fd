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
 * document, or empty. Returns false for any other command, and for `source` if
 * the host cannot read files. Sets *truth only for `read`, `false`, `eval` and
 * `getopts`; the others are taken to succeed, and leave it as it was. */
bool shell_builtin(struct shell *shell, const struct shell_words *words,
                   struct text document, enum shell_truth *truth);
/* Makes the output captured so far the input of the next command of a pipeline.
 */
void shell_pipe(struct shell *shell);
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
