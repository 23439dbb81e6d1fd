/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directory: checks where it may be written, keeps the digests of
 * its files, and puts it in place by a rename, which exchanges it with an older
 * result. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "sim/results/report.h"

enum { STAGING_FILES_MAX = 16 };

struct staging {
    char dir[PATH_MAX], lock[PATH_MAX], result[PATH_MAX];
    /* paths of the files in `result` */
    char files[STAGING_FILES_MAX][PATH_MAX];
    size_t n_files;
    int lock_fd;
    struct interrupt_path at_end[STAGING_FILES_MAX + 3];
    /* directories made above the place, deepest first */
    struct staging_parent *parents;
};

/* Where a result is written until it is complete: a directory of its own beside
 * the final place, so that one rename puts the result there. For the place
 * runs/a it is
 *     runs/a.partial/lock    locked (flock) while the run lives
 *     runs/a.partial/result  becomes runs/a
 * The directory appears with its lock held, so that a second run into the same
 * place finds it at once and is refused.
 * The lock of a directory that a killed run left is held by no process. The
 * next run into that place removes the directory if it belongs to the user and
 * holds only files that this program writes. Anything else of that name, above
 * all a link, is left alone, and a.partial-2, -3 ... are tried.
 * Where the file system has no locks, or cannot rename without replacing, two
 * runs into one place both succeed and the last one wins. */

struct staging_parent {
    struct interrupt_path at_end;
    struct staging_parent *next;
    char path[];
};

/* Largest number of staging directories for one place. If all these names are
 * taken, opening fails. */
enum { RESULT_DIR_NAMES_MAX = 99 };

static void staging_close(struct staging *s, bool keep_parents);

static const char *const no_names[] = {NULL};

static const char *const own_names[] = {"lock", "result", NULL};

static bool dir_is_one_of(const char *name, const char *const *result_dir_names)
{
    for (; *result_dir_names; result_dir_names++) {
        if (strcmp(name, *result_dir_names) == 0)
            return true;
    }
    return false;
}

static int open_dir(int at, const char *path)
{
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Finds a foreign file in an open directory; see staging_foreign. Closes
 * `fd`. */
static int foreign_in(int fd, const char *const *result_dir_names,
                      char found[NAME_MAX + 1])
{
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int n = 0;
    if (!dir)
        return -1;
    for (struct dirent *entry; n == 0 && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            dir_is_one_of(name, result_dir_names))
            continue;
        snprintf(found, NAME_MAX + 1, "%s", name);
        n = 1;
    }
    closedir(dir);
    return n;
}

/* Looks for an entry of a directory whose name is not in `names`. Returns 1 and
 * copies the first such name to `found`; 0: there is none; -1: the directory
 * cannot be read, see errno. Does not follow links. */
static int staging_foreign(const char *path,
                           const char *const *result_dir_names,
                           char found[NAME_MAX + 1])
{
    return foreign_in(open_dir(AT_FDCWD, path), result_dir_names, found);
}

static bool remove_in(int at, const char *path,
                      const char *const *result_dir_names)
{
    int fd = open_dir(at, path);
    if (fd < 0)
        return false;
    for (; *result_dir_names; result_dir_names++)
        unlinkat(fd, *result_dir_names, 0);
    close(fd);
    return unlinkat(at, path, AT_REMOVEDIR) == 0;
}

/* Removes the files `names` as far as they exist, then the directory. Does not
 * follow links. Returns false if the directory holds anything else or a removal
 * failed (see errno). */
static bool staging_remove(const char *path,
                           const char *const *result_dir_names)
{
    return remove_in(AT_FDCWD, path, result_dir_names);
}

static bool sync_path(const char *path, int flags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return false;
    bool done = out_sync(fd);
    int why = errno;
    close(fd);
    errno = why;
    return done;
}

/* A directory that may be written but not read cannot be opened, and so its
 * names cannot be synced. That is not an error. */
static bool staging_sync_names(const char *dir)
{
    return sync_path(dir, O_DIRECTORY) || errno == EACCES;
}

/* Syncs the files of the result that exist, and their names, to the disk.
 * Returns false on an error; see errno. */
static bool staging_sync(const struct staging *s)
{
    for (size_t i = 0; i < s->n_files; i++) {
        if (!sync_path(s->files[i], O_NOFOLLOW) && errno != ENOENT)
            return false;
    }
    return staging_sync_names(s->result);
}

