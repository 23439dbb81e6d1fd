/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory: checks where it may be written, keeps the digests of
 * its files, and puts it in place by a rename, which exchanges it with an older
 * result. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/digest.h"
#include "sim/results/report.h"
#include "sim/results/staging.h"

const struct column result_files[] = {
#define RESULT_ROW(name, file, help) {file, "", help},
    RESULT_FILES(RESULT_ROW){NULL, NULL, NULL},
#undef RESULT_ROW
};

static const char *const names[] = {
#define RESULT_NAME(name, file, help) file,
    RESULT_FILES(RESULT_NAME) NULL,
#undef RESULT_NAME
};

struct result_dir {
    char path[PATH_MAX];
    struct staging staging;
    struct out *streams[RESULT_N];
    bool written[RESULT_N];
    /* by file: running digest while the file is open */
    struct digest *digests[RESULT_N];
    char digest[RESULT_N][DIGEST_HEX_MAX];
    bool replaces; /* true if an older result is replaced */
};

/* Finds out whether the place exists (dir->replaces). If it is a link to a
 * directory, that directory becomes the place, so that the link stays.
 * STATUS_USAGE if anything else is there. */
static enum status follow(struct result_dir *dir, struct error *err)
{
    char real[PATH_MAX];
    struct stat st;
    if (lstat(dir->path, &st) != 0)
        /* creating the directory will report what is wrong with the parent */
        return STATUS_OK;
    dir->replaces = true;
    if (S_ISLNK(st.st_mode)) {
        if (!realpath(dir->path, real) || stat(real, &st) != 0)
            return error_set(err, STATUS_USAGE, "--out %s: is a link: %s",
                             dir->path, strerror(errno));
        memcpy(dir->path, real, sizeof real);
    }
    if (!S_ISDIR(st.st_mode))
        return error_set(err, STATUS_USAGE, "--out %s: is not a directory",
                         dir->path);
    return STATUS_OK;
}

static enum status refuse_foreign(const char *path, const char *found,
                                  enum status status, struct error *err)
{
    return error_set(err, status,
                     "--out %s: holds '%s', which is not a result of this "
                     "program; name a new directory",
                     path, found);
}

static enum status check_place(struct result_dir *dir, struct error *err)
{
    char found[NAME_MAX + 1];
    enum status st = follow(dir, err);
    if (st != STATUS_OK || !dir->replaces)
        return st;
    int n = staging_foreign(dir->path, names, found);
    if (n < 0)
        return error_set(err, STATUS_FAILED, "--out %s: %s", dir->path,
                         strerror(errno));
    if (n > 0)
        return refuse_foreign(dir->path, found, STATUS_USAGE, err);
    return STATUS_OK;
}

enum status result_dir_open(const char *path, struct result_dir **out,
                            struct error *err)
{
    struct result_dir *dir = mem_zalloc(1, sizeof *dir);
    size_t len = strlen(path);
    enum status st = STATUS_OK;
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || len >= PATH_MAX) {
        st =
            error_set(err, STATUS_USAGE, "--out: '%.100s' is not a path", path);
    } else {
        memcpy(dir->path, path, len);
        st = check_place(dir, err);
    }
    if (st == STATUS_OK)
        st = staging_open(&dir->staging, dir->path, names, err);
    if (st == STATUS_OK) {
        /* Another run may have put its result here before this run took the
         * lock. */
        st = check_place(dir, err);
        if (st != STATUS_OK)
            staging_close(&dir->staging, false);
    }
    if (st != STATUS_OK)
        free(dir);
    else
        *out = dir;
    return st;
}

enum status result_dir_file(struct result_dir *dir, enum result_file file,
                            struct out **out, struct error *err)
{
    enum status st = out_open_part(dir->staging.files[file], out, err);
    if (st == STATUS_OK) {
        dir->streams[file] = *out;
        dir->digests[file] = digest_new();
        out_digest(*out, dir->digests[file]);
        dir->written[file] = true;
    }
    return st;
}

enum status result_dir_seal(struct result_dir *dir, enum result_file file,
                            struct error *err)
{
    if (!dir->streams[file])
        return STATUS_OK;
    enum status st = out_close(dir->streams[file], err);
    dir->streams[file] = NULL;
    digest_end(dir->digests[file], dir->digest[file]);
    dir->digests[file] = NULL;
    return st;
}

