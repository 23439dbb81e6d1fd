# SPDX-License-Identifier: GPL-3.0-or-later
"""EASY backfilling by GPU counts. The first job that does not fit gets the
earliest time at which enough GPUs are believed to be free. A later job may
start now if it ends before that time or leaves enough GPUs for the first job
then."""
import schedsim_policy


class Backfill(schedsim_policy.Policy):
    needs = ("duration",)

    def decide(self, state, plan):
        for vc in state.touched:
            self.fill(state, plan, vc)

    def fill(self, state, plan, vc):
        free, head, later = state.free(vc), None, []
        ends = [(job.remaining_us, job.gpus) for job in state.running(vc)
                if job.remaining_us is not None]
        for job in state.waiting(vc):
            if head is None and job.gpus <= free:
                free -= job.gpus
                plan.fill([job])
                if job.remaining_us is not None:
                    ends.append((job.remaining_us, job.gpus))
            elif head is None:
                head = job
            else:
                later.append(job)
        if head is None or free == 0:
            return
        # When the head can start, and the number of GPUs that it then leaves
        # free.
        start, spare = None, free
        for end, gpus in sorted(ends):
            spare += gpus
            if spare >= head.gpus:
                start, spare = end, spare - head.gpus
                break
        for job in later:
            if job.gpus > free:
                continue
            left = job.remaining_us
            if start is not None and (left is None or left > start):
                if job.gpus > spare:
                    continue
                spare -= job.gpus
            free -= job.gpus
            plan.fill([job])


schedsim_policy.run(Backfill())
