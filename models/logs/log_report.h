/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the cause of a failure in the report of several lines and processes:
 *
 * - A traceback is one unit: only the line that names its exception counts
 *   (log_traceback.h). Of chained exceptions the first one does, because the
 *   others were raised while it was handled; of Java's the last "Caused by".
 * - A line that says that an error was caught elsewhere (LOG_ROLE_WRAPPER) or
 *   that is harmless names no cause.
 * - A consequence (LOG_ROLE_FALLOUT: a peer is gone, a collective operation
 *   timed out, a launcher ends the other processes) counts only if nothing else
 *   is specific, whichever comes first.
 * - Among causes the earlier one counts, unless a later one is much stronger. A
 *   kill by the scheduler never replaces a specific error: after such an error
 * a job may hang until the scheduler ends it. */
#ifndef MODELS_LOG_REPORT_H
#define MODELS_LOG_REPORT_H

#include "models/logs/log_causes.h"

struct log_finding {
    struct log_cause cause; /* weight 0: none was found */
    uint64_t line;          /* line of the cause in the report, from 0 */
    /* The host to which that line points, part of the report; empty: none. */
    struct text host;
    bool fallout; /* true if only a consequence was found */
    bool wrapped; /* true if a line says that a process failed, but not why */
};

/* Reads the lines of `report` from byte `from` on. */
void log_report_read(const struct log_knowledge *k, struct text report,
                     size_t from, struct log_finding *out);

#endif
