/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the control flow of a shell script (POSIX XCU section 2.9, with the
 * functions and `[[` of bash). Commands that are not reached are skipped:
 * `live` is then false. */
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

enum {
    NESTED_MAX = 60, /* largest depth of compound commands */
    /* largest depth of functions, sourced files, `eval` and $(...) */
    CALLS_MAX = 12,
};

static enum shell_truth follow_command(struct shell_cursor *c, bool live);

/* True for a token that is the input of a command. */
static bool is_input(const struct shell_token *token)
{
    return token->kind == SHELL_DOCUMENT || token->kind == SHELL_INPUT;
}

bool shell_is_now(const struct shell_cursor *c, const char *word)
{
    return c->i < c->n && !is_input(&c->at[c->i]) &&
           text_is(c->at[c->i].text, word);
}

bool shell_take(struct shell_cursor *c, const char *word)
{
    bool is = shell_is_now(c, word);
    c->i += is;
    return is;
}

void shell_skip_breaks(struct shell_cursor *c)
{
    while (c->i < c->n && (shell_is_now(c, "\n") || shell_is_now(c, ";") ||
                           shell_is_now(c, "&") || is_input(&c->at[c->i])))
        c->i++;
}

/* True if the next token ends a list of commands, or if there is none. */
static bool ends_list(const struct shell_cursor *c)
{
    static const char *const ends[] = {"then", "elif", "else", "fi", "do",
                                       "done", "esac", "}",    ")",  ";;"};
    if (c->i >= c->n)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (shell_is_now(c, ends[i]))
            return true;
    }
    return false;
}

bool shell_leaves(const struct shell *shell)
{
    return shell->breaks > 0 || shell->continues;
}

bool shell_goes_on(const struct shell *shell)
{
    return !shell->is_over && !shell->returns && !shell_leaves(shell) &&
           shell->budget->steps > 0;
}

static enum shell_truth follow_pipeline(struct shell_cursor *c, bool live)
{
    bool negated = shell_take(c, "!");
    enum shell_truth truth = follow_command(c, live);
    while (shell_take(c, "|") || shell_take(c, "|&")) {
        shell_skip_breaks(c);
        if (c->shell->capture && live)
            shell_pipe(c->shell);
        truth = follow_command(c, live);
        truth = truth == SHELL_NO ? SHELL_UNKNOWN : truth;
    }
    if (negated && truth != SHELL_UNKNOWN)
        truth = truth == SHELL_YES ? SHELL_NO : SHELL_YES;
    return truth;
}

bool shell_may_branch(struct shell *shell)
{
    return shell->budget->branches > 0 && shell->budget->branches--;
}

/* Follows commands that && and || join. */
static enum shell_truth follow_and_or(struct shell_cursor *c, bool live)
{
    enum shell_truth truth = follow_pipeline(c, live);
    for (;;) {
        bool and = shell_take(c, "&&");
        if (!and&&!shell_take(c, "||"))
            return truth;
        shell_skip_breaks(c);
        bool runs = live && shell_goes_on(c->shell) &&
                    truth != (and? SHELL_NO : SHELL_YES);
        bool parts =
            runs && truth == SHELL_UNKNOWN && shell_may_branch(c->shell);
        const struct shell_state *before = parts ? shell_save(c->shell) : NULL;
        enum shell_truth other = follow_pipeline(c, runs);
        if (parts)
            shell_merge(c->shell, before);
        if (runs)
            truth = truth == SHELL_UNKNOWN ? truth : other;
    }
}

enum shell_truth shell_list(struct shell_cursor *c, bool live)
{
    enum shell_truth truth = SHELL_YES;
    shell_skip_breaks(c);
    while (!ends_list(c)) {
        size_t before = c->i;
        truth = follow_and_or(c, live && shell_goes_on(c->shell));
        shell_skip_breaks(c);
        c->i += c->i == before; /* skips a stray token */
    }
    return truth;
}

/* Follows the condition and the branches of `if` up to `fi`. */
static void follow_if(struct shell_cursor *c, bool live)
{
    if (++c->depth > NESTED_MAX)
        c->shell->is_over = true;
    enum shell_truth truth = shell_list(c, live);
    const struct shell_state *before = NULL, *after;
    bool parts = live && truth == SHELL_UNKNOWN && shell_may_branch(c->shell);
    if (parts)
        before = shell_save(c->shell);
    shell_take(c, "then");
    shell_list(c, live && truth != SHELL_NO);
    after = parts ? shell_save(c->shell) : NULL;
    if (parts)
        shell_restore(c->shell, before);
    bool rest = live && truth != SHELL_YES;
    if (c->depth <= NESTED_MAX && shell_take(c, "elif"))
        follow_if(c, rest);
    else if (shell_take(c, "else"))
        shell_list(c, rest);
    if (parts)
        shell_merge(c->shell, after);
    c->depth--;
}

