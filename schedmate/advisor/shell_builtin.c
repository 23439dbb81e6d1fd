/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that the shell carries out itself, and programs such as `sleep`
 * that need not be followed. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

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
    for (size_t i = 1; i < words->n; i++) {
        struct text word = text_from(words->at[i]);
        const char *name = words->at[i];
        if (name[0] == '-') {
            exports |= strchr(name, 'x') != NULL;
            continue;
        }
        if (shell_is_assignment(word) && word.at[word.len - 1] == ')') {
            name = shell_assign(shell, word);
        } else if (shell_is_assignment(word)) {
            struct text value, key = text_split(word, '=', &value);
            name = arena_copy(shell->arena, key.at, key.len);
            shell_set(shell, name, value.at);
        }
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
    n = n < shell->n_args ? n : (uint32_t)shell->n_args;
    shell->args += n;
    shell->n_args -= n;
}

static enum shell_truth evaluate(struct shell *shell,
                                 const struct shell_words *words)
{
    if (shell->depth >= 8)
        return SHELL_UNKNOWN;
    return shell_run(shell, text_from(shell_joined(shell, words, 1)));
}

static void include(struct shell *shell, const struct shell_words *words)
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

static void leave(struct shell *shell, const struct shell_words *words)
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

/* Carries out `read -d '' NAME <<EOF`, which reads the whole here-document.
 * Returns false if the command reads something else. */
static bool read_document(struct shell *shell, const struct shell_words *words,
                          struct text document)
{
    bool whole = false;
    const char *name = NULL;
    for (size_t i = 1; i < words->n; i++) {
        size_t n = strlen(words->at[i]);
        if (words->at[i][0] == '-' && words->at[i][n - 1] == 'd')
            whole = i + 1 < words->n && !words->at[i + 1][0];
        else if (words->at[i][0] && words->at[i][0] != '-')
            name = words->at[i];
    }
    if (!whole || !name || !document.len)
        return false;
    document = text_trim(document);
    shell_set(shell, name, arena_copy(shell->arena, document.at, document.len));
    return true;
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
        {"cd", change_folder},  {"pushd", change_folder},
        {"popd", leave_folder}, {"export", declare},
        {"declare", declare},   {"typeset", declare},
        {"local", declare},     {"readonly", declare},
        {"unset", unset},       {"set", set},
        {"shift", shift},       {"source", include},
        {".", include},         {"exit", leave},
        {"return", leave},      {"break", leave},
        {"continue", leave},    {"read", read_line},
        {"let", compute},       {":", do_nothing},
        {"true", do_nothing},   {"wait", do_nothing},
        {"trap", do_nothing},   {"ulimit", do_nothing},
        {"module", do_nothing}, {"shopt", do_nothing},
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
    if (run == include && !(shell->host && shell->host->read))
        return false;
    if (run == read_line && read_document(shell, words, document)) {
        *truth = SHELL_NO; /* `read` finds no 0 byte */
    } else if (run) {
        run(shell, words);
        if (run == read_line)
            *truth = document.len ? SHELL_YES : SHELL_UNKNOWN;
    } else if (strcmp(name, "false") == 0) {
        *truth = SHELL_NO;
    } else if (strcmp(name, "eval") == 0) {
        *truth = evaluate(shell, words);
    } else if (strcmp(name, "getopts") == 0) {
        *truth = get_options(shell, words);
    } else {
        return false;
    }
    return true;
}

void shell_source(struct shell *shell, const char *path,
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
