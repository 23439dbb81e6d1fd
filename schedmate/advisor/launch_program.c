/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a command without wrappers: Python, launchers of processes, shells,
 * batch systems, notebooks, installed programs. */
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/launch_internal.h"

/* A program that starts processes of a Python script. */
struct launcher {
    const char *name;
    const char *subcommand; /* word that must follow; NULL: none */
    const char *flags;      /* options without a value */
};

static const struct launcher launchers[] = {
    {.name = "torchrun",
     .flags = "--standalone --no-python --no_python --use_env"},
    {.name = "deepspeed",
     .flags = "--bind_cores_to_rank --no_ssh --no_local_rank --force_multi "
              "--enable_each_rank_log"},
    {.name = "accelerate",
     .subcommand = "launch",
     .flags = "--multi_gpu --use_deepspeed --use_fsdp --cpu --tpu --debug "
              "--use_ipex --same_network -q --quiet --use_megatron_lm "
              "--enable_cpu_affinity"},
    {.name = "accelerate-launch",
     .flags = "--multi_gpu --use_deepspeed --use_fsdp"},
    {.name = "composer", .flags = "-v --verbose"},
    {.name = "colossalai", .subcommand = "run", .flags = "--skip"},
    {.name = "fabric", .subcommand = "run", .flags = ""},
    {.name = "lightning", .subcommand = "run", .flags = ""},
    {.name = "fleetrun", .flags = ""},
};

struct reading {
    struct launch_finder *finder;
    struct launch_context context;
    struct launch launch;
    struct launch_words words;
    size_t i;
};

static void finish(struct reading *r)
{
    struct launch *launch = &r->launch;
    const struct launch_context *context = &r->context;
    for (; r->i < r->words.n && launch->n_words < LAUNCH_WORDS_MAX; r->i++)
        launch->words[launch->n_words++] = r->words.at[r->i];
    launch->dir = context->dir[0] ? context->dir : NULL;
    launch->where = context->where;
    launch->config = context->config;
    launch->counts = context->counts;
    launch->hardware = context->hardware;
    launch->runs = context->runs;
    if (!launch->launcher ||
        (context->launcher && strcmp(launch->launcher, "python") == 0))
        launch->launcher =
            context->launcher ? context->launcher : launch->launcher;
    memcpy(launch->env, context->env, sizeof launch->env);
    launch->n_env = context->n_env;
    launch_add(r->finder, launch);
}

static void set_script(struct reading *r, const char *script)
{
    r->launch.script = script;
    r->launch.is_shell = launch_is_shell_script(script);
    r->i++;
    finish(r);
}

/* Turns -p, -r or --parameters NAME VALUE of papermill into NAME=VALUE. */
static void take_parameters(struct reading *r)
{
    struct launch_words words = r->words;
    for (; r->i + 2 < words.n; r->i++) {
        if (!launch_listed("-p -r --parameters", words.at[r->i]))
            continue;
        const char *name = words.at[r->i + 1], *value = words.at[r->i + 2];
        size_t room = strlen(name) + strlen(value) + 2;
        char *pair = arena_alloc(r->finder->arena, room);
        snprintf(pair, room, "%s=%s", name, value);
        if (r->launch.n_words < LAUNCH_WORDS_MAX)
            r->launch.words[r->launch.n_words++] = pair;
        r->i += 2;
    }
    r->i = words.n;
}

/* Reads a command that runs a notebook: jupyter nbconvert --execute x.ipynb,
 * papermill in.ipynb out.ipynb -p k v, jupyter execute x.ipynb. */
static bool read_notebook(struct reading *r)
{
    struct launch_words words = r->words;
    for (; r->i < words.n; r->i++) {
        if (launch_ends(words.at[r->i], ".ipynb")) {
            r->launch.launcher = "jupyter";
            r->launch.script = words.at[r->i++];
            take_parameters(r);
            finish(r);
            return true;
        }
    }
    return false;
}

/* Keeps an option of the launcher, as "name=value". */
static void add_option(struct reading *r, const char *word, const char *value)
{
    char text[200];
    while (*word == '-')
        word++;
    int n = snprintf(text, sizeof text, "%.*s=%s", (int)strcspn(word, "="),
                     word, value);
    if (n > 0 && (size_t)n < sizeof text &&
        r->launch.n_options < LAUNCH_OPTIONS_MAX)
        r->launch.options[r->launch.n_options++] =
            arena_copy(r->finder->arena, text, (size_t)n);
}

/* Takes an option of a launcher; `next` is the word after it, or NULL. Returns
 * true if the next word is its value. */
static bool take_option(struct reading *r, const char *launcher,
                        const char *word, const char *next)
{
    const char *equal = strchr(word, '=');
    const char *value = equal ? equal + 1 : next;
    bool counted = launch_option(launcher, word, value, &r->context);
    bool valued = !equal && next &&
                  (counted || (next[0] != '-' && !launch_is_program(next)));
    add_option(r, word, equal ? equal + 1 : valued ? next : "true");
    return valued;
}