static void define_function(struct shell_cursor *c, struct text name, bool live)
{
    struct shell *shell = c->shell;
    shell_skip_breaks(c);
    size_t from = c->i;
    follow_command(c, false);
    if (!live || shell->n_functions == SHELL_FUNCTIONS_MAX)
        return;
    shell->functions[shell->n_functions++] = (struct shell_function){
        arena_copy(shell->arena, name.at, name.len), c->at + from, c->i - from};
}

static void follow_group(struct shell_cursor *c, const char *end, bool live)
{
    struct shell *shell = c->shell;
    bool inner = end[0] == ')';
    const struct shell_state *before = inner && live ? shell_save(shell) : NULL;
    bool was_over = shell->is_over;
    shell_list(c, live);
    shell_take(c, end);
    if (before && shell->budget->steps > 0) {
        shell_restore(shell, before);
        shell->is_over = was_over;
    }
}

/* Follows a compound command. Returns false if the next command is simple. */
static bool follow_compound(struct shell_cursor *c, bool live)
{
    if (shell_take(c, "if")) {
        follow_if(c, live);
        shell_take(c, "fi");
    } else if (shell_take(c, "for") || shell_take(c, "select")) {
        shell_for(c, live);
    } else if (shell_is_now(c, "while") || shell_is_now(c, "until")) {
        bool until = shell_take(c, "until");
        shell_take(c, "while");
        shell_while(c, live, until);
    } else if (shell_take(c, "case")) {
        shell_case(c, live);
    } else if (shell_take(c, "{")) {
        follow_group(c, "}", live);
    } else if (shell_take(c, "(")) {
        follow_group(c, ")", live);
    } else {
        return false;
    }
    return true;
}

/* Reads the head of a function. Returns false if there is none. */
static bool take_function(struct shell_cursor *c, struct text *name)
{
    bool word = c->i + 1 < c->n && c->at[c->i].kind == SHELL_WORD;
    if (word && shell_is_now(c, "function")) {
        *name = c->at[c->i + 1].text;
        c->i += 2;
        if (shell_take(c, "("))
            shell_take(c, ")");
        return true;
    }
    if (!word || c->i + 2 >= c->n || !text_is(c->at[c->i + 1].text, "(") ||
        !text_is(c->at[c->i + 2].text, ")"))
        return false;
    *name = c->at[c->i].text;
    c->i += 3;
    return true;
}

/* Returns the index after the tokens of a simple command. */
static size_t simple_end(const struct shell_cursor *c)
{
    size_t i = c->i;
    bool brackets = i < c->n && text_is(c->at[i].text, "[[");
    for (; i < c->n; i++) {
        if (brackets && text_is(c->at[i].text, "]]"))
            return i + 1;
        if (c->at[i].kind == SHELL_OPERATOR &&
            (!brackets || text_is(c->at[i].text, "\n")))
            return i;
    }
    return i;
}

static enum shell_truth follow_command(struct shell_cursor *c, bool live)
{
    struct text name;
    enum shell_truth truth = SHELL_YES;
    live &= shell_goes_on(c->shell);
    if (++c->depth > NESTED_MAX) {
        c->shell->is_over = true;
        c->i = c->n;
    } else if (take_function(c, &name)) {
        define_function(c, name, live);
    } else if (!follow_compound(c, live)) {
        size_t from = c->i;
        c->i = simple_end(c);
        if (live && c->i > from) {
            c->shell->budget->steps--;
            truth = shell_simple(c->shell, c->at + from, c->i - from);
        }
    }
    while (c->i < c->n && is_input(&c->at[c->i]))
        c->i++;
    c->depth--;
    return truth;
}

enum shell_truth shell_follow(struct shell *shell, const struct shell_token *at,
                              size_t n)
{
    struct shell_cursor c = {.shell = shell, .at = at, .n = n};
    enum shell_truth truth = SHELL_UNKNOWN;
    if (shell->depth >= CALLS_MAX)
        return truth;
    shell->depth++;
    while (c.i < c.n) {
        truth = shell_list(&c, true);
        c.i++; /* skips a stray end of a list */
    }
    shell->depth--;
    return truth;
}

enum shell_truth shell_run(struct shell *shell, struct text script)
{
    struct shell_tokens tokens = shell_lex(script, shell->arena);
    return shell_follow(shell, tokens.at, tokens.n);
}
