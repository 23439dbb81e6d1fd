#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a grid of simulations by `schedsim sweep` (docs/sweeps.md), which has more
options; this script keeps its old arguments and columns. A grid is a JSON object of
lists, whose product is run:

    {"trace": ["a.csv", "b.csv"], "policy": ["fifo", "srtf"],
     "cluster": ["16x8"], "seed": [1, 2, 3]}

A trace may also be replications of a file (docs/resampling.md):

    {"trace": [{"resample": "a.csv", "seeds": 20, "options": ["--set", "joint"]}], ...}

The same command continues a sweep that was stopped, and a grid can be extended.

    sweep.py GRID OUT [--workers N]  local; exit status 1 if some run failed
    sweep.py GRID OUT --slurm [-- SBATCH OPTIONS]   submit what is not done
    sweep.py GRID OUT --collect      results as CSV on standard output
    sweep.py GRID OUT --intervals    means over replications as CSV: with 95 %
        intervals, and with the difference to the first setting of the trace on
        the same replications (docs/statistics.md)

Because this script calls `schedsim sweep`, OUT holds runs.csv instead of a directory
for each run (`schedsim sweep --keep` makes directories), runs that differ only in
their seed are replications too, and under Slurm each task does several runs and a
last job collects the results."""

import argparse
import csv
import os
import subprocess
import sys

import measure

METRICS = ["jct_s", "queue_delay_s", "slowdown"]
NUMBERS = (["jobs", "unfinished", "makespan_s"] + [m + "_mean" for m in METRICS] +
           [m + "_p99" for m in METRICS])
INTERVALS = ["metric", "replications", "mean", "mean_lo", "mean_hi", "minus_first",
             "minus_first_lo", "minus_first_hi"]


def sweep(args, *words, **more):
    return subprocess.run([measure.SCHEDSIM, "sweep", args.grid, "--out", args.out,
                           *words], **more)


def cut(lines, before, wanted):
    """Prints the columns of the settings, which come before column `before`,
    and the columns `wanted`."""
    rows = csv.reader(lines)
    head = next(rows)
    keep = [i for i, name in enumerate(head[:head.index(before)])
            if name != "made"]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([head[i] for i in keep] + wanted)
    for row in rows:
        cells = dict(zip(head, row))
        out.writerow([row[i] for i in keep] + [cells.get(w, "") for w in wanted])


def collect(args):
    done = sweep(args, "--collect", "--quiet")
    if done.returncode not in (0, 4): # 4: a run is missing, or not all jobs ended
        return done.returncode
    with open(os.path.join(args.out, "runs.csv"), newline="") as lines:
        cut(lines, "status", NUMBERS)
    return 0


def intervals(args):
    done = sweep(args, "--collect", "--intervals", "--quiet", text=True,
                 stdout=subprocess.PIPE)
    if done.returncode not in (0, 4):
        return done.returncode
    cut(done.stdout.splitlines(), "metric", INTERVALS)
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("grid")
    parser.add_argument("out")
    parser.add_argument("--workers", "--jobs", type=int, metavar="N",
                        help="runs at a time; default: one per core")
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--intervals", action="store_true")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    if args.collect:
        return collect(args)
    if args.intervals:
        return intervals(args)
    if args.slurm:
        return sweep(args, "--slurm", *words[end:]).returncode
    threads = ["--threads", str(args.workers)] if args.workers else []
    return int(sweep(args, *threads, stdout=subprocess.DEVNULL).returncode
               not in (0, 4))


if __name__ == "__main__":
    measure.main(main)
