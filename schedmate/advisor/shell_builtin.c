/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that the shell carries out itself, and programs such as `sleep`
 * that need not be followed. */

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

/* Finds what commands in $(...) print, if that is known without running them.
 */

static void set(struct shell *shell, const struct shell_words *words);
static void shell_source(struct shell *shell, const char *path,
                         const char *const *args, size_t n_args);

const char *shell_join(struct shell *shell, const struct shell_words *words,
                       size_t from, const char *between)
{
    struct out *out = out_to_memory();
    for (size_t i = from; i < words->n; i++)
        out_printf(out, "%s%s", i > from ? between : "", words->at[i]);
    struct text text = out_memory(out);
    const char *copy = arena_copy(shell->arena, text.at, text.len);
    out_abandon(out);
    return copy;
}

static void print_folder(struct shell *shell, const char *path)
{
    out_printf(shell->capture, SHELL_ROOT "/%s\n",
               shell_path(shell->dir, path, shell->arena));
}

/* Adds what dirname and basename print. */
static void print_part(struct shell *shell, const struct shell_words *words,
                       size_t from)
{
    from += from < words->n && strcmp(words->at[from], "--") == 0;
    if (from >= words->n) {
        shell->capture_unknown = true;
        return;
    }
    const char *path = words->at[from], *slash = strrchr(path, '/');
    if (words->at[0][0] == 'd' && !slash)
        out_text(shell->capture, ".");
    else if (words->at[0][0] == 'd')
        out_bytes(shell->capture, path, (size_t)(slash - path));
    else
        out_text(shell->capture, slash ? slash + 1 : path);
    const char *end = words->n > from + 1 ? words->at[from + 1] : "";
    size_t n = strlen(end), len = out_memory(shell->capture).len;
    if (n && words->at[0][0] == 'b' && len > n &&
        memcmp(out_memory(shell->capture).at + len - n, end, n) == 0)
        shell->capture->len -= n;
}

static void print_echo(struct shell *shell, const struct shell_words *words,
                       size_t from)
{
    out_printf(shell->capture, "%s\n", shell_join(shell, words, from, " "));
}

static void print_path(struct shell *shell, const struct shell_words *words,
                       size_t from)
{
    bool here = strcmp(words->at[0], "pwd") == 0 || from >= words->n;
    print_folder(shell, here ? "." : words->at[from]);
}

static void print_root(struct shell *shell, const struct shell_words *words,
                       size_t from)
{
    (void)from;
    if (words->n == 3 && strcmp(words->at[2], "--show-toplevel") == 0)
        print_folder(shell, SHELL_ROOT);
    else
        shell->capture_unknown = true;
}

void shell_pipe(struct shell *shell)
{
    struct text text = out_memory(shell->capture);
    shell->piped =
        (struct text){arena_copy(shell->arena, text.at, text.len), text.len};
    shell->capture->len = 0;
}

void shell_capture(struct shell *shell, const struct shell_words *words)
{
    static const struct {
        const char *name;
        void (*print)(struct shell *, const struct shell_words *, size_t);
    } rows[] = {
        {"echo", print_echo},     {"pwd", print_path},
        {"realpath", print_path}, {"readlink", print_path},
        {"dirname", print_part},  {"basename", print_part},
        {"git", print_root},
    };
    size_t from = 1;
    if (shell->piped.at) {
        shell->capture_unknown = true; /* what a filter makes of its input */
        shell->piped = (struct text){NULL, 0};
        return;
    }
    while (from < words->n && words->at[from][0] == '-' &&
           ascii_is_letter(words->at[from][1]))
        from++;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(words->at[0], rows[i].name) == 0) {
            rows[i].print(shell, words, from);
            return;
        }
    }
    shell->capture_unknown = true;
}

/* Decides the conditions of a shell script: `test`, `[`, `[[` and `((`. A
 * variable that the script does not set counts as empty, as in a default such
 * as ${X:-1}, unless the machine sets the variable or a sourced file could not
 * be read. */

