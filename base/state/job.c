/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/job.h"

#define BIT(state) (1u << (state))

const uint8_t job_moves[JOB_N_STATES] = {
    [JOB_FUTURE] = BIT(JOB_PENDING) | BIT(JOB_REJECTED),
    [JOB_PENDING] = BIT(JOB_RUNNING) | BIT(JOB_REJECTED),
    [JOB_RUNNING] =
        BIT(JOB_PENDING) | BIT(JOB_HELD) | BIT(JOB_FINISHED) | BIT(JOB_FAILED),
    [JOB_HELD] = BIT(JOB_PENDING),
};
