/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the entry points and tasks that a package declares in pyproject.toml,
 * setup.cfg, setup.py and pixi.toml, and the modules that describe installed
 * programs. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/confscan.h"
#include "schedmate/advisor/launch_internal.h"
#include "schedmate/advisor/library_modules.h"

/* Returns the module of "package.module:function"; the text itself if it is a
 * command. */
static const char *module_of(const char *value, struct arena *arena)
{
    size_t n = strcspn(value, ":");
    for (size_t i = 0; i < n; i++) {
        if (!ascii_is_name(value[i]) && value[i] != '.')
            return value;
    }
    return arena_copy(arena, value, n);
}

/* True for a key that declares the entry point or task `name`, such as
 * project.scripts.NAME or tool.pixi.tasks.NAME.cmd. */
static bool is_entry(const char *key, const char *name)
{
    static const char *const groups[] = {"scripts.", "tasks.",
                                         "console_scripts."};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *at = strstr(key, groups[i]);
        const char *end = at ? at + strlen(groups[i]) : NULL;
        if (at && (at == key || at[-1] == '.') && strncmp(end, name, n) == 0 &&
            (end[n] == '\0' || strcmp(end + n, ".cmd") == 0 ||
             strcmp(end + n, ".shell") == 0 || strcmp(end + n, ".script") == 0))
            return true;
    }
    return false;
}

static const char *in_toml(struct launch_finder *finder, const char *path,
                           const char *name)
{
    struct settings settings;
    struct text text;
    const char *found, *value = NULL;
    char key[64];
    size_t n = 0;
    if (strlen(name) >= sizeof key ||
        !launch_read_file(finder, "", path, &found, &text))
        return NULL;
    for (; name[n]; n++)
        key[n] = name[n] == '-' ? '_' : ascii_lower(name[n]);
    key[n] = '\0';
    settings_init(&settings, finder->arena);
    conf_settings(text, "pyproject.toml", &settings);
    for (size_t i = 0; i < settings.n && !value; i++) {
        if (is_entry(settings.at[i].key, key))
            value = settings.at[i].value;
    }
    settings_fini(&settings);
    return value ? module_of(value, finder->arena) : NULL;
}

/* Returns the module of "= package.module:function" at `at`; NULL if `at` has
 * no such text. */
static const char *declared(const char *at, const char *end,
                            struct arena *arena)
{
    size_t len = 0;
    while (at < end && *at == ' ')
        at++;
    if (at == end || *at != '=')
        return NULL;
    for (at++; at < end && *at == ' ';)
        at++;
    while (at + len < end && (ascii_is_name(at[len]) || at[len] == '.'))
        len++;
    return len && at + len < end && at[len] == ':' ? arena_copy(arena, at, len)
                                                   : NULL;
}

/* Returns the module of "name = package.module:function" in setup.py or
 * setup.cfg; NULL if the file has no such text. */
static const char *in_setup(struct launch_finder *finder, const char *path,
                            const char *name)
{
    struct text text;
    const char *found, *module;
    size_t n = strlen(name);
    if (!launch_read_file(finder, "", path, &found, &text) || !text.len)
        return NULL;
    const char *end = text.at + text.len, *hit = text.at;
    while ((hit = memmem(hit, (size_t)(end - hit), name, n))) {
        bool starts = hit == text.at || strchr("\"' \t\n,[", hit[-1]);
        module = starts ? declared(hit + n, end, finder->arena) : NULL;
        if (module)
            return module;
        hit += n;
    }
    return NULL;
}

/* Returns the name of the module that describes an installed program; NULL if
 * none does. */
static const char *installed(struct launch_finder *finder, const char *name)
{
    static const char prefix[] = "program.";
    for (size_t i = 0; library_modules[i].name; i++) {
        const char *module = library_modules[i].name;
        if (strncmp(module, prefix, sizeof prefix - 1) == 0 &&
            strcmp(module + sizeof prefix - 1, name) == 0)
            return arena_copy(finder->arena, module, strlen(module));
    }
    return NULL;
}

const char *launch_entry(struct launch_finder *finder, const char *name)
{
    const char *entry = NULL;
    if (!finder->files || !name[0])
        return NULL;
    entry = in_toml(finder, "pyproject.toml", name);
    entry = entry ? entry : in_toml(finder, "pixi.toml", name);
    entry = entry ? entry : in_setup(finder, "setup.cfg", name);
    entry = entry ? entry : in_setup(finder, "setup.py", name);
    return entry ? entry : installed(finder, name);
}
