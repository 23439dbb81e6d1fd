/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_gather_internal.h"

#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/advisor_driver.h"
#include "schedmate/advisor/notebook.h"
#include "schedmate/advisor/py_text.h"
#include "schedmate/advisor/pyscan.h"
#include "schedmate/advisor/shell.h"

/* Returns the listed file at `path` or, if there is none, at the path without
 * its first folder, without its first two folders, and so on; NULL if none is
 * listed. */
static const char *find_file(const struct gather *gather, const char *path)
{
    const struct workspace *workspace = gather->input->workspace;
    while (path) {
        const struct workspace_file *file = workspace_find(workspace, path);
        if (file)
            return file->path;
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return NULL;
}

/* Returns the only listed file whose path ends with "/" and `path`: a package
 * may lie in a folder such as src. NULL if there are none or several. */
static const char *find_below(const struct gather *gather, const char *path)
{
    const struct workspace *workspace = gather->input->workspace;
    const char *found = NULL;
    size_t n = strlen(path);
    for (size_t i = 0; i < workspace->n_files; i++) {
        const char *file = workspace->files[i].path;
        size_t len = strlen(file);
        if (len <= n || file[len - n - 1] != '/' ||
            strcmp(file + len - n, path) != 0)
            continue;
        if (found)
            return NULL;
        found = file;
    }
    return found;
}

const char *gather_resolve(const struct gather *gather, const char *from,
                           const char *path)
{
    struct arena *arena = gather->input->arena;
    const char *slash = from ? strrchr(from, '/') : NULL;
    const char *dir =
        from ? slash ? arena_copy(arena, from, (size_t)(slash - from)) : ""
        : gather->launch.dir ? gather->launch.dir
                             : "";
    const char *joined = shell_path(dir, path, arena);
    const struct workspace_file *file =
        from ? workspace_find(gather->input->workspace, joined) : NULL;
    if (file)
        return file->path;
    const char *found = from ? NULL : find_file(gather, joined);
    return found ? found : find_file(gather, shell_path("", path, arena));
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

static bool is_script(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0);
}

/* Finds a file that a command in the folder `dir` names. A Python or shell
 * script that is not found there may lie elsewhere if exactly one listed path
 * ends with its path: a batch system may start the job in a folder other than
 * that from which the job was submitted. */
static const char *find_from(const struct gather *gather, const char *dir,
                             const char *path)
{
    struct arena *arena = gather->input->arena;
    const char *found = find_file(gather, shell_path(dir, path, arena));
    if (!found && is_script(path))
        found = find_below(gather, shell_path("", path, arena));
    return found;
}

/* Implements launch_files.read. */
static bool read_for_launch(void *self, const char *dir, const char *path,
                            const char **found, struct text *out)
{
    struct gather *gather = self;
    *found = find_from(gather, dir, path);
    return *found && gather_read(gather, *found, out);
}

static void find_launch(struct gather *gather)
{
    const struct launch_files files = {gather, read_for_launch};
    gather->has_launch = launch_find(text_from(gather->input->command), &files,
                                     gather->input->arena, &gather->launch);
    const char *where = gather->launch.where;
    gather->launch_where = where ? where : "command";
    gather->hardware = gather->launch.hardware;
}

/* Returns the path of the listed file that module a.b.c means: a/b/c.py, or the
 * __init__ or __main__ file of the package; NULL if there is none. */
static const char *module_path(const struct gather *gather, const char *from,
                               struct text module)
{
    /* `python -m package` runs __main__.py, an import __init__.py */
    const char *const ends[] = {".py", from ? "/__init__.py" : "/__main__.py",
                                from ? "/__main__.py" : "/__init__.py"};
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
        if (!found && !from)
            found = find_below(gather, path);
        if (found)
            return found;
    }
    return NULL;
}

/* Returns the path of the Python file or notebook that the launch starts, or of
 * the module that describes the library to which it belongs. Returns NULL if
 * neither exists, or if the launch is a shell script. */