enum holder { RESULT_DIR_NOBODY, RESULT_DIR_A_RUN, RESULT_DIR_NOT_OURS };

/* True if a directory belongs to the user and holds only what a run writes
 * there: the lock, and a result with files of these names. */
static bool is_ours(int fd, const char *const *result_dir_names)
{
    char found[NAME_MAX + 1];
    struct stat st;
    int again = dup(fd);
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid()) {
        close(again);
        return false;
    }
    if (foreign_in(again, own_names, found) != 0)
        return false;
    int result = open_dir(fd, "result");
    if (result < 0)
        return errno == ENOENT;
    return foreign_in(result, result_dir_names, found) == 0;
}

/* Returns RESULT_DIR_A_RUN if a run uses a directory whose name this run needs,
 * RESULT_DIR_NOT_OURS if the directory must be left alone. Otherwise the name
 * is free: removes the directory if a killed run left it. */
static enum holder clear_leftover(const char *path,
                                  const char *const *result_dir_names)
{
    struct stat st;
    enum holder holder = RESULT_DIR_NOT_OURS;
    int dir = open_dir(AT_FDCWD, path);
    if (dir < 0)
        return errno == ENOENT ? RESULT_DIR_NOBODY : RESULT_DIR_NOT_OURS;
    int lock =
        openat(dir, "lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock < 0 || fstat(lock, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size != 0 || !is_ours(dir, result_dir_names))
        goto out;
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        holder = errno == EWOULDBLOCK ? RESULT_DIR_A_RUN : RESULT_DIR_NOT_OURS;
        goto out;
    }
    remove_in(dir, "result", result_dir_names);
    unlinkat(dir, "lock", 0);
    /* If another run has removed the directory at the same time, this may be
     * that run's new directory. It is not empty, so rmdir fails and the
     * directory stays. */
    rmdir(path);
    holder = RESULT_DIR_NOBODY;
out:
    if (lock >= 0)
        close(lock);
    close(dir);
    return holder;
}

/* Makes the missing directories above the place, the topmost first. Returns
 * false if one cannot be made; see errno. */
static bool make_parents(struct staging *s, const char *place)
{
    size_t len = strlen(place);
    for (size_t i = 1; i < len; i++) {
        if (place[i] != '/' || place[i - 1] == '/')
            continue;
        struct staging_parent *p = mem_zalloc(1, sizeof *p + i + 1);
        memcpy(p->path, place, i);
        if (mkdir(p->path, 0777) != 0) {
            int why = errno;
            struct stat st;
            bool there = stat(p->path, &st) == 0 && S_ISDIR(st.st_mode);
            free(p);
            if (there)
                continue;
            errno = why == EEXIST ? ENOTDIR : why;
            return false;
        }
        p->at_end = (struct interrupt_path){.path = p->path, .directory = true};
        interrupt_removes(&p->at_end);
        p->next = s->parents;
        s->parents = p;
    }
    return true;
}

/* Makes a directory with a unique name that holds `lock` and `result`, and
 * takes the lock. Returns false on an error; see errno. */