struct test {
    struct shell *shell;
    const struct shell_token *at;
    size_t n, i;
    bool double_bracket;
    int depth;
};

static enum shell_truth any(struct test *t);

bool shell_matches(const char *pattern, const char *text)
{
    return strlen(pattern) < 512 && strlen(text) < 4096 &&
           fnmatch(pattern, text, 0) == 0;
}

static enum shell_truth truth_of(bool yes)
{
    return yes ? SHELL_YES : SHELL_NO;
}

static enum shell_truth not(enum shell_truth a) {
    return a == SHELL_UNKNOWN ? a : truth_of(a == SHELL_NO);
}

/* True for a variable that the machine or the scheduler sets. */
static bool is_of_the_machine(const char *name)
{
    static const char *const names[] = {
        "HOME", "USER",  "PATH",   "HOSTNAME",
        "PWD",  "SHELL", "TMPDIR", "LD_LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return strncmp(name, "SLURM", 5) == 0 || strncmp(name, "PBS_", 4) == 0;
}

/* Expands an operand. Sets *out to "" for a variable that is not set. Returns
 * false if the operand is unknown. */
static bool operand(struct test *t, struct text word, const char **out)
{
    const char *text = shell_expand_one(t->shell, word);
    *out = text;
    if (!shell_is_unknown(text))
        return true;
    const char *name = text + 1;
    size_t n = 0;
    while (ascii_is_name(name[n]))
        n++;
    if (text[0] != '$' || name[n] || n == 0 || is_of_the_machine(name) ||
        t->shell->misses_source || ascii_is_digit(name[0]) ||
        shell_find(t->shell, name))
        return false;
    *out = "";
    return true;
}

static bool is_token(const struct test *t, size_t i, const char *s)
{
    return i < t->n && text_is(t->at[i].text, s);
}

static enum shell_truth builtin_unary(struct test *t, char op, struct text word)
{
    const char *text;
    bool known = operand(t, word, &text);
    if (op == 'v')
        return truth_of(shell_find(t->shell, text) != NULL);
    if ((op == 'z' || op == 'n') && known)
        return truth_of((op == 'z') == (text[0] == '\0'));
    struct text content;
    const char *found;
    const struct shell_host *host = t->shell->host;
    if (known && (op == 'f' || op == 'e') && text[0] &&
        host->read(host->self, t->shell->dir, text, &found, &content))
        return SHELL_YES;
    return SHELL_UNKNOWN;
}

static enum shell_truth builtin_compare_numbers(const char *a, const char *op,
                                                const char *b)
{
    static const char *const ops[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    int64_t x, y;
    if (!text_to_i64(text_from(a), &x) || !text_to_i64(text_from(b), &y))
        return SHELL_UNKNOWN;
    const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(op, ops[i]) == 0)
            return truth_of(results[i]);
    }
    return SHELL_UNKNOWN;
}

static bool builtin_is_binary(struct text op)
{
    static const char *const ops[] = {"=",   "==",  "!=",  "=~",  "-eq", "-ne",
                                      "-lt", "-le", "-gt", "-ge", "-nt"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (text_is(op, ops[i]))
            return true;
    }
    return false;
}

static enum shell_truth builtin_binary(struct test *t, struct text left,
                                       struct text op, struct text right)
{
    const char *a, *b;
    if (!operand(t, left, &a) || !operand(t, right, &b))
        return SHELL_UNKNOWN;
    bool pattern = t->double_bracket && strpbrk(b, "*?[") &&
                   !memchr(right.at, '"', right.len);
    bool equal = pattern ? shell_matches(b, a) : strcmp(a, b) == 0;
    if (text_is(op, "=") || text_is(op, "=="))
        return truth_of(equal);
    if (text_is(op, "!="))
        return truth_of(!equal);
    return builtin_compare_numbers(
        a, arena_copy(t->shell->arena, op.at, op.len), b);
}

