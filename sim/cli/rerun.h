/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rerun` needs of an older result: how it was made, whether its inputs
 * are unchanged, and where it differs from a new result. */
#ifndef SIM_RERUN_H
#define SIM_RERUN_H

#include <jansson.h>
#include <limits.h>

#include "sim/cli/run_options.h"

struct rerun {
    json_t *manifest;
    char path[PATH_MAX]; /* path of manifest.json */
    struct run_options options;
    struct arena arena;       /* owns the texts of `options` */
    bool decisions, timeline; /* true if the result has decisions.log,
                                 timeline.json */
};

/* Reads DIR/manifest.json. Returns STATUS_BAD_INPUT if it is not a manifest, if
 * a version with another schema wrote it, or if the run read standard input. */
enum status rerun_open(struct rerun *rerun, const char *dir,
                       struct error *err) MUST_USE;
void rerun_close(struct rerun *rerun);

/* Changes to a directory from which all paths lead to the bytes that the run
 * read: the directory in which the run was started, else the current one.
 * STATUS_BAD_INPUT names the file that is missing or has changed. */
enum status rerun_enter(const struct rerun *rerun, struct error *err) MUST_USE;

/* Where two results differ first. */
struct rerun_difference {
    const char *file; /* NULL: they do not differ */
    size_t line;      /* first line that differs, from 1; 0: one of the results
                         lacks the file */
};

/* Compares the bytes of all files of two results; of manifest.json only those
 * before "provenance". STATUS_TOLERANCE names the first file and line that
 * differ, which are in *out too. */
enum status rerun_compare(const struct rerun *rerun, const char *old_dir,
                          const char *new_dir, struct rerun_difference *out,
                          struct error *err) MUST_USE;

#endif