static bool make_hidden(struct staging *s, const char *place)
{
    snprintf(s->dir, sizeof s->dir, "%s.partial-XXXXXX", place);
    bool made = mkdtemp(s->dir) != NULL;
    if (!made && errno == ENOENT && make_parents(s, place)) {
        snprintf(s->dir, sizeof s->dir, "%s.partial-XXXXXX", place);
        made = mkdtemp(s->dir) != NULL;
    }
    if (!made) {
        s->dir[0] = '\0';
        return false;
    }
    int dir = open_dir(AT_FDCWD, s->dir);
    if (dir < 0)
        return false;
    s->lock_fd =
        openat(dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* On a file system without locks flock fails, which is ignored: a run in
     * progress cannot then be distinguished from a killed one. */
    bool good = s->lock_fd >= 0 && mkdirat(dir, "result", 0777) == 0;
    if (good)
        (void)!flock(s->lock_fd, LOCK_EX | LOCK_NB);
    int why = errno;
    close(dir);
    errno = why;
    return good;
}

/* Renames the directory to PLACE.partial (or PLACE.partial-N), where other runs
 * look for a run in progress. STATUS_FAILED if such a run is found or all names
 * are taken. */
static enum status dir_take_name(struct staging *s, const char *place,
                                 const char *const *result_dir_names,
                                 struct error *err)
{
    char name[PATH_MAX];
    for (int i = 1; i <= RESULT_DIR_NAMES_MAX; i++) {
        char tail[8] = "";
        if (i > 1)
            snprintf(tail, sizeof tail, "-%d", i);
        snprintf(name, sizeof name, "%s.partial%s", place, tail);
        enum holder holder = RESULT_DIR_NOBODY;
        /* Try several times, because other runs may remove and take the name
         * meanwhile. */
        for (int again = 0; again < 8 && holder == RESULT_DIR_NOBODY; again++) {
            if (renameat2(AT_FDCWD, s->dir, AT_FDCWD, name, RENAME_NOREPLACE) ==
                0) {
                memcpy(s->dir, name, sizeof name);
                return STATUS_OK;
            }
            if (errno != EEXIST && errno != ENOTEMPTY)
                /* the directory keeps its unique name */
                return STATUS_OK;
            holder = clear_leftover(name, result_dir_names);
        }
        if (holder == RESULT_DIR_A_RUN)
            return error_set(err, STATUS_FAILED,
                             "--out %s: another run writes its result there "
                             "now (it works in %s); wait until it ends, or "
                             "name another directory",
                             place, name);
    }
    return error_set(err, STATUS_FAILED,
                     "--out %s: %s.partial to %s.partial-%d are in the way; "
                     "remove them or name another directory",
                     place, place, place, RESULT_DIR_NAMES_MAX);
}

/* Joins two parts of a path. staging_open has checked the length. */
static void dir_join(char out[PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    CHECK(n > 0 && n < PATH_MAX);
}

static void add_at_end(struct staging *s, size_t i, const char *path,
                       bool directory)
{
    s->at_end[i] =
        (struct interrupt_path){.path = path, .directory = directory};
    interrupt_removes(&s->at_end[i]);
}

static void name_below(struct staging *s, const char *place,
                       const char *const *result_dir_names)
{
    if (!s->dir[0])
        return;
    dir_join(s->lock, s->dir, "lock");
    dir_join(s->result, s->dir, "result");
    s->at_end[0] = (struct interrupt_path){
        .path = s->dir, .directory = true, .becomes = place};
    interrupt_removes(&s->at_end[0]);
    add_at_end(s, 1, s->lock, false);
    add_at_end(s, 2, s->result, true);
    for (s->n_files = 0; result_dir_names[s->n_files]; s->n_files++) {
        CHECK(s->n_files < STAGING_FILES_MAX);
        char *file = s->files[s->n_files];
        dir_join(file, s->result, result_dir_names[s->n_files]);
        add_at_end(s, 3 + s->n_files, file, false);
    }
}

/* Makes the staging directory, and the missing directories above `place`.
 * `names` (ends with NULL) are the names of all files that a result may have.
 * `place` must live as long as the staging directory.
 * Returns STATUS_FAILED if another run writes there or the directory cannot be
 * written, STATUS_USAGE if the path is too long. */
static enum status staging_open(struct staging *s, const char *place,
                                const char *const *result_dir_names,
                                struct error *err)
{
    static const char longest[] = ".partial-XXXXXX/result/first_stage.csv";
    enum status st = STATUS_OK;
    *s = (struct staging){.lock_fd = -1};
    if (strlen(place) + sizeof longest > PATH_MAX)
        return error_set(err, STATUS_USAGE, "--out: '%.100s' is not a path",
                         place);
    /* Delay signals until there is something for their handler to remove. */
    interrupt_hold();
    if (!make_hidden(s, place))
        st = error_set(err, STATUS_FAILED, "--out %s: cannot write: %s", place,
                       strerror(errno));
    if (st == STATUS_OK)
        st = dir_take_name(s, place, result_dir_names, err);
    name_below(s, place, st == STATUS_OK ? result_dir_names : no_names);
    interrupt_release();
    if (st != STATUS_OK)
        staging_close(s, false);
    return st;
}

/* Removes the staging directory with what is in `result`. Without
 * `keep_parents` it also removes the directories that were made above it, if
 * they are empty. */
static void staging_close(struct staging *s, bool keep_parents)
{
    interrupt_hold();
    for (size_t i = s->dir[0] ? s->n_files + 3 : 0; i-- > 0;) {
        interrupt_keeps(&s->at_end[i]);
        if (s->at_end[i].directory)
            rmdir(s->at_end[i].path);
        else
            unlink(s->at_end[i].path);
    }
    while (s->parents) {
        struct staging_parent *p = s->parents;
        s->parents = p->next;
        interrupt_keeps(&p->at_end);
        if (!keep_parents)
            rmdir(p->path);
        free(p);
    }
    if (s->lock_fd >= 0)
        close(s->lock_fd);
    s->lock_fd = -1;
    interrupt_release();
}

const struct column result_files[] = {
#define RESULT_ROW(name, file, help) {file, "", NULL, help},
    RESULT_FILES(RESULT_ROW){NULL, NULL, NULL, NULL},
#undef RESULT_ROW
};

static const char *const result_dir_names[] = {
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
static enum status dir_follow(struct result_dir *dir, struct error *err)
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

static enum status dir_check_place(struct result_dir *dir, struct error *err)
{
    char found[NAME_MAX + 1];
    enum status st = dir_follow(dir, err);
    if (st != STATUS_OK || !dir->replaces)
        return st;
    int n = staging_foreign(dir->path, result_dir_names, found);
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
        st = dir_check_place(dir, err);
    }
    if (st == STATUS_OK)
        st = staging_open(&dir->staging, dir->path, result_dir_names, err);
    if (st == STATUS_OK) {
        /* Another run may have put its result here before this run took the
         * lock. */
        st = dir_check_place(dir, err);
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

static enum status dir_cannot(const struct result_dir *dir, struct error *err)
{
    return error_set(err, STATUS_FAILED, "--out %s: cannot write: %s",
                     dir->path, strerror(errno));
}

/* Used if names cannot be exchanged: moves the older result aside for a moment,
 * and moves it back if the new one cannot take its place. */
static enum status result_dir_put_after(struct result_dir *dir,
                                        struct error *err)
{
    char aside[PATH_MAX];
    enum status st = STATUS_OK;
    int n = snprintf(aside, sizeof aside, "%s/older", dir->staging.dir);
    CHECK(n > 0 && n < PATH_MAX);
    bool older = rename(dir->path, aside) == 0;
    if (!older && errno != ENOENT)
        return dir_cannot(dir, err);
    if (rename(dir->staging.result, dir->path) != 0) {
        st = dir_cannot(dir, err);
        if (older && rename(aside, dir->path) != 0)
            return error_prefix(err, "(the older result is in %s) ", aside);
    } else if (older) {
        staging_remove(aside, result_dir_names);
    }
    return st;
}

/* Exchanges the names of the older and the new result. The older one is then in
 * the staging directory and is removed with it. Calls result_dir_put_after if
 * names cannot be exchanged. */
static enum status dir_exchange(struct result_dir *dir, struct error *err)
{
    const char *place = dir->path, *mine = dir->staging.result;
    char found[NAME_MAX + 1];
    if (renameat2(AT_FDCWD, mine, AT_FDCWD, place, RENAME_EXCHANGE) != 0) {
        /* Some file systems cannot exchange names at all. Overlays cannot if
         * the directory is in a lower layer (EXDEV). Also, the target may have
         * been removed in the meantime. */
        if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP &&
            errno != EXDEV && errno != ENOENT)
            return dir_cannot(dir, err);
        return result_dir_put_after(dir, err);
    }
    /* If a foreign file was added since result_dir_open looked, the names are
     * exchanged back. */
    if (staging_foreign(mine, result_dir_names, found) <= 0 ||
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
    return staging_sync_names(above) ? STATUS_OK : dir_cannot(dir, err);
}

enum status result_dir_commit(struct result_dir *dir, struct error *err)
{
    enum status st = seal_all(dir, err);
    if (st == STATUS_OK && !staging_sync(&dir->staging))
        st = dir_cannot(dir, err);
    interrupt_hold();
    if (st == STATUS_OK && dir->replaces)
        st = dir_exchange(dir, err);
    else if (st == STATUS_OK && rename(dir->staging.result, dir->path) != 0)
        st = dir_cannot(dir, err);
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
