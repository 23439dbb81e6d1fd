# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `trace guess` on logs in odd styles whose truth is known, runs the
command that it prints as it is printed (with --out), and compares every job
with the truth.

A corpus is a module with

    LOGS = [name, ...]       functions

    def name(draw):          draw: a random.Random of its own
        return files, truth

    files: {file name: text or bytes}; the first is given to `trace guess`
    truth: [(job_id, gpus, submit_unix_s, start_unix_s or None, run_s), ...]
           one row for each job that had GPUs and has run, no others

job_id is a text, as a user of that cluster would name the job; if the log has
no ids, the jobs are compared in order of submission. Times are compared from
the first submission on, because many logs name no zone; start only where the
map reads one. Each may be wrong by what a log in minutes rounds off: 61 s or
0.5 %.

Classes: right; wrong (the command fails, or a job differs); column (exit status
3, and the message names a column of the log); refused (any other refusal).

    odd_logs.py [--module PATH]... [--seed N] [--only NAME] [--keep DIR]

prints the class of each log, each miss and the score. Without --module it
takes open.py, strangers.py and strangers2.py. Exit status 1 if more than 4 %
of the printed commands are wrong or fewer than 75 % of the logs right."""
import argparse
import csv
import importlib.util
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG_MOST, RIGHT_LEAST = 0.04, 0.75


def load(path):
    spec = importlib.util.spec_from_file_location(
        os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    return module


def run(words, folder):
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True,
                          text=True, errors="replace", timeout=120,
                          check=False)


def rows_of(path):
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text not in ("", None) else None


def jobs_of(words, folder):
    """Runs the printed command. Returns its jobs as (id, gpus, submission,
    start or None, run time), and what failed."""
    done = run(words + ["--quiet", "--out", "result"], folder)
    if done.returncode != 0:
        return None, "%s ends with %d: %s" % (
            shlex.join(words), done.returncode,
            (done.stdout + done.stderr).strip()[-300:])
    # The recorded waiting time is in the converted trace only.
    form = []
    if "--format" in words:
        form = ["--format", words[words.index("--format") + 1]]
    trace = next(w for w in words if not w.startswith("-") and w != "run")
    run(["trace", "convert", trace, "converted.csv"] + form, folder)
    waits = {}
    for row in rows_of(os.path.join(folder, "converted.csv")):
        waits.setdefault(row["job_id"], number(row["queue_s"]))
    jobs = []
    for row in rows_of(os.path.join(folder, "result", "jobs.csv")):
        submit = float(row["submission_time"])
        wait = waits.get(row["job_id"])
        jobs.append((row["job_id"],
                     int(row["requested_number_of_resources"]), submit,
                     None if wait is None else submit + wait,
                     float(row["duration"])))
    return jobs, ""


def near(a, b):
    return a is None or b is None or abs(a - b) <= max(61, 0.005 * abs(b))


def differences(jobs, truth):
    """Compares jobs with the truth. Returns a line for each difference."""
    truth = sorted(truth, key=lambda t: (t[2], str(t[0])))
    zero = truth[0][2]
    truth = [(str(i), g, s - zero, None if b is None else b - zero, r)
             for i, g, s, b, r in truth]
    known = {t[0] for t in truth}
    if sum(job[0] in known for job in jobs) * 2 < len(jobs):
        order = [sorted(x, key=lambda t: (t[2], t[1], t[4]))
                 for x in (jobs, truth)]
        pairs = list(zip(*order))
        bad = ["%d jobs, not %d" % (len(jobs), len(truth))] * (
            len(jobs) != len(truth))
    else:
        own = {job[0]: job for job in jobs}
        bad = ["no job %s" % t[0] for t in truth if t[0] not in own]
        bad += ["a job %s that there was not" % i for i in own
                if i not in known]
        pairs = [(own[t[0]], t) for t in truth if t[0] in own]
    for job, t in pairs:
        names = ("GPUs", "submission", "start", "run time")
        for name, a, b in zip(names, job[1:], t[1:]):
            if (a != b if name == "GPUs" else not near(a, b)):
                bad.append("job %s: %s %s, not %s" % (t[0], name, a, b))
    return bad


def columns_of(text):
    """Returns the words that could be names of columns of a log."""
    return set(re.findall(r"[^\s,;|\"'{}:=]{2,}", text[:20000]))


def judge(log, seed, folder):
    """Returns the class of a log and what to say about it."""
    files, truth = log(random.Random("%d %s" % (seed, log.__name__)))
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    name, text = next(iter(files.items()))
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    done = run(["trace", "guess", name], folder)
    lines = [x for x in done.stdout.splitlines() if x.startswith("schedsim ")]
    if done.returncode == 0 and lines:
        jobs, why = jobs_of(shlex.split(lines[-1])[1:], folder)
        if jobs is None:
            return "wrong", why
        bad = differences(jobs, truth)
        if bad:
            return "wrong", "%d differences: %s\n%s" % (
                len(bad), "; ".join(bad[:3]), lines[-1])
        return "right", ""
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode == 3 and columns_of(text) & columns_of(last):
        return "column", last
    return "refused", "status %d: %s" % (done.returncode, last)


def score(logs, seed, keep=None):
    """Judges logs. Prints each, and returns the numbers by class."""
    counts = {"right": 0, "wrong": 0, "column": 0, "refused": 0}
    for log in logs:
        with tempfile.TemporaryDirectory() as folder:
            if keep:
                folder = os.path.join(keep, log.__name__)
                os.makedirs(folder, exist_ok=True)
            found, why = judge(log, seed, folder)
        counts[found] += 1
        print("# %-8s %-28s %s" % (found, log.__name__,
                                   why.replace("\n", "\n#   ")), flush=True)
    return counts


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--module", action="append")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--only", action="append")
    args.add_argument("--keep")
    args = args.parse_args()
    tap = Tap()
    for path in args.module or [os.path.join(HERE, name) for name in
                                ("open.py", "strangers.py", "strangers2.py")]:
        logs = [x for x in load(path).LOGS
                if not args.only or x.__name__ in args.only]
        counts = score(logs, args.seed, args.keep)
        words = "%d logs: %d right, %d wrong, %d refused with a column, %d " \
            "refused without" % (len(logs), *counts.values())
        print("# " + words)
        printed = counts["right"] + counts["wrong"]
        tap.result(counts["wrong"] <= WRONG_MOST * printed,
                   "at most %g %% of the printed commands are wrong"
                   % (100 * WRONG_MOST), words)
        tap.result(counts["right"] >= RIGHT_LEAST * len(logs),
                   "at least %g %% of the logs are read right"
                   % (100 * RIGHT_LEAST), words)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
