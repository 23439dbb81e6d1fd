# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of the warm start: a run that begins from a state that another run
wrote half-way, with the run times of the trace, goes on as that run did. Each
job that had not ended starts and ends at the same microsecond on the same GPUs,
and the other columns of jobs.csv have the same bytes. Random traces, times and
clusters; policies that decide from the present alone. `law.py N` tests N
states."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support")]
from tap import PROGRAM, Tap  # noqa: E402

POLICIES = ["fifo", "fjf", "sjf", "edf", "qssf", "smallest", "srtf", "srsf",
            "backfill"]
PLACERS = ["consolidate", "first-fit", "spread"]
ESTIMATORS = ["oracle", "declared"]
START = 1767600000
# Columns that count from the first submission of the run, or name its jobs.
TIMES = ("submission_time", "starting_time", "finish_time")
# Counts the jobs that had ended too, which are not in the state; the name of
# the format of the trace.
OTHER = ("slowdown_by_load", "rho", "workload_name")


def run(*words):
    return subprocess.run([PROGRAM, "run"] + list(words), capture_output=True,
                          text=True, check=False)


def write_trace(path, rng):
    at, first = START, {}
    vcs = rng.choice([[""], ["a", "b"]])
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["job_id", "submitted_unix_s", "duration_s", "gpus",
                         "user", "vc", "declared_s"])
        for i in range(rng.randrange(40, 200)):
            at += rng.choice([0, 1, rng.randrange(1, 300)])
            took = int(rng.lognormvariate(6.5, 1)) + 10
            writer.writerow(["j%d" % i, at, took, rng.choice([1, 1, 2, 4, 8,
                                                              16]),
                             "u%d" % rng.randrange(4), rng.choice(vcs),
                             int(took * rng.choice([1, 1.5, 3]))])
            first["j%d" % i] = at
    cluster = "4x8" if vcs == [""] else "a=2x8:T4,b=3x8:T4"
    return cluster, first, at


def read(folder, first):
    with open(os.path.join(folder, "jobs.csv"), encoding="utf-8",
              newline="") as text:
        rows = {row["job_id"]: row for row in csv.DictReader(text)}
    zero = min(first[name] for name in rows)
    for row in rows.values():
        for key in TIMES:
            row[key] = Decimal(row[key]) + zero
    return rows


def try_one(place, seed):
    """Returns what differs, or None if the state says that a job has run
    before; its work is not in the state."""
    rng = random.Random(seed)
    trace, state = os.path.join(place, "t.csv"), os.path.join(place, "s.json")
    cluster, first, last = write_trace(trace, rng)
    at = rng.randrange(START + 1, last + 2000)
    words = ["-q", "-p", rng.choice(POLICIES), "--placer", rng.choice(PLACERS),
             "--estimators", rng.choice(ESTIMATORS)]
    whole, rest = os.path.join(place, "whole"), os.path.join(place, "rest")
    done = run(trace, "-c", cluster, "-o", whole, "--state-at", str(at),
               "--save", state, *words)
    if done.returncode not in (0, 4):
        return done.stderr
    with open(state, encoding="utf-8") as text:
        begun = json.load(text)
    if any("ran before" in note for note in begun["notes"]) or (
            not begun["jobs"] and at > last):
        return None
    done = run(trace, "--state", state, "-o", rest, *words)
    if done.returncode not in (0, 4):
        return "%s: %s" % (words, done.stderr)
    a, b = read(whole, first), read(rest, first)
    expected = {name for name in a
                if a[name]["finish_time"] >= at or first[name] >= at}
    if not expected <= set(b):
        return "%s: jobs are missing: %s" % (words, expected - set(b))
    for name, row in b.items():
        for key, value in row.items():
            if key not in OTHER and value != a[name][key]:
                return "seed %d, %s at %d: job %s: %s is %s, and was %s" % (
                    seed, words, at, name, key, value, a[name][key])
    return ""


def main():
    tap = Tap()
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    bad, tested = [], 0
    with tempfile.TemporaryDirectory() as place:
        for seed in range(n):
            said = try_one(place, seed)
            tested += said is not None
            if said:
                bad.append(said)
    tap.result(not bad, "%d warm starts go on as the whole run" % tested,
               "\n".join(bad[:10]))
    tap.result(tested >= n // 2, "most states are tested", tested)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