/* Reads the options of a launcher and follows what is after them. */
static bool read_launcher(struct reading *r, const char *name,
                          const char *flags)
{
    struct launch_words words = r->words;
    r->launch.launcher = name;
    for (; r->i < words.n; r->i++) {
        const char *word = words.at[r->i];
        const char *next = r->i + 1 < words.n ? words.at[r->i + 1] : NULL;
        if (launch_listed("-m --module", word) && next) {
            r->launch.module = next;
            r->i += 2;
            finish(r);
            return true;
        }
        if (word[0] != '-' || !word[1])
            break;
        if (launch_listed(flags, word))
            add_option(r, word, "true");
        else
            r->i += take_option(r, name, word, next);
    }
    if (r->i == words.n)
        return false;
    /* the words of another command: torchrun --no-python python x.py */
    if (!launch_ends(words.at[r->i], ".py") &&
        launch_is_program(words.at[r->i])) {
        r->context.launcher = name;
        launch_take(r->finder, &r->context,
                    (struct launch_words){words.at + r->i, words.n - r->i});
        return true;
    }
    set_script(r, words.at[r->i]);
    return true;
}

static bool is_launching_module(const struct reading *r, const char *module)
{
    return launch_is_launching(module) ||
           launch_ends(module, ".distributed.launch") ||
           (r->i + 1 < r->words.n &&
            launch_ends(r->words.at[r->i + 1], ".py") && !strchr(module, '.'));
}

/* Follows COMMAND of `python -m pkg.launch --ngpu 2 -- COMMAND`. */
static bool read_after_dashes(struct reading *r, const char *module)
{
    size_t at = r->i + 1;
    while (at < r->words.n && strcmp(r->words.at[at], "--") != 0)
        at++;
    if (at + 1 >= r->words.n || !launch_is_program(r->words.at[at + 1]))
        return false;
    for (size_t i = r->i + 1; i + 1 < at; i++)
        launch_option(module, r->words.at[i], r->words.at[i + 1], &r->context);
    launch_take(
        r->finder, &r->context,
        (struct launch_words){r->words.at + at + 1, r->words.n - at - 1});
    return true;
}

/* Reads what follows `python -m`. A module that starts a script, or a module
 * without a dot in its name before a script, is the launcher of that script. */
static bool read_module(struct reading *r)
{
    if (r->i >= r->words.n)
        return false;
    const char *module = r->words.at[r->i];
    if (is_launching_module(r, module)) {
        r->i++;
        r->launch.launcher = module;
        return read_launcher(r, module, "--use_env --no_python --module -l");
    }
    if (launch_listed("jupyter papermill nbconvert", module))
        return read_notebook(r);
    if (read_after_dashes(r, module))
        return true;
    r->launch.module = module;
    r->i++;
    finish(r);
    return true;
}

static bool read_python(struct reading *r)
{
    struct launch_words words = r->words;
    r->launch.launcher = "python";
    for (; r->i < words.n; r->i++) {
        const char *word = words.at[r->i];
        if (strcmp(word, "-m") == 0) {
            r->i++;
            return read_module(r);
        }
        if (strcmp(word, "-c") == 0)
            return false;
        if (launch_listed("-W -X --check-hash-based-pycs", word))
            r->i++;
        else if (strcmp(word, "--") != 0 && (word[0] != '-' || !word[1]))
            break;
    }
    if (r->i == words.n || strcmp(words.at[r->i], "-") == 0)
        return false;
    set_script(r, words.at[r->i]);
    return true;
}

/* Reads bash -c "...", bash x.sh or a here-document; false: none of these. */
static bool read_shell(struct reading *r)
{
    struct launch_words words = r->words;
    struct launch_finder *finder = r->finder;
    for (; r->i < words.n &&
           (words.at[r->i][0] == '-' || words.at[r->i][0] == '+');
         r->i++) {
        const char *word = words.at[r->i];
        bool command = word[0] == '-' && word[1] != '-' && strchr(word, 'c');
        if (command && r->i + 1 < words.n) {
            size_t rest = r->i + 2 < words.n ? r->i + 3 : words.n;
            rest = rest > words.n ? words.n : rest;
            launch_follow(
                finder, &r->context, NULL, text_from(words.at[r->i + 1]),
                (struct launch_words){words.at + rest, words.n - rest});
            return true;
        }
        r->i += launch_listed("-o --rcfile --init-file", word);
    }
    if (r->i == words.n && r->context.document.len) {
        launch_follow(finder, &r->context, NULL, r->context.document,
                      (struct launch_words){NULL, 0});
        return true;
    }
    if (r->i == words.n)
        return false;
    r->launch.launcher = NULL;
    r->launch.script = words.at[r->i++];
    r->launch.is_shell = true;
    finish(r);
    return true;
}

