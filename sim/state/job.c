/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/state/job.h"

#define BIT(state) (1u << (state))

static const unsigned moves[JOB_N_STATES] = {
    [JOB_FUTURE] = BIT(JOB_PENDING) | BIT(JOB_REJECTED),
    [JOB_PENDING] = BIT(JOB_RUNNING) | BIT(JOB_REJECTED),
    [JOB_RUNNING] =
        BIT(JOB_PENDING) | BIT(JOB_HELD) | BIT(JOB_FINISHED) | BIT(JOB_FAILED),
    [JOB_HELD] = BIT(JOB_PENDING),
};

bool job_may_move(enum job_state from, enum job_state to)
{
    return moves[from] & BIT(to);
}

bool job_is_terminal(const struct job *job)
{
    return moves[job->state] == 0;
}
