/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/repository.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/text.h"

/* Levels above the directory in which a root is looked for, bytes of a named
 * file in which paths are looked for, and longest path. */
#define REPOSITORY_LEVELS 8
#define REPOSITORY_SCRIPT 65536
#define REPOSITORY_WORD 512

/* Returns the length of the part of `path` up to its last '/', at least 1. */
static size_t parent_length(const char *path, size_t len)
{
    while (len > 1 && path[len - 1] != '/')
        len--;
    return len > 1 ? len - 1 : 1;
}

static bool has_git(const char *dir)
{
    char path[PATH_MAX + 8];
    struct stat st;
    snprintf(path, sizeof path, "%s/.git", dir);
    return lstat(path, &st) == 0 &&
           (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode));
}

/* Sets `root` to the nearest folder above `work` with .git. All folders up to
 * there belong to one user, so that nobody else widens what is read. */
static bool repository_root(const char *work, char root[PATH_MAX])
{
    struct stat own, st;
    size_t len = strlen(work);
    if (lstat(work, &own) != 0 || has_git(work))
        return false;
    memcpy(root, work, len + 1);
    for (int i = 0; i < REPOSITORY_LEVELS && len > 1; i++) {
        len = parent_length(root, len);
        root[len] = 0;
        if (len == 1 || lstat(root, &st) != 0 || st.st_uid != own.st_uid)
            return false;
        if (has_git(root))
            return true;
    }
    return false;
}

static bool is_below(const char *path, const char *dir)
{
    size_t len = strlen(dir);
    return strncmp(path, dir, len) == 0 && path[len] == '/';
}

static bool goes_up(struct text word)
{
    struct text part;
    while (word.len) {
        part = text_split(word, '/', &word);
        if (text_is(part, ".."))
            return true;
    }
    return false;
}

/* Splits words at what no path of a shell has. */
static struct text take_word(struct text *rest)
{
    static const char ends[] = " \t\r\n'\"=,;&|()<>`{}";
    struct text word = *rest;
    size_t n = 0;
    while (n < word.len && word.at[n] && !strchr(ends, word.at[n]))
        n++;
    word.len = n;
    *rest = text_skip(*rest, n < rest->len ? n + 1 : n);
    return word;
}

/* Resolves a word as a path from `from`. Returns false if it is no regular
 * file. */
static bool resolve(const char *from, struct text word, char out[PATH_MAX])
{
    char path[PATH_MAX + REPOSITORY_WORD + 2];
    struct stat st;
    if (!word.len || word.len > REPOSITORY_WORD || word.at[0] == '/')
        return false;
    snprintf(path, sizeof path, "%s/%.*s", from, (int)word.len, word.at);
    return realpath(path, out) && lstat(out, &st) == 0 && S_ISREG(st.st_mode);
}

/* True if a text names a file that is below the root and not below `work`. */
static bool names_above(struct text text, const char *from, const char *work,
                        const char *root)
{
    char path[PATH_MAX];
    while (text.len) {
        struct text word = take_word(&text);
        if (goes_up(word) && resolve(from, word, path) &&
            is_below(path, root) && !is_below(path, work))
            return true;
    }
    return false;
}

/* True if a file of the directory that the command names does so. Its paths may
 * be meant from the directory or from its own folder. */
static bool file_names_above(const char *path, const char *work,
                             const char *root)
{
    char *text = NULL, folder[PATH_MAX];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = -1;
    if (fd >= 0) {
        text = mem_alloc(REPOSITORY_SCRIPT);
        n = read(fd, text, REPOSITORY_SCRIPT);
        close(fd);
    }
    size_t len = parent_length(path, strlen(path));
    memcpy(folder, path, len);
    folder[len] = 0;
    struct text all = {text, n > 0 ? (size_t)n : 0};
    bool above = names_above(all, work, work, root) ||
                 names_above(all, folder, work, root);
    free(text);
    return above;
}

static bool command_names_above(const char *command, const char *work,
                                const char *root)
{
    struct text rest = text_from(command);
    char path[PATH_MAX];
    if (names_above(rest, work, work, root))
        return true;
    while (rest.len) {
        struct text word = take_word(&rest);
        if (resolve(work, word, path) && is_below(path, work) &&
            file_names_above(path, work, root))
            return true;
    }
    return false;
}

/* True if a shell takes the path as one plain word. */
static bool is_plain(const char *path)
{
    for (; *path; path++) {
        if (!ascii_is_name(*path) && !strchr("/.-+", *path))
            return false;
    }
    return true;
}

bool repository_find(const char *workdir, const char *command, const char *root,
                     struct arena *arena, const char **dir,
                     const char **in_root)
{
    char work[PATH_MAX], top[PATH_MAX];
    if (!realpath(workdir, work) ||
        !(root ? realpath(root, top) != NULL : repository_root(work, top)) ||
        !is_below(work, top) || !command_names_above(command, work, top))
        return false;
    const char *below = work + strlen(top) + 1;
    if (!is_plain(below) || below[0] == '-')
        return false;
    struct out *out = out_to_memory();
    out_printf(out, "cd %s && %s", below, command);
    *in_root = arena_copy(arena, out_memory(out).at, out_memory(out).len);
    *dir = arena_copy(arena, top, strlen(top));
    out_abandon(out);
    return true;
}

bool repository_holds(const char *root, const char *dir)
{
    char top[PATH_MAX], path[PATH_MAX];
    return realpath(root, top) && realpath(dir, path) && is_below(path, top);
}
