/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version manager of SchedMate's poster (NSDI '24): metadata is kept with
 * the files it was read from and a digest of each. As long as none of them has
 * changed nothing is read or asked again; after a change only what changed is.
 */
#ifndef MODELS_ADVISOR_VERSIONS_H
#define MODELS_ADVISOR_VERSIONS_H

#include "models/schedmate_advisor.h"
#include "sim/base/digest.h"

struct versions;

/* A file that is not there holds nothing; one that is damaged or of another
 * version is STATUS_BAD_INPUT. Owned by the caller. */
enum status versions_open(const char *path, struct versions **out,
                          struct error *err) MUST_USE;
void versions_free(struct versions *versions); /* accepts NULL */

enum versions_state {
    VERSIONS_NEW,     /* nothing is known of this job */
    VERSIONS_SAME,    /* *result is what was found before */
    VERSIONS_CHANGED, /* *memory tells of it */
};

/* `identity` is whatever decides the answer beside the files: directory,
 * command, model, settings. Texts lie in the arena. */
enum versions_state versions_check(const struct versions *versions,
                                   const char *identity,
                                   const struct workspace *workspace,
                                   struct arena *arena,
                                   struct advisor_result *result,
                                   struct advisor_memory *memory);

/* Keeps a result, and writes the file, whole or not at all. At most
 * VERSIONS_MAX jobs are kept; the oldest go. */
#define VERSIONS_MAX 256
enum status versions_keep(struct versions *versions, const char *identity,
                          const struct workspace *workspace,
                          const struct advisor_result *result,
                          struct error *err) MUST_USE;

#endif
