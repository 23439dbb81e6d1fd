/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates the script of a job, so that only the sources, settings and calls
 * that the launch reaches count. */
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/advisor_gather_internal.h"
#include "schedmate/advisor/library_modules.h"
#include "schedmate/advisor/notebook.h"
#include "schedmate/advisor/py_text.h"
#include "schedmate/advisor/pyscan.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 400 };

/* Writes the path, without its ending, that a dotted module name means in the
 * folder of the file `from`: a.b becomes a/b. Each leading dot after the first
 * goes up one folder. Returns false if the path is empty or too long. */
static bool module_base(char out[PATH_BYTES], const char *from,
                        struct text module)
{
    const char *slash = strrchr(from, '/');
    size_t n = slash ? (size_t)(slash - from) : 0, dots = 0;
    while (dots < module.len && module.at[dots] == '.')
        dots++;
    module = text_skip(module, dots);
    if (n + module.len + 8 >= PATH_BYTES || module.len > NAME_BYTES)
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
    char path[PATH_BYTES + 16];
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

const char *gather_library(const struct gather *gather, struct text name)
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
    char base[PATH_BYTES];
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

static const char *find_file(void *self, const char *from, const char *path)
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

static bool read_file(void *self, const char *path, struct text *out)
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

static const char *environment(void *self, const char *name)
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

void gather_evaluate(struct gather *gather, const char *script)
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
    *host = (struct py_host){gather, find_module, find_file, read_file,
                             environment};
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
