/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what commands in $(...) print, if that is known without running them.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

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

/* Handles `tr OLD NEW` if OLD and NEW are one character each. Returns false for
 * any other command. */
static bool translate(struct shell *shell, const struct shell_words *words)
{
    if (words->n != 3 || strlen(words->at[1]) != 1 || strlen(words->at[2]) != 1)
        return false;
    for (size_t i = 0; i < shell->piped.len; i++) {
        char c = shell->piped.at[i];
        out_char(shell->capture, c == words->at[1][0] ? words->at[2][0] : c);
    }
    return true;
}

/* The command s of sed, with a plain text as pattern. */
struct substitution {
    struct text old;    /* not empty */
    struct text new;    /* '&' stands for `old` */
    bool is_at_start;   /* true if only the start of a line is replaced */
    bool is_everywhere; /* true if each occurrence in a line is replaced, not
                           only the first */
};

/* Returns what follows *rest up to `end`, and goes past `end`. Sets .at to NULL
 * if `end` does not occur. */
static struct text part_of(struct text *rest, char end)
{
    if (!rest->len || !memchr(rest->at, end, rest->len))
        return (struct text){NULL, 0};
    return text_split(*rest, end, rest);
}

static bool has_any(struct text text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(characters, text.at[i]))
            return true;
    }
    return false;
}

/* Reads s/OLD/NEW/ or s/OLD/NEW/g, with any separator. Returns false for any
 * other command, and if OLD is more than plain text after an optional '^', or
 * NEW has a backslash. */
static bool read_substitution(const char *word, struct substitution *out)
{
    if (word[0] != 's' || !word[1] || strchr("\\\n", word[1]))
        return false;
    struct text rest = text_from(word + 2);
    out->old = part_of(&rest, word[1]);
    out->new = part_of(&rest, word[1]);
    if (!out->new.at || has_any(out->new, "\\\n") ||
        (rest.len && !text_is(rest, "g")))
        return false;
    out->is_everywhere = rest.len > 0;
    out->is_at_start = text_char(out->old, 0) == '^';
    if (out->is_at_start)
        out->old = text_skip(out->old, 1);
    return out->old.len && !has_any(out->old, ".*[]\\$+?(){}|^\n");
}

static void write_new(const struct substitution *s, struct out *out)
{
    for (size_t i = 0; i < s->new.len; i++) {
        if (s->new.at[i] == '&')
            out_bytes(out, s->old.at, s->old.len);
        else
            out_char(out, s->new.at[i]);
    }
}

/* Writes the text with the substitution applied to each of its lines. */
static void write_substituted(struct text t, const struct substitution *s,
                              struct out *out)
{
    bool is_start = true, is_done = false;
    for (size_t i = 0; i < t.len;) {
        bool hit = !is_done && (is_start || !s->is_at_start) &&
                   i + s->old.len <= t.len &&
                   memcmp(t.at + i, s->old.at, s->old.len) == 0;
        bool ends = t.at[i] == '\n';
        if (hit)
            write_new(s, out);
        else
            out_char(out, t.at[i]);
        is_done = !ends && (is_done || (hit && !s->is_everywhere));
        is_start = ends;
        i += hit ? s->old.len : 1;
    }
}

/* Handles `sed s/OLD/NEW/` and `sed s/OLD/NEW/g` if read_substitution can read
 * the command, with -e, -E or -r before it or without an option. Returns false
 * for any other command: its output is not known. */
static bool substitute(struct shell *shell, const struct shell_words *words)
{
    struct substitution s;
    const char *option = words->n == 3 ? words->at[1] : "-e";
    bool is_known = strcmp(option, "-e") == 0 || strcmp(option, "-E") == 0 ||
                    strcmp(option, "-r") == 0;
    if (words->n < 2 || words->n > 3 || !is_known ||
        !read_substitution(words->at[words->n - 1], &s))
        return false;
    write_substituted(shell->piped, &s, shell->capture);
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
