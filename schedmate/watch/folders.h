/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the logs of a directory and of the directories in it. inotify reports
 * which directories changed, so that a look at a quiet tree reads none of them.
 * Where inotify cannot work (network file systems, no room for more watches)
 * each look reads the directories. */
#ifndef SIM_WATCH_FOLDERS_H
#define SIM_WATCH_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

enum folders_notify { NOTIFY_AUTO, NOTIFY_INOTIFY, NOTIFY_POLL };
extern const char *const folders_notify_names[]; /* ends with NULL */

struct folders_settings {
    const char *dir;
    const char *pattern; /* shell patterns of file names, separated by ',' */
    unsigned notify;     /* enum folders_notify */
    uint32_t depth;      /* levels below `dir`; 0: only `dir` */
};

struct folders; /* opaque */
struct folder;  /* opaque */

/* Numbers of entries that were left out since the last scan of all folders
 * began, by reason. `deep`: folders that lie too deep or exceed the largest
 * number of folders. */
struct folders_left {
    uint64_t compressed, links, deep, unreadable;
};

enum status folders_open(const struct folders_settings *settings,
                         struct folders **out, struct error *err) MUST_USE;
void folders_close(struct folders *folders); /* accepts NULL */
/* Returns words on how changes are noticed, such as "inotify". */
const char *folders_how(const struct folders *folders);

/* Reads the folders that may have changed, or all of them if `all` is true, and
 * calls `found` for each regular file whose name matches the pattern. Hidden
 * files and folders, compressed files and folders that lie too deep are left
 * out. A folder that was deleted and made again is read again. `path` and
 * `about` are valid during the call only. */
typedef void folders_found(void *self, struct folder *folder, const char *path,
                           const struct stat *about);
void folders_scan(struct folders *folders, bool all, folders_found *found,
                  void *self);
/* True if the last scan has read the folder or found that it no longer exists.
 * A file that this scan did not find is then gone. */
bool folder_was_read(const struct folders *folders,
                     const struct folder *folder);
struct folders_left folders_left_out(const struct folders *folders);

/* Looks in the directory of `path` for the regular file with the device and
 * inode of `is` and writes its path to `out`. Returns false if there is none or
 * its path needs more than `cap` bytes; `out` may have changed then. */
bool folders_find_inode(const char *path, const struct stat *is, char *out,
                        size_t cap);

#endif
