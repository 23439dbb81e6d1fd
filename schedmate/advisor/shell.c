/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows a shell script: its variables and folder, simple commands, loops and
 * branches. */
#include "schedmate/advisor/shell_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"

static bool shell_leaves(const struct shell *shell);
static enum shell_truth shell_follow(struct shell *shell,
                                     const struct shell_token *at, size_t n);
static void shell_for(struct shell_cursor *c, bool live);
static void shell_while(struct shell_cursor *c, bool live, bool until);
static void shell_case(struct shell_cursor *c, bool live);

void shell_init(struct shell *shell, struct arena *arena,
                const struct shell_host *host, struct shell_budget *budget)
{
    memset(shell, 0, sizeof *shell);
    shell->arena = arena;
    shell->host = host;
    shell->budget = budget;
    shell->dir = "";
    shell->options_at = 1;
}

const struct shell_variable *shell_find(const struct shell *shell,
                                        const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        if (strcmp(shell->variables[i].name, name) == 0)
            return &shell->variables[i];
    }
    return NULL;
}

const char *shell_get(const struct shell *shell, const char *name)
{
    const struct shell_variable *variable = shell_find(shell, name);
    return variable && variable->n ? variable->items[0] : NULL;
}

void shell_set_items(struct shell *shell, const char *name,
                     const char *const *items, size_t n, bool is_array)
{
    size_t i = 0;
    while (i < shell->n_variables &&
           strcmp(shell->variables[i].name, name) != 0)
        i++;
    if (i == SHELL_VARIABLES_MAX)
        return;
    bool is_exported = shell->exports_all;
    if (i == shell->n_variables)
        shell->n_variables++;
    else
        is_exported |= shell->variables[i].is_exported;
    shell->variables[i] =
        (struct shell_variable){name, items, n, is_array, is_exported};
}

void shell_set(struct shell *shell, const char *name, const char *value)
{
    const char **items = ARENA_ARRAY(shell->arena, const char *, 1);
    items[0] = value;
    shell_set_items(shell, name, items, 1, false);
}

void shell_forget(struct shell *shell, const char *name)
{
    size_t n = strlen(name);
    char *value = arena_alloc(shell->arena, n + 2);
    value[0] = '$';
    memcpy(value + 1, name, n);
    shell_set(shell, name, value);
}

void shell_unset(struct shell *shell, const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        if (strcmp(shell->variables[i].name, name) == 0) {
            shell->variables[i] = shell->variables[--shell->n_variables];
            return;
        }
    }
}

void shell_export(struct shell *shell, const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++)
        shell->variables[i].is_exported |=
            strcmp(shell->variables[i].name, name) == 0;
}

bool shell_is_unknown(const char *word)
{
    return strchr(word, '$') != NULL;
}

/* Removes ".", ".." and empty parts from a path, in place. A ".." does not lead
 * above the root. */
static void normalise(char *path)
{
    char *out = path, *from = path;
    while (*from) {
        size_t n = strcspn(from, "/");
        /* read now, because `out` may overwrite it below */
        bool more = from[n] == '/';
        bool parent = n == 2 && memcmp(from, "..", 2) == 0;
        if (parent && out > path) {
            out--;
            while (out > path && out[-1] != '/')
                out--;
        } else if (n && !parent && !(n == 1 && *from == '.')) {
            memmove(out, from, n);
            out += n;
            *out++ = '/';
        }
        if (!more)
            break;
        from += n + 1;
    }
    if (out > path)
        out--;
    *out = '\0';
}

const char *shell_path(const char *dir, const char *name, struct arena *arena)
{
    const char *root = SHELL_ROOT "/";
    bool rooted =
        strncmp(name, root, strlen(root)) == 0 || strcmp(name, SHELL_ROOT) == 0;
    bool absolute = !rooted && (name[0] == '/' || name[0] == '$');
    size_t room = strlen(dir) + strlen(name) + 2;
    char *path = arena_alloc(arena, room);
    if (absolute)
        snprintf(path, room, "%s", name + (name[0] == '/'));
    else if (rooted)
        snprintf(path, room, "%s", name + strlen(SHELL_ROOT));
    else
        snprintf(path, room, "%s/%s", dir, name);
    normalise(path);
    return path;
}

/* Follows one simple command: assignments, words, functions, builtins. */

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

void shell_localise(struct shell *shell, const char *name)
{
    if (!shell->in_function)
        return;
    const struct shell_variable *old = shell_find(shell, name);
    struct shell_local *local = ARENA_NEW(shell->arena, struct shell_local);
    *local = (struct shell_local){name, old != NULL, {0}, shell->locals};
    if (old)
        local->old = *old;
    shell->locals = local;
}

