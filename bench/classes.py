#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""GFS beside its baseline on generated jobs of two classes: prints tables in Markdown and
writes each run to a CSV file. classes.py FILE.csv

No public trace has jobs of both classes with times, so the jobs are generated (Saturn's
statistics, 32 nodes of 8 GPUs, four weeks, the first is not counted), and a seeded 40 % of
the jobs of at most 8 GPUs are called spot. Loads, share, seeds and readings were fixed
before the first run. Stops cost what they cost in GFS: 40 or 60 s and the work since the
last checkpoint, one an hour."""
import csv
import json
import os
import random
import statistics
import sys
import tempfile

import measure

LOADS = (0.7, 0.85, 1.0)
SEEDS = range(1, 6)
SHARE, MOST_GPUS = 0.4, 8
POLICIES = ("spot-fifo", "spot-fifo:forecast=none", "gfs", "gfs:forecast=peak",
            "gfs:feedback=false", "gfs:forecast=none", "fifo")
BASELINES = POLICIES[:2]
OVERHEAD = ("fixed:stop_1_s=40,stop_8_s=40,stop_more_s=60,checkpoint_s=3600,"
            "stop_loses=true")
READINGS = ("guaranteed_queue_delay_mean_s", "guaranteed_jct_mean_s",
            "spot_queue_delay_mean_s", "spot_jct_mean_s", "eviction_rate",
            "spot_evictions_per_job", "guarantee_violations", "lost_gpu_hours")
# Mean over loads and four baselines, in percent (GFS, ASPLOS 2026)
PUBLISHED = {"guaranteed_queue_delay_mean_s": "-60 to -71",
             "spot_queue_delay_mean_s": "-44", "spot_jct_mean_s": "-14",
             "eviction_rate": "-33"}


def generate(folder, load, seed):
    """Returns the path of a trace whose column priority is spot or hp."""
    plain, path = (os.path.join(folder, name) for name in ("plain.csv", "jobs.csv"))
    measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "saturn", "--gpus",
                 "256", "--days", "28", "--load", str(load), "--seed", str(seed),
                 "--force", "-o", plain])
    draw = random.Random("classes %d" % seed)
    with open(plain, newline="", encoding="utf-8") as source, \
            open(path, "w", newline="", encoding="utf-8") as to:
        rows = csv.DictReader(source)
        writer = csv.DictWriter(to, rows.fieldnames, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            spot = draw.random() < SHARE and int(row["gpus"]) <= MOST_GPUS
            writer.writerow({**row, "priority": "spot" if spot else "hp"})
    return path


def simulate(trace, policy, folder):
    out = os.path.join(folder, "out")
    measure.run([measure.SCHEDSIM, "run", trace, "-c", "32x8", "-p", policy,
                 "--overhead", OVERHEAD, "--warmup", "7d", "-q", "-o",
                 out], accepted=(0, 4))
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    return {**{name: summary["classes"][name] for name in READINGS},
            "unfinished": summary["unfinished"]}


def middle(values, form):
    """The median, and the range, which holds the true median in 94 % of draws of five."""
    return "%s (%s to %s)" % tuple(
        form % value for value in (statistics.median(values), min(values), max(values)))


def change(runs, load, name, baseline):
    """The change of gfs against a baseline by seed, in percent."""
    pairs = [(runs[load, seed, "gfs"][name], runs[load, seed, baseline][name])
             for seed in SEEDS]
    return [100 * (a / b - 1) for a, b in pairs if a is not None and b]


def tables(runs):
    print("| load | policy | guaranteed: queueing, s | spot: queueing, s | spot: JCT, s "
          "| eviction rate, % | lost GPU-h |\n|---:|---|---:|---:|---:|---:|---:|")
    for load in LOADS:
        for policy in POLICIES:
            cells = [middle([scale * runs[load, seed, policy][name] for seed in SEEDS],
                            form)
                     for name, scale, form in (
                         ("guaranteed_queue_delay_mean_s", 1, "%.0f"),
                         ("spot_queue_delay_mean_s", 1, "%.0f"),
                         ("spot_jct_mean_s", 1, "%.0f"), ("eviction_rate", 100, "%.2f"),
                         ("lost_gpu_hours", 1, "%.0f"))]
            print("| %g | `%s` | %s |" % (load, policy, " | ".join(cells)))
    print("\n| `gfs` against | reading | %s | published |\n|---|---|%s---:|" %
          (" | ".join("load %g, %%" % load for load in LOADS), "---:|" * len(LOADS)))
    for baseline in BASELINES:
        for name, published in PUBLISHED.items():
            cells = []
            for load in LOADS:
                values = change(runs, load, name, baseline)
                cells.append(middle(values, "%+.0f") if values else "")
            print("| `%s` | `%s` | %s | %s |" % (baseline, name, " | ".join(cells),
                                                 published))


def main():
    runs = {}
    for load in LOADS:
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                trace = generate(folder, load, seed)
                for policy in POLICIES:
                    runs[load, seed, policy] = simulate(trace, policy, folder)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("load", "seed", "policy", *READINGS, "unfinished"))
            for key, run in runs.items():
                writer.writerow((*key, *("%.6g" % run[name] for name in READINGS),
                                 run["unfinished"]))
    tables(runs)


main()
