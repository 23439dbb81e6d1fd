/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what commands in $(...) print, if that is known without running them.
 */
#include <stdio.h>
#include <string.h>

#include "models/advisor/shell_internal.h"
#include "sim/base/ascii.h"
#include "sim/base/out.h"

const char *shell_joined(struct shell *shell, const struct shell_words *words,
                         size_t from)
{
    struct out *out = out_to_memory();
    for (size_t i = from; i < words->n; i++)
        out_printf(out, "%s%s", i > from ? " " : "", words->at[i]);
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

static void print_numbers(struct shell *shell, const struct shell_words *words,
                          size_t from_word)
{
    (void)from_word;
    int64_t from = 1, to = 0;
    bool two = words->n == 3;
    if (!text_to_i64(text_from(words->at[words->n - 1]), &to) ||
        (two && !text_to_i64(text_from(words->at[1]), &from)) || words->n > 3 ||
        to - from > 1000) {
        shell->capture_unknown = true;
        return;
    }
    for (; from <= to; from++)
        out_printf(shell->capture, "%lld\n", (long long)from);
}

static void print_echo(struct shell *shell, const struct shell_words *words,
                       size_t from)
{
    out_printf(shell->capture, "%s\n", shell_joined(shell, words, from));
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

/* Writes the text with `old` replaced by `new`: at its first occurrence, or at
 * each if `all`. A '^' before `old` limits it to the start of the text. */
static void write_replaced(struct shell *shell, struct text t, struct text old,
                           struct text new, bool all)
{
    bool start = text_char(old, 0) == '^', done = false;
    if (start)
        old = text_skip(old, 1);
    for (size_t i = 0; i < t.len;) {
        bool hit = !done && old.len && i + old.len <= t.len &&
                   (!start || i == 0) && memcmp(t.at + i, old.at, old.len) == 0;
        if (hit)
            out_bytes(shell->capture, new.at, new.len);
        else
            out_char(shell->capture, t.at[i]);
        i += hit ? old.len : 1;
        done |= hit && (!all || start);
    }
}

/* True if the pattern of sed is plain text and not empty. It may begin with
 * '^'. */
static bool is_plain(struct text pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.at[i];
        if (strchr(".*[]\\$+?(){}|", c) || (i > 0 && c == '^'))
            return false;
    }
    return pattern.len > 0;
}

/* Handles `tr OLD NEW` if OLD and NEW are one character each. Returns false for
 * any other command. */
static bool translate(struct shell *shell, const struct shell_words *words)
{
    struct text old = text_from(words->n > 1 ? words->at[1] : "");
    struct text new = text_from(words->n > 2 ? words->at[2] : "");
    if (words->n != 3 || old.len != 1 || new.len != 1)
        return false;
    write_replaced(shell, shell->piped, old, new, true);
    return true;
}

/* Handles `sed s/OLD/NEW/` and `sed s/OLD/NEW/g`, with any separator and at
 * most one option, if OLD is plain text. Ignores other flags than `g`. Returns
 * false for any other command. */
static bool substitute(struct shell *shell, const struct shell_words *words)
{
    struct text rest;
    bool option = words->n > 2 && words->at[1][0] == '-';
    const char *word = words->n > 1 ? words->at[option ? 2 : 1] : "";
    if (words->n != (option ? 3 : 2) || word[0] != 's' || !word[1])
        return false;
    struct text old = text_split(text_from(word + 2), word[1], &rest);
    struct text new = text_split(rest, word[1], &rest);
    if (!is_plain(old))
        return false;
    write_replaced(shell, shell->piped, old, new, text_is(rest, "g"));
    return true;
}

/* Writes what a command after a pipe makes of its input. Returns false if that
 * is not known. */
static bool change_piped(struct shell *shell, const struct shell_words *words)
{
    const char *name = words->at[0];
    return (strcmp(name, "sed") == 0 && substitute(shell, words)) ||
           (strcmp(name, "tr") == 0 && translate(shell, words));
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
        {"seq", print_numbers},   {"git", print_root},
    };
    size_t from = 1;
    if (shell->piped.at) {
        shell->capture_unknown |= !change_piped(shell, words);
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
