# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `watch` as a program: logs that grow, rotate and vanish, jobs of other
schedulers, Slurm's commands, GPU figures, Prometheus, systemd, and a day of
1,000 jobs with 20 kills (day.py)."""
import glob
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "logs"))
import day  # noqa: E402
from rig import (BEGIN, ENV, FAILURES, KILLER, LIMIT_S, Watch, lines_of,  # noqa: E402
                 plain, write)
from server import Server  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402


class Place:
    """A directory with logs, a state file and an output file."""

    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.logs = self.file("logs")
        os.mkdir(self.logs)
        self.now = BEGIN
        self.watch = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.watch and self.watch.process.poll() is None:
            self.watch.kill()
        shutil.rmtree(self.dir)

    def file(self, name):
        return os.path.join(self.dir, name)

    def log(self, name):
        return os.path.join(self.logs, name)

    def start(self, *args, dirs=True, env=None):
        self.watch = Watch(*([self.logs] if dirs else []), *args, "--state-file",
                           self.file("state.db"), "--out",
                           self.file("out.jsonl"), env=env)
        return self.watch

    def look(self, seconds=0):
        self.now += seconds
        return self.watch.look(self.now)

    def train(self, name, minutes, step=0, seconds=0.5, look=True):
        for i in range(minutes):
            write(self.log(name), "".join(
                plain(step + 120 * i + k * 30, 90000, seconds)
                for k in range(4)), self.now)
            if look:
                self.look()
            self.now += 60
        return step + 120 * minutes

    def told(self, *keys):
        keys = keys or ("event",)
        return [tuple(row.get(k) for k in keys) if len(keys) > 1
                else row.get(keys[0]) for row in lines_of(self.file("out.jsonl"))]


def run(*args, **kwargs):
    return subprocess.run([PROGRAM, "mate", "watch", *args], capture_output=True,
                          text=True, errors="replace", timeout=LIMIT_S,
                          check=False, env=kwargs.pop("env", ENV), **kwargs)


def a_life(tap, notify):
    with Place() as p:
        p.start("--notify", notify)
        step = p.train("a.log", 8)
        p.now += 600
        p.look()
        step = p.train("a.log", 3, step)
        step = p.train("a.log", 30, step, 2.0)
        write(p.log("a.log"), FAILURES["key"][0], p.now)
        p.look()
        p.look(61)
        p.look(86400)
        p.watch.end()
        tap.result(p.told() == ["seen", "progress", "stalled", "recovered",
                                "progress", "failed", "ended"],
                   "a life, by " + notify, p.told("event", "change"))
        rows = lines_of(p.file("out.jsonl"))
        speeds = [r["seconds_per_step"] for r in rows
                  if r["event"] == "progress"]
        tap.result(speeds == [0.5, 2.0], "step times, by " + notify, speeds)
        tap.result(("polling" if notify == "poll" else "inotify")
                   in p.watch.said, "it says how it notices changes",
                   p.watch.said)


def changed_logs(tap):
    with Place() as p:
        p.start("--pattern", "*.log,*.out")
        for name in ("a.log", "b.log", "c.log", "d.log"):
            p.train(name, 2, look=False)
            p.now -= 120
        with gzip.open(p.log("e.log"), "wb") as file:
            file.write(b"step 1\n")
        write(p.log("f.log"), "x", p.now)
        with open(p.log("g.log"), "wb") as file:
            file.write("step 1 loss 2\n".encode("utf-16"))
        with gzip.open(p.log("old.log.gz"), "wb") as file:
            file.write(b"step 1\n")
        os.mkfifo(p.log("pipe.log"))
        os.symlink("a.log", p.log("latest.log"))
        os.mkdir(p.log("sub"))
        for name in ("e.log", "f.log", "g.log"):
            os.utime(p.log(name), (p.now, p.now))
        p.look()
        os.rename(p.log("a.log"), p.log("renamed.log"))
        write(p.log("b.log"), plain(9000, 90000, 0.5), p.now)
        os.rename(p.log("b.log"), p.log("b.log.1"))
        write(p.log("b.log"), plain(9100, 90000, 0.5), p.now)
        os.unlink(p.log("c.log"))
        write(p.log("d.log"), "again\n", p.now, "w")
        write(p.log("sub/z.out"), "deep\n", p.now)
        p.look(5)
        p.look(60)
        p.watch.end()
        logs = [r for r in p.told("event", "log", "change") if r[0] == "log"]
        want = {("log", p.log(n), c) for n, c in (
            ("a.log", "renamed"), ("b.log", "rotated"), ("c.log", "deleted"),
            ("d.log", "truncated"), ("e.log", "ignored"),
            ("g.log", "ignored"))}
        tap.result(set(logs) == want and len(logs) == len(want),
                   "renamed, rotated, deleted, truncated, ignored", logs)
        seen = sorted(r[1] for r in p.told("event", "job") if r[0] == "seen")
        tap.result(seen == ["a.log", "b.log", "c.log", "d.log", "e.log",
                            "f.log", "g.log", "sub/z.out"],
                   "pipes and links are no logs; folders are read", seen)
        tap.result("compressed" in p.watch.said and "links" in p.watch.said,
                   "what is left out is said", p.watch.said)
        lines = sqlite3.connect(p.file("state.db")).execute(
            "SELECT lines FROM file WHERE path = ?",
            (p.log("b.log"),)).fetchone()
        tap.result(lines == (10,), "a rotated log is read to its end", lines)


def renamed_and_restarted(tap):
    """Checks that a renamed log is still one log after a restart."""
    with Place() as p:
        p.start()
        p.train("a.log", 2)
        os.rename(p.log("a.log"), p.log("b.log"))
        p.look(5)
        p.watch.end()
        p.start()
        p.look(5)
        p.watch.end()
        logs = [r for r in p.told("event", "job", "change")
                if r[0] != "progress"]
        paths = sqlite3.connect(p.file("state.db")).execute(
            "SELECT path FROM file").fetchall()
        tap.result(logs == [("seen", "a.log", None), ("log", "a.log", "renamed")]
                   and paths == [(p.log("b.log"),)],
                   "a renamed log is one log after a restart", (logs, paths))


def made_again(tap, notify):
    """Checks that a directory is read that was deleted and made again."""
    with Place() as p:
        def seen():
            return sorted(r[1] for r in p.told("event", "job")
                          if r[0] == "seen")

        def make(name, gone=0):
            shutil.rmtree(p.logs)
            for _ in range(gone):
                p.look(5)
            os.makedirs(p.log("sub"))
            for at in (name, "sub/" + name):
                write(p.log(at), at + "\n", p.now)
            p.look(5)
        os.mkdir(p.log("sub"))
        write(p.log("sub/a.log"), "step 1\n", p.now)
        p.start("--notify", notify)
        p.look()
        make("b.log", gone=3)
        make("c.log", gone=1)
        tap.result(seen() == ["b.log", "c.log", "sub/a.log", "sub/b.log",
                              "sub/c.log"],
                   "a directory that comes back is read, by " + notify, seen())
        make("d.log")
        write(p.log("e.log"), "step 1\n", p.now)
        p.look(5)
        tap.result({"d.log", "sub/d.log", "e.log"} <= set(seen()),
                   "so is one that was replaced between two looks, by "
                   + notify, seen())
        p.watch.end()


def hostile(tap):
    with Place() as p:
        p.start()
        name = 'x\x1b[2J"\\\n\udcff.log'
        write(os.path.join(p.logs, name), "a" * 300000 + "\n" + "\0" * 9000
              + "\nstep 1 loss 2\n", p.now)
        with open(p.log("b.log"), "wb") as file:
            file.write(os.urandom(400000))
        os.utime(p.log("b.log"), (p.now, p.now))
        good = all(p.look(5) for _ in range(4))
        tap.result(good and p.watch.end() == 0, "hostile names and bytes",
                   p.watch.said)
        tap.result(len(p.told()) >= 2, "the lines are valid JSON", p.told())


# Lines about jobs of which some or all is left out, and what is said of them.
BAD_JOBS = ["", "[]", '{"job":""}', '{"job":1.5}',
            '{"job":"14","log":5,"logs":["","later.log"]}',
            '{"job":"14","started":"soon","ended":[],"state":7.5,"gpus":5}',
            '{"job":"14","started":"2023-11-14T22:13:20Z",'
            '"gpus":["GPU-1",2,null,[]]}']
BAD_JOBS_SAID = ["line 5: expected a JSON object",
                 "line 6: 'job' is missing: expected the name of the job",
                 "line 7: 'job' is missing: expected the name of the job",
                 "line 8: expected the path of a log",
                 "line 8: expected an absolute path, because the log does not "
                 "exist yet",
                 "line 9: 'started' has no usable value",
                 "line 9: 'ended' has no usable value",
                 "line 9: 'state' has no usable value"]


def jobs_on_standard_input(tap):
    """A scheduler writes lines about its jobs to the program; the last line has
    no end."""
    with Place() as p:
        process = subprocess.Popen(
            [PROGRAM, "mate", "watch", "--job-list", "-", "--out",
             p.file("out.jsonl"), "--every", "1", "--set",
             "state-file=" + p.file("state.db")], env=ENV, stdin=subprocess.PIPE,
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(
            b'{"job":"1","state":"RUNNING"}\nno json\n{"job":"2",')
        process.stdin.flush()
        time.sleep(0.1)
        process.stdin.write(
            b'"state":"RUNNING"}\n{"job":"1","state":"COMPLETED"}')
        process.stdin.close()
        process.stdin = None
        for _ in range(200):
            if os.path.exists(p.file("out.jsonl")) and len(p.told()) >= 3:
                break
            time.sleep(0.05)
        process.terminate()
        _, said = process.communicate(timeout=LIMIT_S)
        got = sorted(p.told("event", "job"))
        tap.result(process.returncode == 0 and got == [
            ("ended", "1"), ("seen", "1"), ("seen", "2")]
                   and b"standard input: line 2: " in said,
                   "lines about jobs on standard input", (got, said))


def refused(tap):
    """Options that cannot be followed end the program with one line."""
    with Place() as p:
        long = "x" * 120
        for words, status, message in (
                (["--job-list", p.file("none")], 3, "none: No such file"),
                (["--job-list", "-", "--metrics", "unix:"], 2,
                 "--metrics unix:: the path has 1 to 107 bytes"),
                (["--job-list", "-", "--metrics", "unix:" + long], 2,
                 "the path has 1 to 107 bytes"),
                (["--job-list", "-", "--metrics", "unix:/none/a"], 1,
                 "/none/a: "),
                (["--job-list", "-", "--metrics", "127.0.0.1"], 2,
                 "such as 127.0.0.1:9105"),
                (["--job-list", "-", "--metrics", ":9105"], 2, "such as"),
                (["--job-list", "-", "--metrics", "127.0.0.1:0"], 2, "such as"),
                (["--job-list", "-", "--metrics", "127.0.0.1:x"], 2, "such as"),
                (["--job-list", "-", "--metrics", "1.2.3:9105"], 2, "such as"),
                (["--job-list", "-", "--metrics", "[::x]:9105"], 2, "such as"),
                (["--job-list", "-", "--metrics", "1:%s:5" % long], 2,
                 "such as"),
                (["--job-list", "-", "--metrics", "127.0.0.1:65536"], 2,
                 "such as"),
                (["--job-list", "-", "--metrics", "0.0.0.0:9105"], 2,
                 "is not a loopback address"),
                ([p.file("none")], 3, "none: No such file"),
                ([p.file("text")], 3, "text: is not a directory")):
            write(p.file("text"), "x\n", p.now)
            done = run(*words, "--out", p.file("out"), "--set",
                       "state-file=" + p.file("state.db"), "--set", "once",
                       input="")
            tap.result(done.returncode == status and message in done.stderr
                       and done.stderr.count("\n") == 1, " ".join(words)[:60],
                       (done.returncode, done.stderr))


def other_schedulers(tap):
    with Place() as p:
        with open(p.file("jobs"), "w", encoding="utf-8") as jobs:
            print(json.dumps({
                "job": 12, "user": "anna", "node": "n1", "gpus": [0, 1],
                "log": p.log("a.log"), "workdir": p.dir,
                "command": "python train.py --lr 0.125", "submitted": BEGIN - 60,
                "started": BEGIN, "state": "running"}), file=jobs)
            print("no json", file=jobs)
            print('{"user":"nobody"}', file=jobs)
            for line in BAD_JOBS:
                print(line, file=jobs)
            print('{"job":"13","logs":["%s"],"strange":1}' % p.log("later.log"),
                  file=jobs)
        with open(p.file("clues.json"), "w", encoding="utf-8") as clues:
            json.dump({"format": 1, "frameworks": {
                "rows": [["argparse", "Frobnix", False]]}}, clues)
        write(p.file("train.py"), "import torch\nimport argparse\n"
              "a = argparse.ArgumentParser()\na.add_argument('--lr')\n", p.now)
        gpus = p.file("gpus")
        os.mkdir(gpus)
        p.train("a.log", 2, look=False)
        p.start("--job-list", p.file("jobs"), "--gpu-metrics", gpus, "--history",
                p.file("history.db"), "--describe", "--clues",
                p.file("clues.json"), "--set", "gpu_s=1")
        gpu_files(gpus)
        p.train("a.log", 8)
        write(p.log("later.log"), "step 1\n", p.now)
        p.look(60)
        with open(p.file("jobs"), "a", encoding="utf-8") as jobs:
            print('{"job":"12","state":"FAILED","exit_code":1,"ended":%d}'
                  % (BEGIN + 3600), file=jobs)
            print('{"job":"13","state":"COMPLETED","exit_code":"0:0"}',
                  file=jobs)
        write(p.log("a.log"), FAILURES["memory"][0], p.now)
        p.look(60)
        p.look(60)
        p.look(60)
        p.watch.end()
        got = p.told("event", "job", "state", "exit_code", "error_type")
        tap.result([r for r in got if r[1] == "12"] == [
            ("seen", "12", None, None, None),
            ("progress", "12", None, None, None),
            ("failed", "12", "FAILED", "1", "framework"),
            ("ended", "12", "FAILED", "1", None)], "a job of --job-list", got)
        tap.result([r for r in got if r[1] == "13"] == [
            ("seen", "13", None, None, None),
            ("ended", "13", "COMPLETED", "0:0", None)],
                   "a job whose log comes later", got)
        said = p.watch.said
        tap.result("line 2" in said and "line 3" in said and "strange" in said
                   and all(words in said for words in BAD_JOBS_SAID),
                   "bad lines about jobs are said", said)
        ended = [r for r in lines_of(p.file("out.jsonl"))
                 if r["event"] == "ended" and r["job"] == "12"][0]
        # dcgm-exporter reports 80 and 60, dcgmi 90, nvidia-smi 70 and dmon 50
        tap.result((ended["gpu_util"], ended["gpu_util_max"],
                    ended["mem_mib"], ended["mem_mib_max"])
                   == (70, 90, 2000, 4000), "figures of GPUs", ended)
        tap.result("out of range" in said, "impossible figures are said", said)
        history(tap, p)


XID = ("Mar  1 04:05:50 gpu-4 kernel: [99.1] NVRM: Xid (PCI:0000:03:00): 79, "
       "pid=1, GPU has fallen off the bus.\n")
MEMORY = ("Mar  1 04:06:00 gpu-5 kernel: [99.1] EDAC MC0: 1 UE memory read error "
          "on CPU0\n")
KERNEL_AT = 1_772_337_600  # 2026-03-01 04:00:00
# name, nodes of the job, its start (None: not known), whether the kernel logs
# are those of a directory, the expected reason and evidence
KERNEL = [
    ("the node's own log", "gpu-4", KERNEL_AT, True, "Xid 79: off the bus",
     "kernel"),
    ("the log of another node", "gpu-5", KERNEL_AT, True, "memory error",
     "kernel"),
    ("a node without a log", "gpu-6", KERNEL_AT, True, "key error", "log"),
    ("one log of all nodes", "gpu-[5-6]", KERNEL_AT, False, "memory error",
     "kernel"),
    ("a fault before the job", "gpu-4", KERNEL_AT + 600, False, "key error",
     "log"),
    ("a job of unknown begin", "gpu-4", None, False, "key error", "log"),
]
AGREED = ("error_type", "faulty_component", "reason", "host", "host_basis", "action",
          "source", "evidence", "cause_line", "also")


def diagnosed(p, row, path):
    """Returns what `diagnose` says of the job of a row of KERNEL."""
    _, nodes, started, folder, _, _ = row
    node = nodes.replace("[5-6]", "5")
    args = ["--state", "FAILED", "--exit-code", "1", "--node", node]
    if folder:
        path = os.path.join(path, node + ".log")
    if os.path.exists(path):
        args += ["--kernel-log", path]
        if started:
            args += ["--from", str(started), "--to", str(started + 960)]
    done = subprocess.run([PROGRAM, "mate", "diagnose", p.log("a.log"), "--json", *args],
                          capture_output=True, text=True, check=True, env=ENV)
    return json.loads(done.stdout)


def kernel_logs(tap):
    for row in KERNEL:
        with Place() as p:
            name, nodes, started, folder, reason, evidence = row
            p.now = KERNEL_AT + 1600
            write(p.log("a.log"), FAILURES["key"][0], p.now)
            job = {"job": "1", "node": nodes, "log": p.log("a.log"),
                   "state": "FAILED", "exit_code": 1}
            if started:
                job.update(started=started, ended=started + 900)
            write(p.file("jobs"), json.dumps(job) + "\n", p.now)
            path = p.file("kernel")
            if folder:
                os.mkdir(path)
                write(os.path.join(path, "gpu-4.log"), XID, p.now)
                write(os.path.join(path, "gpu-5.log"), MEMORY, p.now)
            else:
                write(path, XID + MEMORY, p.now)
            p.start("--job-list", p.file("jobs"), "--kernel-log", path,
                    dirs=False)
            p.look()
            p.look(60)
            p.watch.end()
            got = [r for r in lines_of(p.file("out.jsonl"))
                   if r["event"] == "failed"][0]
            want = diagnosed(p, row, path)
            same = all(got.get(k) == want[k] for k in AGREED)
            tap.result(same and got["kernel"] == want["kernel"]
                       and (got["reason"], got["evidence"])
                       == (reason, evidence),
                       "watch and diagnose agree: " + name, (got, want))
            missing = nodes == "gpu-6"
            tap.result(("has no kernel log of job 1" in p.watch.said) == missing,
                       "it says that a node has no log: " + name, p.watch.said)


def same_as_diagnose(tap):
    """The daemon tells of each failed log what `diagnose` says about it."""
    shared = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..", "shared")
    logs = sorted(glob.glob(os.path.join(ROOT, "tests", "logs", "*.log"))
                  + glob.glob(os.path.join(shared, "logs", "*.log")))
    with Place() as p:
        p.now = KERNEL_AT + 1600
        want = {}
        with open(p.file("jobs"), "w", encoding="utf-8") as jobs:
            for path in logs:
                name = os.path.basename(path)
                shutil.copy(path, p.log(name))
                os.utime(p.log(name), (p.now, p.now))
                done = subprocess.run(
                    [PROGRAM, "mate", "diagnose", path, "--json", "--state", "FAILED",
                     "--exit-code", "1"], capture_output=True, text=True,
                    check=True, env=ENV)
                want[name] = json.loads(done.stdout)
                print(json.dumps({"job": name, "log": p.log(name), "state":
                                  "FAILED", "exit_code": 1}), file=jobs)
        p.start("--job-list", p.file("jobs"), dirs=False)
        p.look()
        p.look(60)
        p.watch.end()
        told = {r["job"]: r for r in lines_of(p.file("out.jsonl"))
                if r["event"] == "failed"}
        wrong = ["%s %s: %r, diagnose %r" % (name, key, told.get(name, {}).get(key),
                                             one[key])
                 for name, one in want.items() for key in AGREED
                 if told.get(name, {}).get(key) != one[key]]
        tap.result(logs and not wrong, "watch says what diagnose says of %s logs"
                   % len(logs), "\n".join(wrong))


def long_kernel_log(tap):
    with Place() as p:
        p.now = KERNEL_AT + 1600
        write(p.log("a.log"), FAILURES["key"][0], p.now)
        write(p.file("jobs"), json.dumps(
            {"job": "1", "node": "gpu-4", "log": p.log("a.log"), "state": "FAILED",
             "started": KERNEL_AT}) + "\n", p.now)
        write(p.file("kernel"), XID + 20000 * (
            "Mar  1 04:06:00 gpu-4 kernel: [99.2] usb 1-1: new device found\n")
              + MEMORY.replace("gpu-5", "gpu-4"), p.now)
        p.start("--job-list", p.file("jobs"), "--kernel-log", p.file("kernel"),
                "--set", "judge_mib=1", dirs=False)
        p.look()
        p.look(60)
        p.watch.end()
        got = [r for r in lines_of(p.file("out.jsonl"))
               if r["event"] == "failed"][0]
        tap.result(got["reason"] == "memory error" and got["kernel"]["line"] is None
                   and "only its end is read" in p.watch.said,
                   "of a long kernel log the end is read", (got, p.watch.said))
        done = run("--job-list", p.file("jobs"), "--kernel-log", p.file("none"),
                   "--state-file", p.file("s2.db"), "--once")
        tap.result(done.returncode == 3 and p.file("none") in done.stderr,
                   "a kernel log that does not exist", done.stderr)


def history(tap, p):
    done = subprocess.run(
        [PROGRAM, "mate", "history", "list", "--history", p.file("history.db"),
         "--json"], capture_output=True, text=True, check=False, env=ENV)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    rows = [r for r in rows if r.get("user") == "anna"]
    tap.result(len(rows) == 1 and rows[0]["end"] == "failed"
               and rows[0]["gpu_util"] == 70 and rows[0]["gpus"] == 2
               and rows[0]["mem_mib"] == 4000
               and "0.125" in rows[0]["metadata"]
               and "Frobnix" in rows[0]["metadata"], "the history has the job",
               done.stdout + done.stderr)


def runs_again(tap):
    with Place() as p:
        def say(**row):
            with open(p.file("jobs"), "a", encoding="utf-8") as jobs:
                print(json.dumps(dict(row, job="1")), file=jobs)
        say(log=p.log("a.log"), state="RUNNING")
        p.start("--job-list", p.file("jobs"))
        step = p.train("a.log", 8)
        write(p.log("a.log"), FAILURES["key"][0], p.now)
        say(state="FAILED", exit_code=1)
        for _ in range(3):
            p.look(60)
        say(state="RUNNING")
        p.look(60)
        p.look(200)
        p.train("a.log", 6, step)
        say(state="SUSPENDED")
        p.look(3600)
        say(state="COMPLETED")
        for _ in range(3):
            p.look(60)
        say(state="RUNNING")
        p.look(60)
        p.look(90000)
        p.watch.end()
        tap.result(p.told() == ["seen", "progress", "failed", "ended", "seen",
                                "progress", "ended", "seen", "ended"],
                   "a job that runs again, is halted, is forgotten",
                   p.told("event", "state", "basis", "reason"))


def gpu_files(folder):
    def put(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    put("exporter.prom", """# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a",Hostname="n1",hpc_job="12"} 80
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-b",Hostname="n1.site.org"} 60
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-b",Hostname="n2"} 11
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",Hostname="n1"} 1000
DCGM_FI_DEV_GPU_UTIL{gpu="0",Hostname="n1"} 140
DCGM_FI_DEV_FB_USED{gpu="0",Hostname="n1"} 9223372036854775792
""")
    put("n1.dcgmi", """#Entity   GPUTL    FBUSD
