/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what another scheduler reports about its jobs: JSON Lines in a file
 * that grows or is replaced, or on standard input. A line is an object:
 *
 *   job        id of the job, required
 *   log        path of its log; absolute if the log does not exist yet
 *   logs       list of paths of its logs; those after the 64th are ignored
 *   user, node, name, workdir, command, branch, metadata, vc, gpu_type: texts
 *   gpus       its GPUs: list of indices on the node, "NODE:INDEX", or UUIDs
 *   state, exit_code, signal, reason: as `diagnose` takes them
 *   submitted, started, ended: dates in UTC, or seconds since 1970
 *
 * A later line of a job replaces the values that it names. If its state is that
 * of an ended job, the job ends. A file that is replaced or truncated is read
 * from its beginning. */
#ifndef SIM_WATCH_JOB_LINES_H
#define SIM_WATCH_JOB_LINES_H

#include "schedmate/watch/watch_internal.h"

/* Prepares to read the file, or standard input, which becomes non-blocking, if
 * `path` is "-". STATUS_BAD_INPUT if the file does not exist or its path cannot
 * be resolved; *out is then NULL. */
enum status job_lines_open(const char *path, struct job_lines **out,
                           struct error *err) MUST_USE;
void job_lines_close(struct job_lines *lines); /* accepts NULL */
/* Returns a descriptor to wait on; -1: there is none. */
int job_lines_fd(const struct job_lines *lines);
/* Reads the new lines and updates the jobs of `w`. */
void job_lines_read(struct job_lines *lines, struct watch *w);

#endif
