#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how often the 95 % intervals of schedsim contain the true mean wait,
and prints the tables of docs/statistics.md.

The traces are queues whose mean wait is known: jobs of one GPU with Poisson
arrivals on 8 GPUs under fifo. Exponential run times (mean 1 h): Erlang's C
formula (M/M/8). Lognormal run times of the same mean, sigma 2 (M/G/8): a long
simulation by simulated_mean(), with its own queue. Jobs before the queue is in
its steady state are left out by --warmup.

    python3 bench/coverage.py            # all tables, about 40 CPU minutes
    python3 bench/coverage.py --traces 20 --table run
"""
import argparse
import collections
import csv
import heapq
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

GPUS, HOUR = 8, 3600.0
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "schedsim")
# Mean waits in h of M/G/8 with lognormal run times, sigma 2, by load: 40
# million jobs in 2,000 runs, standard error 2 %; simulated_mean() repeats it.
LOGNORMAL = {0.70: 1.09}
WARM = {0.70: 2000, 0.85: 2000, 0.95: 10000}  # jobs before those that count
WARM_LOGNORMAL = 20000
COPIES = [""] + ["-%d" % n for n in range(2, 13)]
Cell = collections.namedtuple("Cell", "load jobs sigma")
CELLS = [Cell(load, jobs, 0) for jobs in (2400, 20000)
         for load in (0.70, 0.85, 0.95)] + [Cell(0.70, 20000, 2)]


def erlang_mean_wait(load):
    """Returns the mean wait in h of M/M/8 with a mean run time of 1 h."""
    offered = GPUS * load
    terms = [offered ** k / math.factorial(k) for k in range(GPUS + 1)]
    waits = terms[GPUS] / (1 - load)
    return waits / (sum(terms[:GPUS]) + waits) / (GPUS * (1 - load))


def jobs_of(seed, cell, n):
    """Yields submission and run time of n jobs, in h."""
    rng, at = random.Random(seed), 0.0
    for _ in range(n):
        at += rng.expovariate(GPUS * cell.load)
        yield at, (rng.lognormvariate(-cell.sigma ** 2 / 2, cell.sigma)
                   if cell.sigma else rng.expovariate(1))


def simulated_mean(cell, n_runs):
    """Returns the mean wait in h, and its standard error, over runs that do not
    use schedsim."""
    means = []
    for run in range(n_runs):
        free, waits = [0.0] * GPUS, []
        for at, length in jobs_of(10 ** 6 + run, cell, warm_of(cell) + 20000):
            start = max(at, free[0])
            heapq.heapreplace(free, start + length)
            waits.append(start - at)
        means.append(statistics.fmean(waits[warm_of(cell):]))
    return statistics.fmean(means), statistics.stdev(means) / n_runs ** .5


def warm_of(cell):
    return WARM_LOGNORMAL if cell.sigma else WARM[cell.load]


def truth_of(cell):
    return LOGNORMAL[cell.load] if cell.sigma else erlang_mean_wait(cell.load)


def write_trace(path, seed, cell):
    """Writes a trace; returns the time of warm-up in s."""
    first = warm = None
    with open(path, "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id\n")
        for i, (at, length) in enumerate(
                jobs_of(seed, cell, warm_of(cell) + cell.jobs)):
            first = at if first is None else first
            warm = at - first if i == warm_of(cell) else warm
            file.write("%.6f,%.6f,1,%d\n"
                       % (1e9 + at * HOUR, length * HOUR, i))
    return warm * HOUR


def schedsim(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(" ".join(words) + ": " + done.stderr.strip())
    return json.loads(done.stdout)


def wait_of(row):
    wait = row["metrics"]["queue_delay_s"] if "metrics" in row else \
        row["queue_delay_s"]
    return wait["mean"], wait["mean_lo"], wait["mean_hi"]


def of_run(path, warm):
    return wait_of(schedsim("run", path, "-c", "1x8", "-p", "fifo", "--json",
                            "-q", "--warmup", "%.6f" % warm))


def of_replications(path, warm, n):
    return wait_of(schedsim("compare", path, "-c", "1x8", "-p", "fifo",
                            "--json", "-q", "--warmup", "%.6f" % warm,
                            "--replications", str(n))[0])


def measure(cell, n_traces, folder, interval, first_seed=1):
    """Returns what a table shows of a cell; interval(path, warm) gives mean,
    low and high end in s."""
    path = os.path.join(folder, "trace.csv")
    rows = []
    for seed in range(first_seed, first_seed + n_traces):
        warm = write_trace(path, seed, cell)
        rows.append([x / HOUR if x is not None else None
                     for x in interval(path, warm)])
    there = [row for row in rows if row[1] is not None]
    truth = truth_of(cell)
    means = statistics.quantiles([row[0] for row in rows], n=40,
                                 method="inclusive")
    widths = [row[2] - row[1] for row in there]
    return {"null": 1 - len(there) / len(rows),
            "hit": sum(r[1] <= truth <= r[2] for r in there)
            / max(len(there), 1),
            "width": statistics.median(widths) if widths else math.nan,
            "honest": means[-1] - means[0], "truth": truth}


def verdicts(n_traces, folder, replications, jobs=2400, load=0.85):
    """Counts the verdicts of fifo against a random order, which have equal mean
    waits because run times are exponential."""
    cell, count = Cell(load, jobs, 0), collections.Counter()
    path, guesses = (os.path.join(folder, name)
                     for name in ("trace.csv", "guesses.csv"))
    for seed in range(1, n_traces + 1):
        warm = write_trace(path, seed, cell)
        rng = random.Random(-seed)
        with open(guesses, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["job_id", "prediction"])
            # A row that is drawn again ends in -2, -3 and so on.
            writer.writerows(("%d%s" % (i, copy), "%.3f" % (1e6 * rng.random()))
                             for i in range(warm_of(cell) + jobs)
                             for copy in COPIES[:12 if replications else 1])
        words = ["--replications", str(replications)] if replications else []
        rows = schedsim("compare", path, "-c", "1x8", "-p", "fifo", "-p",
                        "sjf", "--estimators", "file:path=" + guesses,
                        "--json", "-q", "--warmup", "%.6f" % warm, *words)
        count[rows[1]["queue_delay_s_minus_first"]["verdict"]] += 1
    return count


def name_of(cell):
    return ("M/G/8, lognormal" if cell.sigma else "M/M/8") + \
        " %.2f | %d" % (cell.load, cell.jobs)


HEAD = """
| %s load | jobs | traces | true mean, h | no interval | contains it | \
median width, h | honest width, h |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def print_table(title, cells, n_traces, folder, interval):
    print(HEAD % title)
    for cell in cells:
        m = measure(cell, n_traces, folder, interval)
        print("| %s | %d | %.3f | %.0f %% | %.1f %% | %.3f | %.3f |"
              % (name_of(cell), n_traces, m["truth"], 100 * m["null"],
                 100 * m["hit"], m["width"], m["honest"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--traces", type=int, default=200,
                        help="traces of each row (200)")
    parser.add_argument("--table", action="append",
                        choices=["run", "replications", "verdicts",
                                 "lognormal"],
                        help="print only this table; may be repeated")
    args = parser.parse_args()
    tables = args.table or ["run", "replications", "verdicts"]
    with tempfile.TemporaryDirectory() as folder:
        if "run" in tables:
            print_table("one run:", CELLS, args.traces, folder, of_run)
        for n in (10, 200) if "replications" in tables else ():
            print_table("--replications %d:" % n, CELLS[:3] + CELLS[4:5],
                        max(args.traces // 4, 1), folder,
                        lambda path, warm, n=n: of_replications(path, warm, n))
        for n in (0, 10, 40) if "verdicts" in tables else ():
            count = verdicts(args.traces, folder, n)
            print("\nfifo against a random order, %s: %s"
                  % ("%d replications" % n if n else "one run",
                     dict(count)), flush=True)
        if "lognormal" in tables:
            print("M/G/8 %.4f h, standard error %.4f"
                  % simulated_mean(CELLS[-1], args.traces))


if __name__ == "__main__":
    main()
