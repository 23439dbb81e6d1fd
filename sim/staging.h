/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a result is written before it is whole: a directory of its own beside
 * its place, so that one rename puts it there. For the place runs/a that is
 *
 *     runs/a.partial/lock    locked (flock) while the run lives
 *     runs/a.partial/result  becomes runs/a
 *
 * It appears with its lock held, so a second run into the same place knows at
 * once that there is a first, and is refused. What a killed run left is known
 * by the same lock, which nobody holds: it is removed by the next run into that
 * place, if it is the user's and holds nothing that this program does not
 * write. Anything else of that name, a link above all, is left alone, and
 * a.partial-2, -3 ... are tried. Where the file system knows no locks, or
 * cannot rename without replacing, two runs into one place both succeed and the
 * last one wins. */
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
    struct staging_parent *parents; /* that were made for it, deepest first */
};

/* Makes it, and the directories above `place` that are missing. `names` (ends
 * with NULL) are all files that a result may consist of. STATUS_FAILED: another
 * run writes there, or nobody can. */
enum status staging_open(struct staging *s, const char *place,
                         const char *const *names, struct error *err) MUST_USE;
/* Removes it with what is in `result`; without `keep_parents` also the
 * directories that were made above it, if they are empty. */
void staging_close(struct staging *s, bool keep_parents);

/* The first name in a directory that is none of `names`, copied to `found`;
 * 0: there is none; -1: it cannot be read, see errno. Follows no link. */
int staging_foreign(const char *path, const char *const *names,
                    char found[NAME_MAX + 1]);
/* Of a directory those of these files that are there, and itself. Follows no
 * link. False: something else is in it, or errno says what. */
bool staging_remove(const char *path, const char *const *names);
/* The files of the result that are there are on the disk, and their names.
 * False: errno says why not. */
bool staging_sync(const struct staging *s) MUST_USE;
/* The names in a directory are on the disk. */
bool staging_sync_names(const char *dir) MUST_USE;

#endif
