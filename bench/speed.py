#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures speed in one run: against the published CPU seconds of the reference
simulator, against the floor program, and by the number of jobs.

Prints Markdown and says of each bar whether it is held. The exit status is 0
whatever the figures are, because machines differ."""

import argparse
import csv
import json
import os
import re
import statistics
import tempfile

import measure

FACTORS = {"fifo": 1000, "srtf": 1000, "tiresias": 1000}
# CPU seconds of the reference simulator on 100,000 jobs of gen_trace, load 0.6,
# 128 nodes of 8 GPUs, measured once on a machine of this kind.
LIST_SECONDS = {"fifo": 47.6, "tiresias": 62.0}
FLOOR_BAR, FLOOR_DREAM, MEMORY_BAR = 5, 3, 200
SCALED = ["fifo", "sjf", "srtf", "backfill"]


def verdict(holds):
    return "held" if holds else "MISSED"


def start_up():
    cpu, _, _ = measure.run([measure.SCHEDSIM, "--version"], repeats=20)
    print("Start-up (`schedsim --version`): %.2f ms CPU.\n" % (cpu * 1e3))
    return cpu


def reference_rates(case):
    """Returns the jobs per CPU second of the reference simulator, by policy."""
    with open(measure.shared("golden", "lucid", case, "summary.csv"),
              newline="") as rows:
        return {row["policy"]: int(row["jobs"]) / float(row["cpu_s"])
                for row in csv.DictReader(rows) if row["policy"] in FACTORS}


def reference_row(name, trace, options, policy, rate, start, folder):
    spec, repeats = policy, 21
    result = tempfile.mkdtemp(dir=folder)
    if (name, policy) == ("mid-venus", "tiresias"):
        spec += ":round_phase_s=28" # the reference's rounds count from time 0
    cpu, _, _ = measure.run([measure.SCHEDSIM, "run", trace, "--quiet", "-p",
                             spec] + options, repeats=repeats,
                            pick=statistics.median, out=result)
    last = os.path.join(result, str(repeats - 1))
    with open(os.path.join(last, "summary.json")) as summary:
        jobs = json.load(summary)["metrics"]["jobs"]
    times = jobs / cpu / rate
    return [name, policy, jobs, "%.0f" % rate, "%.2f" % (cpu * 1e3),
            "%.0f" % (jobs / cpu), "%.0f" % times,
            "%.0f" % (jobs / (cpu - start) / rate),
            "%d: %s" % (FACTORS[policy], verdict(times >= FACTORS[policy]))]


def against_reference(start, folder):
    rows, rates = [], {}
    for case in ("mid-philly", "mid-venus"):
        base = measure.shared("golden", "lucid", case)
        options = ["--conventions", "lucid", "--cluster",
                   measure.vc_cluster(os.path.join(base, "vc_config.csv"))]
        rates = reference_rates(case)
        for policy in FACTORS:
            rows.append(reference_row(
                case, os.path.join(base, "trace.csv"), options, policy,
                rates[policy], start, folder))
    venus = measure.shared("traces", "helios", "venus_gpu_jobs.csv.gz")
    # the last case in `rates` is mid-venus
    for policy in FACTORS:
        rows.append(reference_row("Venus, real", venus, ["--conventions", "lucid"],
                                  policy, rates[policy], start, folder))
    gen = measure.build(measure.shared("floor", "gen_trace.c"), folder)
    trace = generate(gen, 10**5, 0.6, os.path.join(folder, "list.csv"))
    for policy, seconds in LIST_SECONDS.items():
        rows.append(reference_row(
            "generated, load 0.6", trace,
            ["--conventions", "lucid", "--cluster", "128x8"], policy,
            10**5 / seconds, start, folder))
    print("### Against the reference simulator\n\n"
          "Reading, simulating and writing the results (`--out`, a new folder "
          "each); median of 21 runs.\n")
    measure.table(["trace", "policy", "jobs", "reference jobs/CPU s", "ms",
                   "jobs/CPU s", "times", "times without start-up", "bar"],
                  rows)


def floor_seconds(program, trace, nodes, folder):
    """Returns the seconds that the floor program prints, without its start and
    its extra passes."""
    best = float("inf")
    for _ in range(5):
        _, _, text = measure.run([program, trace, str(nodes),
                                  os.path.join(folder, "floor.csv"), "1"])
        best = min(best, float(re.search(
            r"CPU read\+parse\+sim\+CSV ([0-9.]+) ms", text).group(1)))
    return best / 1e3


def against_floor(program, trace, folder):
    floor = floor_seconds(program, trace, 128, folder)
    command = [measure.SCHEDSIM, "run", trace, "--quiet", "--cluster", "128x8",
               "--out", os.path.join(folder, "r")]
    cpu, peak, _ = measure.run(command, repeats=5)
    bare, _, _ = measure.run(command[:-2], repeats=5)
    load, _, _ = measure.run([measure.SCHEDSIM, "trace", "info", trace], 3)
    print("### 1,000,000 jobs against the floor\n\nFIFO, 128 nodes of 8 GPUs, "
          "offered load 0.6; least of 5 runs.\n")
    measure.table(["", "CPU s", "times the floor", "bar"], [
        ["floor: read, simulate, write", "%.3f" % floor, "1.0", ""],
        ["schedsim: the same", "%.2f" % cpu, "%.1f" % (cpu / floor),
         "%d: %s; dream %d: %s" % (
             FLOOR_BAR, verdict(cpu <= FLOOR_BAR * floor), FLOOR_DREAM,
             verdict(cpu <= FLOOR_DREAM * floor))],
        ["schedsim: without result files", "%.2f" % bare,
         "%.1f" % (bare / floor), ""],
        ["schedsim: `trace info`, reading only", "%.2f" % load,
         "%.1f" % (load / floor), ""],
    ])
    print("Peak memory with result files: %.0f MiB (bar %d MB: %s).\n" % (
        peak, MEMORY_BAR, verdict(peak * 1.048576 < MEMORY_BAR)))


def scaling(traces, title):
    """Prints CPU microseconds per job by policy and number of jobs."""
    print("### CPU time a job: %s\n" % title)
    sizes = sorted(traces)
    rows = []
    for policy in SCALED:
        costs, waits = [], []
        for jobs in sizes:
            cpu, _, summary = measure.replay(
                traces[jobs], ["-p", policy, "--cluster", "128x8"],
                3 if jobs < 1000000 else 1)
            costs.append(cpu / jobs * 1e6)
            waits.append(summary["metrics"]["queue_delay_s"]["mean"])
        rows.append([policy] + ["%.2f" % c for c in costs] +
                    ["%.2f" % (costs[-1] / costs[-2]),
                     "%.0f s" % waits[-1]])
    measure.table(["policy, us a job"] + ["%d jobs" % n for n in sizes] +
                  ["last / last but one", "mean wait at the last"], rows)


def generate(program, jobs, load, path):
    with open(path, "w") as out:
        measure.subprocess.run([program, str(jobs), "1", str(load), "1024"],
                               stdout=out, check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["reference", "floor", "scaling"])
    only = parser.parse_args().only
    measure.need_shared()
    print("%s\n" % measure.machine())
    with tempfile.TemporaryDirectory() as folder:
        start = start_up()
        if only in (None, "reference"):
            against_reference(start, folder)
        if only == "reference":
            return 0
        gen = measure.build(measure.shared("floor", "gen_trace.c"), folder)
        path = os.path.join(folder, "%s.csv")
        light = {n: generate(gen, n, 0.6, path % n)
                 for n in (10**4, 10**5, 10**6)}
        if only != "scaling":
            floor = measure.build(measure.shared("floor", "fifo_floor.c"),
                                  folder)
            against_floor(floor, light[10**6], folder)
        if only != "floor":
            scaling(light, "load 0.6, hardly anybody waits")
            crowd = {n: generate(gen, n, 2.0, path % ("crowd%d" % n))
                     for n in (10**4, 10**5, 2 * 10**5)}
            scaling(crowd, "load 2, under FIFO half of the jobs wait")
            rush = {n: generate(gen, n, 40, path % ("rush%d" % n))
                    for n in (10**4, 10**5, 125000)}
            scaling(rush, "load 40, nearly all wait for one another")
    return 0


if __name__ == "__main__":
    measure.main(main)