/* Gives a variable the value that it had before a function made it local. */
static void put_back(struct shell *shell, const struct shell_local *local)
{
    if (local->had)
        shell_set_items(shell, local->name, local->old.items, local->old.n,
                        local->old.is_array);
    else
        shell_unset(shell, local->name);
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
    struct shell_local *locals = shell->locals;
    bool inside = shell->in_function;
    const char **own = ARENA_ARRAY(shell->arena, const char *, words->n);
    memcpy(own, words->at + 1, (words->n - 1) * sizeof *own);
    shell->args = own;
    shell->n_args = words->n - 1;
    shell->line = 0;  /* a function has its own lines */
    shell->loops = 0; /* it does not end the loops of its caller */
    shell->in_function = true;
    shell_follow(shell, function.body, function.n);
    shell->in_function = inside;
    for (; shell->locals != locals; shell->locals = shell->locals->before)
        put_back(shell, shell->locals);
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
        if (at[i].kind == SHELL_INPUT &&
            host->read(host->self, shell->dir,
                       shell_expand_one(shell, at[i].text), &found, &text))
            return text;
        if (at[i].kind == SHELL_STRING) {
            struct shell_words words = {
                .at = {shell_expand_one(shell, at[i].text), ""}, .n = 2};
            return text_from(shell_join(shell, &words, 0, "\n"));
        }
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
    shell->host->command(shell->host->self, shell, &command);
    return truth;
}

/* In shell.c. Follows one simple command. Decides it if it is a test.
 * Otherwise carries out its assignments, then calls a function, carries out a
 * command of the shell, captures the output (in $(...)) or gives the command to
 * the host. */
static enum shell_truth shell_simple(struct shell *shell,
                                     const struct shell_token *at, size_t n)
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

/* Saves, restores and joins the state of a shell around branches. */

struct shell_state {
    struct shell_variable *variables;
    size_t n_variables;
    const char *dir;
    const char *const *args;
    size_t n_args;
    bool is_over, returns, continues;
    size_t breaks;
};

static const struct shell_state *shell_save(struct shell *shell)
{
    struct shell_state *state = ARENA_NEW(shell->arena, struct shell_state);
    *state = (struct shell_state){
        .variables = ARENA_ARRAY(shell->arena, struct shell_variable,
                                 shell->n_variables + 1),
        .n_variables = shell->n_variables,
        .dir = shell->dir,
        .args = shell->args,
        .n_args = shell->n_args,
        .is_over = shell->is_over,
        .returns = shell->returns,
        .breaks = shell->breaks,
        .continues = shell->continues,
    };
    memcpy(state->variables, shell->variables,
           shell->n_variables * sizeof *shell->variables);
    return state;
}

static void shell_restore(struct shell *shell, const struct shell_state *state)
{
    memcpy(shell->variables, state->variables,
           state->n_variables * sizeof *shell->variables);
    shell->n_variables = state->n_variables;
    shell->dir = state->dir;
    shell->args = state->args;
    shell->n_args = state->n_args;
    shell->is_over = state->is_over;
    shell->returns = state->returns;
    shell->breaks = state->breaks;
    shell->continues = state->continues;
}

static bool shell_equal(const struct shell_variable *a,
                        const struct shell_variable *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    }
    return true;
}

static bool shell_ends(const struct shell_state *state)
{
    return state->is_over || state->returns || state->breaks ||
           state->continues;
}

/* Merges the state of another branch into the shell: variables that differ
 * become unknown. A branch that has left the script, the function or the loop
 * does not count. Otherwise, the folder and the arguments stay those of
 * `shell`. */
static void shell_merge(struct shell *shell, const struct shell_state *other)
{
    if (shell_ends(other))
        return;
    if (shell->is_over || shell->returns || shell_leaves(shell)) {
        shell_restore(shell, other);
        return;
    }
    for (size_t i = 0; i < shell->n_variables; i++) {
        const struct shell_variable *mine = &shell->variables[i];
        size_t k = 0;
        while (k < other->n_variables &&
               strcmp(other->variables[k].name, mine->name) != 0)
            k++;
        if (k == other->n_variables || !shell_equal(mine, &other->variables[k]))
            shell_forget(shell, mine->name);
    }
    for (size_t k = 0; k < other->n_variables; k++) {
        if (!shell_find(shell, other->variables[k].name))
            shell_forget(shell, other->variables[k].name);
    }
}

/* Follows the control flow of a shell script (POSIX XCU section 2.9, with the
 * functions and `[[` of bash). Commands that are not reached are skipped:
 * `live` is then false. */

enum {
    SHELL_NESTED_MAX = 60, /* largest depth of compound commands */
    /* largest depth of functions, sourced files, `eval` and $(...) */
    CALLS_MAX = 12,
};

static enum shell_truth follow_command(struct shell_cursor *c, bool live);

