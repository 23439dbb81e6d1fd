/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version manager of SchedMate's poster (NSDI '24). It keeps metadata
 * together with the files from which they were read and a digest of each file.
 * If no file has changed, it returns the earlier result; after a change, a
 * model reads only the changed files again. */
#ifndef MODELS_ADVISOR_VERSIONS_H
#define MODELS_ADVISOR_VERSIONS_H

#include "models/advisor/schedmate_advisor.h"
#include "sim/base/digest.h"

struct versions;

/* Opens the cache file. A file that does not exist counts as empty; a damaged
 * file or one of another version is STATUS_BAD_INPUT. The caller owns *out. */
enum status versions_open(const char *path, struct versions **out,
                          struct error *err) MUST_USE;
void versions_free(struct versions *versions); /* accepts NULL */

enum versions_state {
    VERSIONS_NEW,     /* there is no earlier result */
    VERSIONS_SAME,    /* *result is the earlier result */
    VERSIONS_CHANGED, /* *memory describes the earlier result */
};

/* Looks for an earlier result. `identity`: everything besides the files that
 * the answer depends on, that is directory, command, model and settings. Texts
 * lie in the arena. */
enum versions_state versions_check(const struct versions *versions,
                                   const char *identity,
                                   const struct workspace *workspace,
                                   struct arena *arena,
                                   struct advisor_result *result,
                                   struct advisor_memory *memory);

/* Keeps a result and writes the file. A failure leaves the old file whole.
 * Keeps at most VERSIONS_MAX jobs; the oldest are dropped. */
#define VERSIONS_MAX 256
enum status versions_keep(struct versions *versions, const char *identity,
                          const struct workspace *workspace,
                          const struct advisor_result *result,
                          struct error *err) MUST_USE;

#endif
