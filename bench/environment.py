#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""environment.py [TRACE] [--jobs N]: steps per second of schedsim.Environment and of
an environment in Python alone, with the same jobs, the same observation and the same
actions (always the first that is possible)."""
import argparse
import heapq
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "lib", "python"))
import schedsim  # noqa: E402


class PlainEnvironment:
    """A simple environment, as users usually write one: a pool of GPUs of
    which a job takes any free ones, a list of waiting jobs, a heap of ends.
    """

    def __init__(self, jobs, gpus, k):
        self.jobs, self.gpus, self.k = jobs, gpus, k

    def reset(self):
        self.now, self.free, self.next = 0.0, self.gpus, 0
        self.waiting, self.ends, self.starts = [], [], {}
        self.advance()
        return self.observe()

    def fits(self, job):
        return self.jobs[job][1] <= self.free

    def mask(self):
        shown = self.waiting[:self.k]
        return [self.fits(job) for job in shown] + [False] * (
            self.k - len(shown)) + [True]

    def observe(self):
        rows = [[float(self.jobs[job][1]), self.now - self.jobs[job][0],
                 self.jobs[job][2], 0.0, float(self.fits(job))]
                for job in self.waiting[:self.k]]
        rows += [[0.0] * 5] * (self.k - len(rows))
        return rows + [[self.now, float(self.free), float(len(self.waiting)),
                        0.0, 0.0]]

    def step(self, action):
        if action < self.k:
            job = self.waiting.pop(action)
            self.free -= self.jobs[job][1]
            self.starts[job] = self.now
            heapq.heappush(self.ends, (self.now + self.jobs[job][2], job))
        if action == self.k or not any(self.mask()[:-1]):
            self.advance()
        return self.observe(), not self.ends and self.next == len(self.jobs)

    def advance(self):
        while self.ends or self.next < len(self.jobs):
            arrival = self.jobs[self.next][0] if self.next < len(
                self.jobs) else float("inf")
            end = self.ends[0][0] if self.ends else float("inf")
            self.now = min(arrival, end)
            while self.ends and self.ends[0][0] == self.now:
                self.free += self.jobs[heapq.heappop(self.ends)[1]][1]
            while self.next < len(self.jobs) and \
                    self.jobs[self.next][0] == self.now:
                self.waiting.append(self.next)
                self.next += 1
            if any(self.mask()[:-1]):
                return


def first(mask):
    return mask.index(True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", default=os.path.join(
        ROOT, "traces/samples/venus.csv"))
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=32)
    args = parser.parse_args()
    options = {"cluster": "%dx8" % args.nodes, "jobs": args.jobs}
    table = schedsim.run(args.trace, "fifo", **options).jobs
    jobs = list(zip(table["submission_time"],
                    map(int, table["requested_number_of_resources"]),
                    table["duration"]))

    plain = PlainEnvironment(jobs, 8 * args.nodes, 16)
    plain.reset()
    begun, steps, ended = time.perf_counter(), 0, False
    while not ended:
        _, ended = plain.step(first(plain.mask()))
        steps += 1
    plain_rate = steps / (time.perf_counter() - begun)
    plain_wait = sum(plain.starts[j] - jobs[j][0] for j in plain.starts) / len(
        plain.starts)

    # the environment in Python knows the run times too
    ours = schedsim.Environment(args.trace, k=16, estimators="oracle",
                                **options)
    _, info = ours.reset()
    begun, steps, ended = time.perf_counter(), 0, False
    while not ended:
        _, _, ended, _, info = ours.step(first(info["mask"]))
        steps += 1
    rate = steps / (time.perf_counter() - begun)
    print("schedsim.Environment %10.0f steps/s, mean wait %.0f s" % (
        rate, ours.result.metric("metrics.queue_delay_s.mean")))
    print("Python alone         %10.0f steps/s, mean wait %.0f s" % (
        plain_rate, plain_wait))
    print("ratio                %10.2f" % (rate / plain_rate))


if __name__ == "__main__":
    main()
