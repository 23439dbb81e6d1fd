/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/advisor_gather_internal.h"

#include <stdio.h>
#include <string.h>

#include "models/advisor/py_text.h"
#include "models/advisor/pyscan.h"

enum {
    NESTED_MAX = 3,       /* shell scripts that start one another, at most */
    IMPORT_DEPTH_MAX = 2, /* levels of imports that are followed, at most */
};

const char *gather_resolve(const struct gather *gather, const char *from,
                           const char *path)
{
    char joined[4096];
    const struct workspace *workspace = gather->input->workspace;
    const struct workspace_file *file = NULL;
    const char *slash = from ? strrchr(from, '/') : NULL;
    const char *dir = from ? from : gather->launch.dir;
    if (from ? slash != NULL : dir != NULL) {
        snprintf(joined, sizeof joined, "%.*s/%s",
                 from ? (int)(slash - from) : (int)strnlen(dir, 2048), dir,
                 path);
        file = workspace_find(workspace, joined);
    }
    while (!file && path) {
        file = workspace_find(workspace, path);
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return file ? file->path : NULL;
}

bool gather_read(struct gather *gather, const char *path, struct text *out)
{
    char why[WORKSPACE_WHY_MAX];
    bool cut;
    const struct workspace *workspace = gather->input->workspace;
    if (!workspace->read(workspace->self, path, gather->input->arena, out, &cut,
                         why))
        return false;
    advisor_note_file(gather->result, path);
    return true;
}

/* Returns the resources that the job requests from Slurm in lines such as
 * "#SBATCH --gres=gpu:8", joined to one line; NULL if there are none. */
static const char *slurm_wishes(struct text script, struct arena *arena)
{
    char wishes[METADATA_VALUE_MAX];
    size_t n = 0;
    while (script.len) {
        struct text line = text_split(script, '\n', &script);
        if (line.len < 10 || memcmp(line.at, "#SBATCH --", 10) != 0)
            continue;
        struct text wish = {line.at + 10, line.len - 10};
        bool told = memmem(wish.at, wish.len, "gpu", 3) ||
                    memmem(wish.at, wish.len, "nodes", 5) ||
                    memmem(wish.at, wish.len, "constraint", 10);
        if (told && n + wish.len + 2 < sizeof wishes)
            n += (size_t)snprintf(wishes + n, sizeof wishes - n, "%s%.*s",
                                  n ? " " : "", (int)wish.len, wish.at);
    }
    return n ? arena_copy(arena, wishes, n) : NULL;
}

/* Finds the launch command. If it starts a shell script, looks for the launch
 * command in that script, and so on. */
static void find_launch(struct gather *gather)
{
    struct arena *arena = gather->input->arena;
    const char *command = gather->input->command, *inner, *path;
    struct text script;
    size_t line;
    gather->launch_where = "command";
    gather->has_launch =
        launch_read(text_from(command), arena, &gather->launch);
    for (int i = 0;
         i < NESTED_MAX && gather->has_launch && gather->launch.is_shell; i++) {
        path = gather_resolve(gather, NULL, gather->launch.script);
        if (!path || !gather_read(gather, path, &script))
            return;
        gather->hardware = slurm_wishes(script, arena);
        struct launch within;
        inner = launch_in_script(script, &gather->launch, arena, &line);
        if (!inner || !launch_read(text_from(inner), arena, &within))
            return;
        size_t room = strlen(path) + U64_TEXT_MAX + 2;
        char *where = arena_alloc(arena, room);
        snprintf(where, room, "%s:%zu", path, line);
        gather->launch_where = where;
        if (!within.dir)
            within.dir = gather->launch.dir;
        gather->launch = within;
    }
}

/* Turns a.b.c into a/b/c.py, or the package's __init__ or __main__ file. */
static const char *module_path(const struct gather *gather, const char *from,
                               struct text module)
{
    static const char *const ends[] = {".py", "/__init__.py", "/__main__.py"};
    char path[512];
    while (module.len && module.at[0] == '.')
        module.at++, module.len--;
    if (module.len == 0 || module.len > 400)
        return NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *found;
        int n = snprintf(path, sizeof path, "%.*s", (int)module.len, module.at);
        for (char *c = path; *c; c++)
            *c = *c == '.' ? '/' : *c;
        snprintf(path + n, sizeof path - (size_t)n, "%s", ends[i]);
        found = gather_resolve(gather, from, path);
        if (found)
            return found;
    }
    return NULL;
}

static bool is_source(const struct gather *gather, const char *path)
{
    for (size_t i = 0; i < gather->n_sources; i++) {
        if (strcmp(gather->sources[i].path, path) == 0)
            return true;
    }
    return false;
}

static bool add_source(struct gather *gather, const char *path)
{
    struct text source;
    if (!path || gather->n_sources == GATHER_SOURCES_MAX ||
        is_source(gather, path) || !gather_read(gather, path, &source))
        return false;
    struct text code = py_strip(source, gather->input->arena);
    gather->sources[gather->n_sources++] = (struct gather_source){path, code};
    py_settings(code, path, false, &gather->settings);
    return true;
}

/* Collects the script and the project's own modules that it imports, breadth
 * first. */
static void find_sources(struct gather *gather)
{
    const struct launch *launch = &gather->launch;
    const char *script =
        launch->script   ? gather_resolve(gather, NULL, launch->script)
        : launch->module ? module_path(gather, NULL, text_from(launch->module))
                         : NULL;
    size_t level_end;
    if (!gather->has_launch || launch->is_shell)
        return;
    add_source(gather, script);
    for (int depth = 0, next = 0; depth < IMPORT_DEPTH_MAX; depth++) {
        level_end = gather->n_sources;
        for (; (size_t)next < level_end; next++) {
            const struct gather_source *source = &gather->sources[next];
            struct text module;
            size_t at = 0;
            while (py_next_import(source->code, &at, &module))
                add_source(gather, module_path(gather, source->path, module));
        }
    }
}

void gather_init(struct gather *gather, const struct advisor_input *input,
                 struct advisor_result *result)
{
    *gather = (struct gather){.input = input, .result = result};
    settings_init(&gather->settings, input->arena);
    find_launch(gather);
    if (!gather->has_launch)
        return;
    launch_settings(&gather->launch, gather->launch_where, 0,
                    &gather->settings);
    find_sources(gather);
    settings_resolve(&gather->settings);
    gather_configs(gather);
}

void gather_fini(struct gather *gather)
{
    settings_fini(&gather->settings);
}
