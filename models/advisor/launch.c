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

/* Takes the next shell word and removes its quotes. *rest becomes the text
 * after the word. An operator is a separate word. Returns false at the end of
 * the command. */
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

/* True for key=value. A key may be a path, as in data.batch_size=8 and
 * +model/head=linear. */
static bool is_assignment(const char *word)
{
    word += word[0] == '+';
    word += word[0] == '+';
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvw"
                            "xyz0123456789./");
    return n > 0 && word[n] == '=' && word[0] != '.' && word[0] != '/';
}

static const char *python_of(const char *base)
{
    return strncmp(base, "python", 6) == 0 &&
                   strspn(base + 6, "0123456789.") == strlen(base + 6)
               ? "python"
               : NULL;
}

/* Returns the name to report for a launcher; NULL if the word is not a
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
        uint32_t count; /* stays 0 for "gpu", "auto" and "$GPUS" */
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
    return ends_with(module, ".distributed.launch") ||
           strcmp(module, "torch.distributed.run") == 0 ||
           strcmp(module, "accelerate.commands.launch") == 0 ||
           strcmp(module, "deepspeed.launcher.runner") == 0;
}

static bool is_shell_script(const char *word)
{
    return ends_with(word, ".sh") || ends_with(word, ".bash") ||
           ends_with(word, ".sbatch") || ends_with(word, ".slurm");
}

/* Reads the word after -m: the module to run, or the module of a launcher. One
 * of the project's own modules that starts a script is also a launcher. */
static void take_module(const struct words *words, size_t i, struct launch *out)
{
    const char *word = words->at[i];
    bool starts_script = i + 1 < words->n && ends_with(words->at[i + 1], ".py");
    if (starts_script || is_launching_module(word))
        out->launcher = word;
    else
        out->module = word;
}

/* Reads one word before the script is found: a launcher, an option of it, or
 * the script itself. */
static void take_word(const struct words *words, size_t i, struct launch *out)
{
    const char *word = words->at[i], *launcher = launcher_of(word);
    bool shell = is_shell_script(word);
    if (shell || ends_with(word, ".py")) {
        out->script = word;
        out->is_shell = shell;
    } else if (launcher &&
               (!out->launcher || strcmp(launcher, "python") != 0)) {
        out->launcher = launcher;
    } else {
        take_launcher_option(words, i, out);
    }
}

/* Reads the words up to the script. These words belong to one or more
 * launchers: "srun torchrun train.py", "python -m torch.distributed.launch
 * t.py". */
static bool read_words(const struct words *words, struct launch *out)
{
    size_t i = 0;
    for (; i < words->n && !out->script && !out->module; i++) {
        if (i > 0 && strcmp(words->at[i - 1], "-m") == 0)
            take_module(words, i, out);
        else
            take_word(words, i, out);
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
        while (text_char(key, 0) == '+')
            key = text_skip(key, 1);
        const char *next =
            i + 1 < launch->n_words ? launch->words[i + 1] : NULL;
        if (strchr(word, '=') && (is_option(word) || is_assignment(word)))
            ; /* the word is key=value */
        else if (!is_option(word))
            continue;
        else if (next && !is_option(next) && !is_assignment(next))
            value = text_from(launch->words[++i]);
        else
            value = text_from("true");
        settings_add(out, SETTING_COMMAND, key, value, where, line);
        /* a list of settings: --hparams=a=1,b=2 */
        struct text rest = value, pair;
        while (memchr(value.at, '=', value.len) && rest.len) {
            pair = text_split(rest, ',', &rest);
            struct text inner, name = text_split(pair, '=', &inner);
            settings_add(out, SETTING_COMMAND, name, inner, where, line);
        }
    }
}
