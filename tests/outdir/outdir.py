# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests where results are written. A run deletes only its own files. Two runs
into one place do not disturb each other. After a signal, a kill or a full
disk, the older or the new result is complete, and no other file is left."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

HEAD = "submitted_unix_s,duration_s,gpus,job_id\n"
TRACE = HEAD + "".join("%d,%d,1,j%d\n" % (i, 10 + i, i) for i in range(40))
OPTIONS = ["--format", "native", "--cluster", "2x8", "--quiet"]
LIMIT_S = 60


def heed_signals():
    """Restores the default action of signals. nohup, or a shell that starts
    this test in the background, sets some of them to be ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Place:
    """Makes a folder with a trace, which is the working directory of the runs.
    """

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="schedsim-outdir-")
        self.write("t.csv", TRACE)

    def close(self):
        shutil.rmtree(self.folder)

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        try:
            with open(self.at(name), "rb") as file:
                return file.read()
        except OSError:
            return None

    def files(self, name=""):
        """Returns the path of each file below the folder, relative to the
        folder."""
        return sorted(os.path.relpath(os.path.join(folder, one), self.folder)
                      for folder, _, ones in os.walk(self.at(name))
                      for one in ones)

    def call(self, *arguments, **more):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              timeout=LIMIT_S, **more)

    def run(self, out, *more, trace="t.csv", **rest):
        return self.call("run", trace, *OPTIONS, "--out", out, *more, **rest)

    def verifies(self, out):
        return self.call("verify", out).returncode == 0

    def start(self, out, wait_for, **more):
        """Starts a run and waits until the output directory is reserved; the
        run then waits for its trace on standard input. The run does not
        inherit ignored signals, as it would under nohup."""
        more.setdefault("preexec_fn", heed_signals)
        run = subprocess.Popen(
            [PROGRAM, "run", "-", *OPTIONS, "--out", out], cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **more)
        limit = time.monotonic() + LIMIT_S
        while (not os.path.exists(self.at(wait_for, "result", "series.csv"))
               and run.poll() is None and time.monotonic() < limit):
            time.sleep(0.01)
        return run


def finish(run, text=TRACE):
    """Returns the exit status and the text of stderr."""
    _, words = run.communicate(text, timeout=LIMIT_S)
    return run.returncode, words


def one_line(done, code, word):
    lines = done.stderr.splitlines()
    return (done.returncode == code and len(lines) == 1 and word in lines[0])


def precious(tap):
    """Checks that a run does not delete a directory only because its name
    looks temporary."""
    place = Place()
    place.run("exp.partial")
    before = place.files("exp.partial")
    done = place.run("exp", "--policy", "sjf")
    tap.result(done.returncode == 0 and place.verifies("exp")
               and place.files("exp.partial") == before
               and place.verifies("exp.partial"),
               "a complete result named X.partial survives --out X",
               "%s %s" % (done.stderr, place.files()))
    place.run("victim")
    os.symlink("victim", place.at("at.partial"))
    done = place.run("at")
    tap.result(done.returncode == 0 and place.verifies("at")
               and place.verifies("victim"),
               "a link named X.partial is not followed", done.stderr)
    for name, others in (("f2", ["keep"]), ("f3", [])):
        place.write(name + ".partial/jobs.csv", "precious")
        for other in others:
            place.write(name + ".partial/" + other, "x")
        done = place.run(name)
        tap.result(done.returncode == 0 and place.verifies(name)
                   and place.read(name + ".partial/jobs.csv") == b"precious",
                   "jobs.csv in X.partial %s survives --out X" % (
                       "beside another file" if others else "alone"),
                   done.stderr)
    place.write("file.partial", "precious")
    done = place.run("file")
    tap.result(done.returncode == 0
               and place.read("file.partial") == b"precious",
               "a file named X.partial survives", done.stderr)
    place.close()


def files(tap):
    """Tests signals and kills of commands that write one file."""
    place = Place()
    convert = ["trace", "convert", "t.csv", "c.swf", "--lossy", "--from",
               "native", "--to", "swf"]
    place.write("c.swf.partial", "precious")
    done = place.call(*convert)
    tap.result(done.returncode == 0 and place.read("c.swf")
               and place.read("c.swf.partial") == b"precious",
               "FILE.partial survives trace convert TRACE FILE", done.stderr)
    place.write("victim", "precious")
    os.symlink("victim", place.at("d.swf.partial"))
    convert[3] = "d.swf"
    done = place.call(*convert)
    tap.result(done.returncode == 0 and place.read("victim") == b"precious",
               "a link named FILE.partial is not followed", done.stderr)
    place.close()


def concurrent(tap):
    place = Place()
    first = place.start("x", "x.partial")
    second = place.run("x", "--seed", "1")
    code, words = finish(first)
    tap.result(one_line(second, 1, "another run") and code == 0
               and place.verifies("x")
               and not any("partial" in one for one in place.files()),
               "of two runs into one place the second is refused, the first "
               "succeeds", "%s / %s %s" % (second, code, words))
    runs = [subprocess.Popen(
        [PROGRAM, "run", "t.csv", *OPTIONS, "--out", "y"], cwd=place.folder,
        stderr=subprocess.PIPE, text=True) for _ in range(12)]
    ends = [(finish(run, None), run.returncode) for run in runs]
    good = [end for end in ends if end[1] == 0]
    bad = [end for end in ends if end[1] != 0 and "another run" not in
           end[0][1]]
    tap.result(good and not bad and place.verifies("y")
               and not any("partial" in one for one in os.listdir(
                   place.folder)),
               "twelve at once: each succeeds or is refused", ends)
    place.close()


def signals(tap):
    place = Place()
    place.run("old")
    before = place.read("old/manifest.json")
    for one in ("INT", "TERM", "HUP", "QUIT", "XCPU"):
        number = getattr(signal, "SIG" + one)
        for out, left in (("new/deep/x", "new/deep/x.partial"),
                          ("old", "old.partial")):
            run = place.start(out, left)
            run.send_signal(number)
            code, words = finish(run, None)
            names = sorted(os.listdir(place.folder))
            tap.result(code == -number and names == ["old", "t.csv"]
                       and words == "schedsim: stopped; %s is unchanged\n" % out
                       and place.read("old/manifest.json") == before,
                       "SIG%s leaves nothing%s" % (
                           one, " and the older result" if out == "old"
                           else ""), "%s %s %s" % (code, words, names))
    run = place.start("kept", "kept.partial", preexec_fn=lambda: signal.signal(
        signal.SIGHUP, signal.SIG_IGN))
    run.send_signal(signal.SIGHUP)
    code, words = finish(run)
    tap.result(code == 0 and place.verifies("kept"),
               "an ignored SIGHUP (nohup) stays ignored", words)
    place.close()


SLOW = """
import sys, time
import schedsim_policy


