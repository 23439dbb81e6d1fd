/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/workspace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_path(const void *key, const void *file)
{
    return strcmp(key, ((const struct workspace_file *)file)->path);
}

const struct workspace_file *workspace_find(const struct workspace *workspace,
                                            const char *path)
{
    char plain[4096];
    size_t len = 0;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    for (; *path && len < sizeof plain - 1; path++) {
        if (*path != '/' || path[1] != '/')
            plain[len++] = *path;
    }
    plain[len] = '\0';
    if (*path || !workspace->n_files)
        return NULL;
    return bsearch(plain, workspace->files, workspace->n_files,
                   sizeof *workspace->files, by_path);
}

/* Returns the number of leading folders that two paths share. Sets *where to
 * the index in `path` at which the first name that differs begins. */
static size_t shared_folders(const char *before, const char *path,
                             size_t *where)
{
    size_t depth = 0;
    *where = 0;
    for (size_t i = 0; before[i] && before[i] == path[i]; i++) {
        if (path[i] == '/') {
            depth++;
            *where = i + 1;
        }
    }
    return depth;
}

static void indent(struct out *out, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        out_text(out, "  ");
}

void workspace_tree(const struct workspace *workspace, size_t max,
                    struct out *out)
{
    const char *before = "";
    size_t start = out_memory(out).len, shown = 0;
    for (; shown < workspace->n_files && out_memory(out).len - start < max;
         shown++) {
        const struct workspace_file *file = &workspace->files[shown];
        size_t at, depth = shared_folders(before, file->path, &at);
        const char *slash;
        while ((slash = strchr(file->path + at, '/')) != NULL) {
            indent(out, depth++);
            out_bytes(out, file->path + at,
                      (size_t)(slash - file->path) - at + 1);
            out_char(out, '\n');
            at = (size_t)(slash - file->path) + 1;
        }
        indent(out, depth);
        out_printf(out, "%s (%" PRIu64 " bytes)\n", file->path + at,
                   file->bytes);
        before = file->path;
    }
    out_printf(out, "%zu files", workspace->n_files);
    if (shown < workspace->n_files)
        out_printf(out, ", of which the first %zu are shown", shown);
    out_char(out, '\n');
}
