#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures policy lucid: its speed against the simulator of its authors on the
same inputs, CPU time per job by the number of jobs, the gain of each of its
parts, and its results beside the policies that its paper compares.

    lucid.py [--jobs N] [reference|scaling|parts|policies]...

Prints Markdown. The reference and the recorded traces need the shared data.
All other traces are generated (like Venus, on the cluster of Venus). N is the
largest number of jobs (default 1,000,000)."""
import argparse
import csv
import json
import os
import sys
import tempfile

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "tests"))
import parity  # noqa: E402

FACTOR = 500  # jobs per CPU second, in multiples of the reference's
INTERFERENCE = ["--interference", "fitted"]

# Rows of the table of parts: name, policy, further options.
PARTS = [
    ("qssf, the true run times", "qssf", ["--estimators", "oracle"]),
    ("lucid", "lucid", []),
    ("  run times known", "lucid", ["--estimators", "oracle,profiled"]),
    ("  and no profiler, demand known", "lucid:profiling=none",
     ["--profilers", "0", "--estimators", "oracle,workload"]),
    ("    and nobody shares", "lucid:profiling=none,pair_gpus=0",
     ["--profilers", "0", "--estimators", "oracle,workload"]),
    ("    and nobody passes either", "lucid:profiling=none,sharing=off",
     ["--profilers", "0", "--estimators", "oracle,workload"]),
    ("    utilisation off by 30 %", "lucid:profiling=none",
     ["--profilers", "0", "--estimators", "oracle,workload:noise=0.3"]),
    ("    sharing costs half of what is believed", "lucid:profiling=none",
     ["--profilers", "0", "--estimators", "oracle,workload",
      "--interference", "fitted:factor=0.5"]),
    ("    sharing costs twice of what is believed", "lucid:profiling=none",
     ["--profilers", "0", "--estimators", "oracle,workload",
      "--interference", "fitted:factor=2"]),
    ("    sharing costs four times of what is believed", "lucid:profiling=none",
     ["--profilers", "0", "--estimators", "oracle,workload",
      "--interference", "fitted:factor=4"]),
    ("    sharing before idle GPUs", "lucid:profiling=none,idle_first=false",
     ["--profilers", "0", "--estimators", "oracle,workload"]),
    ("    any two may share", "lucid:profiling=none,score_sum=4",
     ["--profilers", "0", "--estimators", "oracle,workload"]),
    ("  shared whatever is expected", "lucid", ["--forecast", "none"]),
    ("  profiled for 25 s", "lucid:profile_s=25", []),
    ("  profiled for 50 s", "lucid:profile_s=50", []),
    ("  profiled for 200 s", "lucid:profile_s=200", []),
    ("  profiled for 400 s", "lucid:profile_s=400", []),
]

# Policies and estimators: first with beliefs learned from ended jobs, then with
# exact beliefs.
POLICIES = [
    ("fifo", []),
    ("tiresias", []),
    ("horus", ["--estimators", "gbdt,history,workload"]),
    ("qssf", ["--estimators", "gbdt,history"]),
    ("lucid", ["--estimators", "ga2m,history,profiled"]),
    ("lucid:idle_first=false", ["--estimators", "ga2m,history,profiled"]),
    ("qssf", ["--estimators", "oracle"]),
    ("lucid", ["--estimators", "oracle,profiled"]),
    ("lucid:idle_first=false", ["--estimators", "oracle,profiled"]),
]


def against_reference(folder):
    rows = []
    for case in ("mid-philly", "mid-venus"):
        base = measure.shared("golden", "lucid", case)
        mode = parity.lucid_mode(base)
        cluster = os.path.join(folder, "cluster.json")
        with open(cluster, "w", encoding="utf-8") as out:
            json.dump(parity.lucid_pack_cluster(base, mode), out)
        cpu, peak, _ = measure.run(
            [measure.SCHEDSIM, "run", os.path.join(base, "trace.csv"),
             "--quiet", "--conventions", "lucid", "--policy", mode["policy"],
             "--cluster", cluster, "--out", os.path.join(folder, "result")] +
            parity.lucid_pack_options(base, mode), repeats=15)
        with open(os.path.join(base, "summary.csv"), newline="",
                  encoding="utf-8") as file:
            row = next(row for row in csv.DictReader(file)
                       if row["policy"] == "lucid")
        rate = int(row["jobs"]) / float(row["cpu_s"])
        times = int(row["jobs"]) / cpu / rate
        rows.append([case, row["jobs"], "%.0f" % rate, "%.1f" % (cpu * 1e3),
                     "%.0f" % (int(row["jobs"]) / cpu), "%.0f" % times,
                     "%d: %s" % (FACTOR, "held" if times >= FACTOR
                                 else "MISSED"), "%.0f" % peak])
    print("### Lucid against the reference simulator\n\nEqual results, files "
          "read and written; least of 15 runs.\n")
    measure.table(["trace", "jobs", "reference jobs/CPU s", "ms", "jobs/CPU s",
                   "times", "bar", "MiB"], rows)


def generate(folder, jobs, load):
    path = os.path.join(folder, "trace-%d-%g.csv" % (jobs, load))
    measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "venus",
                 "--jobs", str(jobs), "--load", str(load), "--out", path])
    return path


def scaling(folder, most):
    sizes = [n for n in (10000, 100000, 1000000) if n <= most]
    rows = []
    for load in (0.8, 1.1, 3):
        traces = [generate(folder, n, load) for n in sizes]
        for policy in ("qssf", "lucid:profiling=none"):
            costs, summary = [], None
            for trace, n in zip(traces, sizes):
                cpu, _, summary = measure.replay(
                    trace, ["--policy", policy, "--cluster", "venus",
                            "--profilers", "0", "--estimators",
                            "oracle,workload"] + INTERFERENCE,
                    1 if n >= 1000000 else 3)
                costs.append(cpu / n * 1e6)
            wait = summary["metrics"]["queue_delay_s"]["mean"]
            rows.append(["%g" % load, policy] + ["%.2f" % c for c in costs] +
                        ["%.2f" % (costs[-1] / costs[-2]) if len(costs) > 1
                         else "", "%.0f s" % wait])
    print("### CPU time a job, us\n\nGenerated like Venus, on its cluster.\n")
    measure.table(["load", "policy"] + ["%d jobs" % n for n in sizes] +
                  ["last / last but one", "mean wait at the last"], rows)


def parts(folder):
    trace = generate(folder, 20000, 0.8)
    rows = []
    for name, policy, options in PARTS:
        truth = [] if "--interference" in options else INTERFERENCE
        _, _, summary = measure.replay(
            trace, ["--policy", policy, "--cluster", "venus"] + truth + options)
        metrics = summary["metrics"]
        packing = summary.get("packing", {})
        rows.append([name.replace("  ", "&nbsp;&nbsp;"),
                     "%.2f" % (metrics["jct_s"]["mean"] / 3600),
                     "%.2f" % (metrics["queue_delay_s"]["mean"] / 3600),
                     "%.2f" % (metrics["queue_delay_s"]["p99"] / 3600),
                     ("%.1f %%" % (100 * packing["busy_share"])
                      if packing else "")])
    print("### What the parts are worth\n\n20,000 jobs generated like Venus, "
          "offered load 0.8; jobs that share GPUs are slowed as `fitted` "
          "says.\n")
    measure.table(["", "mean JCT, h", "mean queue, h", "p99 queue, h",
                   "busy GPU time shared"], rows)


def policies(folder):
    saturn = os.path.join(folder, "saturn.csv")
    measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "saturn",
                 "--jobs", "50000", "--out", saturn])
    cases = [("generated like Saturn, 50,000 jobs", saturn,
              ["--cluster", "saturn"])]
    if os.path.isdir(measure.SHARED):
        cases[:0] = [
            ("Venus on 80 nodes of 8 GPUs, one virtual cluster",
             measure.shared("traces", "helios", "venus_gpu_jobs.csv.gz"),
             ["--cluster", "80x8"]),
            ("Philly, its own cluster",
             measure.shared("traces", "philly", "philly_jobs.csv.gz"), [])]
    for name, trace, options in cases:
        rows = []
        for policy, beliefs in POLICIES:
            _, _, summary = measure.replay(
                trace, ["--policy", policy, "--workloads", "lucid"] + options +
                INTERFERENCE + beliefs)
            metrics = summary["metrics"]
            jct, queue = metrics["jct_s"], metrics["queue_delay_s"]
            rows.append([policy, ", ".join(beliefs[1:]) or "none needed",
                         "%.2f" % (jct["mean"] / 3600),
                         "%.2f" % (queue["mean"] / 3600),
                         "%.1f" % (queue["p99"] / 3600)])
        print("### %s\n" % name)
        measure.table(["policy", "beliefs", "mean JCT, h", "mean queue, h",
                       "p99 queue, h"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1000000, metavar="N")
    parser.add_argument("part", nargs="*", metavar="PART",
                        help="reference, scaling, parts or policies; default all")
    args = parser.parse_args()
    known = ("reference", "scaling", "parts", "policies")
    wanted = args.part or known
    for part in wanted:
        if part not in known:
            parser.error("no part '%s'" % part)
    with tempfile.TemporaryDirectory() as folder:
        if "reference" in wanted and os.path.isdir(measure.SHARED):
            against_reference(folder)
        if "scaling" in wanted:
            scaling(folder, args.jobs)
        if "parts" in wanted:
            parts(folder)
        if "policies" in wanted:
            policies(folder)


if __name__ == "__main__":
    main()
