/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads known incidents from a file of JSON Lines, one object per log:
 *
 *   file       the log: an absolute path, or one relative to the folder of this
 *              file
 *   failure    null or absent if the job did not fail; otherwise an object with
 *     cls      kind of the failure: infrastructure, framework, user_script or
 *              other
 *     sub      if cls is infrastructure: gpu, nvlink, network, node or other;
 *              any other word counts as other
 *   failed_at  optional: when the job failed, a date or seconds since 1970; the
 *              default is the time to which the judged log belongs
 *
 * Other keys are ignored, so that the index of a labelled corpus of logs
 * (bench/README.md, Reading logs) can be read too. */
#ifndef SIM_INCIDENT_FILE_H
#define SIM_INCIDENT_FILE_H

#include "schedmate/logs/incidents.h"

/* Adds the failures in the file, with the ends of their logs, to `all`. `now`:
 * time of failures without a time, microseconds since 1970. */
enum status incident_file_read(const char *path, sim_time now,
                               struct incidents *all,
                               struct error *err) MUST_USE;

#endif
