/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/launch.h"

#include <stdio.h>
#include <string.h>

/* Returns the end of the word at the start of `t`: the first blank or operator
 * that is not quoted. */
static size_t word_end(struct text t)
{
    char quote = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '\\' && quote != '\'')
            i++;
        else if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c && strchr(" \t\r\n;&|", c))
            return i;
    }
    return t.len;
}

static const char *unquoted(struct text t, struct arena *arena)
{
    char *out = arena_alloc(arena, t.len + 1), quote = 0;
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '\\' && quote != '\'' && i + 1 < t.len) {
            if (t.at[++i] != '\n')
                out[n++] = t.at[i];
        } else if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else {
            out[n++] = c;
        }
    }
    return out;
}

/* Takes the next shell word and removes its quotes; *rest becomes what follows.
 * Returns false at the end of the command. An operator is a word of its own. */
static bool next_word(struct text *rest, struct arena *arena, const char **word)
{
    struct text t = *rest;
    while (t.len && t.at[0] && strchr(" \t\r\n", t.at[0]))
        t.at++, t.len--;
    if (t.len == 0)
        return false;
    size_t len = word_end(t);
    if (len) {
        *word = unquoted((struct text){t.at, len}, arena);
    } else {
        while (len < t.len && t.at[len] && strchr(";&|", t.at[len]))
            len++;
        *word = arena_copy(arena, t.at, len);
    }
    *rest = (struct text){t.at + len, t.len - len};
    return true;
}

static bool is_operator(const char *word)
{
    return word[0] && strspn(word, ";&|") == strlen(word);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static bool is_assignment(const char *word)
{
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvw"
                            "xyz0123456789");
    return n > 0 && word[n] == '=' && word[0] != '-';
}

static const char *python_of(const char *base)
{
    return strncmp(base, "python", 6) == 0 &&
                   strspn(base + 6, "0123456789.") == strlen(base + 6)
               ? "python"
               : NULL;
}

/* Returns the launcher's name as it is reported, NULL if the word is no
 * launcher. */
static const char *launcher_of(const char *word)
{
    static const char *const names[] = {"torchrun", "deepspeed", "accelerate",
                                        "mpirun",   "mpiexec",   "horovodrun",
                                        "srun",     "ray",       "composer"};
    const char *base = base_name(word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(base, names[i]) == 0)
            return names[i];
    }
    return python_of(base);
}

static bool is_shell_name(const char *word)
{
    const char *base = base_name(word);
    return strcmp(base, "bash") == 0 || strcmp(base, "sh") == 0 ||
           strcmp(base, "sbatch") == 0 || strcmp(base, "source") == 0;
}

struct words {
    const char *at[LAUNCH_WORDS_MAX];
    size_t n;
};

/* Returns the value of a launcher option written as --key=value or --key value;
 * NULL if the word is not that option. */
static const char *option_value_of(const struct words *words, size_t i,
                                   const char *key)
{
    const char *word = words->at[i];
    size_t n = strlen(key);
    for (size_t k = 0; k < n; k++) {
        char c = word[k] == '-' && k > 1 ? '_' : word[k];
        if (c != key[k])
            return NULL;
    }
    if (word[n] == '=')
        return word + n + 1;
    return word[n] == '\0' && i + 1 < words->n ? words->at[i + 1] : NULL;
}

static void take_launcher_option(const struct words *words, size_t i,
                                 struct launch *out)
{
    static const char *const processes[] = {"--nproc_per_node",
                                            "--num_processes",
                                            "--num_gpus",
                                            "--ntasks_per_node",
                                            "--gpus_per_node",
                                            "-np",
                                            "-n",
                                            "--np",
                                            "--nproc"};
    static const char *const nodes[] = {"--nnodes", "--num_machines",
                                        "--num_nodes", "--nodes", "-N"};
    const char *value;
    for (size_t k = 0; k < sizeof processes / sizeof *processes; k++) {
        value = option_value_of(words, i, processes[k]);
        uint32_t count; /* "gpu", "auto" and "$GPUS" give no number */
        if (value && text_to_u32(text_from(value), &count))
            out->processes = count;
    }
    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        value = option_value_of(words, i, nodes[k]);
        if (value && !text_to_u32(text_from(value), &out->nodes))
            out->nodes = 0;
    }
    value = option_value_of(words, i, "--config_file");
    if (value)
        out->config = value;
}

