/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a result is written before it is whole: a directory of its own next to
 * its place, so that one rename puts it there. For the place runs/a that is
 *
 *     runs/a.partial/lock    locked (flock) while the run lives
 *     runs/a.partial/result  becomes runs/a
 *
 * The directory appears with its lock held, so a second run into the same place
 * finds the first one at once and is refused. A directory that a killed run
 * left has a lock that no process holds. The next run into that place removes
 * it, if it belongs to the user and holds only files that this program writes.
 * Anything else of that name, a link above all, is left alone, and a.partial-2,
 * -3 ... are tried. Where the file system has no locks, or cannot rename
 * without replacing, two runs into one place both succeed and the last one
 * wins. */
#ifndef SIM_STAGING_H
#define SIM_STAGING_H

#include <limits.h>
#include <stddef.h>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"

enum { STAGING_FILES_MAX = 16 };

struct staging {
    char dir[PATH_MAX], lock[PATH_MAX], result[PATH_MAX];
    char files[STAGING_FILES_MAX][PATH_MAX]; /* in `result` */
    size_t n_files;
    int lock_fd;
    struct interrupt_path at_end[STAGING_FILES_MAX + 3];
    struct staging_parent *parents; /* directories made for it, deepest first */
};

/* Makes the staging directory, and the missing directories above `place`.
 * `names` (ends with NULL) are all files that a result may consist of. Returns
 * STATUS_FAILED if another run writes there or the directory cannot be written.
 */
enum status staging_open(struct staging *s, const char *place,
                         const char *const *names, struct error *err) MUST_USE;
/* Removes the staging directory with what is in `result`. Without
 * `keep_parents` it also removes the directories that were made above it, if
 * they are empty. */
void staging_close(struct staging *s, bool keep_parents);

/* Looks for a name in a directory that is none of `names`. Returns 1 and copies
 * the first to `found`; 0: there is none; -1: the directory cannot be read, see
 * errno. Follows no link. */
int staging_foreign(const char *path, const char *const *names,
                    char found[NAME_MAX + 1]);
/* Removes those of these files that exist in a directory, then the directory.
 * Follows no link. Returns false if the directory holds something else, or if a
 * removal failed (see errno). */
bool staging_remove(const char *path, const char *const *names);
/* Puts the files of the result that exist, and their names, on the disk.
 * Returns false on an error; see errno. */
bool staging_sync(const struct staging *s) MUST_USE;
/* Puts the names in a directory on the disk. Returns false on an error; see
 * errno. */
bool staging_sync_names(const char *dir) MUST_USE;

#endif