class Slow(schedsim_policy.Policy):
    def begin(self, state):
        print("begun", file=sys.stderr, flush=True)

    def decide(self, state, plan):
        time.sleep(0.05)
        for vc in state.touched:
            plan.queue(state.waiting(vc))


schedsim_policy.run(Slow())
"""


def stopped(tap):
    """Ctrl-C in a command that makes several runs: it says what is kept."""
    place = Place()
    place.write("slow.py", SLOW)
    shutil.copy(os.path.join(ROOT, "contrib", "policies", "schedsim_policy.py"),
                place.folder)
    slow = "exec:/usr/bin/python3 -s -E slow.py,show_messages=true"
    options = ["t.csv", "--format", "native", "--policy", slow]
    place.write("grid.json", json.dumps({
        "trace": ["t.csv"], "format": ["native"], "cluster": ["2x8"],
        "policy": [slow]}))
    place.write("gate.json", json.dumps({
        "schedsim_gate": 1, "policies": [slow],
        "metrics": [{"metric": "jct_s.mean", "tolerance": "1%"}],
        "settings": {"format": "native", "cluster": "2x8"},
        "traces": [{"trace": "t.csv"}]}))
    for what, words, want in (
            ("compare without --out", ["compare", "--cluster", "2x8", *options],
             "compare: stopped after 0 of 1 runs; without --out DIR nothing is kept"),
            ("compare --out, the first run", ["compare", "--cluster", "2x8",
                                              "--out", "none", *options],
             "0 of 1 runs; none is whole in none, the same command begins again"),
            ("compare --out, the second run", [
                "compare", "--cluster", "2x8", "--out", "some", "--threads", "1",
                "--policy", "fifo", *options],
             "compare: stopped after 1 of 2 runs; 1 whole in some (schedsim report "
             "some); the same command makes all again"),
            ("compare --replications", ["compare", "--cluster", "2x8",
                                        "--replications", "2", *options],
             "nothing is kept, the same command begins again"),
            ("size", ["size", "--target", "jct < 1d", "--replications", "0",
                      "--cluster", "2x8", *options],
             "nothing is kept, the same command begins again"),
            ("gate", ["gate", "gate.json", "--trust", "--update",
                      "--reason", "a test"],
             "gate: stopped after 0 of 1 runs; nothing is kept"),
            ("sweep without --out", ["sweep", "grid.json", "--trust"],
             "sweep: stopped, 0 of 1 runs are done; without --out DIR nothing"),
            ("sweep --out", ["sweep", "grid.json", "--trust", "--out", "swept"],
             "sweep: stopped, 0 of 1 runs are done; the same command carries on")):
        run = subprocess.Popen([PROGRAM, *words], cwd=place.folder, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=heed_signals)
        said = ""
        # `size` runs the trace as it is before it searches
        while said.count("begun") < (2 if what == "size" else 1):
            line = run.stderr.readline()
            said += line
            if not line:
                break
        run.send_signal(signal.SIGINT)
        said += run.communicate(timeout=LIMIT_S)[1]
        tap.result(run.returncode == -signal.SIGINT and want in said
                   and "unchanged" not in said,
                   what + " says what is kept", "%s %s" % (run.returncode, said))
    report = place.call("report", "some", "-o", "page.html")
    tap.result(place.verifies("some/fifo") and report.returncode == 0
               and sorted(os.listdir(place.at("some"))) == ["compare.json", "fifo"]
               and not os.path.exists(place.at("none", "slow")),
               "what is kept is whole, and `report` reads it", report.stderr)
    place.close()


def killed(tap):
    place = Place()
    for foreign in (False, True):
        run = place.start("k", "k.partial")
        run.kill()
        finish(run, None)
        there = os.path.isdir(place.at("k.partial"))
        if foreign:
            place.write("k.partial/result/thesis.tex", "precious")
        done = place.run("k")
        kept = place.read("k.partial/result/thesis.tex") == b"precious"
        tap.result(there and done.returncode == 0 and place.verifies("k")
                   and (kept if foreign else "k.partial"
                        not in os.listdir(place.folder)),
                   "what kill -9 left is %s" % (
                       "kept, with a file of somebody's in it" if foreign
                       else "removed by the next run"),
                   "%s %s" % (done.stderr, place.files()))
    place.close()


def parents(tap):
    place = Place()
    done = place.run("a/b/c")
    tap.result(done.returncode == 0 and place.verifies("a/b/c"),
               "--out makes the directories above", done.stderr)
    done = place.run("a/b/d/e", "--policy", "none-such")
    again = place.run("new/d/e", "--policy", "none-such")
    tap.result(done.returncode == 2 and again.returncode == 2
               and os.listdir(place.at("a", "b")) == ["c"]
               and sorted(os.listdir(place.folder)) == ["a", "t.csv"],
               "a run that fails removes those that it made", place.files())
    os.symlink("a/b", place.at("link"))
    done = place.run("link/f")
    tap.result(done.returncode == 0 and place.verifies("a/b/f"),
               "a link on the way is followed", done.stderr)
    os.symlink("nowhere", place.at("dangling"))
    tap.result(one_line(place.run("dangling"), 2, "is a link"),
               "a link to nothing is refused before the run")
    tap.result(one_line(place.run("t.csv/x"), 1, "Not a directory"),
               "so is a place below a file")
    place.close()


def meanwhile(tap):
    """Tests a file that appears in the older result while a run is under way.
    """
    place = Place()
    place.run("m")
    before = place.read("m/manifest.json")
    run = place.start("m", "m.partial")
    place.write("m/thesis.tex", "precious")
    code, words = finish(run)
    tap.result(code == 1 and "thesis.tex" in words
               and place.read("m/thesis.tex") == b"precious"
               and place.read("m/manifest.json") == before
               and sorted(os.listdir(place.folder)) == ["m", "t.csv"],
               "a file that was put there meanwhile is kept, with the rest",
               "%s %s" % (words, place.files()))
    place.close()


SHIM = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void say(const char *what, const char *path)
{
    FILE *log = fopen(getenv("SHIM_LOG"), "a");
    fprintf(log, "%s %s\n", what, path);
    fclose(log);
}
int fsync(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    say("fsync", path);
    if (getenv("SHIM_FAIL"))
        return errno = EIO, -1;
    return 0;
}
int renameat2(int a, const char *from, int b, const char *to, unsigned how)
{
    if (how & 2)
        say("exchange", to);
    if (getenv("SHIM_NO_EXCHANGE") || (how & 1 && getenv("SHIM_NO_NAMES")))
        return errno = EINVAL, -1;
    extern long syscall(long, ...);
    return (int)syscall(316, a, from, b, to, how);
}
"""


