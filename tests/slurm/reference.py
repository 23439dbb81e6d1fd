# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares schedsim with a real slurmctld that gets the same jobs.

  reference.py                      the test: a short replay, the order only,
                                    and the pencil case of Slurm's plan
  reference.py record DIR CELL ...  replays cells, such as itp03-backfill, side
                                    by side, at SPEED times our time: about 15
                                    minutes
  reference.py table DIR            prints the table of docs/validation.md from
                                    what was recorded in DIR/CELL

A cell is a trace and a scheduler of replay.py. `record` reads ../shared, and
with multifactor needs mariadb-server and slurmdbd. schedsim gets the submissions
and the run times that Slurm recorded, so only what a scheduler decides can
differ. A pair of jobs counts if their starts are more than FAR_S apart in both,
and is wrong if their order differs."""
import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
import replay  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SPEED = 40
FAR_S = 300
PLANS = "depth=2000,window_s=360000"
# Slurm also ranks the user root of its root account, so its four users have
# 4/5, 3/5 .. of the weight, here 4/4, 3/4 .. of four fifths of it.
MULTIFACTOR = ("multifactor:by=user,weight_age=10000,weight_fairshare=16000,"
               "weight_jobsize=5000,max_age_s=36000,half_life_s=14400,"
               "calc_period_s=60")
POLICIES = {
    "builtin": "fifo",
    "easy": "backfill:reserve=1," + PLANS,
    "backfill": "backfill:" + PLANS,
    "multifactor": MULTIFACTOR,
    "multifactor+backfill": MULTIFACTOR + ",plan=slurm," + PLANS,
}


def read_outcome(cell):
    with open(os.path.join(cell, "jobs.csv"), encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    return [{"id": r["job_id"], "at": int(r["submitted_unix_s"]),
             "start": int(r["start_s"]), "end": int(r["end_s"]),
             "limit": int(r["declared_s"]), "gpus": r["gpus"],
             "user": r["user"], "state": r["state"]} for r in rows]


def simulate(jobs, policy, cluster, holds=None, options=(),
             conventions="slurm"):
    """Returns the start of each job, in the time of `jobs`. `holds`: seconds
    that each job holds its GPUs longer."""
    home = tempfile.mkdtemp(prefix="schedsim-reference-")
    try:
        trace = os.path.join(home, "trace.csv")
        with open(trace, "w", encoding="utf-8", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(("job_id", "submitted_unix_s", "duration_s",
                            "declared_s", "gpus", "user"))
            for i, job in enumerate(jobs):
                took = job["end"] - job["start"] + (holds[i] if holds else 0)
                table.writerow((job["id"], job["at"], "%.3f" % took,
                                job["limit"], job["gpus"], job["user"]))
        made = os.path.join(home, "out")
        subprocess.run([PROGRAM, "run", trace, "-c", cluster, "-p", policy,
                        "--conventions", conventions, "-o", made, "--quiet",
                        *options], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(made, "jobs.csv"), encoding="utf-8") as text:
            starts = {r["job_id"]: float(r["starting_time"])
                      for r in csv.DictReader(text)}
        return [jobs[0]["at"] + starts[job["id"]] for job in jobs]
    finally:
        shutil.rmtree(home, ignore_errors=True)


def wrong_pairs(ours, theirs):
    """(wrong, counted) pairs of starts."""
    wrong = counted = 0
    for i, mine in enumerate(ours):
        for k in range(i):
            here, there = mine - ours[k], theirs[i] - theirs[k]
            if abs(here) > FAR_S and abs(there) > FAR_S:
                counted += 1
                wrong += here * there < 0
    return wrong, counted


def mean_wait(jobs, starts):
    return sum(s - job["at"] for job, s in zip(jobs, starts)) / len(jobs)


def draw_waits(jobs, policy, draws, latency_s):
    """Mean waits of `draws` runs: each job holds its GPUs up to `latency_s`
    longer, and the nodes are chosen by `runs` or by `consolidate`."""
    waits = []
    for seed in range(draws):
        rng = random.Random("draw %d" % seed)
        holds = [rng.uniform(0, latency_s) for _ in jobs]
        placer = rng.choice(("runs", "consolidate"))
        starts = simulate(jobs, policy, "%dx%d" % (replay.NODES, replay.GPUS),
                          holds, ("--placer", placer))
        waits.append(mean_wait(jobs, starts))
    return sorted(waits)


def interval(waits):
    """5th and 95th percentile."""
    return waits[len(waits) // 20], waits[-1 - len(waits) // 20]


def cell_row(place, name, draws, latencies):
    cell = os.path.join(place, name)
    jobs = read_outcome(cell)
    policy = POLICIES[name.split("-")[1]]
    theirs = [job["start"] for job in jobs]
    ours = simulate(jobs, policy, "%dx%d" % (replay.NODES, replay.GPUS))
    wrong, counted = wrong_pairs(ours, theirs)
    off = sorted(abs(a - b) for a, b in zip(ours, theirs))
    there, here = mean_wait(jobs, theirs), mean_wait(jobs, ours)
    drawn = [interval(draw_waits(jobs, policy, draws, latency))
             for latency in latencies]
    done = sum(job["state"] == "COMPLETED" for job in jobs)
    with open(os.path.join(cell, "machine.json"), encoding="utf-8") as text:
        load = json.load(text)["load_average"]
    words = name.split("-") + [
        "%d of %d" % (done, len(jobs)),
        "%d of %s" % (wrong, "{:,}".format(counted)), "%.0f" % there,
        "%.0f" % here, "%+.1f %%" % (100 * (here / there - 1)),
        "%.0f, %.0f, %.0f" % (off[len(off) // 2], off[len(off) * 9 // 10],
                              off[-1])]
    for low, high in drawn:
        words.append("%.0f to %.0f%s" % (
            low, high, "" if low <= there <= high else " (not)"))
    return "| " + " | ".join(words + ["%.0f" % load]) + " |"


def print_table(place, draws, latencies):
    heads = ["trace", "scheduler", "completed", "wrong pairs",
             "mean wait, s: Slurm", "schedsim", "difference",
             "starts: p50, p90, max, s"]
    heads += ["draws, 0 to %g s" % latency for latency in latencies]
    print("| %s | load |" % " | ".join(heads))
    print("| --- | --- |" + " ---: |" * (len(heads) - 1))
    for trace in replay.TRACES:
        for scheduler in replay.SCHEDULERS:
            name = trace + "-" + scheduler
            if os.path.exists(os.path.join(place, name, "machine.json")):
                print(cell_row(place, name, draws, latencies), flush=True)


def record_cell(place, name, shared):
    trace, scheduler = name.split("-")
    into, home = os.path.join(place, name), tempfile.mkdtemp(prefix="slurm-")
    os.makedirs(into, exist_ok=True)
    slurm = replay.new_slurm(home, scheduler, SPEED)
    try:
        why = slurm.start()
        if why:
            raise RuntimeError(why)
        load = replay.record(slurm, replay.trace_jobs(shared, trace), into,
                             scheduler.startswith("multifactor"))
        with open(os.path.join(into, "machine.json"), "w",
                  encoding="utf-8") as out:
            json.dump({"load_average": load, "speed": SPEED}, out)
        print("recorded " + into, flush=True)
    finally:
        slurm.stop()
        shutil.rmtree(home, ignore_errors=True)


def record_cells(place, cells):
    shared = os.environ.get("SCHEDSIM_SHARED",
                            os.path.join(ROOT, "..", "shared"))
    threads = [threading.Thread(target=record_cell, args=(place, name, shared))
               for name in cells]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# The test. Its time runs so fast that latencies hide all but the order.
FAST = 250
N_SHORT = 40


def check_order(tap, home):
    sample = os.path.join(ROOT, "traces", "samples", "itp.csv")
    jobs = replay.make_jobs(replay.read_rows(sample, 0, N_SHORT), "short",
                            span_s=3600, load=2.0)
    slurm = replay.new_slurm(os.path.join(home, "short"), "builtin", FAST, 4)
    try:
        why = slurm.start()
        tap.result(not why, "a Slurm of 4 nodes starts, %d times as fast" % FAST,
                   why)
        if why:
            return
        into = os.path.join(home, "short", "outcome")
        replay.record(slurm, jobs, into, limit_s=60)
    finally:
        slurm.stop()
    outcome = read_outcome(into)
    starts = simulate(outcome, "fifo", "4x8")
    tap.result(all(job["state"] == "COMPLETED" for job in outcome),
               "all %d jobs complete" % len(outcome),
               [job["state"] for job in outcome])
    wrong, counted = wrong_pairs(starts, [job["start"] for job in outcome])
    tap.result(wrong == 0 and counted > len(jobs),
               "builtin and fifo start the jobs in one order",
               "%d of %d" % (wrong, counted))


def planned_starts(slurm, first):
    """When Slurm expects to start the waiting jobs, hours after `first`."""
    said = slurm.run("squeue", "--start", "-h", "-o", "%S").stdout.split()
    return sorted(round((replay.seconds_of(at) - first) / 3600) for at in said
                  if at != "N/A")


def check_pencil(tap, home):
    """One node; a job holds it for nearly an hour, eight of one GPU wait."""
    slurm = replay.new_slurm(os.path.join(home, "pencil"), "backfill", FAST, 1)
    try:
        why = slurm.start()
        tap.result(not why, "a Slurm of one node starts", why)
        if why:
            return
        jobs = [{"name": "j%d" % i, "at": 0, "took": 3000 if i else 3300,
                 "gpus": 1 if i else 8, "limit": 60} for i in range(9)]
        first = slurm.now()
        replay.submit_jobs(slurm, jobs, first, False)
        plan, end = [], time.monotonic() + 10
        while len(plan) < 8 and time.monotonic() < end:
            plan = planned_starts(slurm, first)
            time.sleep(0.2)
        tap.result(plan == [1, 2, 3, 4, 5, 6, 7, 8],
                   "Slurm expects jobs of one GPU on a node one after another",
                   plan)
        end = time.monotonic() + 40
        while len(replay.ended_jobs(slurm)) < 9 and time.monotonic() < end:
            time.sleep(0.2)
        starts = [replay.seconds_of(row["StartTime"]) - first for name, row
                  in replay.ended_jobs(slurm).items() if name != "j0"]
        tap.result(len(starts) == 8 and min(starts) > 3000 and
                   max(starts) < 5400, "and starts all when the node is free",
                   starts)
    finally:
        slurm.stop()


def test():
    tap = Tap()
    why = one_node.why_not(("faketime",))
    if why:
        tap.skip("order and plan of a real Slurm", why)
        return tap.exit_status()
    home = tempfile.mkdtemp(prefix="schedsim-slurm-")
    try:
        check_order(tap, home)
        check_pencil(tap, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return tap.exit_status()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("record", "table"))
    parser.add_argument("place", nargs="?", metavar="DIR")
    parser.add_argument("cells", nargs="*", metavar="CELL")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--latency", type=float, nargs="+", default=[30, 4],
                        metavar="S", help="longest holds of draws, s (30 4)")
    args = parser.parse_args()
    if args.what and not args.place:
        parser.error("a folder is needed")
    if args.what == "record":
        record_cells(args.place, args.cells)
    elif args.what == "table":
        print_table(args.place, args.draws, args.latency)
    else:
        sys.exit(test())


if __name__ == "__main__":
    main()
