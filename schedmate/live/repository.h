/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of a job above its directory. A script in REPO/scripts may start code
 * in REPO/src. The Advisor reads such files if the launch command names them,
 * or a file that it names, with a path that has ".." in it. It then looks at
 * the whole repository, from its root, and nothing outside of it. */
#ifndef SIM_REPOSITORY_H
#define SIM_REPOSITORY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/out.h"

/* Finds the root that `workdir` needs: `root` if it is not NULL, else the
 * nearest folder above that has .git and, like all folders between, the owner
 * of `workdir`. Returns false if the command names no regular file that lies
 * below the root and not below `workdir`; else sets *dir to the root and
 * *in_root to the command as it is started there ("cd scripts && ..."), in the
 * arena. */
bool repository_find(const char *workdir, const char *command, const char *root,
                     struct arena *arena, const char **dir,
                     const char **in_root) MUST_USE;

/* True if `dir` lies below `root`. */
bool repository_holds(const char *root, const char *dir) MUST_USE;

#endif
