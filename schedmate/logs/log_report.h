/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the cause of a failure in the report of several lines and processes:
 *
 * - A traceback is one unit: only the line that names its exception counts
 *   (log_traceback.h). Of Python's chained exceptions the first one counts,
 *   because the others were raised while it was handled; of Java's, the last
 *   "Caused by".
 * - A line that says that a process failed, but not why (LOG_ROLE_WRAPPER), or
 *   that is harmless names no cause, unless the knowledge gives a wrapper one.
 * - A consequence (LOG_ROLE_FALLOUT: a peer is gone, a collective operation
 *   timed out, a launcher ends the other processes) counts only if nothing else
 *   is specific, whichever comes first.
 * - Among causes the earlier one counts, unless a later one is much stronger. A
 *   cause of the kind FAILURE_OTHER, such as a kill by the scheduler, never
 *   replaces a specific error: after that error a job may hang until the
 *   scheduler ends it. The code is in handler.c. */
#ifndef MODELS_LOG_REPORT_H
#define MODELS_LOG_REPORT_H

#include "schedmate/logs/log_causes.h"

struct log_finding {
    struct log_cause cause; /* weight 0: none was found */
    uint64_t line; /* number of the cause's line in the report, from 0 */
    /* the host to which that line points, part of the report; empty: none */
    struct text host;
    bool fallout; /* true if only a consequence was found */
    bool wrapped; /* true if a line says that a process failed, but not why */
};

/* Finds the cause in the lines of `report` that begin at byte `from` or after
 * it. The lines before tell only whether a traceback has begun. */
void log_report_read(const struct log_knowledge *k, struct text report,
                     size_t from, struct log_finding *out);

#endif