static enum shell_truth single(struct test *t)
{
    if (t->i >= t->n)
        return SHELL_NO;
    struct text word = t->at[t->i].text;
    if (text_is(word, "!")) {
        t->i++;
        return not(single(t));
    }
    if (text_is(word, "(") && ++t->depth < 16) {
        t->i++;
        enum shell_truth inner = any(t);
        t->i += is_token(t, t->i, ")");
        return inner;
    }
    if (t->i + 2 < t->n && builtin_is_binary(t->at[t->i + 1].text)) {
        t->i += 3;
        return builtin_binary(t, word, t->at[t->i - 2].text,
                              t->at[t->i - 1].text);
    }
    if (word.len == 2 && word.at[0] == '-' && ascii_is_letter(word.at[1]) &&
        t->i + 1 < t->n) {
        t->i += 2;
        return builtin_unary(t, word.at[1], t->at[t->i - 1].text);
    }
    t->i++;
    const char *text;
    return operand(t, word, &text) ? truth_of(text[0] != '\0') : SHELL_UNKNOWN;
}

static enum shell_truth all(struct test *t)
{
    enum shell_truth truth = single(t);
    while (is_token(t, t->i, "&&") || is_token(t, t->i, "-a")) {
        t->i++;
        enum shell_truth other = single(t);
        truth = truth == SHELL_NO || other == SHELL_NO ? SHELL_NO
                : truth == other                       ? truth
                                                       : SHELL_UNKNOWN;
    }
    return truth;
}

static enum shell_truth any(struct test *t)
{
    enum shell_truth truth = all(t);
    while (is_token(t, t->i, "||") || is_token(t, t->i, "-o")) {
        t->i++;
        enum shell_truth other = all(t);
        truth = truth == SHELL_YES || other == SHELL_YES ? SHELL_YES
                : truth == other                         ? truth
                                                         : SHELL_UNKNOWN;
    }
    return truth;
}

enum shell_truth shell_test(struct shell *shell, const struct shell_token *at,
                            size_t n)
{
    struct test t = {.shell = shell, .at = at, .n = n};
    if (n == 1 && text_starts(at[0].text, "((")) {
        struct text inner = at[0].text;
        long long value;
        if (inner.len < 4)
            return SHELL_UNKNOWN;
        inner = (struct text){inner.at + 2, inner.len - 4};
        return shell_number(shell, inner, &value) ? truth_of(value != 0)
                                                  : SHELL_UNKNOWN;
    }
    t.double_bracket = is_token(&t, 0, "[[");
    bool brackets = t.double_bracket || is_token(&t, 0, "[");
    t.i = 1;
    if (brackets && n > 1 &&
        (text_is(at[n - 1].text, "]") || text_is(at[n - 1].text, "]]")))
        t.n--;
    enum shell_truth truth = any(&t);
    return t.i < t.n ? SHELL_UNKNOWN : truth;
}

/* Arithmetic of the shell: numbers and variables with + - * / and %. Anything
 * else is unknown. */

enum { SHELL_BUILTIN_VALUE_MAX = 1 << 30 };

/* Reads a number or the value of a variable off *rest. */
static bool builtin_operand(struct shell *shell, struct text *rest,
                            long long *out)
{
    size_t n = 0;
    int64_t value;
    *rest = text_trim(*rest);
    if (text_char(*rest, 0) == '-' && ascii_is_name(text_char(*rest, 1))) {
        *rest = text_skip(*rest, 1);
        bool known = builtin_operand(shell, rest, out);
        *out = known ? -*out : 0;
        return known;
    }
    while (ascii_is_name(text_char(*rest, n)))
        n++;
    struct text word = {rest->at, n};
    *rest = text_trim(text_skip(*rest, n));
    if (n && !ascii_is_digit(word.at[0])) {
        const char *name = arena_copy(shell->arena, word.at, n);
        const char *text = shell_get(shell, name);
        word = text_from(text ? text : "");
    }
    if (!text_to_i64(word, &value) || value > SHELL_BUILTIN_VALUE_MAX ||
        value < -SHELL_BUILTIN_VALUE_MAX)
        return false;
    *out = value;
    return true;
}

