# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets each call to the system fail once (failing.c), in the commands that
read or write files. A command must then end well, or say in one line why not;
each file is the old or the new one, whole; no other file is left; and the same
command does its work when it is given again."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import fake_slurm  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

LIBRARY = os.environ.get("FAILING_LIBRARY", "")
LIMIT_S = 20
KINDS = ("alloc", "open", "read", "write", "sync", "rename", "close", "fork")
TRACE = "submitted_unix_s,duration_s,gpus,job_id\n" + "".join(
    "%d,%d,1,j%d\n" % (i, 10 + i, i) for i in range(40))
RUN = ["t.csv", "--cluster", "2x8", "--quiet"]
SAVED = ["--squeue", "held.json", "--sinfo", "nodes.json"]
# keeps: files that a failure may leave because the next call goes on from them;
# shows: a command whose output must be the same as after a good one
Command = collections.namedtuple("Command", "name words keeps shows")
COMMANDS = [
    Command("run, a new result", ["run", *RUN, "--out", "new"], (), None),
    Command("run, a result again", ["run", *RUN, "-p", "sjf", "--decisions",
                                    "--out", "r"], (), None),
    Command("compare", ["compare", *RUN, "-p", "fifo", "-p", "sjf", "--threads",
                        "2", "--out", "c"], ("c",), None),
    Command("verify", ["verify", "r"], (), None),
    Command("explain", ["explain", "r", "--all"], (), None),
    Command("report", ["report", "r", "--out", "page.html"], (), None),
    Command("plot", ["plot", "r", "--out", "p.svg"], (), None),
    Command("sweep", ["sweep", "grid.json", "--quiet", "--threads", "2",
                      "--out", "s"], ("s",), ["cat", "s/runs.csv"]),
    Command("history", ["mate", "history", "import", "t.csv", "--history",
                        "h.db"], ("h.db", "h.db-journal"),
            [PROGRAM, "mate", "history", "list", "--history", "h.db"]),
    Command("watch", ["mate", "watch", "logs", "--set", "once", "--set",
                      "state-file=w.db", "--out", "w.jsonl", "--history",
                      "h.db"],
            ("w.db", "w.db-journal", "w.db-wal", "w.db-shm", "w.jsonl", "h.db",
             "h.db-journal"),
            ["grep", "-o", '"event":.*"job":"[^"]*"', "w.jsonl"]),
    Command("when", ["when", "state.json", "--draws", "4", "--save",
                     "now.json"], (), None),
    Command("when, of Slurm", ["when", "--slurm", "--draws", "4",
                               "--history-days", "0"], (), None),
    Command("drive, on paper", ["drive", *SAVED, "--partition", "main", "-p",
                                "sjf", "--decision-log", "d.jsonl"], (),
            ["sh", "-c", PROGRAM + " drive --replay d.jsonl >/dev/null && "
             "echo good"]),
]


def call(folder, words, **more):
    env = dict(os.environ, **fake_slurm.env(folder), **more)
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT_S, check=False,
                              env=env)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -99, "", "no end")


