/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a failed job. The job's program and the drivers print why it
 * failed, so the source of the log knows what really happened; the reader of
 * the lines does not. */
#ifndef SCHEDMATE_FAILED_LOG_H
#define SCHEDMATE_FAILED_LOG_H

#include "models/failures/recovery.h"
#include "schedmate/job_log.h"

/* A log with how the attempt went. `log` points to `life`, so the struct must
 * not be moved. */
struct failed_log {
    struct job_log log;
    struct job_life life;
    struct text real; /* the end of a real log */
    bool is_real;     /* true: `log` and `life` are not set */
};

/* Makes the log of the attempt that failed. A real log, which the side-car
 * names, tells of a failure that the trace recorded; it says nothing of one
 * that only the simulation has. Returns false if the job leaves no log of this
 * failure, or one that cannot be read. */
bool failed_log_of(const struct schedmate *s, const struct failure *failure,
                   struct arena *arena, struct failed_log *out) MUST_USE;

/* Returns what people find out about the failure afterwards. */
enum log_fault failed_log_label(const struct failure *failure);

#endif
