/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a user: where they lie (site.h), and what they add to the
 * built-in knowledge (site.h). */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source.h"
#include "schedmate/live/site.h"

enum status home_path(enum home home, const char *name, const char *instead,
                      char out[PATH_MAX], struct error *err)
{
    static const struct {
        const char *variable, *folder;
    } all[] = {
        [HOME_CONFIG] = {"XDG_CONFIG_HOME", "/.config"},
        [HOME_DATA] = {"XDG_DATA_HOME", "/.local/share"},
        [HOME_STATE] = {"XDG_STATE_HOME", "/.local/state"},
    };
    const char *base = getenv(all[home].variable);
    /* The specification demands that a relative path is ignored. */
    bool named = base && *base == '/';
    if (!named)
        base = getenv("HOME");
    if (!base || !*base)
        return error_set(err, STATUS_USAGE, "there is no home directory%s",
                         instead);
    int len = snprintf(out, PATH_MAX, "%s%s/schedsim/%s", base,
                       named ? "" : all[home].folder, name);
    return len > 0 && len < PATH_MAX
               ? STATUS_OK
               : error_set(err, STATUS_USAGE, "%s: the path is too long", base);
}

enum status home_make_folders(const char *path, struct error *err)
{
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "%s: the path is too long", path);
    for (char *slash = strchr(at + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(at, 0700) != 0 && errno != EEXIST)
            return error_set(err, STATUS_FAILED, "%s: cannot be made: %s", at,
                             strerror(errno));
        *slash = '/';
    }
    return STATUS_OK;
}

/* Largest size of a file, bytes; the built-in ones are much smaller. */
#define FILE_BYTES ((size_t)1 << 20)

/* Largest number of files in a directory. */
#define FILES_MAX 256

/* Adds the content of a file to `data`. `path` names the file in messages and
 * in the list of files. */
typedef enum status add_content(void *data, const char *path, struct text json,
                                struct error *err);

static enum status site_add(add_content *to, void *data, const char *path,
                            struct error *err)
{
    struct source *source = NULL;
    size_t n = 0, got = 1;
    char *at = mem_alloc(FILE_BYTES + 1);
    enum status st = source_open(path, &source, err);
    while (st == STATUS_OK && got > 0 && n <= FILE_BYTES) {
        st = source_read(source, at + n, FILE_BYTES + 1 - n, &got, err);
        if (st != STATUS_OK)
            st = error_prefix(err, "%s: ", path);
        n += st == STATUS_OK ? got : 0;
    }
    if (st == STATUS_OK && n > FILE_BYTES)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: is larger than %zu bytes, the limit", path,
                       FILE_BYTES);
    /* The JSON parser would pass over a zero byte. */
    const char *zero = st == STATUS_OK ? memchr(at, 0, n) : NULL;
    if (zero)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: byte %zu is 0, which no JSON text has", path,
                       (size_t)(zero - at) + 1);
    if (st == STATUS_OK)
        st = to(data, path, (struct text){at, n}, err);
    source_close(source);
    free(at);
    return st;
}

static int site_is_json(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 5 &&
           strcmp(entry->d_name + n - 5, ".json") == 0;
}

/* Compares names by their bytes, whatever the locale. */
static int site_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum status site_add_folder(const char *name, add_content *to,
                                   void *data, struct error *err)
{
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    struct dirent **names = NULL;
    enum status st = STATUS_OK;
    int n = 0;
    /* A user without a home has no such folder. */
    if (home_path(HOME_CONFIG, name, "", folder, NULL) == STATUS_OK)
        n = scandir(folder, &names, site_is_json, site_by_name);
    if (n < 0 && errno != ENOENT)
        st = error_set(err, STATUS_BAD_INPUT, "%s: cannot be read: %s", folder,
                       strerror(errno));
    if (n > FILES_MAX)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: has %d files; at most %d are read", folder, n,
                       FILES_MAX);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (st == STATUS_OK)
            st = site_add(to, data, path, err);
        free(names[i]);
    }
    free(names);
    return st;
}

/* Adds the files of a directory, then those that an option names. */
static enum status add_all(const char *folder, const char *const *files,
                           size_t n, add_content *to, void *data,
                           struct error *err)
{
    enum status st = site_add_folder(folder, to, data, err);
    for (size_t i = 0; i < n && st == STATUS_OK; i++)
        st = site_add(to, data, files[i], err);
    return st;
}

static enum status site_add_knowledge(void *data, const char *path,
                                      struct text json, struct error *err)
{
    return log_knowledge_add(data, path, json, err);
}

enum status site_knowledge_open(const char *const *files, size_t n,
                                struct log_knowledge **out, struct error *err)
{
    *out = log_knowledge_new();
    enum status st =
        add_all("signatures.d", files, n, site_add_knowledge, *out, err);
    return st == STATUS_OK ? log_knowledge_ready(*out, err) : st;
}

static enum status add_clues(void *data, const char *path, struct text json,
                             struct error *err)
{
    return clues_add(data, path, json, err);
}

enum status site_clues_open(const char *const *files, size_t n,
                            struct clues **out, struct error *err)
{
    *out = clues_new();
    return add_all("clues.d", files, n, add_clues, *out, err);
}
