# SPDX-License-Identifier: GPL-3.0-or-later
"""A driver beside a real Slurm of two nodes, in our time, and what must hold
after whatever happened to it: each job that it may touch has completed and was
started once, none is held any more, jobs of another partition, of an operator's
hold and without the mark are as they were, and the log replays to the same
plans."""
import os
import re
import shutil
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                             "support")]
import one_node  # noqa: E402
from tap import PROGRAM  # noqa: E402

MARK = "schedsim"

# A command of Slurm that fails in the way that the file `fault` says, once, and
# then is the real one. Its parent is the driver.
COMMAND = """#!/bin/sh
fault=$(cat {home}/fault 2>/dev/null)
case "$fault:$1" in
kill-before:release) rm {home}/fault; kill -9 $PPID; exit 1;;
kill-after:release) rm {home}/fault; {real} "$@"; kill -9 $PPID; exit 0;;
race:release|late:requeuehold) mv {home}/fault {home}/raced; sh {home}/race;;
hang:*) sleep 30;;
esac
exec {real} "$@"
"""


class Site:
    """A Slurm of two nodes with the partitions main and other, and a folder of
    commands that can fail."""

    def __init__(self, home, kind=one_node.Slurm):
        self.home = home
        self.slurm = kind(
            os.path.join(home, "slurm"),
            settings=("PartitionName=other Nodes=ALL MaxTime=60 State=UP",
                      "MinJobAge=600"))
        self.bin = os.path.join(home, "bin")
        os.makedirs(self.bin)
        for name in ("scontrol", "squeue"):
            path = os.path.join(self.bin, name)
            with open(path, "w", encoding="utf-8") as out:
                out.write(COMMAND.format(home=home, real=shutil.which(name)))
            os.chmod(path, 0o755)
        self.n = 0

    def fault(self, word, race=""):
        """From now on a command fails; `race`: lines of a shell."""
        with open(os.path.join(self.home, "race"), "w",
                  encoding="utf-8") as out:
            out.write("exec >/dev/null 2>&1\n" + race)
        with open(os.path.join(self.home, "fault"), "w",
                  encoding="utf-8") as out:
            out.write(word)

    def mend(self):
        for name in ("fault", "raced"):
            if os.path.exists(os.path.join(self.home, name)):
                os.unlink(os.path.join(self.home, name))

    def wait_for(self, true, limit_s=20):
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if true():
                return True
            time.sleep(0.05)
        return False


class Case:
    """The jobs of one fault, and the driver."""

    def __init__(self, site, policy="fifo", *options):
        self.site, self.slurm = site, site.slurm
        site.n += 1
        site.mend()
        self.dir = os.path.join(site.home, "case%d" % site.n)
        os.makedirs(self.dir)
        self.state = os.path.join(self.dir, "state")
        self.started = os.path.join(self.dir, "started")
        self.words = ["drive", "--slurm", "--partition", "main", "-p", policy,
                      "--execute", "--pause", "0.2s", "--state-dir",
                      self.state, *options]
        self.env = dict(self.slurm.env,
                        PATH=site.bin + ":" + os.environ["PATH"])
        self.driver, self.jobs, self.foreign = None, [], []

    def submit(self, gpus=8, took=1.0, *options, mark=MARK, held=True):
        script = "#!/bin/sh\necho $SLURM_JOB_ID >>%s\nexec sleep %g\n" % (
            self.started, took)
        options = ["--gres=gpu:%d" % gpus, "-o", "/dev/null", "--requeue",
                   *(["--comment=" + mark] if mark else []),
                   *(["--hold"] if held else []), *options]
        return self.slurm.submit(script, *options)

    def job(self, gpus=8, took=1.0, *options, **more):
        """A job that the driver may touch."""
        self.jobs.append(self.submit(gpus, took, *options, **more))
        return self.jobs[-1]

    def strangers(self):
        """Jobs that it may not touch: of another partition, held by an
        operator, without the mark."""
        other = self.submit(8, 1, "-p", "other")
        operator = self.submit()
        self.slurm.run("scontrol", "hold", operator)
        owner = self.submit(8, 1, mark=None)
        self.foreign = [(job, self.shown(job))
                        for job in (other, operator, owner)]

    def shown(self, job):
        text = self.slurm.run("scontrol", "-o", "show", "job", job).stdout
        return re.sub(r"LastSchedEval=\S+|Scheduler=\S+", "", text)

    def drive(self, *more, **how):
        words = [PROGRAM, *self.words, *more]
        for option, usual in (("--release-after", "2s"),
                              ("--answer-within", "5s")):
            words += [] if option in words else [option, usual]
        with open(os.path.join(self.dir, "said"), "a",
                  encoding="utf-8") as said:
            self.driver = subprocess.Popen(words, env=self.env, stdout=said,
                                           stderr=said, **how)
        return self.driver

    def said(self, name="said"):
        path = os.path.join(self.dir, name)
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as text:
            return text.read()

    def guard_said(self):
        return self.said(os.path.join("state", "guard.log"))

    def states(self, jobs=None):
        return [self.slurm.state_of(job) for job in jobs or self.jobs]

    def n_started(self):
        return len(self.said("started").split())

    def wait_started(self, n):
        return self.site.wait_for(lambda: self.n_started() >= n)

    def wait_done(self, limit_s=30):
        return self.site.wait_for(
            lambda: set(self.states()) <= {"COMPLETED", "CANCELLED"}, limit_s)

    def end(self):
        """Ends the driver as an administrator does."""
        if self.driver.poll() is None:
            self.driver.terminate()
        return self.driver.wait(timeout=30)

    def replayed(self):
        log = os.path.join(self.state, "decisions.jsonl")
        return subprocess.run([PROGRAM, "drive", "--replay", log, "--trust"],
                              capture_output=True, text=True, check=False)

    def check(self, tap, what, extra=True, twice=(), cancelled=()):
        """Checks what must hold after every fault. `extra`: what this fault
        must show; `twice`: jobs that the policy stopped."""
        done = self.wait_done()
        starts = self.said("started").split()
        expected = sorted([j for j in self.jobs if j not in cancelled] +
                          list(twice))
        changed = [job for job, was in self.foreign if self.shown(job) != was]
        replayed = self.replayed()
        facts = {"done": done, "once": sorted(starts) == expected,
                 "untouched": not changed, "replay": replayed.returncode == 0,
                 "extra": bool(extra)}
        tap.result(all(facts.values()), what, "%s\n%s %s\n%s%s%s%s" % (
            facts, starts, expected, self.states(), self.said()[-1500:],
            self.guard_said()[-500:], replayed.stderr))
        self.slurm.run("scancel", *self.jobs, *(job for job, _ in self.foreign))
        self.site.mend()


def begun(site, *options, policy="fifo", n=4, took=1.0):
    case = Case(site, policy, *options)
    for _ in range(n):
        case.job(8, took)
    case.strangers()
    return case
