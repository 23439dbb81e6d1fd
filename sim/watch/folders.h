/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the logs of a directory and of the directories in it. inotify reports
 * which directories changed, so that a look at a quiet tree costs nothing.
 * Where inotify cannot work (network file systems, no room for more watches)
 * each look reads the directories. */
#ifndef SIM_WATCH_FOLDERS_H
#define SIM_WATCH_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sim/base/error.h"

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

/* Numbers of entries that scans left out, by reason. */
struct folders_left {
    uint64_t compressed, links, deep, unreadable;
};

enum status folders_open(const struct folders_settings *settings,
                         struct folders **out, struct error *err) MUST_USE;
void folders_close(struct folders *folders); /* accepts NULL */
/* Returns words on how changes are noticed, such as "inotify". */
const char *folders_how(const struct folders *folders);

/* Calls `found` for each file of the folders that may have changed and whose
 * name matches the pattern. `all`: reads all folders, even those for which
 * inotify reported no change. */
typedef void folders_found(void *self, struct folder *folder, const char *path,
                           const struct stat *about);
void folders_scan(struct folders *folders, bool all, folders_found *found,
                  void *self);
/* True if the last scan has read the folder, so that a file that the scan did
 * not find is gone. */
bool folder_was_read(const struct folders *folders,
                     const struct folder *folder);
struct folders_left folders_left_out(const struct folders *folders);

/* Looks in the directory of `path` for the file with this inode. Returns false
 * if there is none; else writes its path. */
bool folders_find_inode(const char *path, const struct stat *is, char *out,
                        size_t cap);

#endif