static bool is_launching_module(const char *module)
{
    return strcmp(module, "torch.distributed.launch") == 0 ||
           strcmp(module, "torch.distributed.run") == 0 ||
           strcmp(module, "accelerate.commands.launch") == 0 ||
           strcmp(module, "deepspeed.launcher.runner") == 0;
}

/* Reads the words up to the script. They all belong to launchers, and there may
 * be several: srun torchrun train.py, python -m torch.distributed.launch
 * t.py. */
static bool read_words(const struct words *words, struct launch *out)
{
    size_t i = 0;
    for (; i < words->n && !out->script && !out->module; i++) {
        const char *word = words->at[i], *launcher = launcher_of(word);
        bool after_m = i > 0 && strcmp(words->at[i - 1], "-m") == 0;
        if (after_m && is_launching_module(word))
            out->launcher = word;
        else if (after_m && i + 1 < words->n &&
                 ends_with(words->at[i + 1], ".py"))
            out->launcher = word; /* a launcher of the project's own */
        else if (after_m)
            out->module = word;
        else if (ends_with(word, ".py"))
            out->script = word;
        else if (ends_with(word, ".sh") || ends_with(word, ".bash") ||
                 ends_with(word, ".sbatch") || ends_with(word, ".slurm"))
            out->is_shell = (out->script = word) != NULL;
        else if (launcher &&
                 (!out->launcher || strcmp(launcher, "python") != 0))
            out->launcher = launcher;
        else
            take_launcher_option(words, i, out);
    }
    for (; i < words->n; i++)
        out->words[out->n_words++] = words->at[i];
    return out->script || out->module;
}

static bool starts_something(const struct words *words)
{
    size_t i = 0;
    while (i < words->n &&
           (is_assignment(words->at[i]) || strcmp(words->at[i], "env") == 0 ||
            strcmp(words->at[i], "nohup") == 0 ||
            strcmp(words->at[i], "exec") == 0 ||
            strcmp(words->at[i], "time") == 0))
        i++;
    if (i == words->n)
        return false;
    const char *first = words->at[i];
    return launcher_of(first) || is_shell_name(first) ||
           ends_with(first, ".py") || ends_with(first, ".sh");
}

bool launch_read(struct text command, struct arena *arena, struct launch *out)
{
    struct words words = {.n = 0};
    const char *word;
    bool more = true;
    const char *dir = NULL;
    *out = (struct launch){0};
    while (more) {
        more = next_word(&command, arena, &word);
        if (more && !is_operator(word)) {
            if (words.n < LAUNCH_WORDS_MAX)
                words.at[words.n++] = word;
            continue;
        }
        if (starts_something(&words) && read_words(&words, out)) {
            out->dir = dir;
            return true;
        }
        if (words.n == 2 && strcmp(words.at[0], "cd") == 0)
            dir = words.at[1];
        *out = (struct launch){0};
        words.n = 0;
    }
    return false;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out)
{
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        struct text value, key = text_split(text_from(word), '=', &value);
        const char *next =
            i + 1 < launch->n_words ? launch->words[i + 1] : NULL;
        if (strchr(word, '=') && (is_option(word) || is_assignment(word)))
            ; /* key=value */
        else if (!is_option(word))
            continue;
        else if (next && !is_option(next) && !is_assignment(next))
            value = text_from(launch->words[++i]);
        else
            value = text_from("true");
        settings_add(out, SETTING_COMMAND, key, value, where, line);
        /* --hparams=a=1,b=2 */
        struct text rest = value, pair;
        while (memchr(value.at, '=', value.len) && rest.len) {
            pair = text_split(rest, ',', &rest);
            struct text inner, name = text_split(pair, '=', &inner);
            settings_add(out, SETTING_COMMAND, name, inner, where, line);
        }
    }
}

/* SCRIPT_MAX: bytes of a script that are read. JOINED_MAX: lines that
 * backslashes may join. */
