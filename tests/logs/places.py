# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests where `diagnose` finds a failure: in which of several logs, on which
rank and host, and what the kernel's log adds. Tests also which action follows
from the facts of the scheduler, and the exit status."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402

ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("SCHEDSIM_LLM", "OPENAI_"))}


def run(*args, **kwargs):
    return subprocess.run([PROGRAM, "mate", "diagnose"] + list(args), text=True,
                          capture_output=True, errors="replace", timeout=60,
                          check=False, env=ENV, **kwargs)


def answer(*args, **kwargs):
    done = run(*args, "--json", **kwargs)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"stderr": done.stderr, "exit": done.returncode}


def log(name):
    return os.path.join(HERE, name)


def steps(minute, first=0):
    return "".join("2026-03-01 04:%02d:%02d INFO step %d loss 2.5 lr 1e-4\n"
                   % (minute, i, first + i) for i in range(40))


CAUSE = ("2026-03-01 04:05:10 ERROR rank died\n"
         "Traceback (most recent call last):\n"
         "  File \"train.py\", line 3, in <module>\n    go()\n"
         "KeyError: 'labels'\n")
FALLOUT = ("2026-03-01 04:05:%02d ERROR peer is gone\n"
           "Traceback (most recent call last):\n"
           "  File \"train.py\", line 9, in <module>\n    reduce()\n"
           "RuntimeError: [1] Connection reset by peer\n")
WAITS = ("[rank%d]:[E301 04:15:00.1 ProcessGroupNCCL.cpp:616] [Rank %d] "
         "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
         "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600016 milliseconds "
         "before timing out.\n")


class Work:
    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def ranks(tap, work):
    paths = [work.write("a/out.%d.log" % i, steps(5 - (i == 2)) + (
        CAUSE if i == 2 else FALLOUT % (20 + i))) for i in range(4)]
    got = answer(*paths)
    tap.result(got.get("reason") == "key error" and got["rank"] == 2
               and got["log"] == paths[2], "the rank with the cause decides",
               got)
    tap.result([row["role"] for row in got["logs"]]
               == ["fall-out", "fall-out", "decides", "fall-out"],
               "the others are called fall-out", got["logs"])
    turned = answer(*reversed(paths))
    tap.result(turned["log"] == paths[2] and turned["rank"] == 2,
               "whatever the order of the logs", turned)
    tap.result(answer(*paths, "--set", "rank-order")["rank"] == 2
               and answer(*reversed(paths), "--set", "rank-order")["rank"] == 1,
               "--rank-order numbers them as given")
    got = answer(os.path.join(work.folder, "a"), "--dir")
    tap.result(got.get("log") == paths[2], "--dir reads a directory", got)
    done = run(os.path.join(work.folder, "a"))
    tap.result(done.returncode == 3 and "--dir reads all" in done.stderr,
               "a directory alone is refused", done.stderr)
    done = run("-", paths[0])
    tap.result(done.returncode == 2 and "no other log" in done.stderr,
               "standard input goes alone", done.stderr)
    # two logs have a cause; the earlier time of day decides
    late = work.write("b/rank0.log", steps(9) + CAUSE.replace("04:05", "04:09"))
    early = work.write("b/rank1.log", steps(4) + CAUSE.replace(
        "KeyError: 'labels'", "ValueError: no").replace("04:05", "04:04"))
    got = answer(late, early)
    tap.result(got.get("rank") == 1 and got["logs"][0]["role"] == "later",
               "of two causes the earlier one decides", got)
    for i in range(3):
        work.write("run/attempt_0/%d/stderr.log" % i,
                   steps(5) + (CAUSE if i == 1 else ""))
    got = answer(os.path.join(work.folder, "run"), "--dir")
    tap.result(got.get("rank") == 1, "torchrun's folders name ranks", got)
    many = [work.write("m/task_%d.out" % i, steps(5) + (
        CAUSE if i == 170 else FALLOUT % 20)) for i in range(200)]
    with open(PROGRAM, "rb") as program:
        sanitized = b"__asan_init" in program.read()
    got = answer(*many, preexec_fn=None if sanitized else (
        lambda: resource.setrlimit(resource.RLIMIT_DATA,
                                   (64 << 20, 64 << 20))))
    tap.result(got.get("rank") == 170, "200 logs in bounded memory", got)


