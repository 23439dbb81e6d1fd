/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows a command, and the scripts that it starts, to all launches in them.
 */
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/launch_internal.h"

enum {
    STEPS_MAX = 4000,
    BRANCHES_MAX = 400,
    BYTES_MAX = 1 << 22,
};

bool launch_read_file(struct launch_finder *finder, const char *dir,
                      const char *path, const char **found, struct text *out)
{
    return finder->files && path[0] &&
           finder->files->read(finder->files->self, dir, path, found, out);
}

/* Replaces the counts that the head of a script asks for by those that its
 * caller gives: `sbatch -N 4 x.sh` overrides `#SBATCH -N 2`. */
static void keep_counts(struct launch_counts *counts,
                        const struct launch_counts *given)
{
    if (given->processes)
        counts->processes = given->processes;
    if (given->per_node)
        counts->per_node = given->per_node;
    if (given->nodes)
        counts->nodes = given->nodes;
    if (given->gpus)
        counts->gpus = given->gpus;
    if (given->gpus_per_node)
        counts->gpus_per_node = given->gpus_per_node;
    if (given->gpus_per_task)
        counts->gpus_per_task = given->gpus_per_task;
}

/* Adds the launches in a shell script. Returns false if none is found. */
static bool follow_script(struct launch_finder *finder,
                          const struct launch *launch)
{
    const char *found;
    struct text text;
    if (!finder->context || finder->context->depth >= LAUNCH_DEPTH_MAX ||
        !launch_read_file(finder, launch->dir ? launch->dir : "",
                          launch->script, &found, &text))
        return false;
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = (struct launch_context){
        .dir = launch->dir ? launch->dir : "",
        .where = found,
        .launcher = launch->launcher,
        .config = launch->config,
        .hardware = launch->hardware,
        .counts = launch->counts,
        .runs = launch->runs,
        .depth = finder->context->depth + 1,
    };
    memcpy(context->env, launch->env, sizeof context->env);
    context->n_env = launch->n_env;
    launch_batch_head(text, context, finder->arena);
    keep_counts(&context->counts, &launch->counts);
    size_t before = finder->n_found;
    launch_follow(finder, context, found, text,
                  (struct launch_words){launch->words, launch->n_words});
    return finder->n_found > before;
}

void launch_add(struct launch_finder *finder, const struct launch *launch)
{
    if (launch->is_shell && follow_script(finder, launch))
        return;
    if (finder->n_found == LAUNCH_FOUND_MAX)
        return;
    struct launch *place = &finder->found[finder->n_found];
    *place = *launch;
    place->score = launch_score(place);
    /* An unknown program counts only if it looks like training. */
    bool unknown = !place->script && !place->module;
    if (!unknown || place->score > -10)
        finder->n_found++;
}

/* Returns the place of a command: "run.sh:12" or, if it is not in a file, the
 * place of its caller. */
static const char *place_of(struct launch_finder *finder,
                            const struct shell *shell, size_t line)
{
    const char *caller = finder->context->where;
    if (!shell->path)
        return caller;
    size_t room = strlen(shell->path) + U64_TEXT_MAX + 2;
    char *where = arena_alloc(finder->arena, room);
    snprintf(where, room, "%s:%zu", shell->path, line);
    return where;
}

/* Adds the exported variables of the shell to the context. */
static void add_exports(struct launch_context *context,
                        const struct shell *shell)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        const struct shell_variable *variable = &shell->variables[i];
        if (!variable->is_exported || !variable->n ||
            context->n_env == LAUNCH_ENV_MAX)
            continue;
        size_t room = strlen(variable->name) + strlen(variable->items[0]) + 2;
        char *pair = arena_alloc(shell->arena, room);
        snprintf(pair, room, "%s=%s", variable->name, variable->items[0]);
        context->env[context->n_env++] = pair;
    }
}

static void on_command(void *self, struct shell *shell,
                       const struct shell_command *command)
{
    struct launch_finder *finder = self;
    const struct launch_context *outer = finder->context;
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = *outer;
    context->dir = shell->dir;
    context->where = place_of(finder, shell, command->line);
    context->document = command->document;
    context->n_env = 0;
    add_exports(context, shell);
    if (shell->runs)
        context->runs = shell->runs;
    launch_take(finder, context,
                (struct launch_words){command->words, command->n});
    finder->context = outer;
}

