# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates a day of 1,000 jobs in a minute. A driver writes their logs, the
program is killed at 20 calls that make data durable, and each change must be
reported exactly once. `day.py JOBS HOURS` runs a longer day."""
import collections
import os
import random
import shutil
import sys
import tempfile
import time

from rig import (BEGIN, FAILURES, Watch, bar, children, lines_of, plain, write)
from tap import Tap

TICK = 60
END = 3  # minutes from the last line of a job to its end


class Job:
    """A job: what it writes in each minute of its life, and which events the
    program must report."""

    def __init__(self, number, draw, folder, hours):
        self.id = "job%04d" % number
        self.path = os.path.join(folder, "team%d" % (number % 7),
                                 self.id + ".log")
        self.scheduled = number % 2 == 0
        self.length = draw.randint(60, 110)
        self.begin = draw.randint(1, int(hours * 60) - self.length - 60)
        self.line = draw.choice([plain, plain, bar])
        self.seconds = draw.choice([0.2, 0.9, 3.1, 14.0])
        self.failure = draw.choice([None, None, "memory", "gpu", "key"])
        self.trouble = draw.choice(["", "", "stall", "slow", "rotate",
                                    "truncate"])
        self.at = self.length // 3
        self.step = 0

    def name(self, folder):
        return self.id if self.scheduled else os.path.relpath(self.path, folder)

    def expected(self):
        out = collections.Counter(seen=1, progress=1, ended=1)
        if self.trouble == "stall":
            out.update(stalled=1, recovered=1)
        out["progress"] += self.trouble == "slow"
        out["log rotated"] += self.trouble == "rotate"
        out["log truncated"] += self.trouble == "truncate"
        out["log deleted"] += not self.scheduled
        out["failed " + FAILURES[self.failure][1] if self.failure
            else "failed"] += self.failure is not None
        return +out

    def minute(self, age, at, jobs):
        """Writes the output of the job in this minute of its life."""
        if age == 0 and self.scheduled:
            jobs.write('{"job":"%s","user":"u%d","log":"%s","node":"n1",'
                       '"state":"RUNNING"}\n'
                       % (self.id, len(self.id) % 5, self.path))
        if self.trouble == "stall" and self.at <= age < self.at + 16:
            return
        if age < self.length:
            self.work(age, at)
        elif age == self.length and self.failure:
            write(self.path, ("\n" if self.line is bar else "")
                  + FAILURES[self.failure][0], at)
        elif age == self.length + END:
            self.end(jobs)

    def work(self, age, at):
        slow = 4 if self.trouble == "slow" and age >= self.at else 1
        if age == self.at and self.trouble == "rotate":
            os.rename(self.path, self.path + ".1")
        mode = "w" if age == self.at and self.trouble == "truncate" else "a"
        text = "begin\n" if age == 0 or mode == "w" else ""
        for _ in range(2):
            self.step += max(1, int(TICK / 2 / self.seconds / slow))
            text += self.line(self.step, 100000, self.seconds * slow)
        write(self.path, text, at, mode)

    def end(self, jobs):
        if self.scheduled:
            jobs.write('{"job":"%s","state":"%s","exit_code":"%s"}\n' % (
                (self.id, "FAILED", "1:0") if self.failure
                else (self.id, "COMPLETED", "0:0")))
        else:
            os.unlink(self.path)


def quick_place():
    """Returns a folder in memory if there is enough room, otherwise None. The
    data of a killed program needs no disk, and a busy disk would take most of
    the time."""
    try:
        about = os.statvfs("/dev/shm")
    except OSError:
        return None
    free = about.f_bavail * about.f_frsize
    return "/dev/shm" if free > 1 << 29 and os.access("/dev/shm",
                                                      os.W_OK) else None


class Day:
    def __init__(self, n_jobs, hours, kills, seed=4):
        self.folder = tempfile.mkdtemp(dir=quick_place())
        self.logs = os.path.join(self.folder, "logs")
        for i in range(7):
            os.makedirs(os.path.join(self.logs, "team%d" % i))
        self.draw = random.Random(seed)
        self.jobs = [Job(i, self.draw, self.logs, hours)
                     for i in range(n_jobs)]
        self.minutes = int(hours * 60)
        self.kills, self.killed = kills, 0
        self.output = os.path.join(self.folder, "out.jsonl")
        self.book = os.path.join(self.folder, "jobs.jsonl")
        self.latency = []
        self.watch = None

    def start(self):
        kill_at = 0
        if self.killed < self.kills:
            kill_at = self.draw.randint(40, self.minutes // 3)
        self.watch = Watch(
            self.logs, "--job-list", self.book, "--state-file",
            os.path.join(self.folder, "state.db"), "--out", self.output,
            "--set", "forget_s=604800", "--quiet", kill_at=kill_at)

    def look(self, at):
        begin = time.monotonic()
        while not self.watch.look(at):
            status = self.watch.end()
            if status != -9 or self.killed >= self.kills:
                raise RuntimeError("ended with %s: %s" % (status,
                                                          self.watch.said))
            self.killed += 1
            self.start()
        self.latency.append(time.monotonic() - begin)

    def live(self):
        by_minute = collections.defaultdict(list)
        for job in self.jobs:
            for age in range(job.length + END + 1):
                by_minute[job.begin + age].append((job, age))
        with open(self.book, "a", encoding="utf-8", buffering=1) as book:
            self.start()
            for minute in range(self.minutes):
                at = BEGIN + TICK * minute
                for job, age in by_minute[minute]:
                    job.minute(age, at, book)
                self.look(at)
        if self.watch.end() != 0:
            raise RuntimeError(self.watch.said)

    def check(self, tap):
        rows = lines_of(self.output)
        tap.result([r["seq"] for r in rows] == list(range(1, len(rows) + 1)),
                   "the lines are numbered without gaps",
                   [r["seq"] for r in rows][:50])
        got = collections.defaultdict(collections.Counter)
        for r in rows:
            word = r["event"]
            word += " " + r["error_type"] if word == "failed" else ""
            word += " " + r["change"] if word == "log" else ""
            got[r["job"]][word] += 1
        wrong = ["%s (%s, %s): %s, expected %s" % (
            name, job.trouble, job.failure, dict(got[name]),
            dict(job.expected()))
                 for job in self.jobs for name in [job.name(self.logs)]
                 if got[name] != job.expected()]
        tap.result(not wrong, "each change of %d jobs was told exactly once"
                   % len(self.jobs), "\n".join(wrong[:20]))
        names = {job.name(self.logs) for job in self.jobs}
        tap.result(set(got) == names, "no other job was told",
                   sorted(set(got) - names)[:10])
        return len(rows)


def run(tap, n_jobs, hours, kills):
    day = Day(n_jobs, hours, kills)
    before, begin = children()[0], time.monotonic()
    try:
        day.live()
        tap.result(day.killed == kills, "killed at %d points" % kills,
                   day.killed)
        n = day.check(tap)
        cpu, memory = children()
        delays = sorted(day.latency)
        print("# %d jobs, %g hours, %d kills: %d lines; %.1f s of wall clock; "
              "program: %.1f s of CPU, %.0f MiB at most; a look takes %.1f ms "
              "(median), %.1f ms (99th of 100), %.0f ms (longest)" % (
                  n_jobs, hours, day.killed, n, time.monotonic() - begin,
                  cpu - before, memory, 1000 * delays[len(delays) // 2],
                  1000 * delays[len(delays) * 99 // 100], 1000 * delays[-1]))
    finally:
        shutil.rmtree(day.folder)


if __name__ == "__main__":
    TAP = Tap()
    run(TAP, int(sys.argv[1]), float(sys.argv[2]), 20)
    sys.exit(TAP.exit_status())
