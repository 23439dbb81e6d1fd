# SPDX-License-Identifier: GPL-3.0-or-later
"""Earliest deadline first: in each virtual cluster, the waiting jobs are
started by their deadline, those without one last, by submission. A job that
does not fit blocks those after it."""
import schedsim_policy

NONE = float("inf")


def key(job):
    deadline = NONE if job.deadline_us is None else job.deadline_us
    return deadline, job.submitted_us, job.id


class Edf(schedsim_policy.Policy):
    def decide(self, state, plan):
        for vc in state.touched:
            plan.queue(sorted(state.waiting(vc), key=key))


schedsim_policy.run(Edf())
