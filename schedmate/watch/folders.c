/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the logs of a directory and of the directories in it. */
#include "schedmate/watch/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"

const char *const folders_notify_names[] = {"auto", "inotify", "poll", NULL};

/* Largest number of folders that are read. */
#define FOLDERS_MAX 10000
#define EVENTS \
    (IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | \
     IN_ATTRIB | IN_MOVE_SELF | IN_ONLYDIR)

struct folder {
    char *path;
    uint32_t depth;
    /* watch descriptor of inotify; -1: none, so each look reads the folder */
    int watch;
    /* true if the folder is new, or inotify has reported an event in it since
     * it was read last */
    bool changed;
    /* true if the folder was found not to exist any more */
    bool gone;
    /* number of the last scan that read it or found it gone */
    uint64_t scan;
};

struct folders {
    struct folder **at;
    size_t n, cap;
    int fd; /* descriptor of inotify; -1: none */
    char *pattern;
    uint32_t depth;
    uint64_t scan;
    bool poll_some; /* true if some folders have no watch */
    struct folders_left left;
};

/* True if `path` is on a file system on which other machines may write without
 * a report by inotify, or if its kind cannot be read. */
static bool is_remote(const char *path)
{
    static const uint32_t kinds[] = {
        0x6969,     /* NFS */
        0x517B,     /* SMB */
        0xFE534D42, /* SMB2 */
        0xFF534D42, /* CIFS */
        0x65735546, /* FUSE */
        0x0BD00BD0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x00C36400, /* Ceph */
        0x01021997, /* 9p */
        0x5346414F, /* AFS */
        0xAAD7AAEA, /* PanFS */
    };
    struct statfs about;
    if (statfs(path, &about) != 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((uint32_t)about.f_type == kinds[i])
            return true;
    }
    return false;
}

/* Watches the folder that has the path now. A folder that was removed and made
 * again needs a new watch; for the same folder, inotify returns the old one. */
static void set_watch(struct folders *f, struct folder *folder)
{
    if (f->fd >= 0)
        folder->watch = inotify_add_watch(f->fd, folder->path, EVENTS);
}

static void folders_add(struct folders *f, const char *path, uint32_t depth)
{
    struct folder *folder = mem_zalloc(1, sizeof *folder);
    *folder = (struct folder){
        .path = mem_text(path), .depth = depth, .watch = -1, .changed = true};
    f->at = mem_grow(f->at, &f->cap, f->n + 1, sizeof(struct folder *));
    f->at[f->n++] = folder;
}

