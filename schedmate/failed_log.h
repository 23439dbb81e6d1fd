/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a failed job. The job's program and the drivers
 * print why it failed, so the source of the log knows what really happened; who
 * reads the lines does not. */
#ifndef SCHEDMATE_FAILED_LOG_H
#define SCHEDMATE_FAILED_LOG_H

#include "models/evidence/evidence.h"
#include "models/evidence/log.h"
#include "models/failures/recovery.h"

/* A log with what it points to. `source` borrows the other members, so the
 * struct must not be moved. */
struct failed_log {
    struct log_source source;
    struct log_attempt attempt;
    struct log_segment segment;
    node_id *hosts; /* in the arena */
};

/* Makes the log of the attempt that failed. Returns false if the job leaves
 * none, or a real one, whose failure is not that of the simulation. */
bool failed_log_of(const struct run_env *env, const struct failure *failure,
                   struct arena *arena, struct failed_log *out) MUST_USE;

/* Returns what people find out about the failure afterwards. */
enum log_fault failed_log_label(const struct failure *failure);

#endif
