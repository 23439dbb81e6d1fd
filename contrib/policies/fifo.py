# SPDX-License-Identifier: GPL-3.0-or-later
"""First in, first out: in each virtual cluster, the first job that does not fit
blocks all jobs after it."""
import schedsim_policy


class Fifo(schedsim_policy.Policy):
    def decide(self, state, plan):
        for vc in state.touched:
            plan.queue(state.waiting(vc))


schedsim_policy.run(Fifo())
