/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory that the Advisor may read, and nothing outside of it.
 *
 * A workspace that is a directory and gives no access to files outside it. The
 * components of a path are opened one by one, each relative to the folder
 * before it and never through a link. So no path leads out of the directory,
 * even if the directory changes at the same time. Only regular files are read,
 * so that reading never waits for a pipe. */
#ifndef SIM_JAIL_H
#define SIM_JAIL_H

#include <stdbool.h>

#include "base/option.h"

/* The files of a job as the Scheduling Advisor sees them: a list of files and a
 * function that reads a file of the list. The files come from a directory or,
 * in tests, from memory. */

#define WORKSPACE_WHY_MAX 128

struct workspace_file {
    const char *path; /* path below the root, printable UTF-8 */
    uint64_t bytes;
};

struct workspace {
    void *self;
    const struct workspace_file *files; /* sorted by path, as bytes */
    size_t n_files;
    /* Number of entries that are not listed, such as files of other types,
     * links and whatever is beyond the limits. A folder that is left out counts
     * once. */
    uint64_t n_left_out;
    /* Sets *out to the text of a listed file; *cut is true if this is only its
     * beginning. Returns false, with the reason in `why`, if the file cannot be
     * read. The text lies in the arena and is followed by a 0 byte. */
    bool (*read)(void *self, const char *path, struct arena *arena,
                 struct text *out, bool *cut,
                 char why[WORKSPACE_WHY_MAX]) MUST_USE;
    /* Optional. Returns a file that may be read though it is not listed,
     * because the list is full or the launch command names it; NULL if there is
     * none. */
    const struct workspace_file *(*lookup)(void *self, const char *path);
};

/* Returns the file with this path that is listed or that `lookup` finds, NULL
 * if there is none. A leading "./" is ignored, and "//" counts as "/". */
const struct workspace_file *workspace_find(const struct workspace *workspace,
                                            const char *path);

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

/* Lets files that the launch command names be read, whatever the limits of the
 * list and in whatever folder that is not hidden. Keeps the pointer. */
void jail_allow(struct jail *jail, const char *command);

void jail_free(struct jail *jail); /* accepts NULL */

/* Returns the workspace, which the jail owns. */
const struct workspace *jail_workspace(const struct jail *jail);

#endif