static bool on_read(void *self, const char *dir, const char *path,
                    const char **found, struct text *out)
{
    return launch_read_file(self, dir, path, found, out);
}

static size_t on_taken(const void *self)
{
    const struct launch_finder *finder = self;
    return finder->n_found;
}

static void on_drop(void *self, size_t n_taken)
{
    struct launch_finder *finder = self;
    finder->n_found = n_taken;
}

/* Gives a script the variables that its caller exports, and those that Slurm
 * sets from the requests of the job. */
static void set_environment(struct shell *shell,
                            const struct launch_context *context)
{
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {
        {"SLURM_NNODES", context->counts.nodes},
        {"SLURM_JOB_NUM_NODES", context->counts.nodes},
        {"SLURM_NTASKS", context->counts.processes},
        {"SLURM_NPROCS", context->counts.processes},
        {"SLURM_NTASKS_PER_NODE", context->counts.per_node},
        {"SLURM_GPUS_ON_NODE", context->counts.gpus_per_node},
        {"SLURM_GPUS_PER_NODE", context->counts.gpus_per_node},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char digits[16];
        int n = snprintf(digits, sizeof digits, "%u", counts[i].value);
        if (counts[i].value)
            shell_set(shell, counts[i].name,
                      arena_copy(shell->arena, digits, (size_t)n));
    }
    for (size_t i = 0; i < context->n_env; i++) {
        struct text value,
            name = text_split(text_from(context->env[i]), '=', &value);
        const char *key = arena_copy(shell->arena, name.at, name.len);
        shell_set(shell, key, value.at);
    }
    for (size_t i = 0; i < shell->n_variables; i++)
        shell->variables[i].is_exported = true;
}

void launch_follow(struct launch_finder *finder,
                   const struct launch_context *context, const char *path,
                   struct text script, struct launch_words args)
{
    const struct launch_context *outer = finder->context;
    const struct shell_host host = {finder, on_command, on_read, on_taken,
                                    on_drop};
    if (context->depth >= LAUNCH_DEPTH_MAX)
        return;
    struct shell *shell = ARENA_NEW(finder->arena, struct shell);
    struct launch_context *own =
        ARENA_NEW(finder->arena, struct launch_context);
    *own = *context;
    own->depth++;
    shell_init(shell, finder->arena, &host, &finder->budget);
    shell->path = path;
    shell->dir = context->dir;
    shell->args = args.at;
    shell->n_args = args.n;
    shell->runs = context->runs;
    set_environment(shell, context);
    finder->context = own;
    shell_run(shell, script);
    finder->context = outer;
}

static void follow_document(struct launch_finder *finder,
                            struct launch_context *context)
{
    struct text script = context->document;
    context->document.len = 0;
    launch_batch_head(script, context, finder->arena);
    launch_follow(finder, context, NULL, script, (struct launch_words){0});
}

void launch_take(struct launch_finder *finder,
                 const struct launch_context *given, struct launch_words words)
{
    struct launch_context *context =
        ARENA_NEW(finder->arena, struct launch_context);
    *context = *given;
    for (int i = 0; i < LAUNCH_UNWRAP_MAX; i++) {
        if (words.n && (launch_target(finder, context, words) ||
                        launch_container(finder, context, words)))
            return;
        if (!launch_unwrap(&words, context, finder->arena))
            break;
    }
    const struct launch_context *outer = finder->context;
    finder->context = context;
    if (words.n)
        (void)!launch_program(finder, context, words);
    else if (context->document.len) /* as in bsub < script.sh */
        follow_document(finder, context);
    finder->context = outer;
}

bool launch_find(struct text command, const struct launch_files *files,
                 struct arena *arena, struct launch *out)
{
    struct launch_finder *finder = ARENA_NEW(arena, struct launch_finder);
    *finder = (struct launch_finder){
        .files = files,
        .arena = arena,
        .budget = {STEPS_MAX, BRANCHES_MAX, BYTES_MAX},
        .found = ARENA_ARRAY(arena, struct launch, LAUNCH_FOUND_MAX),
    };
    const struct launch_context start = {.dir = "", .where = "command"};
    launch_follow(finder, &start, NULL, command, (struct launch_words){0});
    const struct launch *best = launch_choose(finder);
    *out = best ? *best : (struct launch){0};
    if (best)
        launch_count(out);
    return best != NULL;
}
