/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows one simple command: assignments, words, functions, builtins. */
#include <string.h>

#include "schedmate/advisor/shell_internal.h"

enum { PREFIX_MAX = 16 };

/* The variables that a command such as `A=1 python x.py` sets for itself. */
struct prefix {
    const char *names[PREFIX_MAX];
    struct shell_variable old[PREFIX_MAX];
    bool had[PREFIX_MAX];
    size_t n;
};

static void set_prefix(struct shell *shell, struct text word,
                       struct prefix *prefix)
{
    size_t n = 0;
    while (n < word.len && word.at[n] != '=' && word.at[n] != '[' &&
           word.at[n] != '+')
        n++;
    const char *name = arena_copy(shell->arena, word.at, n);
    const struct shell_variable *old = shell_find(shell, name);
    size_t i = prefix->n++;
    prefix->names[i] = name;
    prefix->had[i] = old != NULL;
    if (old)
        prefix->old[i] = *old;
    shell_assign(shell, word);
    shell_export(shell, name);
}

static void undo_prefix(struct shell *shell, const struct prefix *prefix)
{
    for (size_t i = prefix->n; i-- > 0;) {
        const struct shell_variable *old = &prefix->old[i];
        if (!prefix->had[i])
            shell_unset(shell, prefix->names[i]);
        else
            shell_set_items(shell, prefix->names[i], old->items, old->n,
                            old->is_array);
    }
}

static bool call_function(struct shell *shell, const struct shell_words *words)
{
    size_t i = shell->n_functions;
    while (i > 0 && strcmp(shell->functions[i - 1].name, words->at[0]) != 0)
        i--;
    if (i == 0)
        return false;
    const struct shell_function function = shell->functions[i - 1];
    const char *const *args = shell->args;
    size_t n_args = shell->n_args, line = shell->line, loops = shell->loops;
    const char **own = ARENA_ARRAY(shell->arena, const char *, words->n);
    memcpy(own, words->at + 1, (words->n - 1) * sizeof *own);
    shell->args = own;
    shell->n_args = words->n - 1;
    shell->line = 0;  /* a function has its own lines */
    shell->loops = 0; /* it does not end the loops of its caller */
    shell_follow(shell, function.body, function.n);
    shell->line = line;
    shell->loops = loops;
    shell->args = args;
    shell->n_args = n_args;
    shell->returns = false;
    return true;
}

static bool is_test(struct text word)
{
    return text_is(word, "[") || text_is(word, "[[") || text_is(word, "test") ||
           text_starts(word, "((");
}

static struct text document_of(struct shell *shell,
                               const struct shell_token *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found;
        struct text text;
        const struct shell_host *host = shell->host;
        if (at[i].kind == SHELL_INPUT && host && host->read &&
            host->read(host->self, shell->dir,
                       shell_expand_one(shell, at[i].text), &found, &text))
            return text;
        if (at[i].kind == SHELL_DOCUMENT)
            return at[i].is_expanded ? shell_expand_document(shell, at[i].text)
                                     : at[i].text;
    }
    return (struct text){"", 0};
}

static enum shell_truth carry_out(struct shell *shell,
                                  const struct shell_words *words,
                                  struct text document, size_t line)
{
    enum shell_truth truth = SHELL_YES;
    if (call_function(shell, words))
        return truth;
    /* The lines of the text that `eval` follows are not those of the script. */
    size_t outer = shell->line;
    if (!outer && strcmp(words->at[0], "eval") == 0)
        shell->line = line;
    bool done = shell_builtin(shell, words, document, &truth);
    shell->line = outer;
    if (done)
        return truth;
    if (shell->capture) {
        shell_capture(shell, words);
        return truth;
    }
    const struct shell_command command = {
        words->at, words->n, shell->line ? shell->line : line, document};
    if (shell->host && shell->host->command)
        shell->host->command(shell->host->self, shell, &command);
    return truth;
}

enum shell_truth shell_simple(struct shell *shell, const struct shell_token *at,
                              size_t n)
{
    struct shell_words words = {.n = 0};
    struct prefix prefix = {.n = 0};
    size_t i = 0, first;
    if (is_test(at[0].text))
        return shell_test(shell, at, n);
    while (i < n && at[i].kind == SHELL_WORD && shell_is_assignment(at[i].text))
        i++;
    first = i;
    for (; i < n; i++) {
        if (at[i].kind != SHELL_WORD)
            continue;
        /* An assignment of an array, as in `export A=(1 2)`, stays one word. */
        if (words.n && shell_is_assignment(at[i].text) &&
            text_char(at[i].text, at[i].text.len - 1) == ')' &&
            words.n < SHELL_WORDS_MAX)
            words.at[words.n++] =
                arena_copy(shell->arena, at[i].text.at, at[i].text.len);
        else
            shell_expand(shell, at[i].text, &words);
    }
    for (size_t k = 0; k < first; k++) {
        if (words.n && prefix.n < PREFIX_MAX)
            set_prefix(shell, at[k].text, &prefix);
        else
            shell_assign(shell, at[k].text);
    }
    if (words.n == 0)
        return SHELL_YES;
    enum shell_truth truth =
        carry_out(shell, &words, document_of(shell, at, n), at[0].line);
    undo_prefix(shell, &prefix);
    return truth;
}