static const char *started_file(const struct gather *gather,
                                const struct launch *launch)
{
    const char *found = NULL;
    if (launch->is_shell)
        return NULL;
    if (launch->script)
        return find_from(gather, launch->dir ? launch->dir : "",
                         launch->script);
    if (!launch->module)
        return NULL;
    found = module_path(gather, NULL, text_from(launch->module));
    return found ? found : gather_library(gather, text_from(launch->module));
}

/* If a script only starts other programs, makes the one that looks most like
 * training the launch of the job and returns the path of its script. Otherwise
 * returns `script`, which may be NULL. */
static const char *follow_driver(struct gather *gather, const char *script)
{
    const struct launch_files files = {gather, read_for_launch};
    struct arena *arena = gather->input->arena;
    struct launch launch;
    struct text source;
    if (!script || !gather_read(gather, script, &source))
        return script;
    struct text commands = driver_commands(py_strip(source, arena), arena);
    if (!commands.len || !launch_find(commands, &files, arena, &launch))
        return script;
    if (!launch.dir)
        launch.dir = gather->launch.dir;
    const char *path = started_file(gather, &launch);
    if (!path || strcmp(path, script) == 0)
        return script;
    launch.where = script;
    gather->launch = launch;
    gather->launch_where = script;
    return path;
}

/* True if a source names the variable in quotes, as os.environ["LR"] does. */
static bool is_read(const struct gather *gather, struct text name)
{
    for (size_t i = 0; i < gather->n_sources; i++) {
        struct text code = gather->sources[i].code;
        for (const char *at = code.at;
             at && name.at && code.len &&
             (at = memmem(at, code.len - (size_t)(at - code.at), name.at,
                          name.len));
             at++) {
            if (at > code.at && (at[-1] == '"' || at[-1] == '\'') &&
                at[name.len] == at[-1])
                return true;
        }
    }
    return false;
}

/* Adds as settings the variables that the launch sets and the code reads. */
static void add_environment(struct gather *gather)
{
    for (size_t i = 0; i < gather->launch.n_env; i++) {
        struct text value,
            name = text_split(text_from(gather->launch.env[i]), '=', &value);
        if (name.len > 1 && is_read(gather, name))
            settings_add(&gather->settings, SETTING_COMMAND, name, value,
                         gather->launch_where, 0);
    }
}

/* Adds the options of the launcher that say how the script trains. An option of
 * the script itself overrides them. */
static void add_launcher_options(struct gather *gather)
{
    static const char *const names[] = {
        "mixed_precision", "gradient_accumulation_steps", "zero_stage", NULL};
    static const struct {
        const char *option, *type;
    } types[] = {{"use_deepspeed", "DEEPSPEED"},
                 {"deepspeed_config_file", "DEEPSPEED"},
                 {"use_fsdp", "FSDP"},
                 {"multi_gpu", "MULTI_GPU"}};
    const struct launch *launch = &gather->launch;
    for (size_t i = 0; i < launch->n_options; i++) {
        struct text value,
            name = text_split(text_from(launch->options[i]), '=', &value);
        if (py_is_one_of(name, names))
            settings_add(&gather->settings, SETTING_CARRIED, name, value,
                         gather->launch_where, 0);
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            if (text_is(name, types[k].option))
                settings_add(&gather->settings, SETTING_CARRIED,
                             text_from("distributed_type"),
                             text_from(types[k].type), gather->launch_where, 0);
        }
    }
}

void gather_init(struct gather *gather, const struct advisor_input *input,
                 struct advisor_result *result)
{
    *gather = (struct gather){
        .input = input, .clues = input->clues, .result = result};
    if (!gather->clues)
        gather->clues = &clues_built_in;
    settings_init(&gather->settings, input->arena);
    find_launch(gather);
    if (!gather->has_launch)
        return;
    const char *script =
        follow_driver(gather, started_file(gather, &gather->launch));
    launch_settings(&gather->launch, gather->launch_where, 0,
                    &gather->settings);
    if (script)
        gather_evaluate(gather, script);
    add_environment(gather);
    add_launcher_options(gather);
    settings_resolve(&gather->settings);
    gather_configs(gather);
}

void gather_fini(struct gather *gather)
{
    settings_fini(&gather->settings);
}
