/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a failed job. */
#include "schedmate/simulated/simulated_internal.h"

#include "models/failures/failure_truth.h"

enum log_fault failed_log_label(const struct failure *failure)
{
    static const enum log_fault otherwise[FAILURE_N_SIMULATED] = {
        [FAILURE_INFRASTRUCTURE] = LOG_FAULT_NODE,
        [FAILURE_FRAMEWORK] = LOG_FAULT_FRAMEWORK,
        [FAILURE_SCRIPT] = LOG_FAULT_SCRIPT,
    };
    const struct failure_truth *truth = failure->truth;
    return log_fault_of(truth->cause, otherwise[truth->kind]);
}

/* Sets the life of the attempt that failed. Its changes of speed are not
 * recorded, so it has its mean speed all the time. */
static void set_life(struct failed_log *out, const struct failure *failure)
{
    sim_span before = job_log_work(&out->log, failure->work - failure->done);
    sim_span done = job_log_work(&out->log, failure->work) - before;
    double ran = (double)failure->ran;
    out->life = (struct job_life){
        .attempt = failure->job->attempts,
        .n = 1,
        .segments = {{.at = failure->at - failure->ran,
                      .work = before,
                      .speed = ran > 0 ? (double)done / ran : 0}},
    };
}

bool failed_log_of(const struct schedmate *s, const struct failure *failure,
                   struct arena *arena, struct failed_log *out)
{
    const struct failure_truth *truth = failure->truth;
    const char *path = job_log_path(s, failure->job);
    out->is_real = path != NULL;
    if (path)
        return failure->gap >= 0 && real_log_read(path, arena, &out->real);
    if (!job_log_init(&out->log, s, failure->job, failure->where, arena))
        return false;
    set_life(out, failure);
    job_log_until(&out->log, &out->life, failure->at);
    out->log.attempt.end = LOG_FAILED;
    out->log.attempt.failure =
        (struct log_failure){.fault = failed_log_label(failure),
                             .cause = truth->cause,
                             .node = truth->node};
    return true;
}