def hosts(tap, work):
    table = "".join("rank %d of 4 runs on host gpu-1%d\n" % (i, i)
                    for i in range(4))
    waits = "".join(WAITS % (i, i) for i in (0, 1, 3))
    cases = [
        ("the process that is missing", table + steps(5) + waits, [],
         "gpu-12", "missing", 2),
        ("the one that a barrier names", table + steps(5)
         + "RuntimeError: Rank 3 failed to pass monitoredBarrier in 30000 ms\n"
         + waits, [], "gpu-13", "missing", 3),
        ("srun's first task", steps(5) + "srun: error: node-17: task 3: "
         "Killed\nsrun: error: node-18: task 4: Exited with exit code 1\n",
         ["--state", "FAILED"], "node-17", "failed", -1),
        ("MPI", steps(5) + "mpirun noticed that process rank 3 with PID 0 on "
         "node gpu-7 exited on signal 9 (Killed).\n", ["--state", "FAILED"],
         "gpu-7", "failed", -1),
        ("Slurm", steps(5) + "srun: error: Node failure on n[3]\n", [],
         "n3", "named", -1),
        ("syslog", steps(5) + "Mar  1 04:05:50 gpu-4 kernel: NVRM: Xid "
         "(PCI:0000:03:00): 79, GPU has fallen off the bus.\n", [], "gpu-4",
         "named", -1),
        ("torchrun's root cause", steps(5) + CAUSE + "Failures:\n[1]:\n"
         "  host      : gpu-11\nRoot Cause (first observed failure):\n[0]:\n"
         "  host      : gpu-12\n", [], "gpu-12", "failed", -1),
        ("one that only complains", steps(5) + "gpu-5:123:456 [2] misc/ibvwrap"
         ".cc:94 NCCL WARN NET/IB : Got completion from peer with error 12\n",
         [], "gpu-5", "complains", -1),
        ("a list of nodes is no host", steps(5)
         + "srun: error: node[3-5]: tasks 3-5: Killed\n",
         ["--state", "FAILED"], None, "unknown", -1),
    ]
    for name, text, args, host, basis, rank in cases:
        got = answer(work.write("host.log", text), *args)
        tap.result(got.get("host") == host and got["host_basis"] == basis
                   and (rank < 0 or got["rank"] == rank), "host: " + name, got)
    book = work.write("book.json", json.dumps(
        {a: ["touch", os.path.join(work.folder, "ran")]
         for a in ("replace-node", "tell-user", "restart", "test-network")}))
    path = work.write("host.log", steps(5)
                      + "srun: error: Node failure on n[3]\n")
    rest = ["--actions", book, "--action-state", work.folder + "/state",
            "--action-log", work.folder + "/actions", "--job", "7"]
    os.chmod(book, 0o600)
    got = answer(path, *rest, "--state", "NODE_FAIL", "--node", "n4",
                 "--execute")
    tap.result(got.get("host_disagrees") and not got["command"]["ran"]
               and got["command"]["refused"]
               == ["the logs blame n3, and --node names n4"]
               and not os.path.exists(os.path.join(work.folder, "ran")),
               "no command is run for another host than the log blames", got)
    got = answer(path, *rest, "--state", "NODE_FAIL", "--node", "n3",
                 "--execute")
    tap.result(got.get("command", {}).get("ran")
               and os.path.exists(os.path.join(work.folder, "ran")),
               "one for the host that the log blames is run", got)
    got = answer(path, "--node", "n3.cluster")
    tap.result(not got.get("host_disagrees"), "domains do not count", got)


DMESG = ("Mar  1 03:00:00 gpu-4 kernel: [10.1] usb 1-1: new device\n"
         "Mar  1 04:05:50 gpu-4 kernel: [99.1] NVRM: Xid (PCI:0000:03:00): 79,"
         " pid=1, GPU has fallen off the bus.\n"
         "Mar  1 04:06:00 gpu-5 kernel: [99.1] EDAC MC0: 1 UE memory read "
         "error on CPU0\n")