enum status folders_open(const struct folders_settings *settings,
                         struct folders **out, struct error *err)
{
    char path[PATH_MAX];
    struct stat about;
    if (!realpath(settings->dir, path) || stat(path, &about) != 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", settings->dir,
                         strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return error_set(err, STATUS_BAD_INPUT, "%s: is not a directory",
                         settings->dir);
    struct folders *f = mem_zalloc(1, sizeof *f);
    f->depth = settings->depth;
    f->pattern = mem_text(settings->pattern);
    f->fd = -1;
    bool poll = settings->notify == NOTIFY_POLL ||
                (settings->notify == NOTIFY_AUTO && is_remote(path));
    if (!poll)
        f->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    folders_add(f, path, 0);
    set_watch(f, f->at[0]);
    f->poll_some = f->at[0]->watch < 0;
    if (settings->notify == NOTIFY_INOTIFY && f->poll_some) {
        int why = errno;
        folders_close(f);
        return error_set(err, STATUS_FAILED,
                         "%s: inotify gives no watch: %s; --notify poll does "
                         "without",
                         settings->dir, strerror(why));
    }
    *out = f;
    return STATUS_OK;
}

static void free_folder(struct folder *folder)
{
    free(folder->path);
    free(folder);
}

void folders_close(struct folders *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        free_folder(f->at[i]);
    if (f->fd >= 0)
        close(f->fd);
    free(f->at);
    free(f->pattern);
    free(f);
}

const char *folders_how(const struct folders *f)
{
    if (f->fd < 0)
        return "polling";
    return f->poll_some ? "inotify, and polling where it has no watches"
                        : "inotify";
}

static void note_change(struct folders *f, int watch, bool overflow)
{
    for (size_t i = 0; i < f->n; i++)
        f->at[i]->changed |= overflow || f->at[i]->watch == watch;
}

static void take_events(struct folders *f)
{
    _Alignas(struct inotify_event) char buf[65536];
    int last = -1;
    ssize_t n;
    while (f->fd >= 0 && (n = read(f->fd, buf, sizeof buf)) > 0) {
        for (char *at = buf; at < buf + n;) {
            struct inotify_event event;
            memcpy(&event, at, sizeof event);
            at += sizeof event + event.len;
            bool overflow = (event.mask & IN_Q_OVERFLOW) != 0;
            if (overflow || event.wd != last)
                note_change(f, event.wd, overflow);
            last = event.wd;
        }
    }
}

static bool folders_matches(const struct folders *f, const char *name)
{
    struct text rest = text_from(f->pattern);
    char pattern[NAME_MAX + 1];
    while (rest.len > 0) {
        struct text one = text_trim(text_split(rest, ',', &rest));
        if (one.len == 0 || one.len >= sizeof pattern)
            continue;
        memcpy(pattern, one.at, one.len);
        pattern[one.len] = 0;
        if (fnmatch(pattern, name, FNM_PERIOD) == 0)
            return true;
    }
    return false;
}

static bool is_compressed(const char *name)
{
    static const char *const ends[] = {".gz", ".xz", ".zst", ".bz2"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (len > n && strcmp(name + len - n, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Adds a folder unless `f` has it already. One that was gone is marked to be
 * read again. */
static void add_or_renew(struct folders *f, const char *path, uint32_t depth)
{
    for (size_t i = 0; i < f->n; i++) {
        struct folder *folder = f->at[i];
        if (strcmp(folder->path, path) == 0) {
            folder->changed |= folder->gone;
            folder->gone = false;
            return;
        }
    }
    folders_add(f, path, depth);
}

static void take_entry(struct folders *f, struct folder *folder, int dir,
                       const char *name, folders_found *found, void *self)
{
    char path[PATH_MAX];
    struct stat about;
    int len = snprintf(path, sizeof path, "%s/%s", folder->path, name);
    if (name[0] == '.' || len < 0 || (size_t)len >= sizeof path ||
        fstatat(dir, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISDIR(about.st_mode)) {
        bool deep = folder->depth >= f->depth || f->n >= FOLDERS_MAX;
        f->left.deep += deep;
        if (!deep)
            add_or_renew(f, path, folder->depth + 1);
    } else if (is_compressed(name)) {
        f->left.compressed++;
    } else if (folders_matches(f, name)) {
        f->left.links += S_ISLNK(about.st_mode);
        if (S_ISREG(about.st_mode))
            found(self, folder, path, &about);
    }
}

static void scan_folder(struct folders *f, struct folder *folder,
                        folders_found *found, void *self)
{
    /* before the folder is read, so that no change between the two is missed */
    set_watch(f, folder);
    DIR *dir = opendir(folder->path);
    struct dirent *entry;
    folder->changed = false;
    folder->gone = !dir && (errno == ENOENT || errno == ENOTDIR);
    f->left.unreadable += !dir && !folder->gone;
    f->poll_some |= folder->watch < 0 && !folder->gone;
    if (dir || folder->gone)
        folder->scan = f->scan;
    if (!dir)
        return;
    while ((entry = readdir(dir)))
        take_entry(f, folder, dirfd(dir), entry->d_name, found, self);
    closedir(dir);
}

/* Removes folders that were found gone before the last scan, because their
 * files have been dropped since. Keeps the first one, the watched directory
 * itself. */
static void drop_gone(struct folders *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (i > 0 && f->at[i]->gone && f->at[i]->scan + 1 < f->scan)
            free_folder(f->at[i]);
        else
            f->at[kept++] = f->at[i];
    }
    f->n = kept;
}

void folders_scan(struct folders *f, bool all, folders_found *found, void *self)
{
    take_events(f);
    f->scan++;
    drop_gone(f);
    if (all)
        f->left = (struct folders_left){0};
    /* scan_folder may add folders, which are read in the same scan. The watched
     * directory may come back. */
    for (size_t i = 0; i < f->n; i++) {
        struct folder *folder = f->at[i];
        if (folder->gone ? i == 0 : all || folder->changed || folder->watch < 0)
            scan_folder(f, folder, found, self);
    }
}

bool folder_was_read(const struct folders *f, const struct folder *folder)
{
    return folder->scan == f->scan;
}

struct folders_left folders_left_out(const struct folders *f)
{
    return f->left;
}

bool folders_find_inode(const char *path, const struct stat *is, char *out,
                        size_t cap)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct dirent *entry;
    struct stat about;
    bool found = false;
    int len = slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", len, path);
    DIR *dir = opendir(len ? folder : "/");
    while (dir && !found && (entry = readdir(dir))) {
        if (entry->d_ino != is->st_ino ||
            fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) !=
                0 ||
            about.st_dev != is->st_dev || !S_ISREG(about.st_mode))
            continue;
        len = snprintf(out, cap, "%s/%s", folder, entry->d_name);
        found = len > 0 && (size_t)len < cap;
    }
    if (dir)
        closedir(dir);
    return found;
}
