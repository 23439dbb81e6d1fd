#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs srtf, srsf and tiresias on the traces of Muri (SIGCOMM 2022) and prints
their results beside those of its authors, as tables in Markdown.

usage: muri.py [testbed|simulated]

testbed: logs of 400 jobs on 64 V100. simulated: twelve runs of the authors'
simulator. Its rules are written a second time below, without schedsim: with
its charge (see `charge`) that program must give each job's published end, and
without the charge the mean JCT of schedsim. So the charge is the whole
difference. Exit status 6 if either fails, or if the testbed's mean JCT or
makespan is missed by more than 10 %.
Needs ../shared ($SCHEDSIM_SHARED names another place).
"""
import csv
import gzip
import math
import os
import sys
import tempfile

import measure
import recorded_waits

# A job's work: its iterations, each 1.5 % longer than in the trace. The factor
# is that of the authors' simulator. Philly's duration, which is in the file
# too, is not what their jobs ran.
STRETCH = 1.015
# Muri's simulator is Tiresias' with one defect mended (wakes).
OPTIONS = ["--cluster", "8x8", "--conventions", "tiresias"]
POLICIES = {"srtf": "srtf", "srsf": "srsf", "tiresias": "tiresias:wakes=exact"}
ROUNDS = "tiresias:wakes=exact,round_s=360"  # run.sh of the testbed
QUEUES = (3250, 7200)  # GPU-seconds
GPUS = 64


def rows(*parts):
    path = measure.shared("golden", "muri", *parts)
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


class Job:
    def __init__(self, row, charges):
        self.id, self.gpus = row["job_id"], int(row["num_gpu"])
        self.submitted = int(row["submit_time"]) / 1000
        self.step = int(row["iteration_time"]) * STRETCH / 1000
        self.left = float(row["iterations"])
        self.charge = charges.get((row["model_name"], row["num_gpu"]),
                                  10) if charges else 0
        self.runs, self.end, self.served, self.queue = False, None, 0, 0


class Naive:
    """The rules of the authors' simulator. GPUs are counted, not placed: the
    GPU counts are powers of two, so packing them anew at each event, as it
    does, wastes none."""

    def __init__(self, trace, policy, charge):
        """charge: at each event, each running job loses the start-up time of
        its model and size, whether it is started or not."""
        charges = charge and {
            (row["model"], row["num_gpu"]): float(row["start_overhead_s"])
            for row in rows("start_overhead.csv")}
        self.coming = sorted((Job(row, charges) for row in
                              rows("traces", trace + ".csv")),
                             key=lambda job: job.submitted)
        self.queues = [[], [], []]
        self.by = {"srtf": lambda job: job.left * job.step,
                   "srsf": lambda job: job.left * job.step * job.gpus
                   }.get(policy)
        self.now, self.done = 0, {}

    def jobs(self):
        return [job for queue in self.queues for job in queue]

    def work(self, now):
        """Lets running jobs work until `now`, and moves those whose service
        has reached the limit of their queue by one queue."""
        for job in self.jobs():
            if not job.runs:
                continue
            job.left -= max(now - self.now - job.charge, 0) / job.step
            job.served = job.served + now - self.now
            if not self.by and job.queue < 2 and \
                    job.served * job.gpus >= QUEUES[job.queue]:
                self.queues[job.queue].remove(job)
                job.queue += 1
                self.queues[job.queue].append(job)
        self.now = now

    def schedule(self):
        free = GPUS
        for queue in self.queues:
            if self.by:
                queue.sort(key=self.by)
            for job in queue:
                job.runs = job.gpus <= free
                free -= job.gpus * job.runs
            if not self.by:
                queue.sort(key=lambda job: not job.runs)

    def next_wake(self):
        """Time at which a running job is looked at because of its queue."""
        return min((math.ceil(QUEUES[job.queue] / job.gpus) - job.served +
                    self.now for job in self.jobs()
                    if not self.by and job.runs and job.queue < 2),
                   default=math.inf)

    def finish(self, ends, first):
        """Ends that are equal up to rounding are one event under srtf."""
        near = 1e-9 * first if self.by else 0
        for at, job in ends:
            if at - first <= near:
                job.end = first
                self.queues[job.queue].remove(job)
                self.done[job.id] = job

    def run(self):
        while self.coming or any(self.queues):
            ends = [(self.now + job.left * job.step, job)
                    for job in self.jobs() if job.runs]
            end = min((at for at, _ in ends), default=math.inf)
            start = self.coming[0].submitted if self.coming else math.inf
            now = min(end, start, self.next_wake())
            if now == end:
                self.finish(ends, end)
            while self.coming and now == start == self.coming[0].submitted:
                self.queues[0].append(self.coming.pop(0))
            self.work(now)
            self.schedule()
        return self.done


def mean_jct(jobs):
    return sum(job.end - job.submitted for job in jobs.values()) / len(jobs)


def schedsim(trace, policy):
    """Returns {job: (JCT, end)}."""
    with tempfile.TemporaryDirectory() as folder:
        work, out = os.path.join(folder, "t.csv"), os.path.join(folder, "out")
        with open(work, "w") as file:
            file.write("job_id,submitted_unix_s,duration_s,gpus\n")
            for row in rows("traces", trace + ".csv"):
                job = Job(row, None)
                file.write(f"{job.id},{job.submitted},{job.left * job.step},"
                           f"{job.gpus}\n")
        measure.run([measure.SCHEDSIM, "run", work, "--quiet", "--out", out,
                     "--policy", policy] + OPTIONS)
        with open(os.path.join(out, "jobs.csv"), newline="") as file:
            return {row["job_id"]: (float(row["turnaround_time"]),
                                    float(row["finish_time"]))
                    for row in csv.DictReader(file)}


def off(ours, theirs):
    return 100 * (ours / theirs - 1)


def testbed():
    """Returns true if mean JCT and makespan are within 10 %."""
    good = True
    print("| policy | mean JCT, s: testbed | schedsim | | makespan, s: testbed "
          "| schedsim | | rank correlation of JCTs | with the charge, mean JCT |\n"
          "| --- " + "| ---: " * 8 + "|")
    for policy, spec in (("srtf", "srtf"), ("tiresias", ROUNDS),
                         ("tiresias", POLICIES["tiresias"])):
        theirs = {row["job_id"]: (float(row["jct"]), float(row["end_time"]))
                  for row in rows("physical", policy + ".csv")}
        ours = schedsim("cluster_trace", spec)
        cells, n = [], len(theirs)
        for value in (lambda all_jobs: sum(j for j, _ in all_jobs) / n,
                      lambda all_jobs: max(end for _, end in all_jobs)):
            pair = value(theirs.values()), value(ours.values())
            apart = off(pair[1], pair[0])
            good &= abs(apart) <= 10
            cells += ["%.0f" % pair[0], "%.0f" % pair[1], "%+.1f %%" % apart]
        same = recorded_waits.correlation([theirs[j][0] for j in theirs],
                                          [ours[j][0] for j in theirs])
        charged = "" if spec == ROUNDS else "%+.1f %%" % off(
            mean_jct(Naive("cluster_trace", policy, True).run()),
            sum(jct for jct, _ in theirs.values()) / n)
        print(f"| `{spec}` | " + " | ".join(cells) + " | %.3f | %s |" % (
            same, charged), flush=True)
    return good


def simulated():
    """Returns true if the charge is the whole difference."""
    good = True
    print("| trace | policy | mean JCT, s: published | schedsim | | with the "
          "charge, jobs that differ | without it, mean JCT against schedsim |\n"
          "| --- | --- " + "| ---: " * 5 + "|")
    for trace in ("trace1", "trace1_pr", "trace3", "trace3_pr"):
        for policy, spec in POLICIES.items():
            theirs = rows("simulated", f"{trace}_{policy}.csv.gz")
            mean = sum(float(row["jct"]) for row in theirs) / len(theirs)
            ours = schedsim(trace, spec)
            jct = sum(jct for jct, _ in ours.values()) / len(ours)
            same = Naive(trace, policy, True).run()
            differ = sum(abs(same[row["job_id"]].end - float(row["end_time"]))
                         > 0.001 for row in theirs)
            apart = off(mean_jct(Naive(trace, policy, False).run()), jct)
            good &= differ == 0 and abs(apart) <= 0.01
            print(f"| {trace} | `{spec}` | {mean:.0f} | {jct:.0f} "
                  f"| {off(jct, mean):+.2f} % | {differ} of {len(theirs)} "
                  f"| {apart:+.3f} % |", flush=True)
    return good


def main():
    kinds = {"testbed": testbed, "simulated": simulated}
    wanted = sys.argv[1:] or list(kinds)
    if not set(wanted) <= set(kinds):
        print(__doc__.strip())
        return 2
    measure.need_shared()
    return 0 if all([kinds[name]() for name in wanted]) else 6


if __name__ == "__main__":
    sys.exit(main())
