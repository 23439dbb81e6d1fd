#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a grid of simulations: on the cores of this machine, or as a Slurm job
array. A grid is a JSON object of lists, whose product is run:

    {"trace": ["a.csv", "b.csv"], "policy": ["fifo", "srtf"],
     "cluster": ["16x8"], "seed": [1, 2, 3]}

Every key but "trace" is a long option of `schedsim run`. Each run writes a
result directory of its own, which appears whole when it is done. Results that
exist are not run again, so the same command continues a sweep that was
stopped. A changed grid needs another directory and is refused otherwise.

    sweep.py GRID OUT [--workers N]  local; exit status 1 if some run failed
    sweep.py GRID OUT --slurm [-- SBATCH OPTIONS]   submit what is not done
    sweep.py GRID OUT --collect      results as CSV on standard output"""

import argparse
import concurrent.futures
import csv
import itertools
import json
import os
import shlex
import subprocess
import sys

import measure

METRICS = ["jct_s", "queue_delay_s", "slowdown"]


class Sweep:
    def __init__(self, grid, out):
        try:
            with open(grid) as text:
                self.grid = json.load(text)
        except ValueError as error: # no JSON, or no UTF-8
            raise measure.Failed("%s: %s" % (grid, error))
        if not isinstance(self.grid, dict):
            raise measure.Failed("%s: is no JSON object of lists" % grid)
        if not self.grid.get("trace"):
            raise measure.Failed("%s: no list 'trace'" % grid)
        for key, values in self.grid.items():
            if not isinstance(values, list) or not values:
                raise measure.Failed("%s: '%s' is not a list" % (grid, key))
        self.out = out
        self.keys = list(self.grid)
        self.tasks = list(itertools.product(*self.grid.values()))

    def claim(self):
        """Makes the directory, or checks that it belongs to this grid."""
        os.makedirs(self.out, exist_ok=True)
        path = os.path.join(self.out, "grid.json")
        if os.path.exists(path):
            with open(path) as text:
                if json.load(text) != self.grid:
                    raise measure.Failed(
                        "%s: is of another grid; name a new directory" %
                        self.out)
            return
        with open(path + ".partial", "w") as out:
            json.dump(self.grid, out, indent=2)
        os.rename(path + ".partial", path)

    def folder(self, task):
        return os.path.join(self.out, "%05d" % task)

    def is_done(self, task):
        return os.path.exists(os.path.join(self.folder(task),
                                           "manifest.json"))

    def to_do(self):
        return [t for t in range(len(self.tasks)) if not self.is_done(t)]

    def run(self, task):
        """Runs one task. Returns its error, or None."""
        setting = dict(zip(self.keys, self.tasks[task]))
        command = [measure.SCHEDSIM, "run", setting.pop("trace"), "--quiet",
                   "--out", self.folder(task)]
        command += ["--%s=%s" % item for item in setting.items()]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 4): # 4: some jobs can never start
            return "%s: exit status %d: %s" % (
                " ".join(command), done.returncode, done.stderr.strip())
        return None

    def collect(self):
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerow(self.keys + ["jobs", "unfinished", "makespan_s"] +
                      [m + "_mean" for m in METRICS] +
                      [m + "_p99" for m in METRICS])
        for task, setting in enumerate(self.tasks):
            if not self.is_done(task):
                continue
            with open(os.path.join(self.folder(task),
                                   "summary.json")) as text:
                summary = json.load(text)
            values = summary["metrics"]
            rows.writerow(list(setting) + [
                values["jobs"], summary["unfinished"], values["makespan_s"]] +
                [values[m].get("mean") for m in METRICS] +
                [values[m].get("p99") for m in METRICS])


def run_here(sweep, workers):
    tasks = sweep.to_do()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        failed = [words for words in pool.map(sweep.run, tasks) if words]
    for words in failed:
        print(words, file=sys.stderr)
    print("%d of %d runs done, %d of them now, %d failed" % (
        len(sweep.tasks) - len(sweep.to_do()), len(sweep.tasks),
        len(tasks) - len(failed), len(failed)), file=sys.stderr)
    return 1 if failed else 0


def ranges(numbers):
    """[0, 1, 2, 5] -> "0-2,5", as sbatch takes it."""
    parts = []
    for _, group in itertools.groupby(enumerate(numbers),
                                      lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1
                     else "%d-%d" % (run[0], run[-1]))
    return ",".join(parts)


def submit(args, sweep, options):
    tasks = sweep.to_do()
    if not tasks:
        print("nothing to do", file=sys.stderr)
        return 0
    command = ["sbatch", "--array=" + ranges(tasks), "--ntasks=1",
               "--output=" + os.path.join(sweep.out, "slurm-%a.log"),
               "--export=ALL,SCHEDSIM=" + os.path.abspath(measure.SCHEDSIM)]
    # Not as a script of sbatch, which would be copied away from measure.py.
    task = [sys.executable, os.path.abspath(__file__),
            os.path.abspath(args.grid), os.path.abspath(args.out), "--task"]
    command += options + ["--wrap=" + shlex.join(task)]
    return subprocess.run(command).returncode


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("grid")
    parser.add_argument("out")
    parser.add_argument("--workers", type=int, default=os.cpu_count(),
                        metavar="N",
                        help="runs at a time; default: one per core")
    parser.add_argument("--jobs", type=int, dest="old_workers",
                        help=argparse.SUPPRESS)
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--task", action="store_true",
                        help="run $SLURM_ARRAY_TASK_ID; what the array calls")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:cut])
    if args.old_workers is not None: # `run` has an option of another meaning
        print("note: --jobs is called --workers now; the old name goes with "
              "the next release", file=sys.stderr)
        args.workers = args.old_workers
    sweep = Sweep(args.grid, args.out)
    if args.collect:
        sweep.collect()
        return 0
    sweep.claim()
    if args.task:
        failed = sweep.run(int(os.environ["SLURM_ARRAY_TASK_ID"]))
        if failed:
            raise measure.Failed(failed)
        return 0
    return submit(args, sweep, words[cut + 1:]) if args.slurm else run_here(sweep, args.workers)


if __name__ == "__main__":
    measure.main(main)