def kernel(tap, work):
    path = work.write("dmesg", DMESG)
    plain = work.write("plain.log", steps(5))
    error = work.write("error.log", steps(5) + CAUSE)
    at = ["--from", "2026-03-01 04:00:00", "--to", "2026-03-01 05:00:00"]
    got = answer(plain, "--kernel-log", path, "--node", "gpu-4", *at)
    tap.result(got.get("evidence") == "kernel" and got["host"] == "gpu-4"
               and got["faulty_component"] == "gpu"
               and got["action"] == "replace-node"
               and got["kernel"]["of_other_hosts"] == 1
               and got["cause_line"] is None,
               "a fault at the time of the job is a failure", got)
    got = answer(plain, "--kernel-log", path)
    tap.result(got.get("failed") is False and got["also"],
               "one of unknown time alone is none", got)
    got = answer(error, "--kernel-log", path, *at)
    tap.result(got.get("evidence") == "kernel" and got["also"] == "key error",
               "hardware at the time of the job decides", got)
    got = answer(error, "--kernel-log", path)
    tap.result(got.get("reason") == "key error" and got["evidence"] == "log"
               and got["also"] == "Xid 79: off the bus",
               "without a time the log decides", got)
    got = answer(error, "--kernel-log", path, "--node", "gpu-5", *at)
    tap.result(got.get("reason") == "memory error",
               "only lines of the node count", got)
    got = answer(error, "--kernel-log", path, "--from", "2026-03-02")
    tap.result(got.get("evidence") == "log" and got["kernel"]["reason"] is None
               and got["kernel"]["of_other_times"] > 0,
               "nor do lines of another time", got)
    up = work.write("uptime", "[   99.1] NVRM: Xid (PCI:0000:03:00): 79, gone"
                    "\n[  100.0] Out of memory: Killed process 7 (python)\n")
    got = answer(error, "--kernel-log", up, *at)
    tap.result(got.get("evidence") == "log"
               and got["kernel"]["without_date"] > 0,
               "lines without a date have no time", got)
    fake = work.write("fake", "python: NVRM: Xid (PCI:0000:03:00): 79, gone\n")
    got = answer(error, "--kernel-log", fake)
    tap.result(got.get("evidence") == "log"
               and got["kernel"]["kernel_lines"] == 0,
               "lines of programs are not the kernel's", got)
    got = answer(log("xid_79.log"))
    tap.result(got.get("evidence") == "log",
               "a log that quotes the kernel is evidence of a log", got)
    got = answer(log("xid_79.log"), "--kernel-log", path, *at)
    tap.result(got.get("evidence") == "kernel" and got["cause_line"] is not None
               and got["also"] is None, "both say the same", got)
    for name, line, reason in (
            ("nvme", "nvme nvme0: controller is down; will reset: CSTS=0x3",
             "local disk"),
            ("mlx5", "mlx5_core 0000:17:00.0 ib0: Link down", "link down"),
            ("amdgpu", "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
             "GPU hardware"),
            ("a cgroup", "Memory cgroup out of memory: Killed process 7 "
             "(python)", "out of memory"),
            ("Lustre", "LustreError: 167-0: This client was evicted by "
             "fs-MDT0000; in progress operations will fail.", "storage")):
        got = answer(plain, "--state", "FAILED", "--kernel-log",
                     work.write("k", "Mar  1 04:05:50 n1 kernel: " + line))
        tap.result(got.get("reason") == reason
                   and got["evidence"] == "kernel", "kernel: " + name, got)
    done = run(plain, "--from", "2026-03-02")
    tap.result(done.returncode == 2 and "--kernel-log" in done.stderr,
               "a range needs a kernel log", done.stderr)


# One row: options, and the expected action and resource.
FACTS = [
    (["--state", "PREEMPTED"], "restart", None),
    (["--state", "CANCELLED by 1000"], "none", None),
    (["--state", "TIMEOUT"], "tell-user", None),
    (["--state", "NODE_FAIL"], "replace-node", None),
    (["--state", "OOMKilled"], "restart-bigger", "host memory"),
    (["--reason", "QOSMaxWallDurationPerJobLimit"], "tell-operator", None),
    (["--state", "REQUEUED"], "none", None),
    (["--state", "FAILED"], "tell-user", None),
]


def facts(tap, work):
    for args, action, resource in FACTS:
        got = answer(log("well.log"), *args)
        tap.result(got.get("action") == action and got["resource"] == resource
                   and got["advice"], "do: " + " ".join(args), got)
    done = run(log("well.log"), "--state", "CANCELLED by 1000", "--reason",
               "JobHeldAdmin: too long\x1b[31m")
    tap.result("ended by     1000\n" in done.stdout and "reason given "
               "JobHeldAdmin: too long?[31m\n" in done.stdout,
               "who ended the job, and the reason as given", done.stdout)
    got = answer(log("cuda_oom.log"))
    tap.result(got.get("resource") == "GPU memory"
               and got["action"] == "restart-bigger", "do: GPU memory", got)
    for line, action in (
            ("OSError: [Errno 122] Disk quota exceeded: 'a'", "tell-user"),
            ("OSError: [Errno 28] No space left on device", "tell-operator"),
            ("socket.gaierror: [Errno -3] Temporary failure in name "
             "resolution", "restart")):
        got = answer(work.write("fact.log", steps(5) + CAUSE.replace(
            "KeyError: 'labels'", line)))
        tap.result(got.get("action") == action, "do: " + line, got)