/* True for a token that is the input of a command. */
static bool is_input(const struct shell_token *token)
{
    return token->kind != SHELL_WORD && token->kind != SHELL_OPERATOR;
}

static bool shell_is_now(const struct shell_cursor *c, const char *word)
{
    return c->i < c->n && !is_input(&c->at[c->i]) &&
           text_is(c->at[c->i].text, word);
}

/* If the next token is the word, goes past it and returns true. */
static bool shell_take(struct shell_cursor *c, const char *word)
{
    bool is = shell_is_now(c, word);
    c->i += is;
    return is;
}

static void shell_skip_breaks(struct shell_cursor *c)
{
    while (c->i < c->n && (shell_is_now(c, "\n") || shell_is_now(c, ";") ||
                           shell_is_now(c, "&") || is_input(&c->at[c->i])))
        c->i++;
}

/* True if the next token ends a list of commands, or if there is none. */
static bool ends_list(const struct shell_cursor *c)
{
    static const char *const shell_ends[] = {
        "then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;"};
    if (c->i >= c->n)
        return true;
    for (size_t i = 0; i < sizeof shell_ends / sizeof *shell_ends; i++) {
        if (shell_is_now(c, shell_ends[i]))
            return true;
    }
    return false;
}

/* True after `break` or `continue`, until the iteration ends. */
static bool shell_leaves(const struct shell *shell)
{
    return shell->breaks > 0 || shell->continues;
}

/* True until the script, the function or the iteration ends, or the steps of
 * the budget are used up. */
static bool shell_goes_on(const struct shell *shell)
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

/* Takes one unknown condition from the budget; false if none is left. */
static bool shell_may_branch(struct shell *shell)
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

/* Follows commands up to a word that ends them, such as `fi`; skips them if not
 * `live`. Returns whether the last command succeeds. */
