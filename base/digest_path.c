/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the digest of a directory from the names and digests of its
 * files, in a fixed order. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"

enum { DEPTH_MAX = 8 };

struct tree {
    struct digest *digest;
    size_t root; /* length of the root's path */
    struct error *err;
};

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_listed(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static enum status add_dir(struct tree *tree, const char *path, int depth);

static enum status add(struct tree *tree, const char *dir, const char *name,
                       int depth)
{
    char path[PATH_MAX], hex[DIGEST_HEX_MAX];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || n >= PATH_MAX)
        return error_set(tree->err, STATUS_FAILED, "%s: path too long", dir);
    if (stat(path, &st) != 0)
        return error_set(tree->err, STATUS_FAILED, "%s: %s", path,
                         strerror(errno));
    if (S_ISDIR(st.st_mode))
        return add_dir(tree, path, depth + 1);
    if (!S_ISREG(st.st_mode))
        return error_set(tree->err, STATUS_FAILED,
                         "%s: is neither a file nor a directory", path);
    enum status done = digest_file(path, hex, tree->err);
    if (done != STATUS_OK)
        return done;
    const char *below = path + tree->root + 1;
    digest_add(tree->digest, below, strlen(below));
    digest_add(tree->digest, " ", 1);
    digest_add(tree->digest, hex, strlen(hex));
    digest_add(tree->digest, "\n", 1);
    return STATUS_OK;
}

/* Sorts the entries by the bytes of their names, so that the digest does not
 * depend on the order in which the file system lists them. The files below a
 * directory stay together. */
static enum status add_dir(struct tree *tree, const char *path, int depth)
{
    struct dirent **entries = NULL;
    enum status st = STATUS_OK;
    if (depth > DEPTH_MAX)
        return error_set(tree->err, STATUS_FAILED,
                         "%s: more than %d directories deep", path, DEPTH_MAX);
    int n = scandir(path, &entries, is_listed, by_bytes);
    if (n < 0)
        return error_set(tree->err, STATUS_FAILED, "%s: %s", path,
                         strerror(errno));
    for (int i = 0; i < n; i++) {
        if (st == STATUS_OK)
            st = add(tree, path, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
    return st;
}

enum status digest_path(const char *path, char hex[DIGEST_HEX_MAX],
                        struct error *err)
{
    struct stat kind;
    if (stat(path, &kind) != 0)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (S_ISREG(kind.st_mode))
        return digest_file(path, hex, err);
    if (!S_ISDIR(kind.st_mode))
        return error_set(err, STATUS_FAILED,
                         "%s: is neither a file nor a directory", path);
    struct tree tree = {digest_new(), strlen(path), err};
    enum status st = add_dir(&tree, path, 1);
    digest_end(tree.digest, hex);
    return st;
}
