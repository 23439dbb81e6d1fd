# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a real slurmctld with `schedsim drive --slurm`.

  drive.py record DIR POLICY ...   drives 300 jobs under each policy, one after
                                   another, at SPEED times our time: about 8
                                   minutes each

`record` reads ../shared. The simulator gets the submissions and the run times
that Slurm recorded, so only what decides and when it acts can differ."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
import replay  # noqa: E402
from tap import PROGRAM, ROOT  # noqa: E402

SPEED = 40
SPAN_S = 3 * 3600
TRACE = "itp03"
MARK = "schedsim"
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?",
                        choices=("record",))
    parser.add_argument("words", nargs="*", metavar="WORD")
    args = parser.parse_args()
    if args.what == "record":
        for name in args.words[1:] or POLICIES:
            record_policy(args.words[0], name)


if __name__ == "__main__":
    main()
