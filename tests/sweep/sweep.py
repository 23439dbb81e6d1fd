# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `schedsim sweep`. runs.csv, sweep.json and the journal have the same
bytes for any number of kills, threads, shards and steps. Each row has the
values that `run` computes. Wrong grids are refused with the place of the
error."""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

KILLS = 12
NATIVE = "native.csv"
GRID = {"trace": [NATIVE,
                  {"resample": NATIVE, "seeds": 2, "options": ["--set", "joint"],
                   "block_days": 0.1},
                  {"generate": "venus", "seeds": [5], "jobs": 60},
                  {"windows": NATIVE, "length": "2h", "n": 2}],
        "tuples": [{"policy": "fifo"}, {"policy": "srtf"},
                   {"policy": "lucid", "estimators": "history,profiled",
                    "name": "lucid learns"}],
        "cluster": ["16x8"], "jobs": [150], "seed": [1, 2]}
# Files of DIR whose bytes do not depend on how the sweep was made.
FILES = ["runs.csv", "sweep.json", os.path.join("journal", "done.log")]

tap = Tap()


def sweep(grid, *words, **more):
    return subprocess.run([PROGRAM, "sweep", grid, *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)


def write(path, value):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(value, out, indent=1)
    return path


def content(folder):
    found = {}
    for name in FILES:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                found[name] = file.read()
    logs = os.listdir(os.path.join(folder, "journal"))
    found["logs"] = sorted(logs)
    return found


def rows(folder):
    with open(os.path.join(folder, "runs.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def same(one, other):
    """Returns the names of the files that differ, "" if none differs."""
    a, b = content(one), content(other)
    return "".join("%s differs\n" % name for name in sorted(set(a) | set(b))
                   if a.get(name) != b.get(name))


def killed(grid, folder, random_source, seconds):
    """Kills the sweep at random times, then lets it end. Returns how often it
    was killed."""
    kills = 0
    for _ in range(KILLS):
        child = subprocess.Popen([PROGRAM, "sweep", grid, "--out", folder, "-q"],
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            child.wait(random_source.uniform(0, seconds / 3))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            kills += 1
    sweep(grid, "--out", folder, "-q")
    return kills


def tests(grid):
    begun = time.monotonic()
    done = sweep(grid, "--out", "whole", "--threads", "2")
    seconds = time.monotonic() - begun
    tap.result(done.returncode in (0, 4) and len(rows("whole")) == 36,
               "a grid of axes, tuples, replications and windows is run",
               done.stderr)
    sweep(grid, "--out", "alone", "--threads", "1", "-q")
    tap.result(not same("whole", "alone"), "1 and 2 threads: the same bytes",
               same("whole", "alone"))
    source = random.Random(20)
    kills = killed(grid, "killed", source, seconds)
    tap.result(kills > 0 and not same("whole", "killed"),
               "killed at random moments: the same bytes",
               "%d kills\n%s" % (kills, same("whole", "killed")))
    for i in (3, 1, 2):
        sweep(grid, "--out", "parts", "--shard", "%d/3" % i, "-q")
    again = sweep(grid, "--out", "parts", "--shard", "2/3")
    tap.result(", 0 of them made now" in again.stderr,
               "a shard that is done is not made again", again.stderr)
    sweep(grid, "--out", "parts", "--collect", "-q")
    tap.result(not same("whole", "parts"), "3 shards: the same bytes",
               same("whole", "parts"))


def extended(folder):
    few = dict(GRID, tuples=GRID["tuples"][:2], seed=[2])
    grid = write(os.path.join(folder, "few.json"), few)
    sweep(grid, "--out", "more", "-q")
    done = sweep("grid.json", "--out", "more")
    tap.result(not same("whole", "more") and "24 of them made now" in done.stderr,
               "an extended grid makes the new runs only",
               done.stderr + same("whole", "more"))
    with open(os.path.join("more", "journal", "done.log"), "r+b") as log:
        old = log.read()
        size = len(old)
        # in a record: without a definition, other records would be lost too
        log.seek(old.index(b"\nR", size // 2) + 3)
        log.write(b"#")
        log.truncate(size - 5)
    done = sweep("grid.json", "--out", "more")
    tap.result(not same("whole", "more") and "1 damaged line" in done.stderr
               and "2 of them made now" in done.stderr,
               "damaged lines of the journal are made again", done.stderr)


def made_otherwise():
    made = []
    for days in (0.1, 0.2, 0.1):
        grid = write("recipe.json", {
            "trace": [{"resample": NATIVE, "seeds": 1, "block_days": days}],
            "policy": ["fifo"], "cluster": ["16x8"], "jobs": [150]})
        made.append(sweep(grid, "--out", "recipe").stderr)
    tap.result(["1 of them made now" in said for said in made]
               == [True, True, False],
               "a trace that is made otherwise is another run", "\n".join(made))


def as_run():
    """Compares rows of the sweep with single runs."""
    wrong = []
    for row in rows("whole")[:6] + rows("whole")[-3:]:
        words = [PROGRAM, "run", row["trace"], "--json", "--policy",
                 row["policy"], "--cluster", row["cluster"], "--jobs", "150",
                 "--seed", row["seed"]]
        if row["estimators"]:
            words += ["--estimators", row["estimators"]]
        if row["made"]:
            continue
        alone = json.loads(subprocess.run(words, stdout=subprocess.PIPE,
                                          check=False).stdout)
        for name, value in (
                ("jct_s_mean", alone["metrics"]["jct_s"]["mean"]),
                ("makespan_s", alone["metrics"]["makespan_s"]),
                ("slowdown_p99", alone["metrics"]["slowdown"]["p99"]),
                ("unfinished", alone["unfinished"])):
            if float(row[name]) != value:
                wrong.append("%s: %s is %s, run says %r" % (
                    words, name, row[name], value))
    tap.result(not wrong, "a row says what run says", "\n".join(wrong))


def kept():
    grid = write("kept.json", dict(GRID, tuples=GRID["tuples"][2:], seed=[1]))
    sweep(grid, "--out", "kept", "--keep", "-q")
    wrong = []
    for row in rows("kept"):
        folder = os.path.join("kept", "runs", row["run"])
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            text = f.read()
        if row["jobs_sha256"] not in text:
            wrong.append("jobs_sha256 of %s" % folder)
    again = subprocess.run([PROGRAM, "verify", "--again", folder], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.result(not wrong and again.returncode == 0 and len(rows("kept")) == 6,
               "--keep writes results that verify and rerun know",
               "\n".join(wrong) + again.stdout)


def failures():
    grid = write("bad.json", {"trace": [NATIVE, "gone.csv"], "jobs": [20],
                              "policy": ["fifo", "sjf"], "cluster": ["8x8"]})
    done = sweep(grid, "--out", "bad")
    status = [row["status"] for row in rows("bad")]
    tap.result(done.returncode == 3 and status == ["0", "0", "3", "3"]
               and "gone.csv" in rows("bad")[2]["error"]
               and done.stdout.count("failed: ") == 2,
               "a run that fails is a row with its error", done.stdout)
    shutil.copy(NATIVE, "gone.csv")
    done = sweep(grid, "--out", "bad")
    tap.result(done.returncode == 0 and "2 of them made now" in done.stderr,
               "failed runs are made again", done.stderr)
    with open("gone.csv", encoding="utf-8") as file:
        lines = file.readlines()
    with open("gone.csv", "w", encoding="utf-8") as file:
        file.writelines(lines[:-1])
    done = sweep(grid, "--out", "bad")
    tap.result("gone.csv has changed" in done.stderr
               and "2 of them made now" in done.stderr,
               "runs of a trace that has changed are made again", done.stderr)
    # After a kill, the newest records are in a second log next to done.log.
    shutil.copy(NATIVE, "gone.csv")
    sweep(grid, "--out", "bad", "--shard", "1/1", "-q")
    os.rename("bad/journal/shard-1-of-1.log", "bad/journal/all.log")
    done = sweep(grid, "--out", "bad", "--dry-run")
    tap.result("4 done, 0 to do" in done.stdout,
               "records beside done.log are newer than those in it", done.stdout)
    with open("gone.csv", "w", encoding="utf-8") as file:
        file.writelines(lines[:-1])
    done = sweep(grid, "--out", "bad")
    tap.result(done.returncode == 0 and "2 of them made now" in done.stderr,
               "a trace that has changed back is run again", done.stderr)


def refusals():
    good = {"trace": [NATIVE], "policy": ["fifo"]}
    table = [
        (dict(good, polisy=["x"]), "did you mean 'policy'?"),
        ({"policy": ["fifo"]}, "no key 'trace'"),
        (dict(good, cluster=[]), "at least one value"),
        (dict(good, cluster=[["8x8"]]), "expected a text, a number or null"),
        (dict(good, seed=["one"]), "--seed"),
        (dict(good, tuples=[{"policy": "sjf"}]), "in two axes"),
        (dict(good, policy=["fifo", "fivo"]), "did you mean 'fifo'?"),
        (dict(good, trace=[{"resample": NATIVE}]), "seeds: expected"),
        (dict(good, trace=[{"resample": NATIVE, "seeds": 2, "jont": True}]),
         "did you mean '--joint'?"),
        (dict(good, trace=[{"windows": NATIVE, "length": "1y", "n": 2}]),
         "length: expected a length of time"),
        (dict(good, trace=[{"windows": NATIVE, "length": "9w", "n": 2}]),
         "is shorter than a window of 9w"),
        (dict(good, trace=["-"]), "standard input"),
        (dict(good, load=[0]), "above 0"),
        ([1], "expected an object"),
    ]
    wrong = []
    for value, words in table:
        done = sweep(write("wrong.json", value), "--out", "none")
        if (done.returncode not in (2, 3) or words not in done.stderr
                or "wrong.json" not in done.stderr
                or done.stderr.count("\n") != 1 or os.path.exists("none")):
            wrong.append("%s: %s" % (value, done.stderr))
    tap.result(not wrong, "wrong grids are refused in one line",
               "\n".join(wrong))
    os.mkdir("other")
    write(os.path.join("other", "mine.txt"), 1)
    done = sweep("grid.json", "--out", "other")
    tap.result(done.returncode == 2 and "not of a sweep" in done.stderr,
               "a directory with other files is refused", done.stderr)
    done = sweep("grid.json", "--out", "")
    tap.result(done.returncode == 2 and "the path is empty" in done.stderr,
               "an empty name of a directory is refused", done.stderr)


def twins():
    """Checks that a run which the grid has twice counts as one replication."""
    grid = write("twins.json", dict(good_grid(), seed=[1, 1, 2]))
    done = sweep(grid, "--out", "twins", "--json")
    runs = json.loads(done.stdout)["settings"][0]["runs"]
    words = subprocess.run([PROGRAM, "compare", "twins"], text=True,
                           stdout=subprocess.PIPE, check=False).stdout
    tap.result(runs == 2 and len(rows("twins")) == 3
               and "1 rows repeat the setting" in words,
               "a run that is there twice counts once", done.stdout + words)


def good_grid():
    return {"trace": [NATIVE], "policy": ["fifo"], "cluster": ["16x8"],
            "jobs": [50]}


def plan():
    done = sweep("grid.json", "--out", "nothing", "--dry-run")
    tap.result(done.returncode == 0 and "36 runs, 0 done, 36 to do"
               in done.stdout and not os.path.exists("nothing"),
               "a dry run prints the runs and writes nothing", done.stdout)
    done = sweep("grid.json", "--out", "whole", "--dry-run", "--shard", "1/2")
    tap.result("18 runs of this shard, 18 done, 0 to do" in done.stdout,
               "a dry run says what is done", done.stdout)


def interrupted(grid):
    child = subprocess.Popen([PROGRAM, "sweep", grid, "--out", "stopped"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    log = os.path.join("stopped", "journal", "all.log")
    while child.poll() is None and not (os.path.exists(log)
                                        and os.path.getsize(log)):
        time.sleep(0.002)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1]
    good = child.returncode in (0, 4) or (
        child.returncode == -signal.SIGINT
        and "runs are done; the same command carries on" in said)
    sweep(grid, "--out", "stopped", "-q")
    tap.result(good and not same("whole", "stopped"),
               "an interrupted sweep ends by the signal and carries on",
               "%d %s" % (child.returncode, said))


def main():
    folder = tempfile.mkdtemp(prefix="schedsim-sweep-")
    with open(os.path.join(ROOT, "traces", "samples", NATIVE),
              encoding="utf-8") as source:
        lines = source.readlines()[:600]
    os.chdir(folder)
    with open(NATIVE, "w", encoding="utf-8") as out:
        out.writelines(lines)
    grid = write("grid.json", GRID)
    tests(grid)
    extended(folder)
    made_otherwise()
    as_run()
    kept()
    failures()
    refusals()
    twins()
    plan()
    interrupted(grid)
    os.chdir("/")
    shutil.rmtree(folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
