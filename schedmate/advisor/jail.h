/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workspace that is a directory and gives no access to files outside it. The
 * components of a path are opened one by one, each relative to the folder
 * before it and never through a link. So no path leads out of the directory,
 * even if the directory changes at the same time. Only regular files are read,
 * so that reading never waits for a pipe. */
#ifndef MODELS_JAIL_H
#define MODELS_JAIL_H

#include "base/option.h"
#include "schedmate/advisor/workspace.h"

struct jail_limits {
    uint32_t files;    /* largest number of files that are listed */
    uint32_t depth;    /* largest number of levels of subfolders */
    uint32_t file_kib; /* largest number of KiB that are read from one file */
};
extern const struct option jail_options[];

struct jail;

/* Lists, within the limits, the files of the directory that describe a job
 * (sources, scripts, configurations, notes). Leaves out what is hidden, folders
 * with what jobs leave behind, such as logs or checkpoints, and subfolders that
 * cannot be opened. Returns STATUS_BAD_INPUT if `dir` itself cannot be opened.
 * The caller owns *out. */
enum status jail_open(const char *dir, const struct jail_limits *limits,
                      struct jail **out, struct error *err) MUST_USE;
void jail_free(struct jail *jail); /* accepts NULL */

/* Returns the workspace, which the jail owns. */
const struct workspace *jail_workspace(const struct jail *jail);

#endif