static enum shell_truth shell_list(struct shell_cursor *c, bool live)
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
    if (++c->depth > SHELL_NESTED_MAX)
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
    if (c->depth <= SHELL_NESTED_MAX && shell_take(c, "elif"))
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
    if (++c->depth > SHELL_NESTED_MAX) {
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

/* In shell.c. Follows the tokens of a script or of the body of a function.
 * Returns whether the last command succeeds; SHELL_UNKNOWN also if the nesting
 * is too deep to follow them. */
static enum shell_truth shell_follow(struct shell *shell,
                                     const struct shell_token *at, size_t n)
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

/* Follows the loops and the `case` of a shell script. */

/* Largest number of iterations of one loop that are followed. */
enum { ITERATIONS_MAX = 64 };

/* Ends an iteration. Returns false if the loop ended: by `break`, or by a
 * `continue` for a loop around it. */
static bool end_iteration(struct shell *shell)
{
    if (shell->breaks > 0) {
        shell->breaks--;
        return false;
    }
    shell->continues = false;
    return true;
}

/* Follows the body of a loop once. Returns false if that ended the loop. */
static bool follow_body(struct shell_cursor *c, size_t body)
{
    c->i = body;
    c->shell->loops++;
    shell_list(c, true);
    c->shell->loops--;
    return end_iteration(c->shell);
}

/* Follows the body with each value. Returns false if a value is unknown or a
 * pattern, or if there are too many values. */
static bool follow_each(struct shell_cursor *c, const char *name,
                        const struct shell_words *values, size_t body)
{
    if (values->n > ITERATIONS_MAX)
        return false;
    for (size_t i = 0; i < values->n; i++) {
        if (shell_is_unknown(values->at[i]) || strpbrk(values->at[i], "*?"))
            return false;
        if (!shell_goes_on(c->shell))
            return true;
        shell_set(c->shell, name, values->at[i]);
        if (!follow_body(c, body))
            return true;
    }
    return true;
}

static size_t number_taken(const struct shell *shell)
{
    const struct shell_host *host = shell->host;
    return host->taken(host->self);
}

/* Follows the body of a loop once with an unknown value. `n`: number of values,
 * or SHELL_RUNS_MANY. */
static void follow_unknown(struct shell_cursor *c, const char *name, size_t n,
                           size_t body)
{
    struct shell *shell = c->shell;
    size_t runs = shell->runs;
    bool many = runs == SHELL_RUNS_MANY || n == SHELL_RUNS_MANY;
    shell_forget(shell, name);
    shell->runs = many ? SHELL_RUNS_MANY : runs == 0 ? n : runs * n;
    follow_body(c, body);
    shell->runs = runs;
}

/* Follows the body of a loop with each value. If that is not possible, or if
 * there are several values and the body starts jobs, drops these jobs and
 * follows the body once with an unknown value. */
static void follow_values(struct shell_cursor *c, const char *name,
                          const struct shell_words *values, size_t body)
{
    struct shell *shell = c->shell;
    const struct shell_state *before = shell_save(shell);
    size_t taken = number_taken(shell);
    bool known = follow_each(c, name, values, body);
    bool starts = number_taken(shell) > taken;
    if (known && (values->n == 1 || !starts))
        return;
    if (starts)
        shell->host->drop(shell->host->self, taken);
    shell_restore(shell, before);
    follow_unknown(c, name, known ? values->n : SHELL_RUNS_MANY, body);
}

/* In shell.c. The next three functions follow a loop or a `case` after
 * its first word. */
static void shell_for(struct shell_cursor *c, bool live)
{
    struct shell *shell = c->shell;
    struct shell_words values = {.n = 0};
    struct text name = c->i < c->n ? c->at[c->i++].text : (struct text){"", 0};
    bool counted = text_starts(name, "((");
    shell_skip_breaks(c);
    if (shell_take(c, "in")) {
        for (; c->i < c->n && c->at[c->i].kind == SHELL_WORD &&
               !shell_is_now(c, "do");
             c->i++) {
            if (live)
                shell_expand(shell, c->at[c->i].text, &values);
        }
    } else if (live && !counted) {
        for (size_t i = 0; i < shell->n_args && values.n < SHELL_WORDS_MAX; i++)
            values.at[values.n++] = shell->args[i];
    }
    shell_skip_breaks(c);
    shell_take(c, "do");
    size_t body = c->i;
    if (live && counted) {
        struct text rest, first = text_split(text_skip(name, 2), '=', &rest);
        first = text_trim(first);
        values.n = 1;
        values.at[0] = "$"; /* an unknown value */
        name = first;
    }
    if (live && values.n)
        follow_values(c, arena_copy(shell->arena, name.at, name.len), &values,
                      body);
    c->i = body;
    shell_list(c, false);
    shell_take(c, "done");
}

static void shell_while(struct shell_cursor *c, bool live, bool until)
{
    struct shell *shell = c->shell;
    size_t start = c->i, taken = number_taken(shell);
    size_t runs = shell->runs;
    bool again = live;
    const struct shell_state *first = live ? shell_save(shell) : NULL;
    int n = 0;
    for (; n < ITERATIONS_MAX && again && shell_goes_on(shell); n++) {
        c->i = start;
        enum shell_truth truth = shell_list(c, true);
        shell_take(c, "do");
        if (truth == (until ? SHELL_YES : SHELL_NO))
            break;
        again = truth != SHELL_UNKNOWN;
        bool parts = !again && shell_may_branch(shell);
        const struct shell_state *before = parts ? shell_save(shell) : NULL;
        if (!again)
            shell->runs = SHELL_RUNS_MANY;
        shell->loops++;
        shell_list(c, true);
        shell->loops--;
        shell->runs = runs;
        again &= end_iteration(shell);
        again &= shell_goes_on(shell);
        if (parts)
            shell_merge(shell, before);
        if (number_taken(shell) > taken)
            break;
    }
    /* After more iterations than are followed, what they set is not known. */
    if (n == ITERATIONS_MAX)
        shell_merge(shell, first);
    c->i = start;
    shell_list(c, false);
    shell_take(c, "do");
    shell_list(c, false);
    shell_take(c, "done");
}

/* Reads the patterns of a branch of `case`. Returns true if `live` and a
 * pattern fits the word. */
static bool take_patterns(struct shell_cursor *c, const char *word, bool live)
{
    bool fits = false;
    shell_take(c, "(");
    for (; c->i < c->n && !shell_is_now(c, ")"); c->i++) {
        if (live && c->at[c->i].kind == SHELL_WORD)
            fits |= shell_matches(shell_expand_one(c->shell, c->at[c->i].text),
                                  word);
    }
    shell_take(c, ")");
    return fits;
}

static void shell_case(struct shell_cursor *c, bool live)
{
    struct shell *shell = c->shell;
    const char *word =
        live && c->i < c->n ? shell_expand_one(shell, c->at[c->i].text) : "";
    bool unknown = live && shell_is_unknown(word), done = false;
    const struct shell_state *before = unknown ? shell_save(shell) : NULL;
    const struct shell_state *joined = before;
    c->i++;
    shell_skip_breaks(c);
    shell_take(c, "in");
    shell_skip_breaks(c);
    while (c->i < c->n && !shell_is_now(c, "esac")) {
        bool fits = take_patterns(c, word, live && !unknown);
        bool parts = unknown && shell_may_branch(shell);
        bool runs = parts || (live && !unknown && fits && !done);
        shell_list(c, runs);
        done |= runs;
        if (parts) {
            shell_merge(shell, joined);
            joined = shell_save(shell);
            shell_restore(shell, before);
        }
        shell_take(c, ";;");
        shell_skip_breaks(c);
    }
    if (unknown)
        shell_restore(shell, joined);
    shell_take(c, "esac");
}
