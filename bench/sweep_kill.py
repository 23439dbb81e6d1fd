#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures `schedsim sweep` on 1,020 runs of real traces (17 configurations, 10
resampled replications of Philly, 6 policies): seconds, bytes of the result, and
whether a sweep that is killed 20 times at random moments, one in three shards
and one that was extended write the bytes of one that was left alone.

    sweep_kill.py [--seeds N] [--jobs N] [--kills N] [--threads N]

--seeds and --jobs make it smaller. Needs ../shared."""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import measure

POLICIES = ["fifo", "sjf", "srtf", "tiresias", "backfill", "qssf"]
CONFIGURATIONS = (
    [{"name": "load %g" % load, "load": load}
     for load in (0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5)] +
    [{"name": placer, "placer": placer}
     for placer in ("spread", "first-fit", "random")] +
    [{"name": "overhead " + overhead, "overhead": overhead}
     for overhead in ("none",)] +
    [{"name": "noisy", "estimators": "noisy:law=lognormal,oracle"},
     {"name": "learned", "estimators": "history"},
     {"name": "linked", "chains": "linked"},
     {"name": "16 nodes fewer", "what_if": "-16 nodes in 6214e9"},
     {"name": "failures", "faults": "hardware:profile=philly"}])
# Files whose bytes must not depend on how the sweep was made.
FILES = ["runs.csv", "sweep.json", os.path.join("journal", "done.log")]


def grid_of(seeds, jobs, configurations=None):
    path = measure.shared("traces", "philly", "philly_jobs.csv.gz")
    grid = {"trace": [{"resample": path, "seeds": seeds}],
            "tuples": configurations or CONFIGURATIONS, "policy": POLICIES}
    return dict(grid, jobs=jobs) if jobs else grid


def write(path, grid):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(grid, out, indent=1)
    return path


def command(grid, folder, threads):
    return [measure.SCHEDSIM, "sweep", grid, "--out", folder, "--quiet",
            "--threads", str(threads)]


def run(words):
    """Runs a command to its end. Returns the seconds that it took."""
    begun = time.monotonic()
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 4):
        raise measure.Failed("%s: %s" % (" ".join(words), done.stderr))
    return time.monotonic() - begun


def differ(one, other):
    names = []
    for name in FILES:
        with open(os.path.join(one, name), "rb") as a, \
                open(os.path.join(other, name), "rb") as b:
            if a.read() != b.read():
                names.append(name)
    return names


def size(folder):
    return sum(os.path.getsize(os.path.join(place, name))
               for place, _, names in os.walk(folder) for name in names)


def kill_often(words, kills, seconds):
    """Kills the sweep `kills` times at random moments. Returns the moments in
    seconds."""
    source, moments = random.Random(1020), []
    while len(moments) < kills:
        child = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        after = source.uniform(0.05, 1.6 * seconds / kills)
        try:
            child.wait(after)
            break # the sweep ended before the kill
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            moments.append(after)
    return moments


def say(name, good, words):
    print("%-10s %-9s %s" % (name, "the same" if good else "DIFFERS", words),
          flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    measure.need_shared()
    folder = tempfile.mkdtemp(prefix="schedsim-sweep-kill-")
    whole = os.path.join(folder, "whole")
    grid = write(os.path.join(folder, "grid.json"),
                 grid_of(args.seeds, args.jobs))
    before = os.times()
    seconds = run(command(grid, whole, args.threads))
    after = os.times()
    with open(os.path.join(whole, "sweep.json"), encoding="utf-8") as facts:
        facts = json.load(facts)
    print("%d runs, %d failed, %d incomplete: %.0f s on %d threads, %.0f s of "
          "processor time, %.2f MB" % (
              facts["runs"], facts["failed"], facts["incomplete"], seconds,
              args.threads, after.children_user - before.children_user +
              after.children_system - before.children_system,
              size(whole) / 1e6), flush=True)

    killed = os.path.join(folder, "killed")
    words = command(grid, killed, args.threads)
    moments = kill_often(words, args.kills, seconds)
    last = run(words)
    good = say("killed", not differ(whole, killed),
               "%d times, after %s s; the rest took %.0f s" % (
                   len(moments), ", ".join("%.1f" % m for m in moments), last))

    parts = os.path.join(folder, "parts")
    few = write(os.path.join(folder, "few.json"),
                grid_of(min(args.seeds, 2), args.jobs, CONFIGURATIONS[:5]))
    alone = os.path.join(folder, "few")
    run(command(few, alone, args.threads))
    for i in (3, 1, 2):
        run(command(few, parts, args.threads) + ["--shard", "%d/3" % i])
    run(command(few, parts, args.threads)[:-2] + ["--collect"])
    good &= say("3 shards", not differ(alone, parts), "")
    wide = write(os.path.join(folder, "wide.json"),
                 grid_of(min(args.seeds, 2), args.jobs, CONFIGURATIONS[:7]))
    run(command(wide, parts, args.threads))
    wider = os.path.join(folder, "wide")
    run(command(wide, wider, args.threads))
    good &= say("extended", not differ(wider, parts), "")
    shutil.rmtree(folder)
    return 0 if good else 1


if __name__ == "__main__":
    measure.main(main)
