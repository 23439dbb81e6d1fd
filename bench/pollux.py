#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs policy pollux on the workloads of Pollux (OSDI 2021), 16 nodes of four
T4, and prints the published job completion times beside its own.

usage: pollux.py [-n SEEDS] [-w WORKLOAD]... [-l LOAD] [--sia] [OPTION]...

Each OPTION is passed to schedsim unchanged. Columns: mean JCT in seconds over
all seeds, its smallest and largest value of a seed, the published mean, the
ratio; then the same by application. Step times are those that were published
with Sia for T4 GPUs, which Pollux measured. A restart costs 30 s and nothing is
slowed down (Pollux, section 5.3), unless --sia asks for the constants that
Sia's simulator added later.
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

# Number of epochs that a job trains, from Sia's simulator.
EPOCHS = {"bert": 2, "cifar10": 100, "deepspeech2": 80, "imagenet": 90,
          "ncf": 10, "yolov3": 50}


def own_tables(folder):
    """Writes the profiles with the constants of Pollux into a folder. Returns
    the folder."""
    for name in EPOCHS:
        os.symlink(os.path.join(os.path.abspath(PROFILES), name),
                   os.path.join(folder, name))
    with open(os.path.join(folder, "applications.csv"), "w") as file:
        file.write("application,epochs,restart_s,penalty_s,slowdown\n")
        for name, epochs in EPOCHS.items():
            file.write(f"{name},{epochs},30,30,1\n")
    return folder


def run(trace, seed, tables, options):
    """Runs the simulator. Returns the JCT of each job."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        subprocess.run(
            [PROGRAM, trace, "--policy", "pollux", "--conventions", "sia",
             "--cluster", "16x4:T4", "--throughput",
             "application:tables=" + tables,
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
    parser.add_argument("--sia", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    args, options = parser.parse_known_args()
    if args.help:
        print(__doc__.strip())
        return 0
    folder = os.path.join(SHARED, "traces", "pollux")
    if not os.path.isdir(folder):
        print("skipped: ../shared not present")
        return 0
    with tempfile.TemporaryDirectory() as tables:
        compare(folder, PROFILES if args.sia else own_tables(tables), args,
                options)
    return 0


def compare(folder, tables, args, options):
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
        runs = [run(trace, seed, tables, options)
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