enum { SCRIPT_MAX = 1 << 18, JOINED_MAX = 200 };

struct variables {
    struct text names[64], values[64];
    size_t n;
};

/* Returns the text with $NAME and ${NAME} replaced if NAME was set to plain
 * text. */
static struct text expand(struct text t, const struct variables *variables,
                          struct arena *arena)
{
    enum { MOST = 16384 };
    char out[MOST];
    size_t n = 0;
    if (t.len > MOST || !memchr(t.at, '$', t.len))
        return t;
    for (size_t i = 0; i < t.len && n < MOST; i++) {
        bool braced = t.at[i] == '$' && i + 1 < t.len && t.at[i + 1] == '{';
        size_t from = i + 1 + braced, to = from, v = 0;
        while (t.at[i] == '$' && to < t.len &&
               (t.at[to] == '_' || (t.at[to] >= '0' && t.at[to] <= '9') ||
                ((t.at[to] | 32) >= 'a' && (t.at[to] | 32) <= 'z')))
            to++;
        struct text name = {t.at + from, to - from};
        while (v < variables->n && !text_equal(variables->names[v], name))
            v++;
        if (t.at[i] != '$' || v == variables->n) {
            out[n++] = t.at[i];
            continue;
        }
        struct text value = variables->values[v];
        size_t len = value.len < MOST - n ? value.len : MOST - n;
        memcpy(out + n, value.at, len);
        n += len;
        i = to - 1 + (braced && to < t.len && t.at[to] == '}');
    }
    return (struct text){arena_copy(arena, out, n), n};
}

/* Reads NAME=value, which `export` may precede. */
static void take_variable(struct text line, struct variables *variables)
{
    struct text value;
    if (line.len > 7 && memcmp(line.at, "export ", 7) == 0)
        line = text_trim((struct text){line.at + 7, line.len - 7});
    struct text name = text_split(line, '=', &value);
    if (name.len == line.len || variables->n == 64 || name.len == 0)
        return;
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" \t$\"'-", name.at[i]))
            return;
    }
    value = text_trim(value);
    if (value.len >= 2 && (value.at[0] == '"' || value.at[0] == '\''))
        value = (struct text){value.at + 1, value.len - 2};
    else if (value.len && memchr(value.at, ' ', value.len))
        return; /* a command follows: NAME=value command */
    /* ${1:-default} and $(command) are not plain text. */
    if (value.len && memchr(value.at, '$', value.len) == value.at)
        return;
    variables->names[variables->n] = name;
    variables->values[variables->n++] = value;
}

/* Returns a line together with the lines that a backslash joins to it. */
static struct text joined_line(struct text *rest, struct arena *arena,
                               size_t *lines)
{
    struct text line = text_split(*rest, '\n', rest), all = line;
    *lines = 1;
    while (all.len && all.at[all.len - 1] == '\\' && rest->len &&
           *lines < JOINED_MAX) {
        line = text_split(*rest, '\n', rest);
        char *copy = arena_alloc(arena, all.len + line.len + 1);
        memcpy(copy, all.at, all.len - 1);
        copy[all.len - 1] = ' ';
        memcpy(copy + all.len, line.at, line.len);
        all = (struct text){copy, all.len + line.len};
        ++*lines;
    }
    return text_trim(all);
}

const char *launch_in_script(struct text script, struct arena *arena,
                             size_t *line)
{
    struct variables variables = {.n = 0};
    size_t number = 1, lines;
    const char *found = NULL;
    struct arena scratch;
    arena_init(&scratch);
    if (script.len > SCRIPT_MAX)
        script.len = SCRIPT_MAX;
    for (; script.len && !found; number += lines) {
        struct launch launch;
        struct text command = text_trim(
            settings_without_comment(joined_line(&script, arena, &lines)));
        if (command.len == 0 || memchr(command.at, '\0', command.len))
            continue;
        command = expand(command, &variables, arena);
        if (launch_read(command, &scratch, &launch) && !launch.is_shell) {
            *line = number;
            found = arena_copy(arena, command.at, command.len);
        }
        take_variable(command, &variables);
        arena_reset(&scratch);
    }
    arena_fini(&scratch);
    return found;
}