/* Reads factors with * / and % between them off *rest. */
static bool builtin_product(struct shell *shell, struct text *rest,
                            long long *out)
{
    long long factor;
    if (!builtin_operand(shell, rest, out))
        return false;
    while (rest->len && strchr("*/%", rest->at[0])) {
        char op = rest->at[0];
        *rest = text_skip(*rest, 1);
        if (!builtin_operand(shell, rest, &factor) ||
            (op != '*' && factor == 0))
            return false;
        *out = op == '*'   ? *out * factor
               : op == '/' ? *out / factor
                           : *out % factor;
        if (*out > SHELL_BUILTIN_VALUE_MAX || *out < -SHELL_BUILTIN_VALUE_MAX)
            return false;
    }
    return true;
}

/* Forgets the variables that an expression such as i++ or x += 2 changes, and
 * returns true if there are any. */
static bool builtin_changes(struct shell *shell, struct text text)
{
    bool changes = false;
    for (size_t i = 0; i < text.len;) {
        size_t n = 0;
        while (ascii_is_name(text_char(text, i + n)))
            n++;
        struct text after = text_trim(text_skip(text, i + n));
        bool sets =
            (text_char(after, 0) == '=' && text_char(after, 1) != '=') ||
            (text_char(after, 1) == '=' && after.at[0] != '=' &&
             strchr("+-*/%", after.at[0])) ||
            text_starts(after, "++") || text_starts(after, "--") ||
            (i >= 2 && text.at[i - 1] == text.at[i - 2] &&
             strchr("+-", text.at[i - 1]));
        if (n && sets) {
            shell_forget(shell, arena_copy(shell->arena, text.at + i, n));
            changes = true;
        }
        i += n ? n : 1;
    }
    return changes;
}

bool shell_number(struct shell *shell, struct text text, long long *out)
{
    const char *expanded =
        memchr(text.at ? text.at : "", '$', text.len)
            ? shell_expand_one(shell, text)
            : arena_copy(shell->arena, text.at ? text.at : "", text.len);
    struct text rest = text_from(expanded);
    long long term;
    if (builtin_changes(shell, rest) || rest.len > 1024 ||
        shell_is_unknown(expanded) || !builtin_product(shell, &rest, out))
        return false;
    while (rest.len && strchr("+-", rest.at[0])) {
        char op = rest.at[0];
        rest = text_skip(rest, 1);
        if (!builtin_product(shell, &rest, &term))
            return false;
        *out += op == '+' ? term : -term;
    }
    return rest.len == 0;
}

/* Assignments to variables, arrays and their items. */

enum { ITEMS_MAX = 512 };

/* Returns the length of the name, the index and the operator of an assignment;
 * 0 if the word is not an assignment. Sets *name to the length of the name. */
static size_t head_length(struct text word, size_t *name)
{
    size_t n = 0;
    while (ascii_is_name(text_char(word, n)))
        n++;
    *name = n;
    if (n == 0 || ascii_is_digit(word.at[0]))
        return 0;
    if (text_char(word, n) == '[')
        n = shell_bracket_end(word, n);
    n += text_char(word, n) == '+';
    return text_char(word, n) == '=' ? n + 1 : 0;
}

bool shell_is_assignment(struct text word)
{
    size_t name;
    return head_length(word, &name) > 0;
}

/* Expands the words of NAME=(...). Drops the index of a word [INDEX]=VALUE. */
static void read_items(struct shell *shell, struct text list,
                       struct shell_words *out)
{
    struct shell_tokens tokens = shell_lex(list, shell->arena);
    for (size_t i = 0; i < tokens.n; i++) {
        struct text word = tokens.at[i].text;
        if (tokens.at[i].kind != SHELL_WORD)
            continue;
        const char *equal =
            word.at[0] == '[' ? memmem(word.at, word.len, "]=", 2) : NULL;
        if (equal)
            word = text_skip(word, (size_t)(equal + 2 - word.at));
        shell_expand(shell, word, out);
    }
}