ID
GPU 0     90       1000
GPU 1     N/A      N/A
GPU 7     55       3
""")
    put("n1.csv", """index, utilization.gpu [%], memory.used [MiB]
1, 70 %, 4000 MiB
""")
    put("n1.dmon", """# gpu     sm    mem    enc    dec     fb
# Idx      %      %      %      %     MB
    0     50     12      -      -   2000
    1      -      -      -      -      -
""")


def fake(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def slurm(tap):
    with Place() as p:
        tools = p.file("bin")
        os.mkdir(tools)
        uid = os.getuid()
        theirs = p.file("theirs.out")
        write(theirs, plain(1, 9, 0.5), p.now)
        if uid == 0:
            os.chown(theirs, 12345, 12345)

        def answer(queue, details, accounts=""):
            for name, text in (("q", queue), ("d", details), ("a", accounts)):
                with open(p.file(name), "w", encoding="utf-8") as file:
                    file.write(text)
        fake(tools, "squeue", "cat '%s'\n" % p.file("q"))
        fake(tools, "sacct", "cat '%s'\n" % p.file("a"))
        fake(tools, "scontrol", "[ \"$2\" = config ] && echo 'ClusterName  = "
             "ci' || cat '%s'\n" % p.file("d"))
        env = dict(ENV, PATH=tools + ":" + os.environ["PATH"])
        head = "JobId=%d JobName=a StdOut=/etc/passwd UserId=x(0) "
        tail = ("JobState=%s ExitCode=%s SubmitTime=2023-11-14T22:00:00 "
                "StartTime=2023-11-14T22:13:20 EndTime=Unknown JOB_GRES=gpu:2 "
                "  Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:2(IDX:0,3) "
                "MinCPUsNode=1 Command=/w/train.sh --lr 1 WorkDir=/w "
                "StdErr=%s StdIn=/dev/null StdOut=%s Power= \n")
        one = head % 7 + tail % ("RUNNING", "0:0", p.log("7.out"),
                                 p.log("7.out"))
        two = head % 8 + tail % ("RUNNING", "0:0", theirs, theirs)
        row = "%d|%s|%s|%d|anna|n[1-2]|%s\n"
        three = row % (9, "9", "PENDING", uid, "Resources")
        p.train("7.out", 8, look=False)
        answer(row % (7, "7", "RUNNING", uid, "None")
               + row % (8, "5_2", "RUNNING", uid, "None") + three, one + two)
        p.start("--slurm", "--history", p.file("history.db"), dirs=False,
                env=env)
        p.look()
        write(p.log("7.out"), "".join(plain(1200 + i, 9000, 0.5)
                                      for i in range(9)), p.now)
        p.look(31)
        write(p.log("7.out"), FAILURES["gpu"][0], p.now)
        answer(row % (7, "7", "NODE_FAIL", uid, "NodeDown") + three,
               head % 7 + tail % ("NODE_FAIL", "1:0", p.log("7.out"),
                                  p.log("7.out")), "8|TIMEOUT|0:15|Unknown\n")
        p.look(31)
        p.look(31)
        p.look(31)
        fake(tools, "squeue", "exit 1\n")
        p.look(31)
        p.watch.end()
        got = p.told("event", "job", "user", "state")
        tap.result([r for r in got if r[1] == "7"] == [
            ("seen", "7", "anna", None), ("progress", "7", "anna", None),
            ("failed", "7", "anna", "NODE_FAIL"),
            ("ended", "7", "anna", "NODE_FAIL")], "a job of Slurm", got)
        rows = [r for r in lines_of(p.file("out.jsonl")) if r["job"] == "8"]
        tap.result(rows[-1]["event"] == "ended"
                   and rows[-1]["state"] == "TIMEOUT"
                   and rows[0]["array"] == "5_2",
                   "a job that Slurm forgot is asked of sacct", rows)
        foreign = [r for r in rows if r.get("change") == "ignored"]
        if uid == 0:
            tap.result(len(foreign) == 1 and "user" in foreign[0]["why"],
                       "a log of another user is not read", rows)
        tap.result(not any("passwd" in json.dumps(r) for r in
                           lines_of(p.file("out.jsonl"))),
                   "the name of a job is no log")
        tap.result("squeue" in p.watch.said, "Slurm that does not answer is "
                   "said", p.watch.said)
        kept = sqlite3.connect(p.file("history.db")).execute(
            "SELECT source, source_id, end, gpus FROM jobs ORDER BY 2"
        ).fetchall()
        tap.result(kept == [("slurm:ci", "7", "failed", 4),
                            ("slurm:ci", "8", "failed", 4)],
                   "the history has jobs as the accounting names them", kept)


def accounts(tap):
    """Checks how a job ends that Slurm no longer lists while sacct does not
    answer."""
    with Place() as p:
        tools = p.file("bin")
        os.mkdir(tools)
        fake(tools, "squeue", "cat '%s'\n" % p.file("q"))
        fake(tools, "scontrol", "exit 0\n")
        env = dict(ENV, PATH=tools + ":" + os.environ["PATH"])

        def ask(queue, sacct, seconds=31):
            with open(p.file("q"), "w", encoding="utf-8") as file:
                for job in queue:
                    file.write("%d|%d|RUNNING|0|anna|n1|None\n" % (job, job))
            fake(tools, "sacct", sacct)
            p.look(seconds)

        def ends():
            return [r[1:] for r in p.told("event", "job", "state")
                    if r[0] == "ended"]
        p.start("--slurm", dirs=False, env=env)
        ask([7, 8], "exit 1\n")
        for seconds in (31, 31, 300):
            ask([], "exit 1\n", seconds)
        tap.result(ends() == [], "jobs that sacct does not explain yet wait",
                   ends())
        for _ in range(2):
            ask([], "echo '7|FAILED|1:0|Unknown'\n")
        tap.result(sorted(ends()) == [("7", "FAILED"), ("8", None)],
                   "they end as sacct says when it answers", ends())
        ask([9, 10], "exit 1\n")
        for seconds in (31, 31, 500):
            ask([], "exit 1\n", seconds)
        ask([10], "exit 1\n", 100)
        for _ in range(2):
            ask([], "exit 1\n")
        tap.result(ends()[2:] == [("9", None)],
                   "after ten minutes they end without a state", ends())
        p.watch.end()
        tap.result(p.watch.said.count("asked again for 600 s") == 1,
                   "and that sacct is asked again is said once",
                   p.watch.said)


SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? '
                    r'(NaN|[+-]?(?:Inf|[0-9.e+-]+))$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')


def prometheus(text):
    """Parses metrics as promtool does. Returns (name, labels) -> value."""
    out, types, last = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            assert line.split(" ", 3)[3], line
        elif line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in types and kind in ("gauge", "counter"), line
            assert (kind == "counter") == name.endswith("_total"), line
            types[name] = kind
            last = name
        else:
            match = SAMPLE.match(line)
            assert match and match.group(1) == last, line
            labels = match.group(2) or ""
            assert LABEL.sub("", labels) == "", line
            key = (match.group(1), labels)
            assert key not in out, line
            out[key] = float(match.group(3))
    return out


def fetch(where, path=b"/metrics", method=b"GET", host=None):
    with socket.socket(where[0], socket.SOCK_STREAM) as to:
        to.settimeout(LIMIT_S)
        to.connect(where[1])
        head = b"" if host is None else b"Host: " + host + b"\r\n"
        to.sendall(method + b" " + path + b" HTTP/1.0\r\n" + head + b"\r\n")
        answer = b""
        while True:
            piece = to.recv(65536)
            if not piece:
                break
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split()[1].decode(), body.decode()


def crowd(tap, where):
    """Checks that 1,000 connections that ask nothing do not stop a request."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    idle = []
    try:
        for i in range(1000):
            one = socket.socket(where[0], socket.SOCK_STREAM)
            one.settimeout(LIMIT_S)
            one.connect(where[1])
            if i % 2:
                one.sendall(b"GET /met")
            idle.append(one)
        begin = time.monotonic()
        codes = [fetch(where)[0] for _ in range(5)]
        took = time.monotonic() - begin
        tap.result(codes == ["200"] * 5 and took < 5,
                   "1,000 idle connections do not stop a request",
                   "%s after %g s" % (codes, took))
    except OSError as wrong:
        tap.result(False, "1,000 idle connections do not stop a request", wrong)
    finally:
        for one in idle:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def metrics(tap):
    with Place() as p:
        path = p.file("m.sock")
        p.start("--metrics", "unix:" + path)
        os.mkdir(p.log('q"\\'))
        step = p.train('q"\\/a.log', 8)
        p.train("b.log", 2)
        write(p.log('q"\\/a.log'), FAILURES["gpu"][0], p.now)
        p.look()
        p.look(61)
        where = (socket.AF_UNIX, path)
        code, text = fetch(where)
        try:
            got = prometheus(text)
        except AssertionError as wrong:
            got = {"wrong": wrong}
        name = "schedsim_watch_"
        tap.result(code == "200" and got.get(
            (name + "step_seconds", 'job="q\\"\\\\/a.log",user=""')) == 0.5
                   and got.get((name + "lines_total", "")) == step / 30 + 10
                   and got.get((name + "failures_total", 'kind="infrastructure"'
                                ',component="gpu"')) == 1,
                   "figures for Prometheus", text + str(got.get("wrong")))
        tap.result(fetch(where, b"/x")[0] == "404"
                   and fetch(where, method=b"POST")[0] == "405",
                   "only GET /metrics is answered")
        tap.result(fetch(where, host=b"evil.example")[0] == "200",
                   "no web page reaches a socket, so any host is good")
        crowd(tap, where)
        tap.result(stat.S_IMODE(os.stat(path).st_mode) == 0o660,
                   "the socket is not for everybody")
        p.watch.end()
        tap.result(not os.path.exists(path), "the socket is removed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        p.start("--metrics", "127.0.0.1:%d" % port)
        p.look(1)
        code, text = fetch((socket.AF_INET, ("127.0.0.1", port)))
        tap.result(code == "200" and prometheus(text), "a loopback port", text)
        where = (socket.AF_INET, ("127.0.0.1", port))
        for host, want in ((b"127.0.0.1:%d" % port, "200"), (b"[::1]:1", "200"),
                           (b"LocalHost", "200"), (b"127.0.0.1", "200"),
                           (b"evil.example", "403"), (b"", "403"),
                           (b"localhost.evil.example:%d" % port, "403"),
                           (b"127.0.0.1.evil.example", "403"), (b"[", "403"),
                           (b"a" * 100, "403")):
            code, text = fetch(where, host=host)
            tap.result(code == want, "Host %s: %s" % (host.decode(), want), text)
        crowd(tap, where)
        p.watch.end()
        for wrong in ("0.0.0.0:9105", "192.168.1.1:9105", "[::]:9105"):
            done = run(p.logs, "--state-file", p.file("s2"), "--metrics", wrong)
            tap.result(done.returncode == 2 and "loopback" in done.stderr,
                       wrong + " is refused", done.stderr)
        done = run(p.logs, "--state-file", p.file("s2"), "--metrics", "somewhere")
        tap.result(done.returncode == 2 and "unix:PATH" in done.stderr,
                   "no address", done.stderr)


def service(tap):
    with Place() as p, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.settimeout(LIMIT_S)
        to.bind(p.file("notify"))
        env = dict(ENV, NOTIFY_SOCKET=p.file("notify"),
                   XDG_STATE_HOME=p.file("home"))
        p.train("a.log", 1, look=False)
        os.utime(p.log("a.log"))
        with subprocess.Popen(
                [PROGRAM, "mate", "watch", p.logs, "--every", "0.05", "--out",
                 p.file("out.jsonl")], env=env, stderr=subprocess.PIPE) as one:
            told = [to.recv(100), to.recv(100), to.recv(100)]
            os.rename(p.file("out.jsonl"), p.file("out.1"))
            one.send_signal(signal.SIGHUP)
            while to.recv(100) != b"RELOADING=1":
                pass
            tap.result(told == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"],
                       "it tells the service manager", told)
            write(p.log("b.log"), "begin\n", time.time())
            end = time.monotonic() + LIMIT_S
            while not (os.path.exists(p.file("out.jsonl")) and
                       os.path.getsize(p.file("out.jsonl"))
                       ) and time.monotonic() < end:
                time.sleep(0.02)
            one.send_signal(signal.SIGTERM)
            status = one.wait(LIMIT_S)
        last = b""
        while last != b"STOPPING=1":
            last = to.recv(100)
        tap.result(status == 0, "SIGTERM ends it cleanly", status)
        tap.result([r["seq"] for r in lines_of(p.file("out.1"))] == [1]
                   and [r["seq"] for r in lines_of(p.file("out.jsonl"))] == [2],
                   "SIGHUP opens a rotated output again")
        tap.result(os.path.exists(p.file("home/schedsim/watch.db")),
                   "the state has a default place")
    unit = os.path.join(ROOT, "contrib", "systemd", "schedsim-watch.service")
    if not shutil.which("systemd-analyze"):
        tap.skip("the unit file", "no systemd-analyze")
        return
    with tempfile.TemporaryDirectory() as folder:
        with open(unit, encoding="utf-8") as file:
            text = file.read().replace("/usr/local/bin/schedsim", PROGRAM)
        path = os.path.join(folder, "schedsim-watch.service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", path],
                              capture_output=True, text=True, check=False)
        tap.result("schedsim-watch" not in done.stderr, "the unit file",
                   done.stderr)


