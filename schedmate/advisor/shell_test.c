/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides the conditions of a shell script: `test`, `[`, `[[` and `((`. A
 * variable that the script does not set counts as empty, as in a default such
 * as ${X:-1}, unless the machine sets the variable or a sourced file could not
 * be read. */
#include <fnmatch.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/shell_internal.h"

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

static enum shell_truth unary(struct test *t, char op, struct text word)
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
    if (known && (op == 'f' || op == 'e') && host && host->read && text[0] &&
        host->read(host->self, t->shell->dir, text, &found, &content))
        return SHELL_YES;
    return SHELL_UNKNOWN;
}

static enum shell_truth compare_numbers(const char *a, const char *op,
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

static bool is_binary(struct text op)
{
    static const char *const ops[] = {"=",   "==",  "!=",  "=~",  "-eq", "-ne",
                                      "-lt", "-le", "-gt", "-ge", "-nt"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (text_is(op, ops[i]))
            return true;
    }
    return false;
}

static enum shell_truth binary(struct test *t, struct text left, struct text op,
                               struct text right)
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
    return compare_numbers(a, arena_copy(t->shell->arena, op.at, op.len), b);
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
    if (t->i + 2 < t->n && is_binary(t->at[t->i + 1].text)) {
        t->i += 3;
        return binary(t, word, t->at[t->i - 2].text, t->at[t->i - 1].text);
    }
    if (word.len == 2 && word.at[0] == '-' && ascii_is_letter(word.at[1]) &&
        t->i + 1 < t->n) {
        t->i += 2;
        return unary(t, word.at[1], t->at[t->i - 1].text);
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
