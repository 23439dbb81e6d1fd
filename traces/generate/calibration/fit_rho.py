#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits `rho` of a cluster in fitted.json to its published mean wait.

    fit_rho.py BUILD CLUSTER JOBS MEAN_S [--bracket] [--write]

Published waits come from schedulers that pass over blocked jobs and keep quotas:
they lie between fjf (passes over any job) and fifo (passes over none). With
--bracket, rho is bisected until the geometric mean of the two, each the median of
the seeds, is MEAN_S. Without it the wait under fifo is, for a cluster whose rows
were replayed under fifo. Each step writes fitted.json and builds BUILD again,
because the program holds the file; without --write the old file is put back.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

FITTED = pathlib.Path(__file__).with_name("fitted.json")
SEEDS = (1, 2, 3, 4, 5)


def write(values):
    FITTED.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def wait(program, trace, cluster, policy):
    done = subprocess.run(
        [program, "run", trace, "-c", cluster, "-p", policy, "--json", "-q"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["metrics"]["queue_delay_s"]["mean"]


def measure(options, values, rho):
    """Median waits under fifo and fjf of the traces with this rho."""
    values[options.cluster]["values"]["rho"] = rho
    write(values)
    subprocess.run(["ninja", "-C", options.build, "schedsim"], check=True,
                   stdout=subprocess.DEVNULL)
    program = f"{options.build}/schedsim"
    waits = {"fifo": [], "fjf": []}
    with tempfile.TemporaryDirectory() as folder:
        trace = f"{folder}/trace.csv"
        for seed in SEEDS:
            subprocess.run(
                [program, "trace", "generate", "--like", options.cluster,
                 "--jobs", str(options.jobs), "--seed", str(seed), "--warm",
                 "-o", trace], check=True, stderr=subprocess.DEVNULL)
            for policy, got in waits.items():
                got.append(wait(program, trace, options.on or options.cluster,
                                policy))
    return [statistics.median(waits[p]) for p in ("fifo", "fjf")]


def fit(options, values):
    low, high = options.low, options.high
    for _ in range(options.steps):
        rho = round((low + high) / 2, 3)
        fifo, fjf = measure(options, values, rho)
        got = math.sqrt(fifo * fjf) if options.bracket else fifo
        print(f"rho {rho}: fifo {fifo:.0f} s, fjf {fjf:.0f} s", flush=True)
        if got < options.mean:
            low = rho
        else:
            high = rho
    return rho


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("cluster")
    parser.add_argument("jobs", type=int)
    parser.add_argument("mean", type=float)
    parser.add_argument("--on", help="cluster on which the jobs wait")
    parser.add_argument("--low", type=float, default=0.8)
    parser.add_argument("--high", type=float, default=1.4)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--bracket", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    before = FITTED.read_text(encoding="utf-8")
    try:
        fit(options, json.loads(before))
    finally:
        if not options.write:
            FITTED.write_text(before, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
