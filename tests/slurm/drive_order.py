# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives 300 jobs through a real slurmctld, SPEED times as fast as our time, and
compares their starts with the simulator's: about 8 minutes a policy, one after
another. Reads ../shared.

The simulator gets the submissions and the run times that Slurm recorded, so only
what decides and when it acts can differ. Each start costs Slurm time: half a
cycle of the driver until it sees that the job can start, and the time from the
decision to the start. The second simulation of the table holds the GPUs for that
time, as it was measured."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import reference  # noqa: E402
import replay  # noqa: E402
from driven import MARK  # noqa: E402
from tap import PROGRAM, ROOT  # noqa: E402

SPEED = 40
SPAN_S = 3 * 3600
TRACE = "itp03"
POLICIES = {
    "fifo": "fifo",
    "sjf": "sjf",
    "backfill": "backfill",
    "exec": "exec:%s %s" % (sys.executable, os.path.join(
        ROOT, "contrib", "policies", "backfill.py")),
}


def submit_held(slurm, jobs, begin):
    """Submits the jobs as their users would: held and marked. `begin`: when the
    first comes, in the time of the daemons."""
    for job in jobs:
        wait = (begin + job["at"] - slurm.now()) / slurm.speed
        if wait > 0:
            time.sleep(wait)
        words = replay.sbatch_words(job, slurm.speed, False)
        words[1:1] = ["--hold", "--comment=" + MARK]
        done = slurm.run(*words)
        if done.returncode:
            raise RuntimeError(done.stderr)


def drive_jobs(slurm, jobs, policy, into, limit_s=2400):
    """Drives the jobs until all have ended. Returns the mean load average."""
    log = os.path.join(into, "decisions.jsonl")
    with open(os.path.join(into, "driver.txt"), "w", encoding="utf-8") as out:
        driver = subprocess.Popen(
            [PROGRAM, "drive", "--slurm", "--partition", "main", "-p", policy,
             "--execute", "--pause", "0.25s", "--max-actions-per-hour",
             "100000", "--state-dir", os.path.join(slurm.home, "drive"), "--decision-log",
             log], env=slurm.env, stdout=out, stderr=out)
    loads, end = [], time.monotonic() + limit_s
    try:
        submit_held(slurm, jobs, slurm.now() + 60)
        while len(replay.ended_jobs(slurm)) < len(jobs):
            if time.monotonic() > end or driver.poll() is not None:
                raise RuntimeError("jobs have not ended, or the driver has")
            loads.append(os.getloadavg()[0])
            time.sleep(1)
    finally:
        driver.terminate()
        driver.wait(timeout=60)
    replay.write_outcome(slurm, jobs, os.path.join(into, "jobs.csv"))
    return sum(loads) / max(1, len(loads))


def record_policy(place, name):
    shared = os.environ.get("SCHEDSIM_SHARED",
                            os.path.join(ROOT, "..", "shared"))
    path, first, rule = replay.TRACES[TRACE]
    rows = replay.read_rows(os.path.join(shared, "traces", path), first, 300)
    jobs = replay.make_jobs(rows, TRACE, rule, span_s=SPAN_S)
    into, home = os.path.join(place, name), tempfile.mkdtemp(prefix="slurm-")
    os.makedirs(into, exist_ok=True)
    slurm = replay.new_slurm(home, "backfill", SPEED)
    try:
        why = slurm.start()
        if why:
            raise RuntimeError(why)
        load = drive_jobs(slurm, jobs, POLICIES[name], into)
        with open(os.path.join(into, "machine.json"), "w",
                  encoding="utf-8") as out:
            json.dump({"load_average": load, "speed": SPEED}, out)
        print("recorded " + into, flush=True)
    finally:
        slurm.stop()
        shutil.rmtree(home, ignore_errors=True)


def latency(cell):
    """Seconds between two cycles of the driver, and from a decision to the
    start of the job."""
    with open(os.path.join(cell, "jobs.csv"), encoding="utf-8") as text:
        starts = {row["slurm_id"]: int(row["start_s"])
                  for row in csv.DictReader(text)}
    with open(os.path.join(cell, "decisions.jsonl"), encoding="utf-8") as lines:
        plans = [row for row in map(json.loads, lines) if "plan" in row]
    times = [row["state"]["at_unix_s"] for row in plans]
    act = [starts[action["job"]] - at for row, at in zip(plans, times)
           for action in row["actions"]]
    return ((times[-1] - times[0]) / (plans[-1]["cycle"] - plans[0]["cycle"]),
            sum(act) / len(act))


def table_row(place, name):
    cell = os.path.join(place, name)
    jobs = reference.read_outcome(cell)
    theirs = [job["start"] for job in jobs]
    cycle, act = latency(cell)
    hold = "fixed:start_s=%.0f" % (cycle / 2 + act)
    words, waits = [], []
    for more in ((), ("--overhead", hold)):
        ours = reference.simulate(
            jobs, POLICIES[name], "%dx%d" % (replay.NODES, replay.GPUS),
            options=("--estimators", "declared", *more), conventions="sound")
        off = sorted(abs(a - b) for a, b in zip(ours, theirs))
        waits.append("%.0f" % reference.mean_wait(jobs, ours))
        words.append("%d of %s" % (reference.wrong_pairs(ours, theirs)[0],
                                   "{:,}".format(reference.wrong_pairs(
                                       ours, theirs)[1])))
        words.append("%.0f, %.0f" % (off[len(off) // 2],
                                     off[len(off) * 9 // 10]))
    done = sum(job["state"] == "COMPLETED" for job in jobs)
    replayed = subprocess.run(
        [PROGRAM, "drive", "--trust", "--replay",
         os.path.join(cell, "decisions.jsonl")], capture_output=True,
        text=True, check=True).stdout
    with open(os.path.join(cell, "machine.json"), encoding="utf-8") as text:
        load = json.load(text)["load_average"]
    return "| " + " | ".join((
        name, "%d of %d" % (done, len(jobs)), words[0],
        "%.0f" % reference.mean_wait(jobs, theirs), waits[0], waits[1],
        words[1], words[3], "%.0f, %.0f" % (cycle, act),
        replayed.rsplit(": ", 1)[1].split(" ")[0], "%.0f" % load)) + " |"


def print_table(place):
    heads = ("policy", "completed", "wrong pairs", "mean wait, s: Slurm",
             "simulator", "with latency", "starts: p50, p90, s",
             "with latency: p50, p90", "cycle, act, s", "plans replayed",
             "load")
    print("| %s |" % " | ".join(heads))
    print("| --- |" + " ---: |" * (len(heads) - 1))
    for name in POLICIES:
        if os.path.exists(os.path.join(place, name, "machine.json")):
            print(table_row(place, name), flush=True)
