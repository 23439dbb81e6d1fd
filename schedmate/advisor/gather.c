/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers what the rules read: evaluates the script of a job, so that only the
 * sources, settings and calls that the launch reaches count; configuration
 * files; notebooks. */

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "base/text.h"
#include "schedmate/advisor/advisor_internal.h"
#include "schedmate/advisor/clues.h"
#include "schedmate/advisor/library_modules.h"
#include "schedmate/advisor/shell_internal.h"

static const char *gather_resolve(const struct gather *gather, const char *from,
                                  const char *path);
static bool gather_read(struct gather *gather, const char *path,
                        struct text *out);
static void gather_configs(struct gather *gather);

static bool notebook_is(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && strcmp(path + n - 6, ".ipynb") == 0;
}

/* Writes the lines of a text. A magic or a shell command becomes an empty
 * line. */
static void gather_write_lines(const char *text, struct out *out)
{
    struct text rest = text_from(text);
    while (rest.len > 0) {
        const char *end = memchr(rest.at, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.at) + 1 : rest.len;
        char first = text_char(rest, strspn(rest.at, " \t"));
        if (first != '%' && first != '!')
            out_bytes(out, rest.at, len);
        else
            out_char(out, '\n');
        rest = text_skip(rest, len);
    }
}

static void write_cell(const json_t *cell, struct out *out)
{
    const char *kind = json_string_value(json_object_get(cell, "cell_type"));
    const json_t *source = json_object_get(cell, "source");
    size_t i;
    json_t *line;
    if (!kind || strcmp(kind, "code") != 0)
        return;
    if (json_is_string(source))
        gather_write_lines(json_string_value(source), out);
    json_array_foreach(source, i, line)
    {
        if (json_is_string(line))
            gather_write_lines(json_string_value(line), out);
    }
    out_char(out, '\n');
}

struct text notebook_code(struct text source, struct arena *arena)
{
    json_error_t error;
    json_t *root = json_loadb(source.at, source.len, 0, &error), *cell;
    struct out *out = out_to_memory();
    size_t i;
    json_array_foreach(json_object_get(root, "cells"), i, cell)
        write_cell(cell, out);
    struct text code = out_memory(out);
    code.at = arena_copy(arena, code.at ? code.at : "", code.len);
    out_abandon(out);
    json_decref(root);
    return code;
}

enum { GATHER_PATH_BYTES = 4096, EVALUATE_NAME_BYTES = 400 };

/* Writes the path, without its ending, that a dotted module name means in the
 * folder of the file `from`: a.b becomes a/b. Each leading dot after the first
 * goes up one folder. Returns false if the path is empty or too long. */
static bool module_base(char out[GATHER_PATH_BYTES], const char *from,
                        struct text module)
{
    const char *slash = strrchr(from, '/');
    size_t n = slash ? (size_t)(slash - from) : 0, dots = 0;
    while (dots < module.len && module.at[dots] == '.')
        dots++;
    module = text_skip(module, dots);
    if (n + module.len + 8 >= GATHER_PATH_BYTES ||
        module.len > EVALUATE_NAME_BYTES)
        return false;
    for (size_t up = 1; up < dots; up++) {
        const char *above = from && n ? memrchr(from, '/', n) : NULL;
        n = above ? (size_t)(above - from) : 0;
    }
    memcpy(out, from, n);
    if (n && module.len)
        out[n++] = '/';
    for (size_t i = 0; i < module.len; i++)
        out[n++] = module.at[i] == '.' ? '/' : module.at[i];
    out[n] = '\0';
    return n > 0;
}

static const char *source_at(const struct gather *gather, const char *base)
{
    static const char *const ends[] = {".py", "/__init__.py", "/__main__.py"};
    char path[GATHER_PATH_BYTES + 16];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", base, ends[i]);
        const struct workspace_file *file =
            workspace_find(gather->input->workspace, path);
        if (file)
            return file->path;
    }
    return NULL;
}

/* Returns the shortest path of a source that ends with the path of the module,
 * because a package may lie in a folder such as src/; NULL if there is none. */
static const char *source_below(const struct gather *gather, const char *base)
{
    const struct workspace *workspace = gather->input->workspace;
    size_t n = strlen(base);
    const char *best = NULL;
    for (size_t i = 0; i < workspace->n_files && n; i++) {
        const char *path = workspace->files[i].path;
        const char *hit = strstr(path, base);
        bool whole = hit && hit > path && hit[-1] == '/' &&
                     (strcmp(hit + n, ".py") == 0 ||
                      strcmp(hit + n, "/__init__.py") == 0);
        if (whole && (!best || strlen(path) < strlen(best)))
            best = path;
    }
    return best;
}

