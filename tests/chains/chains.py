# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares chains of resubmissions with a plain linker, which draws rows at
random and links them by looking at each pair. On a cluster without queues,
each linked job must end when its last row ended in the trace, and must have
failed where its other rows ended."""
import csv
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402

LINK = 500


def draw(seed):
    """Returns rows of three users who resubmit failed jobs, soon or late."""
    rng = random.Random(seed)
    rows = []
    for i in range(300):
        rows.append({"submitted_unix_s": rng.randrange(0, 20000),
                     "duration_s": rng.choice([0, 1, 50, 300, 2000]),
                     "gpus": rng.choice([1, 2]), "job_id": "j%d" % i,
                     "user": rng.choice(["u", "v", ""]),
                     "name": rng.choice(["a", "b", ""]),
                     "end": rng.choice(["failed", "failed", "completed",
                                        "cancelled"])})
    return rows


def link(rows):
    """Returns the chains as lists of rows, each in order."""
    rows = sorted(enumerate(rows), key=lambda r: (r[1]["submitted_unix_s"], r[0]))
    rows = [row for _, row in rows]
    taken, chains = set(), {}
    for j, row in enumerate(rows):
        best = None
        for i in range(j):
            other = rows[i]
            end = other["submitted_unix_s"] + other["duration_s"]
            alike = all(row[k] == other[k] for k in ("user", "name", "gpus"))
            if (row["user"] and alike and other["end"] == "failed"
                    and i not in taken
                    and 0 <= row["submitted_unix_s"] - end <= LINK
                    and (best is None or end < best[0])):
                best = (end, i)
        if best:
            taken.add(best[1])
            chains[j] = chains.pop(best[1]) + [row]
        else:
            chains[j] = [row]
    return chains.values()


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected(chain, zero):
    """Returns the ends of the attempts of a linked job, in seconds of the run.
    """
    ends = [r["submitted_unix_s"] + r["duration_s"] - zero for r in chain]
    left = [sum(r["duration_s"] for r in chain[k + 1:])
            for k in range(len(chain))]
    done = [k for k in range(len(chain)) if left[k] == 0]
    return ends[:done[0] + 1]  # rows without run time at the end add nothing


def compare(tap, seed, folder):
    rows = draw(seed)
    trace, out = os.path.join(folder, "t.csv"), os.path.join(folder, "out")
    write(trace, rows)
    run = subprocess.run(
        [PROGRAM, trace, "--cluster", "64x8", "--chains",
         "linked:link_s=%d" % LINK, "--recovery", "retry:attempts=60000",
         "--out", out, "--quiet"],
        capture_output=True, text=True, check=False)
    if run.returncode:
        tap.result(False, "seed %d" % seed, run.stderr)
        return
    zero = min(r["submitted_unix_s"] for r in rows)
    chains = list(link(rows))
    got = {}
    for attempt in read(os.path.join(out, "attempts.csv")):
        got.setdefault(attempt["job_id"], []).append(
            float(attempt["finish_time"]))
    bad = [c[0]["job_id"] for c in chains
           if got.get(c[0]["job_id"]) != expected(c, zero)]
    linked = sum(len(c) > 1 for c in chains)
    tap.result(not bad and linked > 5 and len(got) == len(chains),
           "seed %d: %d rows, %d jobs, %d of them linked%s" %
           (seed, len(rows), len(chains), linked,
            "; differs: " + bad[0] if bad else ""))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(20):
            compare(tap, seed, folder)
    sys.exit(tap.exit_status())


main()
