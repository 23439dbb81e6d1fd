# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of reservations: under every policy, no job of a random state starts
on a reserved node if its limit reaches into the reservation, and a job that has
a reservation starts on its nodes, while it lasts, and nowhere else.

`reservations.py N SEED` tests N states with each policy; by default 2."""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                             "support")]
from tap import PROGRAM, Tap  # noqa: E402

NOW, NODES, GPUS = 1767600000, 4, 4


def names(words):
    return json.loads(subprocess.run(
        [PROGRAM, "list", *words, "--json"], capture_output=True, text=True,
        check=True).stdout)


def state_of(seed):
    r = random.Random(seed)
    nodes = ["n%d" % i for i in range(NODES)]
    reservations = []
    for name in ("maint", "own"):
        begin = NOW + r.randrange(-600, 7200)
        reservations.append({
            "name": name, "from_unix_s": begin,
            "until_unix_s": begin + r.randrange(1200, 9000),
            "nodes": r.sample(nodes[:2] if name == "own" else nodes[2:],
                              r.randrange(1, 3))})
    jobs = []
    for i, node in enumerate(r.sample(nodes, 2)):
        jobs.append({"id": "r%d" % i, "user": "u%d" % i, "gpus": GPUS,
                     "submitted_unix_s": NOW - 900, "limit_s": 1800,
                     "started_unix_s": NOW - 600,
                     "where": [{"node": node, "gpus": GPUS}]})
    for i in range(14):
        job = {"id": "w%d" % i, "user": "u%d" % r.randrange(3),
               "gpus": r.choice([1, 2, 4, 8]), "limit_s": r.randrange(60, 6000),
               "submitted_unix_s": NOW - 500 + i}
        if i % 5 == 4:
            job.update(reservation="own", gpus=r.choice([1, 2]))
        jobs.append(job)
    return {"state": 1, "at_unix_s": NOW, "cluster": "%dx%d" % (NODES, GPUS),
            "names": nodes, "reservations": reservations, "jobs": jobs}


def wrong_starts(state, attempts):
    """Starts that break the law, and their number in all."""
    jobs = {job["id"]: job for job in state["jobs"]}
    zero = min(job["submitted_unix_s"] for job in state["jobs"])
    wrong, n = [], 0
    for row in attempts:
        job = jobs[row["job_id"]]
        start = zero + float(row["starting_time"])
        if start < NOW:
            continue
        n += 1
        ranges = [part.split("-") for part
                  in row["allocated_resources"].split()]
        nodes = {state["names"][gpu // GPUS] for part in ranges
                 for gpu in range(int(part[0]), int(part[-1]) + 1)}
        for one in state["reservations"]:
            begin, end = one["from_unix_s"], one["until_unix_s"]
            if one["name"] == job.get("reservation"):
                bad = not (nodes <= set(one["nodes"]) and begin <= start < end)
            else:
                bad = (nodes & set(one["nodes"]) and start < end
                       and start + job["limit_s"] > begin)
            if bad:
                wrong.append((job["id"], start - NOW, sorted(nodes), one))
    return wrong, n


def run(state, policy, place):
    path = os.path.join(place, "state.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(state, out)
    into = os.path.join(place, "results")
    done = subprocess.run(
        [PROGRAM, "run", "--state", path, "-p", policy, "--out", into,
         "--attempts"], capture_output=True, text=True, check=False)
    attempts = []
    if done.returncode in (0, 4):
        with open(os.path.join(into, "attempts.csv"), encoding="utf-8",
                  newline="") as text:
            attempts = list(csv.DictReader(text))
    shutil.rmtree(into, ignore_errors=True)
    return done, attempts


def test(tap, policies, seeds, place):
    own = 0
    for policy in policies:
        wrong, starts = [], 0
        for seed in seeds:
            state = state_of(seed)
            done, attempts = run(state, policy, place)
            if done.returncode not in (0, 2, 4):
                wrong.append((seed, done.stderr))
            found, n = wrong_starts(state, attempts)
            wrong += [(seed, *one) for one in found]
            starts += n
            own += sum(row["job_id"] in ("w4", "w9") for row in attempts)
        tap.result(not wrong, "reservations: %s: none of %d starts reaches into "
                   "one" % (policy, starts), wrong[:3])
    tap.result(own > len(policies), "reservations: jobs that have one start",
               own)


def main():
    tap = Tap()
    n, seed = [int(word) for word in sys.argv[1:]] + [2, 1][len(sys.argv) - 1:]
    policies = [p["name"] for p in names(["policies"])["policies"]]
    policies += ["backfill:plan=conservative", "backfill:plan=slurm",
                 "sjf:skip=true", "multifactor:plan=slurm"]
    place = tempfile.mkdtemp(prefix="schedsim-reservations-")
    try:
        test(tap, policies, range(seed, seed + n), place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