/* Returns the path of the module that describes the
 * library module `name`; NULL if none does. */
static const char *gather_library(const struct gather *gather, struct text name)
{
    for (size_t i = 0; library_modules[i].name; i++) {
        if (!text_is(name, library_modules[i].name))
            continue;
        size_t room = name.len + sizeof PY_LIBRARY_PATH;
        char *path = arena_alloc(gather->input->arena, room);
        snprintf(path, room, PY_LIBRARY_PATH "%s", library_modules[i].name);
        return path;
    }
    return NULL;
}

/* Sets *out to the text of a module that describes a library. Returns false if
 * `path` is not that of such a module. */
static bool read_library(const char *path, struct text *out)
{
    size_t n = sizeof PY_LIBRARY_PATH - 1;
    for (size_t i = 0;
         strncmp(path, PY_LIBRARY_PATH, n) == 0 && library_modules[i].name;
         i++) {
        if (strcmp(path + n, library_modules[i].name) == 0) {
            *out =
                (struct text){library_modules[i].text, library_modules[i].len};
            return true;
        }
    }
    return false;
}

static const char *find_module(void *self, const char *from, struct text module)
{
    const struct gather *gather = self;
    char base[GATHER_PATH_BYTES];
    const char *found = NULL, *script = gather->sources[0].path;
    bool relative = text_char(module, 0) == '.';
    if (module_base(base, relative ? from : script, module))
        found = source_at(gather, base);
    if (found || relative)
        return found;
    if (module_base(base, "", module))
        found = source_at(gather, base);
    if (!found && module_base(base, from, module))
        found = source_at(gather, base);
    if (!found && module_base(base, "", module))
        found = source_below(gather, base);
    return found ? found : gather_library(gather, module);
}

static const char *evaluate_find_file(void *self, const char *from,
                                      const char *path)
{
    return gather_resolve(self, from, path);
}

static void add_source(struct gather *gather, const char *path,
                       struct text source)
{
    if (gather->n_sources == GATHER_SOURCES_MAX)
        return;
    gather->sources[gather->n_sources++] =
        (struct gather_source){path, py_strip(source, gather->input->arena)};
}

static bool gather_read_file(void *self, const char *path, struct text *out)
{
    struct gather *gather = self;
    size_t n = strlen(path);
    if (read_library(path, out)) {
        add_source(gather, path, *out);
        return true;
    }
    if (!gather_read(gather, path, out))
        return false;
    if (notebook_is(path))
        *out = notebook_code(*out, gather->input->arena);
    bool known =
        gather->n_sources && strcmp(gather->sources[0].path, path) == 0;
    if (n > 3 && strcmp(path + n - 3, ".py") == 0 && !known)
        add_source(gather, path, *out);
    return true;
}

static const char *gather_environment(void *self, const char *name)
{
    const struct gather *gather = self;
    for (size_t i = 0; i < gather->launch.n_env; i++) {
        struct text value,
            key = text_split(text_from(gather->launch.env[i]), '=', &value);
        if (text_is(key, name) && !text_is(value, "$"))
            return arena_copy(gather->input->arena, value.at, value.len);
    }
    return NULL;
}

/* Returns the arguments of the script as texts that come from the command. An
 * argument that is not known is an unknown value. */
static struct py_map words_of(const struct gather *gather)
{
    struct arena *arena = gather->input->arena;
    struct py_map words = {0};
    for (size_t i = 0; i < gather->launch.n_words; i++) {
        bool known = gather->launch.words[i][0] != '$';
        struct py_value *word =
            py_value_new(arena, known ? PYV_TEXT : PYV_UNKNOWN);
        word->text = text_from(gather->launch.words[i]);
        word->where = gather->launch_where;
        word->rank = SETTING_COMMAND;
        py_map_set(&words, arena, (struct text){"", 0}, word);
    }
    return words;
}

/* Evaluates the script and collects the sources that it
 * reaches, their settings and their calls. */
