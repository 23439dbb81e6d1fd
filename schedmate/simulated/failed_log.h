/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a failed job. The job's program and the drivers print why the job
 * failed, so the code that makes the log reads the truth. The code that reads
 * the log must not. */
#ifndef SCHEDMATE_FAILED_LOG_H
#define SCHEDMATE_FAILED_LOG_H

#include "models/failures/recovery.h"
#include "schedmate/simulated/job_log.h"

/* A log and how its attempt went. `log` points to `life`, so the struct must
 * not be moved. */
struct failed_log {
    struct job_log log;
    struct job_life life;
    struct text real; /* the end of a real log; set only if `is_real` */
    bool is_real;     /* true: the log is `real`, and `log` and `life` are
                       * not set */
};

/* Makes the log of the attempt that failed, or reads the end of the real log if
 * the side-car names one. A real log can only tell of a failure that the trace
 * recorded, not of one that the simulation added. Returns false if the job
 * leaves no log of this failure, or if the real log cannot be read. */
bool failed_log_of(const struct schedmate *s, const struct failure *failure,
                   struct arena *arena, struct failed_log *out) MUST_USE;

/* Returns the true cause of the failure, which people find out later. Incidents
 * are labelled with it. */
enum log_fault failed_log_label(const struct failure *failure);

#endif
