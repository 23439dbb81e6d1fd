#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what each module of SchedMate gives to Lucid, on generated traces.

    schedmate.py [--jobs N] [--seeds N] [--quick]

Prints Markdown: for each time of profiling, weight of interference and load, the
mean JCT of Lucid alone divided by the mean JCT with one module and with both
(more than 1: the module helps), and how much was packed and evicted. The jobs
come like Seren's, run the training repositories of the models of SchedMate's
Table 1, so that their run times follow from their work, and run on 8 nodes of 8
A800. Fidelity is `oracle`, so that the table shows what the modules are worth
if they do not err. All rows of a line have the same jobs, nodes, interference
and profiler; nothing is fitted to a published result."""
import argparse
import json
import os
import shutil
import statistics
import tempfile

import measure

POLICIES = {"lucid": "lucid", "advisor": "lucid+advisor",
            "tracker": "lucid+tracker", "both": "lucid+advisor+tracker"}


def generate(folder, jobs, load, seed):
    path = os.path.join(folder, "jobs-%s-%d.csv" % (load, seed))
    measure.run([measure.SCHEDSIM, "trace", "generate", "--like", "seren",
                 "--set", "repositories=" + os.path.join(
                     measure.ROOT, "traces", "evidence"),
                 "--set", "family=schedmate",
                 "--jobs", str(jobs), "--load", str(load), "--gpus", "56",
                 "--seed", str(seed), "--format", "native", "--out", path])
    return path


def simulate(folder, path, policy, profile, weight, seed):
    base, plus, layers = policy.partition("+")
    spec = "%s%s%s:profile_s=%d,idle_first=false" % (base, plus, layers,
                                                    profile)
    out = os.path.join(folder, "out")
    command = [measure.SCHEDSIM, "run", path, "--quiet", "--policy", spec,
               "--cluster", "8x8:A800", "--profilers", "1",
               "--seed", str(seed),
               "--forecast", "none", "--interference",
               "fitted:a=%s,gpu_mem_mib=81920" % weight, "--out", out]
    if plus:
        command += ["--schedmate", "fidelity=oracle"]
    measure.run(command, accepted=(0, 4))
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    shutil.rmtree(out)
    return summary


def line(folder, args, profile, weight, load):
    ratios = {name: [] for name in POLICIES}
    base_jct, packed, evicted = [], [], []
    for seed in range(1, args.seeds + 1):
        path = generate(folder, args.jobs, load, seed)
        alone = None
        for name, policy in POLICIES.items():
            summary = simulate(folder, path, policy, profile, weight, seed)
            jct = summary["metrics"]["jct_s"]["mean"]
            alone = alone or jct
            ratios[name].append(alone / jct)
            if name == "lucid":
                base_jct.append(jct / 3600)
                packed.append(100 * summary["packing"]["busy_share"])
            if name == "tracker":
                evicted.append(summary["evictions"]["evictions"])
        for name in (path, path[:-4] + ".evidence.csv"):
            os.remove(name)
    return (["%d" % profile, weight, str(load),
             "%.2f" % statistics.mean(base_jct),
             "%.1f" % statistics.mean(packed),
             "%.0f" % statistics.mean(evicted)] +
            ["%.2f (%.2f to %.2f)" % (statistics.mean(ratios[name]),
                                      min(ratios[name]), max(ratios[name]))
             for name in ("advisor", "tracker", "both")])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true",
                        help="one weight, one seed, 500 jobs")
    args = parser.parse_args()
    weights = ["0.6", "0.8", "1.0"]
    if args.quick:
        weights, args.seeds, args.jobs = ["0.6"], 1, 500
    print("%s, `python3 bench/schedmate.py`\n" % measure.machine())
    with tempfile.TemporaryDirectory() as folder:
        measure.table(
            ["T_prof s", "a", "load", "Lucid JCT h", "packed %", "evicted",
             "advisor", "tracker", "both"],
            [line(folder, args, profile, weight, load)
             for profile in (100, 200) for weight in weights
             for load in (0.3, 0.6, 0.9)])


if __name__ == "__main__":
    measure.main(main)
