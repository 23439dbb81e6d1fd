# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortest remaining time first, preemptive: among the waiting and running
jobs of a virtual cluster, those with the least believed time left run, as many
as fit on its GPUs."""
import schedsim_policy

UNKNOWN = float("inf")


def key(job):
    left = UNKNOWN if job.remaining_us is None else job.remaining_us
    # At equal times a running job goes first, so that it is not stopped in
    # vain.
    return (left, job.state != "running", job.id)


class Srtf(schedsim_policy.Policy):
    needs = ("duration", "preempt")

    def decide(self, state, plan):
        for vc in state.touched:
            running = list(state.running(vc))
            left = state.free(vc) + sum(job.gpus for job in running)
            wanted = set()
            for job in sorted([*running, *state.waiting(vc)], key=key):
                if job.gpus <= left:
                    left -= job.gpus
                    wanted.add(job.id)
            starts = [job for job in state.waiting(vc) if job.id in wanted]
            if not starts:
                continue  # a stop would help no job
            for job in running:
                if job.id not in wanted:
                    plan.stop(job)
            plan.fill(sorted(starts, key=key))


schedsim_policy.run(Srtf())
