# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy mypolicy: the smallest waiting job first, but a job that has waited
for patience_s goes before all others. Change key() and decide().

    schedsim policy check "exec:python3 mypolicy.py"
    schedsim run TRACE --policy "exec:python3 mypolicy.py 7200"

schedsim_policy.py, beside this file, says what a policy may know and do."""
import sys

import schedsim_policy


class MyPolicy(schedsim_policy.Policy):
    name = "mypolicy"
    # "duration": job.remaining_us is known; "preempt": plan.stop is allowed
    needs = ()

    def __init__(self, patience_s=3600):
        self.patience_us = int(patience_s) * schedsim_policy.SECOND

    def key(self, job, now_us):
        late = now_us - job.submitted_us >= self.patience_us
        # The job number leaves no tie open: two runs must decide alike.
        return (not late, job.gpus, job.id)

    def decide(self, state, plan):
        # In other virtual clusters nothing has changed, so nothing can start.
        for vc in state.touched:
            # starts each job that fits, in this order
            plan.fill(sorted(state.waiting(vc),
                             key=lambda job: self.key(job, state.now_us)))


schedsim_policy.run(MyPolicy(*sys.argv[1:]))
