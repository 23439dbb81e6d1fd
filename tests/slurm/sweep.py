# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests a sweep of 1,020 runs (17 loads, 10 resampled replications of a real
trace, 6 policies) through a real slurmctld and slurmd. The jobs are arrays
below the limit of the site, one task is requeued, and a last job collects. The
result must have the bytes of a local sweep that was killed 20 times."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

LIMIT_S = 60
TASKS = 7
KILLS = 20
RUNS = 17 * 10 * 6
BYTES = 5e6
GRID = {"trace": [{"resample": os.path.join(ROOT, "traces", "samples", "itp.csv"),
                   "seeds": 10}],
        "load": [0.5 + n / 10 for n in range(17)],
        "policy": ["fifo", "sjf", "srtf", "tiresias", "backfill", "fjf"],
        "cluster": ["8x8"], "jobs": [100]}
FILES = ("runs.csv", "sweep.json", os.path.join("journal", "done.log"))


def read(*path):
    try:
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        return str(error)


def sweep(home, slurm, *words):
    return subprocess.run([PROGRAM, "sweep", "grid's.json", *words], cwd=home,
                          env=slurm.env, capture_output=True, text=True,
                          timeout=LIMIT_S, check=False)


def wait(slurm):
    """Waits until the queue is empty. Returns False after LIMIT_S seconds."""
    for _ in range(LIMIT_S * 5):
        if not slurm.run("squeue", "-h").stdout.strip():
            return True
        time.sleep(0.2)
    return False


def submit(tap, slurm, home):
    """Submits the sweep, requeues a task and waits for the end of the jobs."""
    words = ("--out", "by slurm", "--slurm", "--tasks", str(TASKS))
    done = sweep(home, slurm, *words, "--", "--time=5", "--hold")
    tap.result(done.returncode == 0 and
               "submitted %d runs as %d tasks" % (RUNS, TASKS) in done.stderr,
               "sweep --slurm submits", done.stderr)
    jobs = read(home, "by slurm", "slurm", "submitted").split()
    arrays = [slurm.run("squeue", "-h", "-o", "%K", "-j", job).stdout.strip()
              for job in jobs]
    tap.result(arrays == ["1-3", "1-3", "1", "N/A"],
               "arrays are below MaxArraySize", arrays)
    again = sweep(home, slurm, *words)
    tap.result(again.returncode == 1 and "still in the queue" in again.stderr,
               "a second submission is refused", again.stderr)
    slurm.run("scontrol", "release", ",".join(jobs))
    first = jobs[0] + "_1"
    # a task that has not begun cannot be requeued
    for _ in range(LIMIT_S * 10):
        if slurm.state_of(first) != "PENDING":
            break
        time.sleep(0.1)
    slurm.run("scontrol", "requeue", first)
    tap.result(wait(slurm), "the jobs end",
               slurm.run("squeue").stdout + slurm.run("sinfo").stdout)
    facts = slurm.run("scontrol", "show", "job", first).stdout
    tap.result("Restarts=1 " in facts and "JobState=COMPLETED" in facts,
               "a task that was requeued completes", facts)


def kill(slurm, home):
    """Begins a local sweep and kills it after a random time. Returns whether
    it was killed before it ended."""
    child = subprocess.Popen([PROGRAM, "sweep", "grid's.json", "--out", "here",
                              "--quiet"], cwd=home, env=slurm.env,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        child.wait(random.uniform(0, 0.06))
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True


def compare(tap, slurm, home):
    random.seed(20)
    kills = sum(kill(slurm, home) for _ in range(KILLS))
    done = sweep(home, slurm, "--out", "here", "--quiet")
    tap.result(done.returncode == 0 and kills >= KILLS // 2,
               "the same sweep runs here, killed again and again",
               "%d kills\n%s" % (kills, done.stderr))
    size = sum(os.path.getsize(os.path.join(place, name)) for place, _, names
               in os.walk(os.path.join(home, "here")) for name in names)
    tap.result(read(home, "here", "runs.csv").count("\n") == RUNS + 1 and
               size < BYTES, "%d rows are below %d MB" % (RUNS, BYTES / 1e6), size)
    logs = os.path.join(home, "by slurm", "slurm")
    said = "".join(read(logs, name) for name in sorted(os.listdir(logs)))
    for name in FILES:
        tap.result(read(home, "here", name) == read(home, "by slurm", name),
                   "through Slurm %s has the same bytes" % name, said)
    done = sweep(home, slurm, "--out", "by slurm", "--slurm")
    tap.result(done.returncode == 0 and "nothing is submitted" in done.stderr,
               "nothing is submitted if all runs are done", done.stderr)


def main():
    tap = Tap()
    why = one_node.why_not()
    if why:
        tap.skip("a sweep through a real Slurm", why)
        sys.exit(tap.exit_status())
    home = tempfile.mkdtemp(prefix="schedsim-slurm-")
    slurm = one_node.Slurm(os.path.join(home, "slurm"), nodes=1,
                           settings=("MaxArraySize=4",))
    with open(os.path.join(home, "grid's.json"), "w",
              encoding="utf-8") as out:
        json.dump(GRID, out)
    try:
        why = slurm.start()
        tap.result(not why, "a Slurm of one node starts", why)
        if not why:
            submit(tap, slurm, home)
            compare(tap, slurm, home)
    finally:
        slurm.stop()
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(tap.exit_status())


main()
