/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory as a workspace, and nothing but that directory. Each name of a
 * path is opened by itself, below the one before and never through a link, so
 * that no path leads out whatever the directory holds and whoever changes it
 * meanwhile. Only plain files are read, without waiting for any. */
#ifndef MODELS_JAIL_H
#define MODELS_JAIL_H

#include "models/workspace.h"
#include "sim/base/option.h"

struct jail_limits {
    uint32_t files;    /* listed; the first in the order of paths */
    uint32_t depth;    /* of folders */
    uint32_t file_kib; /* read of one file */
};
extern const struct option jail_options[];

struct jail;

/* Lists the directory: files of kinds that tell of a job (sources, scripts,
 * configurations, notes), without what jobs leave behind (logs, caches,
 * checkpoints, .git). A folder that cannot be opened is left out; that `dir`
 * cannot is STATUS_BAD_INPUT. Owned by the caller. */
enum status jail_open(const char *dir, const struct jail_limits *limits,
                      struct jail **out, struct error *err) MUST_USE;
void jail_free(struct jail *jail); /* accepts NULL */

/* Borrowed from the jail. */
const struct workspace *jail_workspace(const struct jail *jail);

#endif
