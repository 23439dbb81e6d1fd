#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a grid of simulations: on the cores of this machine, or as a Slurm job
array. A grid is a JSON object of lists, whose product is run:

    {"trace": ["a.csv", "b.csv"], "policy": ["fifo", "srtf"],
     "cluster": ["16x8"], "seed": [1, 2, 3]}

Every key but "trace" is a long option of `schedsim run`. A trace may be a file, or
replications of one, made by `schedsim trace resample` (docs/resampling.md), on
which all other settings then run:

    {"trace": [{"resample": "a.csv", "seeds": 20, "options": ["--joint"]}], ...}

"seeds" is a number of seeds, counted from 1, or a list of them. Each run writes a
result directory of its own, which appears whole when it is done. Results that
exist are not run again, so the same command continues a sweep that was
stopped. A changed grid needs another directory and is refused otherwise.

    sweep.py GRID OUT [--workers N]  local; exit status 1 if some run failed
    sweep.py GRID OUT --slurm [-- SBATCH OPTIONS]   submit what is not done
    sweep.py GRID OUT --collect      results as CSV on standard output
    sweep.py GRID OUT --intervals    means over replications as CSV: with 95 %
        intervals (jackknife, Student's t), and with the difference to the first
        setting on the same replications"""

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
from reproduction import judge

METRICS = ["jct_s", "queue_delay_s", "slowdown"]


class Trace:
    """A trace of a grid: a file, or a replication of one. `entry` is its number
    in the list of the grid; seed None: the file itself."""

    def __init__(self, entry, path, seed=None, options=()):
        self.entry, self.path, self.seed = entry, path, seed
        self.options = list(options)

    def file(self, out):
        """Returns the file to run, made if it is a replication."""
        if self.seed is None:
            return self.path
        folder = os.path.join(out, "traces")
        made = os.path.join(folder, "%d-%d.csv" % (self.entry, self.seed))
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(made): # it appears whole
            measure.run([measure.SCHEDSIM, "trace", "resample", self.path,
                         "--seed", str(self.seed), "--out", made, "--quiet"] +
                        self.options)
        return made


def traces(grid, values):
    """The traces of a grid, replications one by one."""
    found = []
    for i, entry in enumerate(values):
        if isinstance(entry, str):
            found.append(Trace(i, entry))
            continue
        seeds = entry.get("seeds") if isinstance(entry, dict) else None
        if isinstance(seeds, int):
            seeds = list(range(1, seeds + 1))
        options = entry.get("options", []) if seeds else []
        if (not seeds or not isinstance(seeds, list)
                or not isinstance(entry.get("resample"), str)
                or not isinstance(options, list)
                or set(entry) - {"resample", "seeds", "options"}
                or not all(isinstance(seed, int) for seed in seeds)):
            raise measure.Failed(
                "%s: a trace is a file or {\"resample\": FILE, \"seeds\": N, "
                "\"options\": [...]}, not %s" % (grid, json.dumps(entry)))
        found += [Trace(i, entry["resample"], seed, options) for seed in seeds]
    return found


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
        self.tasks = list(itertools.product(
            *(traces(grid, values) if key == "trace" else values
              for key, values in self.grid.items())))

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
        try:
            trace = setting.pop("trace").file(self.out)
        except measure.Failed as error:
            return str(error)
        command = [measure.SCHEDSIM, "run", trace, "--quiet",
                   "--out", self.folder(task)]
        command += ["--%s=%s" % item for item in setting.items()]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 4): # 4: some jobs can never start
            return "%s: exit status %d: %s" % (
                " ".join(command), done.returncode, done.stderr.strip())
        return None

    def results(self):
        """Yields the setting and the summary of each task that is done."""
        for task, values in enumerate(self.tasks):
            if self.is_done(task):
                with open(os.path.join(self.folder(task),
                                       "summary.json")) as text:
                    yield dict(zip(self.keys, values)), json.load(text)

    def collect(self):
        rows = csv.writer(sys.stdout, lineterminator="\n")
        replicated = any(values[self.keys.index("trace")].seed is not None
                         for values in self.tasks)
        rows.writerow(self.keys + ["replication"] * replicated +
                      ["jobs", "unfinished", "makespan_s"] +
                      [m + "_mean" for m in METRICS] +
                      [m + "_p99" for m in METRICS])
        for setting, summary in self.results():
            values = summary["metrics"]
            trace = setting["trace"]
            setting["trace"] = trace.path
            rows.writerow(list(setting.values()) + [trace.seed] * replicated + [
                values["jobs"], summary["unfinished"], values["makespan_s"]] +
                [values[m].get("mean") for m in METRICS] +
                [values[m].get("p99") for m in METRICS])

    def intervals(self):
        """Prints the mean of each metric over the replications of a trace, and its
        mean difference to the first setting on the replications of both."""
        found, firsts = {}, {}
        for setting, summary in self.results():
            trace = setting["trace"]
            key = tuple(trace.path if k == "trace" else v
                        for k, v in setting.items()) + (trace.entry,)
            firsts.setdefault(trace.entry, key)
            found.setdefault(key, {})[trace.seed] = summary["metrics"]
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerow(self.keys + ["metric", "replications", "mean", "mean_lo",
                                   "mean_hi", "minus_first", "minus_first_lo",
                                   "minus_first_hi"])
        for key, runs in found.items():
            first = found[firsts[key[-1]]]
            both = [seed for seed in runs if seed in first]
            for metric in METRICS:
                values = [run[metric]["mean"] for run in runs.values()]
                apart = [runs[seed][metric]["mean"] - first[seed][metric]["mean"]
                         for seed in both] if runs is not first else []
                rows.writerow(list(key[:-1]) + [metric, len(values)] +
                              mean_of(values) + mean_of(apart))


def mean_of(values):
    """Mean and 95 % interval as cells; empty where there is none."""
    if not values or None in values:
        return ["", "", ""]
    mean, around = judge.interval([values], lambda a: judge.mean(a[0]))
    return ["%.6g" % mean] + ["%.6g" % x for x in around or ()] + \
        [""] * (0 if around else 2)


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
    parser.add_argument("--intervals", action="store_true")
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
    if args.intervals:
        sweep.intervals()
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
