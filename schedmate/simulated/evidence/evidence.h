/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What SchedMate may read of a job: the command and the directory that its user
 * submitted, and the kind of log that the job writes. The evidence comes from a
 * side-car of the trace (traces/evidence/sidecar.h), or evidence_generate makes
 * it up. All of it but the text of a real log is known when the job is
 * submitted; nothing here depends on how long the job will run. */
#ifndef SCHEDMATE_EVIDENCE_H
#define SCHEDMATE_EVIDENCE_H

#include "base/state/plugin.h"
#include "traces/evidence/evidence_log.h"

/* What the user submitted. The texts live as long as the run. */
struct evidence_command {
    /* Path of the working directory; "": none. Open it with jail_open only,
     * because a stranger wrote what is in it. */
    const char *directory;
    const char *command; /* launch command; "": unknown */
    const char *branch;  /* git branch; "": unknown */
};

struct evidence;

/* Reads a side-car for the jobs of a run. Rows of other jobs are ignored. Paths
 * of directories and logs that do not begin with "/" are relative to the folder
 * of the side-car. With links resolved, they must be in this folder or in one
 * of `roots`, which ends with NULL. *out lives in env->arena. On success,
 * `sha256` becomes the digest of the file, 64 hexadecimal digits. Returns
 * STATUS_BAD_INPUT if the file cannot be read, has an unknown column, a bad
 * cell or a path that leaves these folders, or has two rows of one job. */
enum status evidence_read(const char *path, const char *const *roots,
                          const struct run_env *env, struct evidence **out,
                          char sha256[65], struct error *err) MUST_USE;

/* Makes evidence for a trace without a side-car, from the repositories of a
 * folder (traces/evidence/repositories.h). A job has evidence if a repository
 * trains its model, and on its data set where that is known. Jobs of one user
 * with equal names, models, data sets, batch sizes and numbers of GPUs have
 * equal commands. Directories lie below `folder`. *out lives in env->arena.
 * Returns the error of repositories_read. */
enum status evidence_generate(const char *folder, const struct run_env *env,
                              struct evidence **out,
                              struct error *err) MUST_USE;

/* Finds what the user submitted as this job. Returns false if its command is
 * unknown. */
bool evidence_command(const struct evidence *evidence, const struct job *job,
                      struct evidence_command *out) MUST_USE;
/* Finds the kind of the job's log. Returns false if the job leaves no log. */
bool evidence_log(const struct evidence *evidence, const struct job *job,
                  struct evidence_log *out) MUST_USE;

#endif