static enum status seal_all(struct result_dir *dir, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < RESULT_N && st == STATUS_OK; i++)
        st = result_dir_seal(dir, (enum result_file)i, err);
    return st;
}

const char *result_dir_digest(const struct result_dir *dir,
                              enum result_file file)
{
    return dir->written[file] && dir->digest[file][0] ? dir->digest[file]
                                                      : NULL;
}

static enum status cannot(const struct result_dir *dir, struct error *err)
{
    return error_set(err, STATUS_FAILED, "--out %s: cannot write: %s",
                     dir->path, strerror(errno));
}

/* Used if names cannot be exchanged: moves the older result aside for a moment,
 * and moves it back if the new one cannot take its place. */
static enum status put_after(struct result_dir *dir, struct error *err)
{
    char aside[PATH_MAX];
    enum status st = STATUS_OK;
    int n = snprintf(aside, sizeof aside, "%s/older", dir->staging.dir);
    CHECK(n > 0 && n < PATH_MAX);
    bool older = rename(dir->path, aside) == 0;
    if (!older && errno != ENOENT)
        return cannot(dir, err);
    if (rename(dir->staging.result, dir->path) != 0) {
        st = cannot(dir, err);
        if (older && rename(aside, dir->path) != 0)
            return error_prefix(err, "(the older result is in %s) ", aside);
    } else if (older) {
        staging_remove(aside, names);
    }
    return st;
}

/* Exchanges the names of the older and the new result. The older one is then in
 * the staging directory and is removed with it. Calls put_after if names cannot
 * be exchanged. */
static enum status exchange(struct result_dir *dir, struct error *err)
{
    const char *place = dir->path, *mine = dir->staging.result;
    char found[NAME_MAX + 1];
    if (renameat2(AT_FDCWD, mine, AT_FDCWD, place, RENAME_EXCHANGE) != 0) {
        /* Some file systems cannot exchange names at all. Overlays cannot if
         * the directory is in a lower layer (EXDEV). Also, the target may have
         * been removed in the meantime. */
        if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP &&
            errno != EXDEV && errno != ENOENT)
            return cannot(dir, err);
        return put_after(dir, err);
    }
    /* If a foreign file was added since result_dir_open looked, the names are
     * exchanged back. */
    if (staging_foreign(mine, names, found) <= 0 ||
        renameat2(AT_FDCWD, mine, AT_FDCWD, place, RENAME_EXCHANGE) != 0)
        return STATUS_OK;
    return refuse_foreign(place, found, STATUS_FAILED, err);
}

/* Syncs the parent directory, so that the new name of the result is on the
 * disk. */
static enum status sync_above(struct result_dir *dir, struct error *err)
{
    char above[PATH_MAX];
    const char *slash = strrchr(dir->path, '/');
    size_t len = slash ? (size_t)(slash - dir->path) : 0;
    memcpy(above, slash ? dir->path : ".", len ? len : 1);
    above[len ? len : 1] = '\0';
    return staging_sync_names(above) ? STATUS_OK : cannot(dir, err);
}

enum status result_dir_commit(struct result_dir *dir, struct error *err)
{
    enum status st = seal_all(dir, err);
    if (st == STATUS_OK && !staging_sync(&dir->staging))
        st = cannot(dir, err);
    interrupt_hold();
    if (st == STATUS_OK && dir->replaces)
        st = exchange(dir, err);
    else if (st == STATUS_OK && rename(dir->staging.result, dir->path) != 0)
        st = cannot(dir, err);
    if (st == STATUS_OK) {
        st = sync_above(dir, err);
        staging_close(&dir->staging, true);
        free(dir);
    } else {
        result_dir_abandon(dir);
    }
    interrupt_release();
    return st;
}

void result_dir_abandon(struct result_dir *dir)
{
    if (!dir)
        return;
    for (size_t i = 0; i < RESULT_N; i++) {
        out_abandon(dir->streams[i]);
        digest_free(dir->digests[i]);
    }
    staging_close(&dir->staging, false);
    free(dir);
}
