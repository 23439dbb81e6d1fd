#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs policy pollux on the workloads of Pollux (OSDI 2021), 16 nodes of four
T4, and prints the published job completion times beside its own.

usage: pollux.py [-n SEEDS] [-w WORKLOAD]... [-l LOAD] [OPTION]...

Each OPTION is passed to schedsim unchanged. Columns: mean JCT in seconds over
all seeds, its smallest and largest value of a seed, the published mean, the
ratio; then the same by application. Step times are those that were published
with Sia for T4 GPUs, which Pollux measured.
Needs ../shared ($SCHEDSIM_SHARED names another place).
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(
    os.path.dirname(ROOT), "shared")
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "build", "schedsim")


PROFILES = os.path.join(SHARED, "traces", "sia", "profiles")


def run(trace, seed, options):
    """Runs the simulator. Returns the JCT of each job."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        subprocess.run(
            [PROGRAM, trace, "--policy", "pollux", "--conventions", "pollux",
             "--cluster", "16x4:T4", "--throughput",
             "application:tables=" + PROFILES,
             "--seed", str(seed), "--out", out, "--quiet"] + options,
            check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(out, "jobs.csv"), newline="") as file:
            return {row["job_id"]: float(row["turnaround_time"])
                    for row in csv.DictReader(file)}


def line(name, ours, published):
    """Prints a row. `ours`: one value for each seed."""
    mean = statistics.fmean(ours)
    print(f"| {name} | {mean:.0f} | {min(ours):.0f} to {max(ours):.0f} "
          f"| {published:.0f} | {mean / published:.2f} |", flush=True)


def kind_of(job):
    return job.split("-")[0]


def mean_of(jobs, kind=None):
    return statistics.fmean(t for job, t in jobs.items()
                            if kind in (None, kind_of(job)))


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("-w", type=int, action="append")
    parser.add_argument("-l", default="1.0")
    parser.add_argument("-h", "--help", action="store_true")
    args, options = parser.parse_known_args()
    if args.help:
        print(__doc__.strip())
        return 0
    folder = os.path.join(SHARED, "traces", "pollux")
    if not os.path.isdir(folder):
        print("skipped: ../shared not present")
        return 0
    compare(folder, args, options)
    return 0


def compare(folder, args, options):
    with open(os.path.join(folder, "results-jobload",
                           f"pollux-{args.l}.json")) as file:
        published = json.load(file)["jcts"]
    workloads = "workloads" + ("" if args.l == "1.0" else "-" + args.l)
    print("| workload | mean JCT, s | of the seeds | published | ratio |\n"
          "| --- | ---: | ---: | ---: | ---: |")
    pooled, theirs = [{} for _ in range(args.n)], {}
    for w in args.w or range(1, 7):
        name = f"workload-{w}"
        trace = os.path.join(folder, workloads, name + ".csv")
        runs = [run(trace, seed, options)
                for seed in range(1, args.n + 1)]
        line(name, [mean_of(jobs) for jobs in runs],
             mean_of(published[name]))
        for all_jobs, jobs in zip(pooled, runs):
            all_jobs.update({f"{job}@{w}": t for job, t in jobs.items()})
        theirs.update({f"{job}@{w}": t for job, t in published[name].items()})
    line("all", [mean_of(jobs) for jobs in pooled], mean_of(theirs))
    for kind in sorted({kind_of(job) for job in theirs}):
        line(kind, [mean_of(jobs, kind) for jobs in pooled],
             mean_of(theirs, kind))


if __name__ == "__main__":
    sys.exit(main())
