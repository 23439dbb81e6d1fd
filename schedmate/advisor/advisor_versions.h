/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version manager of SchedMate's poster (NSDI '24). It stores metadata with
 * the names and digests of the files from which the metadata were read. An
 * earlier result is used again if none of these files has changed and no file
 * was added or removed. Otherwise a model is told which files have changed and
 * asked to read only these again. The code is in metadata.c. */
#ifndef MODELS_ADVISOR_VERSIONS_H
#define MODELS_ADVISOR_VERSIONS_H

#include "base/digest.h"
#include "schedmate/advisor/schedmate_advisor.h"

struct versions;

/* Opens the cache file. A file that does not exist counts as empty. A file that
 * cannot be read, is damaged or is of another version is STATUS_BAD_INPUT; *out
 * is then NULL. The caller frees *out with versions_free. */
enum status versions_open(const char *path, struct versions **out,
                          struct error *err) MUST_USE;
void versions_free(struct versions *versions); /* accepts NULL */

enum versions_state {
    VERSIONS_NEW,     /* there is no earlier result */
    VERSIONS_SAME,    /* *result is the earlier result */
    VERSIONS_CHANGED, /* *memory describes the earlier result */
};

/* Looks for an earlier result. `identity` stands for all that the answer
 * depends on besides the files: directory, command, model, settings and clues.
 * Sets *result for VERSIONS_SAME (`why`, `steps` and `latency` are not stored
 * and become NULL or 0; LLM_BY_RECORDING becomes LLM_BY_MODEL) and *memory for
 * VERSIONS_CHANGED, else neither. Texts lie in the arena. */
enum versions_state versions_check(const struct versions *versions,
                                   const char *identity,
                                   const struct workspace *workspace,
                                   struct arena *arena,
                                   struct advisor_result *result,
                                   struct advisor_memory *memory);

#define VERSIONS_MAX 256

/* Stores a result, in place of an earlier one with this identity, and writes
 * the file. If this fails, the old file stays unchanged. Keeps at most
 * VERSIONS_MAX results and drops those that were stored first. */
enum status versions_keep(struct versions *versions, const char *identity,
                          const struct workspace *workspace,
                          const struct advisor_result *result,
                          struct error *err) MUST_USE;

#endif