/* Sets an array to the items of `old` (NULL: none), then those of `more`, at
 * most ITEMS_MAX in all. */
static void append_items(struct shell *shell, const char *name,
                         const struct shell_variable *old,
                         const struct shell_words *more)
{
    size_t before = old ? old->n : 0;
    size_t n = before + more->n > ITEMS_MAX ? ITEMS_MAX : before + more->n;
    const char **items = ARENA_ARRAY(shell->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        items[i] = i < before ? old->items[i] : more->at[i - before];
    shell_set_items(shell, name, items, n, true);
}

/* Sets the item at an index or, if `appends`, appends to its text. */
static void set_item(struct shell *shell, const char *name, struct text index,
                     const char *value, bool appends)
{
    long long at;
    const struct shell_variable *old = shell_find(shell, name);
    size_t before = old ? old->n : 0;
    if (!shell_number(shell, index, &at) || at < 0 || at >= ITEMS_MAX)
        /* an index that is unknown, negative or too large, or a key of an
         * associative array */
        return;
    size_t n = (size_t)at < before ? before : (size_t)at + 1;
    const char **items = ARENA_ARRAY(shell->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = i < before ? old->items[i] : "";
    struct shell_words both = {.at = {items[at], value}, .n = 2};
    items[at] = appends ? shell_join(shell, &both, 0, "") : value;
    shell_set_items(shell, name, items, n, true);
}

/* Sets a variable to a text or, if `appends` is true, appends the text to the
 * value of the variable. Does nothing if the joined text exceeds the budget. */
static void builtin_set_text(struct shell *shell, const char *name,
                             const char *value, bool appends)
{
    const char *old = shell_get(shell, name);
    if (appends && old) {
        size_t room = strlen(old) + strlen(value) + 1;
        if (room > shell->budget->bytes)
            return;
        shell->budget->bytes -= room;
        char *joined = arena_alloc(shell->arena, room);
        snprintf(joined, room, "%s%s", old, value);
        value = joined;
    }
    shell_set(shell, name, value);
}

const char *shell_assign(struct shell *shell, struct text word)
{
    size_t n, head = head_length(word, &n);
    const char *name = arena_copy(shell->arena, word.at, n);
    bool appends = head >= 2 && word.at[head - 2] == '+';
    struct text value = text_skip(word, head), index = {0};
    if (word.at[n] == '[')
        index =
            (struct text){word.at + n + 1, shell_bracket_end(word, n) - n - 2};
    if (text_char(value, 0) == '(' && value.len >= 2) {
        struct shell_words items = {.n = 0};
        read_items(shell, (struct text){value.at + 1, value.len - 2}, &items);
        append_items(shell, name, appends ? shell_find(shell, name) : NULL,
                     &items);
    } else if (index.len) {
        set_item(shell, name, index, shell_expand_one(shell, value), appends);
    } else {
        builtin_set_text(shell, name, shell_expand_one(shell, value), appends);
    }
    return name;
}

typedef void builtin(struct shell *shell, const struct shell_words *words);

static void do_nothing(struct shell *shell, const struct shell_words *words)
{
    (void)shell;
    (void)words;
}

static void change_folder(struct shell *shell, const struct shell_words *words)
{
    size_t i = 1;
    while (i < words->n && words->at[i][0] == '-')
        i++;
    if (i < words->n)
        shell->dir = shell_path(shell->dir, words->at[i], shell->arena);
}

static void leave_folder(struct shell *shell, const struct shell_words *words)
{
    (void)words;
    shell->dir = "";
}

/* Carries out export, declare, typeset, local and readonly. */
static void declare(struct shell *shell, const struct shell_words *words)
{
    bool exports = strcmp(words->at[0], "export") == 0;
    bool is_local = !exports && strcmp(words->at[0], "readonly") != 0;
    for (size_t i = 1; i < words->n; i++) {
        struct text word = text_from(words->at[i]);
        const char *name = words->at[i];
        if (name[0] == '-') {
            exports |= strchr(name, 'x') != NULL;
            continue;
        }
        struct text value, key = text_split(word, '=', &value);
        if (shell_is_assignment(word))
            name = arena_copy(shell->arena, key.at, key.len);
        if (is_local)
            shell_localise(shell, name);
        if (shell_is_assignment(word) && word.at[word.len - 1] == ')')
            name = shell_assign(shell, word);
        else if (shell_is_assignment(word))
            shell_set(shell, name, value.at);
        if (exports)
            shell_export(shell, name);
    }
}

static void unset(struct shell *shell, const struct shell_words *words)
{
    for (size_t i = 1; i < words->n; i++)
        shell_unset(shell, words->at[i]);
}

/* Carries out `set`: the option -a, and new arguments as in `set -- a b c`.
 * Other options have no effect. */
static void set(struct shell *shell, const struct shell_words *words)
{
    size_t i = 1;
    for (; i < words->n && strcmp(words->at[i], "--") != 0; i++) {
        if (words->at[i][0] != '-' && words->at[i][0] != '+')
            break;
        if (strcmp(words->at[i], "-a") == 0)
            shell->exports_all = true;
        else if (words->at[i][strlen(words->at[i]) - 1] == 'o')
            i++; /* the name of an option: set -euo pipefail */
    }
    if (i >= words->n)
        return;
    i += strcmp(words->at[i], "--") == 0;
    const char **args = ARENA_ARRAY(shell->arena, const char *, words->n);
    memcpy(args, words->at + i, (words->n - i) * sizeof *args);
    shell->args = args;
    shell->n_args = words->n - i;
}

static void shift(struct shell *shell, const struct shell_words *words)
{
    uint32_t n = 1;
    if (words->n > 1 && !text_to_u32(text_from(words->at[1]), &n))
        return;
    if (n > shell->n_args)
        return;
    shell->args += n;
    shell->n_args -= n;
}

static enum shell_truth shell_builtin_evaluate(struct shell *shell,
                                               const struct shell_words *words)
{
    if (shell->depth >= 8)
        return SHELL_UNKNOWN;
    return shell_run(shell, text_from(shell_join(shell, words, 1, " ")));
}

static void builtin_include(struct shell *shell,
                            const struct shell_words *words)
{
    if (words->n > 1)
        shell_source(shell, words->at[1], words->at + 2, words->n - 2);
}

/* Carries out `break N` and `continue N`, which do nothing outside of loops. */
static void leave_loops(struct shell *shell, const struct shell_words *words)
{
    uint32_t n = 1;
    if (words->n > 1 && !text_to_u32(text_from(words->at[1]), &n))
        n = 1;
    if (n > shell->loops)
        n = (uint32_t)shell->loops;
    if (n == 0)
        return;
    shell->continues = strcmp(words->at[0], "continue") == 0;
    shell->breaks = shell->continues ? n - 1 : n;
}

static void builtin_leave(struct shell *shell, const struct shell_words *words)
{
    if (strcmp(words->at[0], "exit") == 0)
        shell->is_over = true;
    else if (strcmp(words->at[0], "return") == 0)
        shell->returns = true;
    else
        leave_loops(shell, words);
}

static void read_line(struct shell *shell, const struct shell_words *words)
{
    for (size_t i = 1; i < words->n; i++) {
        if (words->at[i][0] != '-' && words->at[i][0])
            shell_forget(shell, words->at[i]);
    }
}

static void compute(struct shell *shell, const struct shell_words *words)
{
    long long value;
    for (size_t i = 1; i < words->n; i++)
        (void)!shell_number(shell, text_from(words->at[i]), &value);
}

/* Returns the letters of the next argument if it is a group of options such as
 * -ab, or those of the current group that are not read yet; NULL if no argument
 * is left or the next one is not an option. */
static const char *option_letters(const struct shell *shell)
{
    if (shell->option_group && *shell->option_group)
        return shell->option_group;
    if (shell->options_at > shell->n_args)
        return NULL;
    const char *word = shell->args[shell->options_at - 1];
    return word[0] == '-' && word[1] ? word + 1 : NULL;
}

/* Reads the next option of the arguments into the variable that words[2] names,
 * and the value of the option, if it takes one, into OPTARG. Returns false if
 * no argument is left, or if the next one is not an option that words[1] lists.
 */
static bool next_option(struct shell *shell, const struct shell_words *words)
{
    const char *letters = words->n < 3 ? NULL : option_letters(shell);
    const char *known =
        letters && *letters != ':' ? strchr(words->at[1], *letters) : NULL;
    if (!known)
        return false;
    shell_set(shell, words->at[2], arena_copy(shell->arena, letters, 1));
    shell->option_group = letters + 1;
    if (*shell->option_group && known[1] != ':')
        return true;
    shell->options_at++;
    if (known[1] != ':')
        return true;
    const char *value = shell->option_group;
    shell->option_group = NULL;
    if (!*value)
        value = shell->options_at <= shell->n_args
                    ? shell->args[shell->options_at++ - 1]
                    : "";
    shell_set(shell, "OPTARG", value);
    return true;
}

static enum shell_truth get_options(struct shell *shell,
                                    const struct shell_words *words)
{
    bool more = next_option(shell, words);
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%zu", shell->options_at);
    shell_set(shell, "OPTIND", arena_copy(shell->arena, digits, (size_t)n));
    return more ? SHELL_YES : SHELL_NO;
}

static builtin *find_builtin(const char *name)
{
    static const struct {
        const char *name;
        builtin *run;
    } rows[] = {
        {"cd", change_folder},
        {"pushd", change_folder},
        {"popd", leave_folder},
        {"export", declare},
        {"declare", declare},
        {"typeset", declare},
        {"local", declare},
        {"readonly", declare},
        {"unset", unset},
        {"set", set},
        {"shift", shift},
        {"source", builtin_include},
        {".", builtin_include},
        {"exit", builtin_leave},
        {"return", builtin_leave},
        {"break", builtin_leave},
        {"continue", builtin_leave},
        {"read", read_line},
        {"let", compute},
        {":", do_nothing},
        {"true", do_nothing},
        {"wait", do_nothing},
        {"trap", do_nothing},
        {"ulimit", do_nothing},
        {"module", do_nothing},
        {"shopt", do_nothing},
        {"sleep", do_nothing},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].run;
    }
    return NULL;
}

bool shell_builtin(struct shell *shell, const struct shell_words *words,
                   struct text document, enum shell_truth *truth)
{
    const char *name = words->at[0];
    builtin *run = find_builtin(name);
    if (run) {
        run(shell, words);
        if (run == read_line)
            *truth = document.len ? SHELL_YES : SHELL_UNKNOWN;
    } else if (strcmp(name, "false") == 0) {
        *truth = SHELL_NO;
    } else if (strcmp(name, "eval") == 0) {
        *truth = shell_builtin_evaluate(shell, words);
    } else if (strcmp(name, "getopts") == 0) {
        *truth = get_options(shell, words);
    } else {
        return false;
    }
    return true;
}

/* In shell_builtin.c. Follows a script that the source command names, with the
 * arguments of the caller if n_args is 0. Sets misses_source if the script
 * cannot be read or the nesting is too deep. shell->host->read must not be
 * NULL. */
static void shell_source(struct shell *shell, const char *path,
                         const char *const *args, size_t n_args)
{
    const char *found, *before = shell->path;
    struct text text;
    const char *const *old = shell->args;
    size_t n_old = shell->n_args, line = shell->line;
    if (shell->depth >= 8 || !shell->host->read(shell->host->self, shell->dir,
                                                path, &found, &text)) {
        shell->misses_source = true;
        return;
    }
    if (n_args) {
        shell->args = args;
        shell->n_args = n_args;
    }
    shell->path = found;
    shell->line = 0;
    shell_run(shell, text);
    shell->path = before;
    shell->line = line;
    shell->args = old;
    shell->n_args = n_old;
    shell->returns = false;
}