def statuses(tap, work):
    cases = [("well.log", [], 0), ("xid_79.log", [], 10),
             ("cuda_oom.log", [], 11), ("key_error.log", [], 12),
             ("time_limit.log", [], 13),
             ("well.log", ["--state", "FAILED"], 14)]
    for name, args, status in cases:
        done = run(log(name), "--exit-status", *args)
        tap.result(done.returncode == status and not done.stderr
                   and run(log(name), *args).returncode == 0,
                   "status %d: %s" % (status, name), done.stderr)


FELL_OFF = "NVRM: Xid (PCI:0000:03:00): 79, pid=1, GPU has fallen off the bus."
DATED = "[Sun Mar  1 04:05:35 2026] " + FELL_OFF
# (what the case shows, line of the kernel's log, options, whether the line is
# one of the kernel that counts)
KERNEL_LINES = [
    ("the time since the start", "[ 1212.5] " + FELL_OFF, [], True),
    ("a level and the time since the start", "<4>[ 1212.5] " + FELL_OFF, [],
     True),
    ("a level that does not end", "<44444[ 1212.5] " + FELL_OFF, [], False),
    ("a time without a point", "[ 1212] " + FELL_OFF, [], False),
    ("a time without digits", "[.5] " + FELL_OFF, [], False),
    ("a time without digits after the point", "[12.x] " + FELL_OFF, [], False),
    ("a date", DATED, [], True),
    ("a word that is no date", "[Sun] " + FELL_OFF, [], False),
    ("a bracket that is no date", "[x] " + FELL_OFF, [], False),
    ("before the last time", DATED, ["--to", "2026-03-01T05:00:00Z"], True),
    ("after the last time", DATED, ["--to", "2026-03-01T04:00:00Z"], False),
    ("after the first time", DATED, ["--from", "2026-03-01T04:00:00Z"], True),
    ("before the first time", DATED, ["--from", "2026-03-01T05:00:00Z"], False),
    ("no date, but limits", "[ 1212.5] " + FELL_OFF,
     ["--from", "2026-03-01T04:00:00Z"], False),
    ("the name of a process", "[ 1212.5] Xid (x): 79[12]: segfault at 0 ip 0",
     [], False),
    ("the name of a control group", "[ 1212.5] oom-kill:task_memcg=" + FELL_OFF,
     [], False),
    ("an empty line", "", [], False),
]


def kernel_lines(tap, work):
    job = work.write("lines/job.log", steps(5))
    for name, line, options, counts in KERNEL_LINES:
        kernel = work.write("lines/kernel", line + "\n")
        got = answer(job, "--state", "FAILED", "--kernel-log", kernel, *options)
        tap.result((got.get("evidence") == "kernel") == counts
                   and (got.get("reason") == "Xid 79: off the bus") == counts,
                   "kernel: " + name, got)


# (files of a job, of which the second has the cause, and the rank of that one)
NAMES = [
    (["out.0.log", "out.7.log"], 7),
    (["out-3", "out-12"], 12),
    (["a.log", "b.log"], None),
    (["a1.log", "a2.out"], None),
    (["a1.log", "ax.log"], None),
    (["RANK_2.txt", "Rank_5.txt"], 5),
    (["worker", "worker-x"], None),
    (["0/stdout", "4/stderr"], 4),
    (["x/stdout", "y/stderr"], None),
    (["proc.00000001", "proc.00000012"], 1),
]


def names(tap, work):
    for number, (files, rank) in enumerate(NAMES):
        paths = [work.write("n%d/%s" % (number, name), steps(5)
                            + (CAUSE if i else FALLOUT % 20))
                 for i, name in enumerate(files)]
        got = answer(*paths)
        tap.result(got.get("log") == paths[1] and got.get("rank") == rank,
                   "rank of " + files[1], got)
    work.write("h/.hidden/a.log", CAUSE)
    work.write("h/.b.log", CAUSE)
    done = run(os.path.join(work.folder, "h"), "--dir")
    tap.result(done.returncode == 3 and "h: has no files" in done.stderr,
               "hidden files are not read", done.stderr)


def main():
    tap = Tap()
    folder = tempfile.mkdtemp()
    try:
        work = Work(folder)
        for test in (ranks, names, hosts, kernel, kernel_lines, facts,
                     statuses):
            test(tap, work)
    finally:
        shutil.rmtree(folder)
    sys.exit(tap.exit_status())


main()
