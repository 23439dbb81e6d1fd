#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the speed of the reference simulator and of schedsim, in turns on
one machine.

Prints CPU seconds of both and their ratio, after a check that both give the
same result for every job.

    reference.py [--rounds N] [--jobs N] [--python P] SIMULATION [POLICY]...

SIMULATION is the folder of that name in a checkout of S-Lab-System-Group/Lucid;
P a Python that has pandas; N of --jobs the length of the generated list.
Policies: tiresias, srtf and fifo. The reference runs on a copy, with our tables
in place of its own. Needs the shared data. Exit status 6 if results differ."""

import argparse
import csv
import datetime
import json
import os
import shutil
import statistics
import sys
import tempfile

import measure

# The reference, in its mode for Philly, takes the jobs of a week from this
# instant on and counts time from the first submission, as schedsim does.
ZERO = datetime.datetime(2017, 10, 1)
WEEK = 7 * 86400 - 60
LOG = ["user", "vc", "job_id", "gpu_num", "state", "submit_time", "duration",
       "dataset", "model", "batchsize", "amp", "speed", "gpu_util",
       "gmem_util", "gmem"]
WARM_UPS, RUNS = 2, 9  # the first runs are slower: caches are cold


def prepare(source, folder):
    """Copies the simulator. The copy runs without the data of the artifact and
    without a display."""
    copy = os.path.join(folder, "simulation")
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("log", "*.csv"))
    tables = {"data/colocate_info.csv": "model1,model2\n",
              "estimator/lgb/Philly_lgb.csv": "job_id,priority\n",
              "tkinter/__init__.py": "",
              "tkinter/messagebox.py": "NO = None\n"}
    for name, text in tables.items():
        path = os.path.join(copy, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
    return copy


class Case:
    """A trace in the formats of both simulators, and the cluster."""

    def __init__(self, name, nodes, jobs, folder):
        """`nodes`: number of nodes with 8 GPUs by virtual cluster. `jobs`:
        rows of a recorded trace, in the order of submission."""
        self.name, self.jobs = name, jobs
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.trace = os.path.join(self.folder, "trace.csv")
        self.cluster = ",".join("%s=%dx8" % item for item in nodes.items())
        first = int(jobs[0]["submit_s"])
        if int(jobs[-1]["submit_s"]) - first > WEEK:
            raise measure.Failed("%s is longer than a week" % name)
        with open(self.trace, "w", newline="") as out:
            writer = csv.DictWriter(out, list(jobs[0]))
            writer.writeheader()
            writer.writerows(jobs)
        with open(self.at("vc_config.csv"), "w") as out:
            out.write(",num\n" + "".join("%s,%d\n" % i for i in nodes.items()))
        with open(self.at("cluster_full_log.csv"), "w", newline="") as out:
            writer = csv.DictWriter(out, LOG, extrasaction="ignore")
            writer.writeheader()
            for job in jobs:
                at = datetime.timedelta(seconds=int(job["submit_s"]) - first)
                writer.writerow({**job, "state": "Pass", "speed": 1,
                                 "submit_time": ZERO + at,
                                 "duration": job["duration_s"]})

    def at(self, name):
        return os.path.join(self.folder, name)


def recorded(name, folder):
    base = measure.shared("golden", "lucid", name)
    with open(os.path.join(base, "vc_config.csv"), newline="") as rows:
        nodes = {row[""]: int(row["num"]) for row in csv.DictReader(rows)}
    with open(os.path.join(base, "trace.csv"), newline="") as rows:
        return Case(name, nodes, list(csv.DictReader(rows)), folder)


def generated(jobs, folder):
    """Returns the jobs of gen_trace for 128 nodes, with an offered load of
    0.6."""
    program = measure.build(measure.shared("floor", "gen_trace.c"), folder)
    _, _, text = measure.run([program, str(jobs), "1", "0.6", "1024"])
    rows, zero = [], None
    for row in csv.DictReader(text.splitlines()):
        at = datetime.datetime.fromisoformat(row["submit_time"])
        zero = zero or at
        rows.append({
            "job_id": row["job_id"], "vc": "v", "user": row["user"],
            "gpu_num": row["gpu_num"],
            "submit_s": int((at - zero).total_seconds()),
            "duration_s": row["duration"], "model": "W01", "dataset": "D1",
            "batchsize": 32, "amp": 0, "gpu_util": 30.0, "gmem_util": 20.0,
            "gmem": 2000.0, "sharescore": 0, "est_qssf": 0, "est_lucid": 0})
    return Case("generated", {"v": 128}, rows, folder)


def reference(python, copy, case, policy):
    """Runs the reference. Returns CPU seconds and, for each job, first start,
    end and number of preemptions."""
    log = tempfile.mkdtemp(dir=case.folder)
    here = os.getcwd()
    os.chdir(copy)
    try:
        cpu, _, _ = measure.run([python, "simulator.py", "-e", "Philly", "-t",
                                 case.folder, "-l", log, "-s", policy])
    finally:
        os.chdir(here)
    said = {}
    with open(os.path.join(log, "Philly", "all",
                           "%s_consolidate_all_log.csv" % policy),
              newline="") as rows:
        for row in csv.DictReader(rows):
            said[row["job_id"]] = tuple(int(float(row[key])) for key in (
                "start_time", "end_time", "ckpt_times"))
    return cpu, said


def ours(case, policy):
    """Runs schedsim several times. Returns the median of CPU seconds and, for
    each job, first start, end and number of preemptions."""
    out = tempfile.mkdtemp(dir=case.folder)
    command = [measure.SCHEDSIM, "run", case.trace, "--quiet", "-p", policy,
               "--conventions", "lucid", "--cluster", case.cluster]
    cpu, _, _ = measure.run(
        command, WARM_UPS + RUNS, out=out,
        pick=lambda seconds: statistics.median(seconds[WARM_UPS:]))
    said = {}
    with open(os.path.join(out, "0", "jobs.csv"), newline="") as rows:
        for row in csv.DictReader(rows):
            said[row["job_id"]] = tuple(int(float(row[key])) for key in (
                "starting_time", "finish_time", "preemptions"))
    return cpu, said


def compare(args, copy, case, policy):
    """Returns a row of the table, and whether the two results of each job are
    equal."""
    theirs, mine, differ = [], [], 0
    for _ in range(args.rounds):
        cpu, said = reference(args.python, copy, case, policy)
        theirs.append(cpu)
        cpu, own = ours(case, policy)
        mine.append(cpu)
        differ = max(differ, sum(said.get(job) != own.get(job)
                                 for job in set(said) | set(own)))
    times = [a / b for a, b in zip(theirs, mine)]
    row = [case.name, policy, len(case.jobs), differ,
           "%.2f" % statistics.median(theirs),
           "%.2f" % (statistics.median(mine) * 1e3),
           "%.0f" % statistics.median(times),
           "%.0f to %.0f" % (min(times), max(times))]
    print("%s %s: %s" % (case.name, policy, json.dumps(
        [[round(a, 2), round(b * 1e3, 2)] for a, b in zip(theirs, mine)])),
        file=sys.stderr)
    return row, differ == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3,
                        help="runs of the reference for each row")
    parser.add_argument("--python", default="python3",
                        help="a Python interpreter that has pandas")
    parser.add_argument("--jobs", type=int, default=30000,
                        help="jobs of the generated list, which spans at most "
                             "a week")
    parser.add_argument("simulation",
                        help="the folder simulation of a checkout of Lucid")
    parser.add_argument("policies", nargs="*", metavar="policy",
                        help="tiresias, srtf or fifo; default tiresias")
    args = parser.parse_args()
    measure.need_shared()
    os.environ["TZ"] = "UTC"
    equal = True
    with tempfile.TemporaryDirectory() as folder:
        copy = prepare(args.simulation, folder)
        rows = []
        for case in (recorded("mid-philly", folder),
                     recorded("mid-venus", folder),
                     generated(args.jobs, folder)):
            for policy in args.policies or ["tiresias"]:
                row, same = compare(args, copy, case, policy)
                rows.append(row)
                equal &= same
    print("%s; %d rounds, medians\n" % (measure.machine(), args.rounds))
    measure.table(["trace", "policy", "jobs", "jobs that differ",
                   "reference, CPU s", "schedsim, CPU ms", "times", "range"],
                  rows)
    return 0 if equal else 6


if __name__ == "__main__":
    measure.main(main)