def files(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def prepare(folder, place):
    """Makes the folder, in `place`, whose path the manifests have."""
    os.makedirs(os.path.join(folder, "logs"))
    for name, text in (("t.csv", TRACE), ("logs/a.log", "".join(
            "step %d/100 loss 1.0\n" % i for i in range(20))),
                       ("grid.json", json.dumps({
                           "trace": ["t.csv"], "cluster": ["2x8"],
                           "policy": ["fifo", "sjf"]}))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    fake_slurm.make(folder)
    os.rename(folder, place)
    call(place, [PROGRAM, "run", *RUN, "--out", "r"])
    call(place, [PROGRAM, "when", *SAVED, "--draws", "1", "--save",
                 "state.json"])
    call(place, [PROGRAM, "drive", *SAVED, "--partition", "main", "-p", "fifo",
                 "--decision-log", "d.jsonl"])
    os.rename(place, folder)


def copied(template, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)


def grew(now, old):
    """True if a log has what it had, and then whole lines."""
    rest = now[len(old):]
    return now.startswith(old) and (not rest or (
        rest.endswith(b"\n") and all(map(json.loads, rest.splitlines()))))


def is_whole(folder, command, before, after):
    """Returns what is wrong with the files: a result is one file here, because
    its files belong together."""
    def parts(found):
        whole = collections.defaultdict(dict)
        for path, data in found.items():
            whole[path.split("/")[0]][path] = data
        return whole
    now, old, new = parts(files(folder)), parts(before), parts(after)
    return [name for name in sorted(set(now) | set(old))
            if name not in command.keeps
            and not (name == "d.jsonl" and grew(now[name][name],
                                                old[name][name]))
            and now.get(name) not in (old.get(name), new.get(name))]


def answer(done):
    """Returns what a command printed, but for notes, which say what it lacked."""
    return [line for line in done.stdout.splitlines()
            if not line.startswith("note: ")]


def told(done, good=None):
    """Says what is wrong with the way in which a command ended. `good`: how it
    ended without a failure, whose answer a success must have."""
    # `compare` has the reasons of runs that failed below its table
    lines = (done.stderr or done.stdout).strip().splitlines()
    if "(null)" in done.stdout + done.stderr:
        return "(null)"
    if done.returncode == 0:
        return "success with another answer: %s" % done.stdout[:1000] \
            if good and answer(done) != answer(good) else None
    if done.returncode not in (1, 2, 3):
        return "exit status %d" % done.returncode
    if not lines or lines[-1].rstrip().endswith(":"):
        return "no reason"
    return None


def shown(folder, command):
    return call(folder, command.shows).stdout if command.shows else ""


def one_kind(kind, command, template, work):
    """Returns how many calls failed, and what went wrong."""
    # always the same folder, whose path is in the manifests
    folder, mark = os.path.join(work, "now"), os.path.join(work, "told")
    copied(template, folder)
    good = call(folder, [PROGRAM, *command.words])
    if good.returncode:
        return 0, ["without a failure: %s" % good.stderr]
    before, after, want = files(template), files(folder), shown(folder, command)
    bad, n, at = [], 0, 1
    while len(bad) < 5:
        copied(template, folder)
        done = call(folder, [PROGRAM, *command.words], LD_PRELOAD=LIBRARY,
                    FAILING_AT=str(at), FAILING_KIND=kind, FAILING_TOLD=mark)
        if not os.path.exists(mark):
            break
        os.unlink(mark)
        wrong = told(done, good)
        if not wrong:
            broken = is_whole(folder, command, before, after)
            wrong = "neither old nor new: %s" % broken if broken else None
        if not wrong and command.keeps:
            again = call(folder, [PROGRAM, *command.words])
            wrong = again.returncode and "again: " + again.stderr
            if not wrong and shown(folder, command) != want:
                wrong = "again: other output"
        if wrong:
            bad.append("call %d: %s (%d %s)" % (at, wrong, done.returncode,
                                                done.stderr.strip()[:300]))
        n += 1
        at += 1 + at // (4 if kind == "alloc" else 12)
    return n, bad


def why_not():
    """Returns why no call can fail here; "": they can."""
    with open(PROGRAM, "rb") as file:
        if b"__asan_init" in file.read():
            return "the sanitizer has these calls itself"
    return "" if LIBRARY else "no library"


def main():
    tap = Tap()
    if why_not():
        tap.skip("failing calls", why_not())
        sys.exit(tap.exit_status())
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        template = os.path.join(work, "template")
        prepare(template, os.path.join(work, "now"))
        for command in COMMANDS:
            if only and command.name not in only:
                continue
            if command.name == "plot" and not shutil.which("gnuplot"):
                tap.skip("plot", "no gnuplot")
                continue
            for kind in KINDS:
                n, bad = one_kind(kind, command, template, work)
                tap.result(not bad, "%s: %s fails, %d calls" % (
                    command.name, kind, n), "\n".join(bad))
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
