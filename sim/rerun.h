/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rerun` needs to know of an older result: how it was made, whether its
 * inputs are still the same, and where it differs from a new one. */
#ifndef SIM_RERUN_H
#define SIM_RERUN_H

#include <jansson.h>
#include <limits.h>

#include "sim/run_options.h"

struct rerun {
    json_t *manifest;
    char path[PATH_MAX]; /* of manifest.json */
    struct run_options options;
    bool decisions, timeline; /* whether it has these files */
};

/* Reads DIR/manifest.json. What it says is a result of another version of the
 * program, of standard input, or no manifest: STATUS_BAD_INPUT. */
enum status rerun_open(struct rerun *rerun, const char *dir,
                       struct error *err) MUST_USE;
void rerun_close(struct rerun *rerun);

/* Makes that directory the current one from which all paths lead to the bytes
 * that the run read: the one where it was started, or else the present one.
 * STATUS_BAD_INPUT names the file that is missing or has changed. */
enum status rerun_enter(const struct rerun *rerun, struct error *err) MUST_USE;

/* Compares the bytes of all files of two results, of manifest.json those
 * before "provenance". STATUS_TOLERANCE names the first file that differs, and
 * the line. */
enum status rerun_compare(const struct rerun *rerun, const char *old_dir,
                          const char *new_dir, struct error *err) MUST_USE;

#endif