def model(tap):
    with Place() as p, Server() as server:
        env = dict(ENV, no_proxy="*")
        p.train("a.log", 8, look=False)
        write(p.log("a.log"), "the job has met an unheard-of end\n"
              "Traceback (most recent call last):\n  File \"a.py\", line 1, in "
              "<module>\nOddError: strange\n", p.now)
        p.start("--llm", "http:base_url=%s,model=sound" % server.url,
                "--llm-trust", os.path.join(ROOT, "tests", "logs",
                                            "model_decides.json"), env=env)
        p.look()
        p.look(61)
        p.watch.end()
        rows = lines_of(p.file("out.jsonl"))
        speed = [r for r in rows if r["event"] == "progress"]
        failed = [r for r in rows if r["event"] == "failed"]
        tap.result(len(server.asked) == 2 and len(speed) == 1
                   and speed[0]["source"] == "model"
                   and speed[0]["seconds_per_step"] == 0.25
                   and len(failed) == 1 and failed[0]["method"] == "llm",
                   "a model is asked where --llm names one", rows)


def outputs(tap):
    with Place() as p:
        p.train("a.log", 1, look=False)
        p.start()
        p.look()
        second = run(p.logs, "--state-file", p.file("state.db"), "--once")
        tap.result(second.returncode == 1 and "another program"
                   in second.stderr, "a state has one user", second.stderr)
        p.watch.end()
        with open(p.file("out.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"seq":2,"wat')
        p.train("b.log", 1, look=False)
        p.start()
        p.look()
        p.watch.end()
        tap.result(p.told("seq", "job") == [(1, "a.log"), (2, "b.log")],
                   "an unfinished line is removed", p.told("seq", "job"))
        with open(p.file("text"), "w", encoding="utf-8") as file:
            file.write("dear diary")
        done = run(p.logs, "--state-file", p.file("s2.db"), "--out",
                   p.file("text"), "--once")
        with open(p.file("text"), encoding="utf-8") as file:
            tap.result(done.returncode == 3 and file.read() == "dear diary",
                       "a file of somebody else is not cut", done.stderr)
        os.rename(p.file("state.db"), p.file("newer.db"))
        with open(p.file("notes"), "wb") as file:
            file.write(b"x" * 5000)
        done = run(p.logs, "--state-file", p.file("notes"), "--once")
        tap.result(done.returncode == 3, "a state that is none", done.stderr)
        done = run("--once")
        tap.result(done.returncode == 2 and "needs a directory" in done.stderr,
                   "nothing to watch", done.stderr)
        os.utime(p.log("a.log"))
        done = run(p.logs, "--state-file", p.file("s3.db"), "--once")
        tap.result(json.loads(done.stdout)["job"] == "a.log"
                   and "at least once" in done.stderr
                   and "not followed" in done.stderr,
                   "lines on standard output; old logs are left out",
                   done.stdout + done.stderr)


def main():
    tap = Tap()
    a_life(tap, "inotify")
    a_life(tap, "poll")
    changed_logs(tap)
    renamed_and_restarted(tap)
    made_again(tap, "inotify")
    made_again(tap, "poll")
    hostile(tap)
    other_schedulers(tap)
    jobs_on_standard_input(tap)
    refused(tap)
    kernel_logs(tap)
    same_as_diagnose(tap)
    long_kernel_log(tap)
    runs_again(tap)
    slurm(tap)
    accounts(tap)
    metrics(tap)
    service(tap)
    outputs(tap)
    model(tap)
    if KILLER:
        if os.environ.get("SCHEDSIM_TESTS") == "short":
            day.run(tap, 200, 8, 20)
        else:
            day.run(tap, 1000, 24, 20)
    else:
        tap.skip("a day with kills", "$KILL_AT_LIBRARY is not set")
    sys.exit(tap.exit_status())


main()
