/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/out.h"

struct staging_parent {
    struct interrupt_path at_end;
    struct staging_parent *next;
    char path[];
};

/* Largest number of staging directories for one place. If all these names are
 * taken, opening fails. */
enum { NAMES_MAX = 99 };

static const char *const no_names[] = {NULL};
static const char *const own_names[] = {"lock", "result", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(name, *names) == 0)
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
static int foreign_in(int fd, const char *const *names,
                      char found[NAME_MAX + 1])
{
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int n = 0;
    if (!dir)
        return -1;
    for (struct dirent *entry; n == 0 && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            is_one_of(name, names))
            continue;
        snprintf(found, NAME_MAX + 1, "%s", name);
        n = 1;
    }
    closedir(dir);
    return n;
}

int staging_foreign(const char *path, const char *const *names,
                    char found[NAME_MAX + 1])
{
    return foreign_in(open_dir(AT_FDCWD, path), names, found);
}

static bool remove_in(int at, const char *path, const char *const *names)
{
    int fd = open_dir(at, path);
    if (fd < 0)
        return false;
    for (; *names; names++)
        unlinkat(fd, *names, 0);
    close(fd);
    return unlinkat(at, path, AT_REMOVEDIR) == 0;
}

bool staging_remove(const char *path, const char *const *names)
{
    return remove_in(AT_FDCWD, path, names);
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
bool staging_sync_names(const char *dir)
{
    return sync_path(dir, O_DIRECTORY) || errno == EACCES;
}

bool staging_sync(const struct staging *s)
{
    for (size_t i = 0; i < s->n_files; i++) {
        if (!sync_path(s->files[i], O_NOFOLLOW) && errno != ENOENT)
            return false;
    }
    return staging_sync_names(s->result);
}

enum holder { NOBODY, A_RUN, NOT_OURS };

/* True if a directory belongs to the user and holds only what a run writes
 * there: the lock, and a result with files of these names. */
static bool is_ours(int fd, const char *const *names)
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
    return foreign_in(result, names, found) == 0;
}

/* Returns A_RUN if a run uses a directory whose name this run needs, NOT_OURS
 * if the directory must be left alone. Otherwise the name is free: removes the
 * directory if a killed run left it. */
static enum holder clear_leftover(const char *path, const char *const *names)
{
    struct stat st;
    enum holder holder = NOT_OURS;
    int dir = open_dir(AT_FDCWD, path);
    if (dir < 0)
        return errno == ENOENT ? NOBODY : NOT_OURS;
    int lock =
        openat(dir, "lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock < 0 || fstat(lock, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size != 0 || !is_ours(dir, names))
        goto out;
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        holder = errno == EWOULDBLOCK ? A_RUN : NOT_OURS;
        goto out;
    }
    remove_in(dir, "result", names);
    unlinkat(dir, "lock", 0);
    /* If another run has removed the directory at the same time, this may be
     * that run's new directory. It is not empty, so rmdir fails and the
     * directory stays. */
    rmdir(path);
    holder = NOBODY;
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
static enum status take_name(struct staging *s, const char *place,
                             const char *const *names, struct error *err)
{
    char name[PATH_MAX];
    for (int i = 1; i <= NAMES_MAX; i++) {
        char tail[8] = "";
        if (i > 1)
            snprintf(tail, sizeof tail, "-%d", i);
        snprintf(name, sizeof name, "%s.partial%s", place, tail);
        enum holder holder = NOBODY;
        /* Try several times, because other runs may remove and take the name
         * meanwhile. */
        for (int again = 0; again < 8 && holder == NOBODY; again++) {
            if (renameat2(AT_FDCWD, s->dir, AT_FDCWD, name, RENAME_NOREPLACE) ==
                0) {
                memcpy(s->dir, name, sizeof name);
                return STATUS_OK;
            }
            if (errno != EEXIST && errno != ENOTEMPTY)
                /* the directory keeps its unique name */
                return STATUS_OK;
            holder = clear_leftover(name, names);
        }
        if (holder == A_RUN)
            return error_set(err, STATUS_FAILED,
                             "--out %s: another run writes its result there "
                             "now (it works in %s); wait until it ends, or "
                             "name another directory",
                             place, name);
    }
    return error_set(err, STATUS_FAILED,
                     "--out %s: %s.partial to %s.partial-%d are in the way; "
                     "remove them or name another directory",
                     place, place, place, NAMES_MAX);
}

/* Joins two parts of a path. staging_open has checked the length. */
static void join(char out[PATH_MAX], const char *dir, const char *name)
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

static void name_below(struct staging *s, const char *const *names)
{
    if (!s->dir[0])
        return;
    join(s->lock, s->dir, "lock");
    join(s->result, s->dir, "result");
    add_at_end(s, 0, s->dir, true);
    add_at_end(s, 1, s->lock, false);
    add_at_end(s, 2, s->result, true);
    for (s->n_files = 0; names[s->n_files]; s->n_files++) {
        CHECK(s->n_files < STAGING_FILES_MAX);
        char *file = s->files[s->n_files];
        join(file, s->result, names[s->n_files]);
        add_at_end(s, 3 + s->n_files, file, false);
    }
}

enum status staging_open(struct staging *s, const char *place,
                         const char *const *names, struct error *err)
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
        st = take_name(s, place, names, err);
    name_below(s, st == STATUS_OK ? names : no_names);
    interrupt_release();
    if (st != STATUS_OK)
        staging_close(s, false);
    return st;
}

void staging_close(struct staging *s, bool keep_parents)
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
