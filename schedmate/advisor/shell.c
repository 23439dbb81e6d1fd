/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables and the folder of a shell. */
#include "schedmate/advisor/shell.h"

#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/shell_internal.h"

void shell_init(struct shell *shell, struct arena *arena,
                const struct shell_host *host, struct shell_budget *budget)
{
    memset(shell, 0, sizeof *shell);
    shell->arena = arena;
    shell->host = host;
    shell->budget = budget;
    shell->dir = "";
    shell->options_at = 1;
}

const struct shell_variable *shell_find(const struct shell *shell,
                                        const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        if (strcmp(shell->variables[i].name, name) == 0)
            return &shell->variables[i];
    }
    return NULL;
}

const char *shell_get(const struct shell *shell, const char *name)
{
    const struct shell_variable *variable = shell_find(shell, name);
    return variable && variable->n ? variable->items[0] : NULL;
}

void shell_set_items(struct shell *shell, const char *name,
                     const char *const *items, size_t n, bool is_array)
{
    size_t i = 0;
    while (i < shell->n_variables &&
           strcmp(shell->variables[i].name, name) != 0)
        i++;
    if (i == SHELL_VARIABLES_MAX)
        return;
    bool is_exported = shell->exports_all;
    if (i == shell->n_variables)
        shell->n_variables++;
    else
        is_exported |= shell->variables[i].is_exported;
    shell->variables[i] =
        (struct shell_variable){name, items, n, is_array, is_exported};
}

void shell_set(struct shell *shell, const char *name, const char *value)
{
    const char **items = ARENA_ARRAY(shell->arena, const char *, 1);
    items[0] = value;
    shell_set_items(shell, name, items, 1, false);
}

void shell_forget(struct shell *shell, const char *name)
{
    size_t n = strlen(name);
    char *value = arena_alloc(shell->arena, n + 2);
    value[0] = '$';
    memcpy(value + 1, name, n);
    shell_set(shell, name, value);
}

void shell_unset(struct shell *shell, const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++) {
        if (strcmp(shell->variables[i].name, name) == 0) {
            shell->variables[i] = shell->variables[--shell->n_variables];
            return;
        }
    }
}

void shell_export(struct shell *shell, const char *name)
{
    for (size_t i = 0; i < shell->n_variables; i++)
        shell->variables[i].is_exported |=
            strcmp(shell->variables[i].name, name) == 0;
}

bool shell_is_unknown(const char *word)
{
    return strchr(word, '$') != NULL;
}

/* Removes ".", ".." and empty parts from a path, in place. A ".." does not lead
 * above the root. */
static void normalise(char *path)
{
    char *out = path, *from = path;
    while (*from) {
        size_t n = strcspn(from, "/");
        /* read now, because `out` may overwrite it below */
        bool more = from[n] == '/';
        bool parent = n == 2 && memcmp(from, "..", 2) == 0;
        if (parent && out > path) {
            out--;
            while (out > path && out[-1] != '/')
                out--;
        } else if (n && !parent && !(n == 1 && *from == '.')) {
            memmove(out, from, n);
            out += n;
            *out++ = '/';
        }
        if (!more)
            break;
        from += n + 1;
    }
    if (out > path)
        out--;
    *out = '\0';
}

const char *shell_path(const char *dir, const char *name, struct arena *arena)
{
    const char *root = SHELL_ROOT "/";
    bool rooted =
        strncmp(name, root, strlen(root)) == 0 || strcmp(name, SHELL_ROOT) == 0;
    bool absolute = !rooted && (name[0] == '/' || name[0] == '$');
    size_t room = strlen(dir) + strlen(name) + 2;
    char *path = arena_alloc(arena, room);
    if (absolute)
        snprintf(path, room, "%s", name + (name[0] == '/'));
    else if (rooted)
        snprintf(path, room, "%s", name + strlen(SHELL_ROOT));
    else
        snprintf(path, room, "%s/%s", dir, name);
    normalise(path);
    return path;
}