def disk(tap):
    """Replaces C functions to check the order in which data reaches the disk.
    """
    place = Place()
    place.write("shim.c", SHIM)
    made = shutil.which("cc") and os.uname().machine == "x86_64" and \
        subprocess.run(["cc", "-shared", "-fPIC", "-o", place.at("shim.so"),
                        place.at("shim.c")], check=False,
                       capture_output=True).returncode == 0
    if not made:
        tap.skip("order of writes", "no compiler for a shim")
        return place.close()
    plain = {**os.environ, "LD_PRELOAD": place.at("shim.so"),
             "SHIM_LOG": place.at("log"), "ASAN_OPTIONS":
             "verify_asan_link_order=0:detect_leaks=0"}
    place.run("d")
    done = place.run("d", env=plain)
    log = (place.read("log") or b"").decode().splitlines()
    at = log.index("exchange d") if "exchange d" in log else 0
    want = {"fsync " + place.at("d.partial", "result", *name) for name in
            (["jobs.csv"], ["series.csv"], ["summary.json"],
             ["manifest.json"], [])}
    tap.result(done.returncode == 0 and want <= set(log[:at])
               and "fsync " + place.folder in log[at:],
               "files are on the disk before they have their place",
               "\n".join([done.stderr] + log))
    before = place.read("d/manifest.json")
    done = place.run("d", "--seed", "5", env={**plain, "SHIM_FAIL": "1"})
    tap.result(one_line(done, 1, "cannot write")
               and place.read("d/manifest.json") == before
               and "d.partial" not in os.listdir(place.folder),
               "a disk that fails leaves the older result", done.stderr)
    for name, seed, what in (
            ("SHIM_NO_EXCHANGE", "6", "exchange names"),
            ("SHIM_NO_NAMES", "7", "rename without replacing")):
        done = place.run("d", "--seed", seed, env={**plain, name: "1"})
        tap.result(done.returncode == 0 and place.verifies("d")
                   and place.read("d/manifest.json") != before
                   and not any("partial" in one
                               for one in os.listdir(place.folder)),
                   "it works where the file system cannot " + what,
                   "%s %s" % (done.stderr, place.files()))
        before = place.read("d/manifest.json")
    place.close()


def main():
    tap = Tap()
    # signals must leave no core files
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for check in (precious, files, concurrent, signals, stopped, killed, parents,
                  meanwhile, disk):
        check(tap)
    sys.exit(tap.exit_status())


main()
