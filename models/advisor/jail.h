/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory as a workspace that gives access to nothing outside that
 * directory. Each component of a path is opened by itself, below the folder
 * before it and never through a link. So no path leads out, even if somebody
 * changes the directory meanwhile. Only regular files are read, so that reading
 * never waits for a pipe. */
#ifndef MODELS_JAIL_H
#define MODELS_JAIL_H

#include "models/advisor/workspace.h"
#include "sim/base/option.h"

struct jail_limits {
    uint32_t files;    /* most files that are listed, in the order of paths */
    uint32_t depth;    /* most levels of folders */
    uint32_t file_kib; /* most KiB that are read of one file */
};
extern const struct option jail_options[];

struct jail;

/* Lists the directory: files of kinds that tell about a job (sources, scripts,
 * configurations, notes), without what jobs leave behind (logs, caches,
 * checkpoints, .git). A subfolder that cannot be opened is left out. Returns
 * STATUS_BAD_INPUT if `dir` itself cannot be opened. The caller owns *out. */
enum status jail_open(const char *dir, const struct jail_limits *limits,
                      struct jail **out, struct error *err) MUST_USE;
void jail_free(struct jail *jail); /* accepts NULL */

/* Returns the workspace, which the jail owns. */
const struct workspace *jail_workspace(const struct jail *jail);

#endif