/* Takes an option of a batch system; true if the next word is its value. */
static bool has_value(struct reading *r, const char *word, const char *next)
{
    static const char values[] =
        "-p -J -o -e -t -c -A -q -w -x -a -d -M -C -l -N -v -P -W -j -m -S";
    bool plain =
        word[1] == '-' && next && next[0] != '-' && !launch_is_program(next);
    return launch_option(r->words.at[0], word, next, &r->context) ||
           launch_listed(values, word) || plain;
}

/* Reads sbatch or qsub: options, then a script, --wrap or a here-document.
 * Returns false if there is none of these. */
static bool read_batch(struct reading *r)
{
    struct launch_words words = r->words;
    for (; r->i < words.n && words.at[r->i][0] == '-'; r->i++) {
        const char *word = words.at[r->i], *equal = strchr(word, '=');
        const char *next = r->i + 1 < words.n ? words.at[r->i + 1] : NULL;
        if (strncmp(word, "--wrap", 6) == 0 && (equal || next)) {
            launch_follow(r->finder, &r->context, NULL,
                          text_from(equal ? equal + 1 : next),
                          (struct launch_words){NULL, 0});
            return true;
        }
        if (equal)
            launch_option(words.at[0], word, equal + 1, &r->context);
        else
            r->i += has_value(r, word, next);
    }
    if (r->i < words.n)
        return read_shell(r);
    if (!r->context.document.len)
        return false;
    launch_batch_head(r->context.document, &r->context, r->finder->arena);
    return read_shell(r);
}

/* Reads x.sh, x.py, or ./run whose first line names the program to run it. */
static bool read_file(struct reading *r)
{
    const char *word = r->words.at[0], *found;
    struct text text, first, rest;
    if (launch_is_shell_script(word) || launch_ends(word, ".py")) {
        r->i = 0;
        set_script(r, word);
        return true;
    }
    if (!launch_read_file(r->finder, r->context.dir, word, &found, &text))
        return false;
    first = text_split(text, '\n', &rest);
    if (!text_starts(first, "#!"))
        return false;
    r->launch.script = word;
    r->launch.launcher =
        memmem(first.at, first.len, "python", 6) ? "python" : NULL;
    r->launch.is_shell = r->launch.launcher == NULL;
    r->i = 1;
    finish(r);
    return true;
}

/* Takes a program that is not a file of the job: an entry point of its package
 * or an installed tool. Returns false if it is no launch, such as echo. */
static bool read_tool(struct reading *r)
{
    const char *name = r->words.at[0];
    if (launch_is_ordinary(name))
        return false;
    const char *entry = launch_entry(r->finder, launch_base(name));
    if (entry && strpbrk(entry, " \n")) { /* a task: its command */
        size_t room = strlen(entry) + 6;
        char *task = arena_alloc(r->finder->arena, room);
        snprintf(task, room, "%s \"$@\"", entry);
        launch_follow(r->finder, &r->context, NULL, text_from(task),
                      (struct launch_words){r->words.at + 1, r->words.n - 1});
        return true;
    }
    r->launch.module = entry;
    r->launch.program = name;
    r->launch.launcher = entry ? "python" : NULL;
    r->i = 1;
    finish(r);
    return true;
}

/* True if the program is not known, as in "$PYTHON", but its arguments are
 * those of Python. */
static bool is_some_python(const struct reading *r)
{
    const char *next = r->words.n > 1 ? r->words.at[1] : "";
    return r->words.at[0][0] == '$' &&
           (launch_ends(next, ".py") || launch_listed("-m -u -W -X", next));
}

static bool read_known(struct reading *r, const char *base)
{
    if (launch_is_python(base) || is_some_python(r))
        return read_python(r);
    if (launch_listed("bash sh zsh dash ksh source .", base))
        return read_shell(r);
    if (launch_listed("sbatch qsub", base))
        return read_batch(r);
    if (launch_listed("jupyter papermill jupyter-nbconvert runipy", base))
        return read_notebook(r);
    return false;
}

bool launch_program(struct launch_finder *finder,
                    const struct launch_context *context,
                    struct launch_words words)
{
    const char *base = launch_base(words.at[0]);
    struct reading *r = ARENA_NEW(finder->arena, struct reading);
    *r = (struct reading){
        .finder = finder, .context = *context, .words = words, .i = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *sub = launchers[i].subcommand;
        if (strcmp(base, launchers[i].name) == 0 &&
            (!sub || (words.n > 1 && strcmp(words.at[1], sub) == 0))) {
            r->i += sub != NULL;
            return read_launcher(r, launchers[i].name, launchers[i].flags);
        }
    }
    return read_known(r, base) || read_file(r) || read_tool(r);
}