static void gather_evaluate(struct gather *gather, const char *script)
{
    struct arena *arena = gather->input->arena;
    struct py_host *host = ARENA_NEW(arena, struct py_host);
    struct py_map *words = ARENA_NEW(arena, struct py_map);
    struct py_machine *machine = ARENA_NEW(arena, struct py_machine);
    const char *launcher = gather->launch.launcher;
    struct text source;
    if (!read_library(script, &source) && !gather_read(gather, script, &source))
        return;
    if (notebook_is(script))
        source = notebook_code(source, arena);
    add_source(gather, script, source);
    *host = (struct py_host){gather, find_module, evaluate_find_file,
                             gather_read_file, gather_environment};
    *words = words_of(gather);
    machine->arena = arena;
    machine->host = host;
    machine->settings = &gather->settings;
    machine->words = words;
    machine->words_where = gather->launch_where;
    machine->distributed = launcher && strcmp(launcher, "python") != 0;
    if (!py_machine_run(machine, script))
        return;
    gather->machine = machine;
    advisor_calls_find(gather->clues, machine, &gather->calls);
    advisor_calls_settings(machine, &gather->calls, &gather->settings);
    /* If no call trains, the evaluation did not reach the training. Then the
     * settings in the text of the sources are added. */
    for (size_t i = 0; i < gather->n_sources && !gather->calls.trains; i++)
        py_settings(gather->sources[i].code, gather->sources[i].path, false,
                    &gather->settings);
}

/* Returns the listed file at `path` or, if there is none, at the path without
 * its first folder, without its first two folders, and so on; NULL if none is
 * listed. */
static const char *gather_find_file(const struct gather *gather,
                                    const char *path)
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

/* Finds the listed file to which a path refers. Tries the path relative to the
 * folder of the file `from` (NULL: to the folder to which the command changes),
 * then relative to the root. Then drops the leading folders of the path one by
 * one, because the path may be that of another machine. Returns NULL if there
 * is no such file. */
static const char *gather_resolve(const struct gather *gather, const char *from,
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
    const char *found = from ? NULL : gather_find_file(gather, joined);
    return found ? found
                 : gather_find_file(gather, shell_path("", path, arena));
}

static bool gather_read(struct gather *gather, const char *path,
                        struct text *out)
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
    const char *found = gather_find_file(gather, shell_path(dir, path, arena));
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
    const char *script = started_file(gather, &gather->launch);
    launch_settings(&gather->launch, gather->launch_where, 0,
                    &gather->settings);
    if (script)
        gather_evaluate(gather, script);
    add_launcher_options(gather);
    settings_resolve(&gather->settings);
    gather_configs(gather);
}

void gather_fini(struct gather *gather)
{
    settings_fini(&gather->settings);
}

/* Finds and reads the configuration files of a job. */

enum { CONFIGS_MAX = 16 }; /* largest number of files that are read */

/* Configuration files, in the order in which they were read. */
struct configs {
    const char *paths[CONFIGS_MAX];
    size_t n;
};

static bool is_source(const struct gather *gather, const char *path)
{
    for (size_t i = 0; i < gather->n_sources; i++) {
        if (strcmp(gather->sources[i].path, path) == 0)
            return true;
    }
    return false;
}

/* True for a text file in a folder of configurations: configs/lego.txt. */
static bool gather_is_text_config(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".txt") == 0 &&
           strstr(name, "config") != NULL;
}

/* Reads a configuration file and adds its settings. Does nothing if `name` is
 * NULL or not that of a configuration file of the project, or if the file or
 * CONFIGS_MAX others were read before. */
static void add_config(struct gather *gather, struct configs *configs,
                       const char *name)
{
    struct text text;
    bool is_config =
        name && (conf_is_config(name) || gather_is_text_config(name));
    const char *path = is_config ? gather_resolve(gather, NULL, name) : NULL;
    for (size_t i = 0; path && i < configs->n; i++) {
        if (strcmp(configs->paths[i], path) == 0)
            return;
    }
    if (!path || configs->n == CONFIGS_MAX || is_source(gather, path) ||
        !gather_read(gather, path, &text))
        return;
    configs->paths[configs->n++] = path;
    conf_settings(text, path, &gather->settings);
}

/* Adds the settings of the configuration files that the command or the defaults
 * of options name. */
static void gather_configs(struct gather *gather)
{
    struct configs configs = {.n = 0};
    add_config(gather, &configs, gather->launch.config);
    for (size_t i = 0; i < gather->launch.n_words; i++) {
        const char *word = gather->launch.words[i], *equal = strchr(word, '=');
        add_config(gather, &configs, equal ? equal + 1 : word);
    }
    size_t n = gather->settings.n;
    for (size_t i = 0; i < n; i++) {
        const struct setting *setting = &gather->settings.at[i];
        const char *const keys[] = {setting->key, NULL};
        if (setting->rank == SETTING_DECLARED &&
            conf_is_config(setting->value) &&
            settings_find(&gather->settings, keys, NULL) == setting)
            add_config(gather, &configs, setting->value);
    }
}
