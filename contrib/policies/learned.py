# SPDX-License-Identifier: GPL-3.0-or-later
"""An order that is learned during the run: the job that is expected to hold
the least GPU time goes first. The expectation is a mean over the ended jobs of
the same user, name and GPU count, and over more general groups where these are
few. The policy uses no estimator."""
import math

import schedsim_policy


class Learned(schedsim_policy.Policy):
    def begin(self, state):
        # key -> [number of ended jobs, sum of the logarithms of their GPU time]
        self.seen = {}

    @staticmethod
    def keys(job):
        """Returns the groups of a job, from the most special to the most
        general."""
        return ((job.user, job.name, job.gpus), (job.user, job.gpus),
                (job.gpus,), ())

    def expect(self, job):
        """Returns the logarithm of the GPU time that the job should hold. The
        mean of each group is mixed with the mean of the next more general
        group, which counts as two jobs."""
        value, weight = 0.0, 0.0
        for key in reversed(self.keys(job)):
            count, total = self.seen.get(key, (0, 0.0))
            if count + weight:
                value = (total + weight * value) / (count + weight)
            weight = 2.0
        return value

    def learn(self, job):
        held = math.log(max(job.attained_us, 1))
        for key in self.keys(job):
            entry = self.seen.setdefault(key, [0, 0.0])
            entry[0] += 1
            entry[1] += held

    def decide(self, state, plan):
        for event in state.events:
            if event["event"] == "finished":
                self.learn(event["job"])
        for vc in state.touched:
            plan.fill(sorted(state.waiting(vc),
                             key=lambda job: (self.expect(job), job.id)))


schedsim_policy.run(Learned())
