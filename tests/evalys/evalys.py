# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads attempts.csv (jobs.csv where each job ran once) as Evalys reads
Batsim's jobs.csv: evalys.jobset.JobSet and evalys.metrics.compute_load,
written here again without pandas. The GPU time in use must be that of the
summary and at most that of the cluster, and the queue must be that of
series.csv, also if jobs are stopped, moved, resized or fail."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

VENUS = ["venus.csv", "--cluster", "40x8"]
# name, GPUs of the cluster, sample and options
RUNS = [
    ("venus under " + policy, 320, VENUS + ["--policy", policy])
    for policy in ("fifo", "tiresias", "gavel-las", "srtf")] + [
    ("venus with failures", 320, VENUS + [
        "--policy", "srtf", "--faults",
        "exponential:per_1000_node_days=200", "--recovery", "retry"]),
    ("sia", 64, ["sia.csv", "--jobs", "50", "--policy", "sia", "--throughput",
                 "application:replace=true", "--cluster",
                 "6x4:T4+2x8:A100+6x4:RTX"])]
MICRO = 10**6


def micros(text):
    """Returns a time in whole microseconds. Evalys rounds to six digits, so
    this is exact."""
    whole, _, part = text.partition(".")
    return int(whole) * MICRO + int((part + "000000")[:6])


def resources(text):
    """Returns the number of resources in a text such as "0-3 8", as
    procset.ProcSet.from_str does."""
    count = 0
    for one in text.split():
        first, _, last = one.partition("-")
        count += int(last or first) - int(first) + 1
    return count


def load(rows, begin, end, amount):
    """Returns (time, load from then on) in order, as compute_load does:
    changes at one time are summed before they are accumulated."""
    changes = {}
    for row in rows:
        for at, sign in ((row[begin], 1), (row[end], -1)):
            changes[at] = changes.get(at, 0) + sign * row[amount]
    now, steps = 0, []
    for at in sorted(changes):
        now += changes[at]
        steps.append((at, now))
    return steps


def area(steps):
    """Returns the sum of Evalys' column `area`."""
    return sum(now * (after - at)
               for (at, now), (after, _) in zip(steps, steps[1:]))


def rows_of(path):
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for cells in csv.DictReader(file):
            if not cells["starting_time"] or not cells["finish_time"]:
                continue  # Evalys drops jobs that never started
            row = {"submission": micros(cells["submission_time"])}
            # Computed as compute_load does, from the columns that are spans.
            row["start"] = row["submission"] + micros(cells["waiting_time"])
            row["finish"] = row["start"] + micros(cells["execution_time"])
            row["held"] = resources(cells["allocated_resources"])
            row["asked"] = int(cells["requested_number_of_resources"])
            rows.append(row)
    return rows


def check_queue(tap, name, rows, path):
    steps = load(rows, "submission", "start", "asked")
    at, now, wrong = 0, 0, ""
    with open(path, newline="", encoding="utf-8") as file:
        for sample in csv.DictReader(file):
            time = micros(sample["time"])
            while at < len(steps) and steps[at][0] <= time:
                now = steps[at][1]
                at += 1
            if now != int(sample["gpus_pending"]) and not wrong:
                wrong = "at %s s %d GPUs, series.csv: %s" % (
                    sample["time"], now, sample["gpus_pending"])
    tap.result(not wrong, name + ": the queue is that of series.csv", wrong)


def check(tap, name, gpus, options, folder):
    out = os.path.join(folder, "out")
    done = subprocess.run(
        [PROGRAM, "run", os.path.join("traces", "samples", options[0]),
         *options[1:], "--out", out, "--quiet"],
        cwd=ROOT, capture_output=True, text=True, check=False)
    tap.result(done.returncode == 0, name + ": runs", done.stderr)
    if done.returncode:
        return
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        held = json.load(file)["metrics"]["held_gpu_hours"]
    attempts = os.path.join(out, "attempts.csv")
    once = not os.path.exists(attempts)
    tap.result(once == ("fifo" in options),
               name + ": attempts.csv is there if jobs did not simply run once")
    rows = rows_of(os.path.join(out, "jobs.csv") if once else attempts)
    steps = load(rows, "start", "finish", "held")
    hours = area(steps) / (3600 * MICRO)
    plain = sum((row["finish"] - row["start"]) * row["held"]
                for row in rows) / (3600 * MICRO)
    tap.result(abs(hours - held) <= 1e-9 * held and
               abs(plain - held) <= 1e-9 * held,
               name + ": GPU hours are those of the summary",
               "%r and %r, summary %r" % (hours, plain, held))
    peak = max(now for _, now in steps)
    tap.result(peak <= gpus, name + ": never more GPUs than there are",
               "%d of %d" % (peak, gpus))
    if "--faults" not in options:  # series.csv does not count held jobs
        check_queue(tap, name, rows, os.path.join(out, "series.csv"))


def main():
    tap = Tap()
    for name, gpus, options in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            check(tap, name, gpus, options, folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
