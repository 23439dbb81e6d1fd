/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#ifndef SIM_STAGING_H
#define SIM_STAGING_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"
#include "base/interrupt.h"

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

/* Makes the staging directory, and the missing directories above `place`.
 * `names` (ends with NULL) are the names of all files that a result may have.
 * Returns STATUS_FAILED if another run writes there or the directory cannot be
 * written, STATUS_USAGE if the path is too long. */
enum status staging_open(struct staging *s, const char *place,
                         const char *const *names, struct error *err) MUST_USE;
/* Removes the staging directory with what is in `result`. Without
 * `keep_parents` it also removes the directories that were made above it, if
 * they are empty. */
void staging_close(struct staging *s, bool keep_parents);

/* Looks for an entry of a directory whose name is not in `names`. Returns 1 and
 * copies the first such name to `found`; 0: there is none; -1: the directory
 * cannot be read, see errno. Does not follow links. */
int staging_foreign(const char *path, const char *const *names,
                    char found[NAME_MAX + 1]);
/* Removes the files `names` as far as they exist, then the directory. Does not
 * follow links. Returns false if the directory holds anything else or a removal
 * failed (see errno). */
bool staging_remove(const char *path, const char *const *names);
/* Syncs the files of the result that exist, and their names, to the disk.
 * Returns false on an error; see errno. */
bool staging_sync(const struct staging *s) MUST_USE;
/* Syncs the names in a directory to the disk. Returns false on an error; see
 * errno. */
bool staging_sync_names(const char *dir) MUST_USE;

#endif
