# SPDX-License-Identifier: GPL-3.0-or-later
"""`drive --execute` with a Slurm that is played (fake_slurm.py): each of its
calls to the system fails once, in the driver or in its guard; it is killed at
each call that matters; its disk is full for a while or for good. Whatever
happens, the log has whole lines, which plan the same again; the book is whole;
no process is left; what was held is released as soon as the driver has begun,
and each job starts once; and a second driver does what is left."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import calls  # noqa: E402
import fake_slurm  # noqa: E402
from tap import PROGRAM, Tap  # noqa: E402

DRIVE = [PROGRAM, "drive", "--slurm", "--partition", "main", "-p", "sjf",
         "--execute", "--pause", "0.05s", "--state-dir", "state",
         "--release-after", "1s", "--answer-within", "2s"]
FILES = {"book.json", "decisions.jsonl", "guard.log", "lock"}
# Most of the time goes by while guards wait.
AT_ONCE = 12


def drive(folder, *more, **env):
    """Returns how the driver ended, after its last process has: the guard, and
    the commands that they started, hold the pipe. None: one is left."""
    ours, theirs = os.pipe()
    end = threading.Event()
    with os.fdopen(ours, "rb") as pipe:
        done = subprocess.Popen(
            [*DRIVE, *more], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", pass_fds=(theirs,),
            env=dict(os.environ, **fake_slurm.env(folder), **env))
        os.close(theirs)
        threading.Thread(target=lambda: (pipe.read(), end.set()),
                         daemon=True).start()
        try:
            out, err = done.communicate(timeout=calls.LIMIT_S)
        except subprocess.TimeoutExpired:
            done.kill()
            return None
        if not end.wait(calls.LIMIT_S):
            return None
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def read(*path):
    try:
        with open(os.path.join(*path), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def broken_files(folder, killed, torn=False):
    """Says what is wrong with the files of the driver. One that was killed may
    leave half a line, and a file that was to become the book, which stays."""
    state = os.path.join(folder, "state")
    names = set(os.listdir(state)) if os.path.isdir(state) else set()
    extra = {name for name in names - FILES
             if not (killed and name.startswith("book.json.partial"))}
    if extra:
        return "files are left: %s" % extra
    log = read(state, "decisions.jsonl")
    if torn:
        log = log[:log.rfind(b"\n") + 1]
    try:
        if read(state, "book.json"):
            json.loads(read(state, "book.json"))
        for line in log.splitlines():
            json.loads(line)
    except ValueError as error:
        return "torn: %s" % error
    if log and not log.endswith(b"\n"):
        return "the last line of the log is torn"
    return None


def wrong_with(folder, done, killed):
    """Says what is wrong after the end of a driver and its guard. `killed`: it,
    or one before it, was killed."""
    if done is None:
        return "no end"
    dead = killed and done.returncode == -9
    wrong = None if dead else calls.told(done)
    wrong = wrong or broken_files(folder, killed, torn=dead)
    started = sorted(fake_slurm.lines(folder, "started"))
    begun = read(folder, "state", "book.json") or started
    if not wrong and begun and started != list(fake_slurm.HELD):
        wrong = "jobs are left held: started are %s" % started
    if not wrong and fake_slurm.lines(folder, "twice"):
        wrong = "released twice: %s" % fake_slurm.lines(folder, "twice")
    return wrong


def wrong_again(folder, killed):
    """Says what is wrong with a second driver, and with the log of both."""
    done = drive(folder, "--cycles", "1")
    wrong = wrong_with(folder, done, killed)
    if done and done.returncode:
        wrong = done.stderr
    if not wrong and len(fake_slurm.lines(folder, "started")) != 3:
        wrong = "the second driver does not start all"
    if not wrong and b'"plan"' in read(folder, "state", "decisions.jsonl"):
        again = calls.call(folder, [PROGRAM, "drive", "--replay",
                                    "state/decisions.jsonl"])
        wrong = again.returncode and "replay: " + again.stderr
    return wrong and "again: %s" % wrong


def case(work, kind, at, **env):
    """Returns whether a call failed, and what went wrong."""
    folder = os.path.join(work, "%s-%d-%d" % (kind, at, len(env)))
    mark = folder + ".told"
    fake_slurm.make(folder)
    done = drive(folder, "--cycles", "2", LD_PRELOAD=calls.LIBRARY,
                 FAILING_AT=str(at), FAILING_KIND=kind, FAILING_TOLD=mark,
                 **env)
    if not os.path.exists(mark):
        wrong = None
    else:
        killed = "FAILING_KILLS" in env
        wrong = wrong_with(folder, done, killed)
        wrong = wrong or wrong_again(folder, killed)
    said = done and "(%d %s; guard: %s)" % (
        done.returncode, done.stderr.strip()[-300:],
        read(folder, "state", "guard.log").decode()[-300:])
    told = os.path.exists(mark)
    shutil.rmtree(folder)
    return told, wrong and "call %d: %s %s" % (at, wrong, said)


def steps(kind):
    """The numbers of the calls that fail."""
    at = 1
    while True:
        yield at
        at += 1 + (at * 3 // 2 if kind == "alloc" else at // 3)


def drawn(seed):
    """Random numbers of calls, each higher than the one before."""
    rng, at = random.Random(seed), 0
    while True:
        at += rng.randint(1, 6)
        yield at


def each(pool, work, kind, numbers, **env):
    """Lets the calls fail until one has no such number. Returns how many did,
    and what went wrong."""
    n, bad, more = 0, [], True
    numbers = iter(numbers)
    while more and not len(bad) > 4:
        batch = [at for at, _ in zip(numbers, range(AT_ONCE))]
        for told, wrong in pool.map(
                lambda at: case(work, kind, at, **env), batch):
            n += told
            more &= told
            bad += [wrong] if wrong else []
        more &= len(batch) == AT_ONCE
    return n, bad


NO_BOOK = "is not a book of drive"
BOOKS = ["", '{"drive_book":1', "7", "[]"] + [json.dumps(book) for book in (
    {"drive_book": 2, "jobs": []}, {"drive_book": 1},
    {"drive_book": 1, "jobs": {}}, {"drive_book": 1, "jobs": [7]},
    *({"drive_book": 1, "jobs": [{"id": id_}]} for id_ in (
        7, "", "1;rm", "1_", "_1", "1_2_3", "99999999999", "1_99999999999",
        33 * "1")))]
# What is of another kind than the driver writes counts as not there.
ODD_BOOKS = [{"id": "1_2"}, {"id": "21", "freed": "x", "put_back": 1.5,
                             "foreign": 1, "nice_set": "x"},
             {"id": "22", "foreign": True, "freed": 0, "put_back": 0}]


def books(tap, work):
    """A driver that finds a damaged book does nothing."""
    for i, text in enumerate([*BOOKS, json.dumps(
            {"drive_book": 1, "jobs": ODD_BOOKS, "boot": 7, "scope": 7})]):
        folder = os.path.join(work, "book-%d" % i)
        path = os.path.join(folder, "state", "book.json")
        fake_slurm.make(folder)
        os.mkdir(os.path.dirname(path), 0o700)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = drive(folder, "--cycles", "1")
        started = fake_slurm.lines(folder, "started")
        if i == len(BOOKS):
            good = done and done.returncode == 0 and started
        else:
            good = done and done.returncode == 3 and not started and \
                done.stderr.count("\n") == 1 and "book.json" in done.stderr and \
                (i < 3 or NO_BOOK in done.stderr) and read(path) == text.encode()
        tap.result(good, "drive: the book %r" % text[:60],
                   "%s %s" % (done and done.stderr, started))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        books(tap, work)
    if calls.why_not():
        tap.skip("driving", calls.why_not())
        sys.exit(tap.exit_status())
    with tempfile.TemporaryDirectory() as work, \
            ThreadPoolExecutor(AT_ONCE) as pool:
        for kind in calls.KINDS:
            n, bad = each(pool, work, kind, steps(kind))
            tap.result(not bad, "drive: %s fails, %d calls" % (kind, n),
                       "\n".join(bad))
        seed = int(sys.argv[1]) if sys.argv[1:] else random.randrange(10**6)
        n, bad = each(pool, work, "any", drawn(seed), FAILING_KILLS="1")
        tap.result(not bad, "drive: killed at %d calls, seed %d" % (n, seed),
                   "\n".join(bad))
        for calls_, what in (("3", "for a while"), ("100000", "for good")):
            n, bad = each(pool, work, "disk", steps("disk"),
                          FAILING_CALLS=calls_)
            tap.result(not bad, "drive: the disk is full %s, from each of %d "
                       "writes on" % (what, n), "\n".join(bad))
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
