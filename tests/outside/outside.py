# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests policies as programs. The examples of contrib/policies give the
results of the built-in policies, a replay of a record gives the same results,
and a program that breaks a rule ends the run in one sentence and leaves no
files."""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

EXAMPLES = os.path.join(ROOT, "contrib", "policies")
LIAR = os.path.join(HERE, "liar.py")
VENUS = os.path.join(ROOT, "traces", "samples", "venus.csv")
PYTHON = "/usr/bin/python3 -E -s"
# slower under valgrind and sanitizers
SLOW = float(os.environ.get("FAULT_LIMIT_S", "5")) / 5


class Site:
    def __init__(self):
        self.dir = tempfile.mkdtemp()
        self.trace = self.path("trace.csv")
        with open(VENUS, encoding="utf-8") as source, \
                open(self.trace, "w", encoding="utf-8") as target:
            lines = source.readlines()[:420]
            target.writelines(line for i, line in enumerate(lines)
                              if i == 0 or int(line.split(",")[4]) <= 32)
        self.n = 0

    def path(self, name):
        return os.path.join(self.dir, name)

    def start(self, policy, *more, trace=None, cluster="4x8", environment=None,
              **options):
        """Starts a run. Returns its process and the folder of the result. A
        variable of the environment that is None is not set."""
        self.n += 1
        out = self.path("out-%d" % self.n)
        env = dict(os.environ, TMPDIR=self.path("tmp"), SECRET="1")
        env.update(environment or {})
        os.makedirs(self.path("tmp"), exist_ok=True)
        return subprocess.Popen(
            [PROGRAM, "run", trace or self.trace, "--cluster", cluster,
             "--policy", policy, "--out", out, *more], cwd=self.dir, text=True,
            env={key: env[key] for key in env if env[key] is not None},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options), out

    def run(self, *words, **options):
        """Runs a policy. Returns the exit status, the text of stderr and the
        folder of the result."""
        process, out = self.start(*words, **options)
        words = process.communicate(timeout=120 * SLOW)[1].strip()
        return process.returncode, words, out


def remarks(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        return " ".join(json.load(file)["remarks"])


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def example(name):
    return "exec:%s %s" % (PYTHON, os.path.join(EXAMPLES, name))


def same_results(tap, site):
    for name, policy in (("fifo.py", "fifo"), ("fifo.c", "fifo"),
                         ("srtf.py", "srtf"), ("backfill.py", None),
                         ("learned.py", None)):
        spec, about = example(name), name + " runs to the end"
        if name.endswith(".c"):
            made = subprocess.run(
                ["cc", "-o", site.path("fifo"), os.path.join(EXAMPLES, name),
                 "-ljansson"], capture_output=True, text=True, check=False)
            if made.returncode:
                tap.result(False, name + " is compiled", made.stderr)
                continue
            spec = "exec:" + site.path("fifo")
        status, words, out = site.run(spec)
        good = status == 0
        if policy and policy != "srtf":
            about = name + " gives the jobs.csv of " + policy
            _, _, ours = site.run(policy)
            good = good and read(out, "jobs.csv") == read(ours, "jobs.csv")
        tap.result(good, about, words)


def from_a_state(tap, site):
    """Runs examples from a state with jobs that they have not started."""
    state = site.path("state.json")
    status, words, _ = site.run("fifo", "--state-at", "2h", "--save", state)
    ends = {}
    for name in ("fifo", "fifo.py", "srtf.py", "backfill.py"):
        spec = example(name) if name.endswith(".py") else name
        done = subprocess.run(
            [PROGRAM, "run", "--state", state, "--policy", spec, "--out",
             site.path("from-" + name), "--quiet"], check=False, text=True,
            capture_output=True, cwd=site.dir)
        status, words = status or done.returncode, words + done.stderr
        if done.returncode == 0:
            ends[name] = read(site.path("from-" + name), "jobs.csv")
    tap.result(status == 0 and ends["fifo"] == ends["fifo.py"],
               "a program is told which jobs run when it begins", words)


PACK = """
import schedsim_policy


class Pack(schedsim_policy.Policy):
    needs = ("share",)

    def decide(self, state, plan):
        for vc in state.touched:
            hosts = [job for job in state.running(vc)
                     if job.gpus == 1 and job.mine is None]
            for job in state.waiting(vc):
                if job.gpus == 1 and hosts and state.free(vc) == 0:
                    host = hosts.pop()
                    host.mine = job.mine = True
                    plan.share(job, host)
            plan.queue(job for job in state.waiting(vc) if job.mine is None)


schedsim_policy.run(Pack())
"""


def other_worlds(tap, site):
    """Tests programs with failures, with events of SchedMate, and with shared
    GPUs."""
    faults = ["--faults", "exponential:per_1000_node_days=300", "--recovery",
              "person"]
    status, words, out = site.run(example("fifo.py"), *faults)
    _, _, ours = site.run("fifo", *faults)
    tap.result(status == 0 and read(out, "jobs.csv") == read(ours, "jobs.csv")
               and b'"failures": 0,' not in read(out, "summary.json"),
               "fifo.py is fifo although nodes fail", words)
    status, words, _ = site.run(example("srtf.py").replace(
        "exec:", "exec+schedmate:"))
    tap.result(status == 0, "srtf.py with SchedMate's news", words)
    with open(site.path("pack.py"), "w", encoding="utf-8") as file:
        file.write(PACK)
    shutil.copy(os.path.join(EXAMPLES, "schedsim_policy.py"), site.dir)
    status, words, out = site.run("exec:%s pack.py" % PYTHON, cluster="1x4")
    table = read(out, "jobs.csv").decode() if status in (0, 4) else "shared"
    rows = [line.split(",") for line in table.splitlines()]
    shared = sum(row[rows[0].index("shared")] not in ("", "0", "false")
                 for row in rows[1:])
    done = subprocess.run([PROGRAM, "verify", out], capture_output=True,
                          text=True, check=False)
    tap.result(shared > 2 and done.returncode == 0,
               "a program shares GPUs", "%d %s" % (shared, words + done.stdout))


def earliest_deadline(jobs, gpus):
    """Returns the end of each job: at each arrival and end, waiting jobs start
    by deadline, then submission, until one does not fit on one node."""
    ends, running, now = {}, [], 0
    while len(ends) < len(jobs):
        waiting = sorted(
            ((due if due is not None else 1e18), at, i)
            for i, (at, _, _, due) in enumerate(jobs)
            if at <= now and i not in ends)
        for _, _, i in waiting:
            free = gpus - sum(jobs[k][2] for k in running if ends[k] > now)
            if jobs[i][2] > free:
                break
            ends[i] = now + jobs[i][1]
            running.append(i)
        now = min([at for at, _, _, _ in jobs if at > now]
                  + [ends[i] for i in running if ends[i] > now], default=now)
    return ends


def deadlines(tap, site):
    """Tests edf.py against a naive simulation, the deadlines and priorities in
    jobs.csv and summary.json, and that verify counts them again."""
    draw = random.Random(7)
    jobs, at = [], 0
    for i in range(150):
        at += draw.randrange(0, 60)
        span = draw.randrange(5, 200)
        due = at + draw.randrange(-20, 900) if i % 7 else None
        jobs.append((at if i else 0, span, draw.randrange(1, 5), due))
    trace = site.path("due.csv")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("job_id,submitted_unix_s,duration_s,gpus,deadline_s,"
                   "priority\n")
        for i, (at, span, gpus, due) in enumerate(jobs):
            file.write("j%d,%d,%d,%d,%s,%s\n" % (
                i, at, span, gpus, "" if due is None else due - at,
                "high" if i % 3 else ""))
    status, words, out = site.run(example("edf.py"), trace=trace,
                                  cluster="1x4")
    ends = earliest_deadline(jobs, 4)
    with open(os.path.join(out, "jobs.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wrong = [row["job_id"] for i, row in enumerate(rows)
             if (int(row["finish_time"]), row["deadline"], row["priority"]) != (
                 ends[i], "" if jobs[i][3] is None else str(jobs[i][3]),
                 "high" if i % 3 else "")]
    tap.result(status == 0 and len(rows) == 150 and not wrong,
               "edf.py starts jobs by their deadlines", words + str(wrong))
    status, words, built_in = site.run("edf", trace=trace, cluster="1x4")
    tap.result(status == 0 and
               read(built_in, "jobs.csv") == read(out, "jobs.csv"),
               "-p edf starts them as edf.py does", words)
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        told = json.load(file)["deadlines"]
    late = [max(0, ends[i] - due) for i, (_, _, _, due) in enumerate(jobs)
            if due is not None]
    want = {"jobs": len(late), "deadline_missed": sum(x > 0 for x in late),
            "share_missed": sum(x > 0 for x in late) / len(late),
            "tardiness_mean_s": sum(late) / len(late),
            "tardiness_max_s": max(late)}
    tap.result(set(told) == set(want) and 0 < want["deadline_missed"] < 128
               and all(abs(told[key] - want[key]) < 1e-6 for key in want),
               "summary.json counts missed deadlines", "%s %s" % (told, want))
    _, _, other = site.run("fifo", trace=trace, cluster="1x4")
    path = os.path.join(other, "summary.json")
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    tap.result(summary["deadlines"]["deadline_missed"]
               > want["deadline_missed"], "fifo misses more deadlines", summary)
    done = [subprocess.run([PROGRAM, "verify", out], capture_output=True,
                           check=False)]
    summary["deadlines"]["deadline_missed"] += 1
    with open(path, "w", encoding="utf-8") as file:
        json.dump(summary, file)
    done.append(subprocess.run([PROGRAM, "verify", other], capture_output=True,
                               check=False))
    tap.result(done[0].returncode == 0 and done[1].returncode == 5
               and b"deadlines.deadline_missed" in done[1].stdout,
               "verify counts missed deadlines again", done)


ASKS = """
import sys
sys.path.insert(0, "%s")
import schedsim_policy

class Asks(schedsim_policy.Policy):
    def decide(self, state, plan):
        for vc in state.touched:
            for job in state.waiting(vc):
                if job.mine is None:
                    job.mine = (job.cpus, job.mem_mib, job.kind)
                    print(job.id, str(job.mine), file=sys.stderr)
            plan.fill(state.waiting(vc))

schedsim_policy.run(Asks())
"""


def extras(tap, site):
    """Tests that CPUs, main memory and kind reach a program and jobs.csv, and
    that a job is rejected exactly if empty nodes could not hold it: its GPUs
    take equal shares of what it asks for."""
    rows = [(8, 64, 1000, "train"), (8, 65, "", ""), (1, 8, 90000, ""),
            (2, 20, "", "infer"), (16, 128, "", ""), (16, 130, "", ""),
            (1, "", 100001, ""), (4, "", "", "")]
    rejected = {5: "more CPUs", 6: "more main memory"}
    trace, cluster = site.path("asks.csv"), site.path("hosts.json")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("job_id,submitted_unix_s,duration_s,gpus,cpus,mem_mib,kind\n")
        for i, row in enumerate(rows):
            file.write("j%d,%d,10,%d,%s,%s,%s\n" % ((i, i) + row))
    with open(cluster, "w", encoding="utf-8") as file:
        json.dump({"nodes": [{"count": 2, "gpus": 8, "cpus": 64,
                              "mem_mib": 100000}]}, file)
    script = site.path("asks.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(ASKS % EXAMPLES)
    columns = "job_id,submission_time,turnaround_time,outcome,reason," \
              "cpus,mem_mib,kind"
    status, words, out = site.run(
        "exec:%s %s,show_messages=true,reads=%s" % (PYTHON, script, EXAMPLES),
        "--columns", columns, trace=trace, cluster=cluster)
    seen = {int(line.split()[0]) for line in words.splitlines()
            if line[:1].isdigit() and "(" in line}
    first = "0 (64, 1000, 'train')" in words and "7 (None, None, None)" in words
    with open(os.path.join(out, "jobs.csv"), encoding="utf-8") as file:
        told = list(csv.DictReader(file))
    wrong = [(i, row) for i, row in enumerate(told)
             if (row["cpus"], row["mem_mib"], row["kind"])
             != tuple(str(cell) for cell in rows[i][1:])
             or (row["outcome"] == "rejected") != (i in rejected)
             or rejected.get(i, "") not in row["reason"]]
    tap.result(first and seen == {0, 1, 2, 3, 4, 7},
               "a program sees CPUs, main memory and kind", [status, words])
    tap.result(len(told) == 8 and not wrong,
               "jobs that no empty node can hold are rejected", wrong)


def records(tap, site):
    record = site.path("answers")
    status, words, out = site.run(example("srtf.py") + ",record=" + record)
    again, more, replayed = site.run("exec:replay=" + record)
    tap.result(status == 0 and again == 0
               and all(read(out, name) == read(replayed, name)
                       for name in ("jobs.csv", "summary.json", "series.csv")),
               "a replay gives the same bytes", words + more)
    done = subprocess.run([PROGRAM, "verify", out], capture_output=True,
                          text=True, check=False)
    tap.result(done.returncode == 0, "verify accepts the result", done.stdout)
    status, words, out = site.run("exec:replay=" + record, cluster="5x8")
    tap.result(status == 3 and "answers another question" in words
               and not os.path.exists(out),
               "a record of another cluster is refused", words)
    with open(record, encoding="utf-8") as file:
        lines = file.readlines()
    for about, bad in (("its end", lines[3].rstrip("}\n") + "\n"),
                       ("its beginning", "[" + lines[3][1:]),
                       ("a key", lines[3].replace('"answer"', '"answar"', 1)),
                       ("all", "{}\n")):
        with open(record, "w", encoding="utf-8") as file:
            file.writelines(lines[:3] + [bad] + lines[4:])
        status, words, _ = site.run("exec:replay=" + record)
        tap.result(status == 3 and record + ":4: not a line of a record"
                   in words, "a line of a record without " + about, words)
    with open(record, "w", encoding="utf-8") as file:
        file.writelines(lines + lines[-2:])
    status, words, out = site.run("exec:replay=" + record)
    tap.result(status == 0 and "2 answers of the record were not asked for"
               in remarks(out), "a record that is too long is remarked", words)
    with open(record, "w", encoding="utf-8") as file:
        file.writelines(lines[:50])
    status, words, _ = site.run("exec:replay=" + record)
    tap.result(status == 3 and "the record ends after 50 answers" in words,
               "a record that ends too early is refused", words)


# One row: kind and argument of the fault, exit status, part of the sentence.
LIES = [
    ("plan", '{"start":FIRST},{"start":FIRST}', 5, "rule start-once"),
    ("plan", '{"start":0}', 5, "rule start-waiting: job 0 cannot be started"),
    ("plan", '{"start":300}', 5, "rule known-job: job 300 does not"),
    ("plan", '{"start":"a"}', 5, "rule known-job: expected the number"),
    ("plan", '{"start":FIRST,"on":[[0,[0,0]]]}', 5, "rule known-gpu"),
    ("plan", '{"start":FIRST,"on":[[99,[0]]]}', 5, "rule known-gpu"),
    ("plan", '{"start":FIRST,"on":[[0,[0,1,2,3,4,5]]]}', 5, "rule own-size"),
    ("plan", '{"stop":FIRST}', 5, "rule stop-running"),
    ("plan", '{"share":FIRST,"with":FIRST}', 5, "rule share-running"),
    ("plan", '{"wake_us":1}', 5, "rule later"),
    ("plan", '{"strat":1}', 5, "rule action: unknown action: expected"),
    ("plan", '{"start":FIRST,"one":1}', 5, "rule action: the action start has"),
    ("raw", '{"plan":[{"stop":0}]}', 5, "rule said-needs"),
    ("raw", '{"plan":[],"number":7}', 5, 'rule answer: "number" is not'),
    ("raw", '{"plan":[],"pan":[]}', 5, "unknown key 'pan'"),
    ("raw", "hello", 5, "rule answer: the answer is not JSON"),
    ("raw", "[]", 5, "rule answer: the answer is not a JSON object"),
    ("raw", '{"plan":[]}\n{"plan":[]}', 1, "more than one line"),
    ("exit", "3", 1, "question 3: the program"),
    ("raise", "", 1, 'standard error: "TypeError: the cause"'),
    ("signal", "9", 1, "was ended by signal 9"),
    ("close", "", 1, "closed its output"),
    ("orphan", "", 1, "ended with exit status 0"),
    ("flood", "", 1, "wrote an answer of more than 64 MiB"),
    ("shout", "", 1, "standard error: \"" + 60 * "x"),
    ("hello", '{"protocol":2,"name":"a"}', 3, "\"protocol\":1"),
    ("hello", '{"protocol":1,"name":"a b"}', 3, "\"name\" must be"),
    ("hello", '{"protocol":1,"name":"a","needs":["x"]}', 3, "needs"),
    ("begin", "", 3, "\"ready\":true"),
]


# Makes a new process wait for ever before it becomes the program.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>
long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    while (number == 59)
        pause();
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
"""


def starts(tap, site):
    """Checks that the time for the start of a program is limited."""
    about = "a program that does not start is ended"
    with open(site.path("shim.c"), "w", encoding="utf-8") as file:
        file.write(SHIM)
    made = os.uname().machine == "x86_64" and shutil.which("cc") and \
        subprocess.run(["cc", "-shared", "-fPIC", "-o", site.path("shim.so"),
                        site.path("shim.c")], check=False).returncode == 0
    if not made:
        tap.skip(about, "no compiler for a shim")
        return
    for setting, part in (
            ("answer_s", "did not start within"), ("whole_s", "whole_s")):
        status, words, out = site.run(
            example("fifo.py") + ",%s=%g" % (setting, 0.3 * SLOW),
            environment={"LD_PRELOAD": site.path("shim.so"), "ASAN_OPTIONS":
                         "verify_asan_link_order=0:detect_leaks=0"})
        tap.result(status == 1 and part in words and not os.path.exists(out)
                   and not os.listdir(site.path("tmp")),
                   "%s: %s" % (about, setting), words)


MIX = """
import schedsim_policy


class Mix(schedsim_policy.Policy):
    def decide(self, state, plan):
        waiting = [job.id for vc in range(len(state.vcs))
                   for job in state.waiting(vc)]
        plan.actions.append({"queue": waiting})


schedsim_policy.run(Mix())
"""


def mixed_queues(tap, site):
    """Checks that a queue of several virtual clusters is found: in it a job
    that does not fit would hold back those of the other clusters."""
    with open(site.path("mix.py"), "w", encoding="utf-8") as file:
        file.write(MIX)
    with open(site.path("two.csv"), "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,vc\n"
                   "0,10,1,x,a\n0,10,1,y,b\n")
    shutil.copy(os.path.join(EXAMPLES, "schedsim_policy.py"), site.dir)
    spec = "exec:%s mix.py" % PYTHON
    status, words, _ = site.run(spec, trace=site.path("two.csv"),
                                cluster="a=1x4,b=1x4")
    tap.result(status == 5 and "rule queue-vc" in words and
               "job 0 and job 1 of another virtual cluster" in words,
               "a queue of several virtual clusters is refused", words)
    done = subprocess.run([PROGRAM, "policy", "check", spec, "--memory-mib", "0"],
                          cwd=site.dir,
                          capture_output=True, text=True, timeout=120 * SLOW,
                          check=False)
    tap.result(done.returncode == 5 and "rule queue-vc" in done.stderr,
               "check-policy finds such a queue", done.stderr)


def processes(marker):
    """Returns the command lines of the processes that have the marker in
    theirs."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read()
        except OSError:
            continue
        if marker.encode() in words:
            found.append(words)
    return found


def lie(site, kind, argument, at=3, settings=""):
    record = site.path("record")
    quoted = argument.replace("\\", "\\\\").replace('"', '\\"')
    status, words, out = site.run('exec:%s %s %s "%s" %d,record=%s%s' % (
        PYTHON, LIAR, kind, quoted, at, record, settings))
    left = [name for name in (out, record) if os.path.exists(name)]
    left += [name for name in os.listdir(site.dir) if "partial" in name]
    left += os.listdir(site.path("tmp"))
    for name in (out, record):
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.remove(name)
    return status, words, left


def lies(tap, site):
    for kind, argument, want, part in LIES:
        status, words, left = lie(site, kind, argument)
        tap.result(status == want and part in words and not left
                   and words.count("\n") == 0,
                   "%s %s: %s" % (kind, argument.split("\n")[0], part),
                   "%d %s %s" % (status, words, left))
    status, words, left = lie(site, "exit", "3", 300)
    tap.result(status == 1 and "question 300" in words and not left
               and "ended with exit status 3" in words
               and '"the last words"' in words,
               "a program that dies late says where and why", words)
    status, words, left = lie(site, "silent", "", 3, ",answer_s=%g" %
                              (0.3 * SLOW))
    tap.result(status == 1 and "did not answer within" in words and not left,
               "a program that does not answer is ended", words)
    status, words, left = lie(site, "silent", "", 3, ",whole_s=%g" %
                              (0.5 * SLOW))
    tap.result(status == 1 and "whole_s" in words and not left,
               "the time for all answers is limited", words)
    status, words, left = lie(site, "hog", "", 3, ",memory_mib=200")
    tap.result(status == 1 and "MemoryError" in words and not left,
               "the memory of a program is limited", words)
    status, words, left = lie(site, "noise", "")
    tap.result(status == 0 and len(left) == 2, "messages do no harm", words)
    status, words, left = lie(site, "noise", "", 3, ",answer_s=0")
    tap.result(status == 0 and len(left) == 2, "answer_s=0: no limit", words)
    for settings in ("answer_s=0,whole_s=600", "answer_s=7200",
                     "whole_s=600,show_messages=true,memory_mib=4000"):
        status, words, left = lie(site, "noise", "", 3, "," + settings)
        tap.result(status == 0 and len(left) == 2
                   and ("a message\n" in words) == ("show" in settings),
                   "limits that are not reached: " + settings, words)
    status, words, left = lie(site, "parting", "", 3, ",confine=off")
    tap.result(status == 1 and "question 4: the program" in words
               and "ended with exit status 0" in words and not left,
               "an answer counts though its program has ended", words)
    status, words, out = site.run("exec:%s %s late 3 0" % (PYTHON, LIAR))
    tap.result(status == 0 and "ended with exit status 3 after the run"
               in remarks(out), "an end that comes late is remarked", words)
    tap.result(not processes(LIAR), "no program is left", processes(LIAR))


def lingers(tap, site):
    """Checks that a process which a program starts does not outlive the run,
    though it tries to leave the group and holds no pipe."""
    status, words, _ = lie(site, "linger", "", 3, ",confine=on")
    if status == 1 and "cannot confine" in words:
        tap.skip("no process outlives the run", "no Landlock")
        return
    tap.result(status == 0 and not processes(LIAR),
               "no process outlives the run", "%s %s" % (words,
                                                         processes(LIAR)))


def spies(tap, site):
    """Checks that a program which looks for the trace in many places does not
    find the trace."""
    status, words, _ = lie(site, "spy", "@" + site.trace, 3, ",confine=on")
    if status == 1 and "cannot confine" in words:
        tap.skip("a program finds nothing but its questions", "no Landlock")
        status, words, _ = lie(site, "spy", "@/nowhere/at", 3)
        tap.result("environment" not in words and "descriptor" not in words,
                   "a program inherits nothing", words)
        return
    tap.result(status == 0, "a program finds nothing but its questions", words)
    status, words, _ = lie(site, "spy", "@" + site.trace, 3, ",confine=off")
    tap.result(status == 1 and "trace.csv" in words,
               "without confinement the program finds the trace", words)
    status, words, _ = lie(site, "spy", "@/nowhere/at", 3,
                           ",confine=on,pass=SECRET")
    tap.result("environment: SECRET" in words,
               "a variable is passed on if the user says so", words)


def usage(tap, site):
    for policy, part in (
            ("exec:", "a command is missing"),
            ("exec:not-a-program", "no program 'not-a-program' in PATH"),
            ("exec:./trace.csv", "may not be executed"),
            ("exec:'open", "a quote is not closed"),
            ("exec:true,replay=x", "a replay needs no command"),
            ("exec:replay=x", "x: No such file"),
            ("exec:true,pass=NOT_SET", "has no variable 'NOT_SET'"),
            ("exec:trace.csv", "is written with ./ in front"),
            ("exec:/tmp", "no program '/tmp'"),
            ("exec:''", "no program '' in PATH"),
            ("exec:'\\no' \\", "no program '\\no' in PATH"),
            ("exec:command=\t,confine=off", "the command is empty"),
            ("exec:command=", "a command is missing"),
            ("exec:replay=/dev/null", "the record ends after 0 answers"),
            ("exec:true" + 64 * ",answer_s=1", "no program 'true,answer_s=1"),
            ("exec" + 9 * "+handler" + ":true", "more than 8 layers"),
            ("mine.so" + 9 * "+handler", "more than 8 layers"),
            ("mine.so+handler", "policy mine.so cannot be loaded"),
            ("./a+b.so", "policy ./a+b.so cannot be loaded"),
            ("./mine.so:=", "policy ./mine.so: '=' is not KEY=VALUE"),
            ("mine.cc", "then write mine.so"),
            ("exec:./nothing", "no program './nothing'"),
            ("exec:true" + 64 * " x", "more than 64 words"),
            ("exec:replay=x,record=y", "cannot be recorded again"),
            ("exec:true,pass=" + "+".join(65 * ["SECRET"]),
             "more than 64 variables"),
            ("mine.c", "is a source: build it first"),
            ("mine.cpp", "then write mine.so"),
            ("mine.py", "write \"exec:python3 mine.py\""),
            ("mine.lua", "write \"exec:lua mine.lua\""),
            ("exec:true,answer_s=x", "answer_s")):
        status, words, _ = site.run(policy)
        tap.result(status in (2, 3) and part in words, policy[:40], words)


def fifo_here(site):
    """Puts a program that decides as fifo does into the folder of the runs."""
    shutil.copy(os.path.join(EXAMPLES, "schedsim_policy.py"), site.dir)
    with open(os.path.join(EXAMPLES, "fifo.py"), encoding="utf-8") as file:
        text = file.read().partition("\n")[2]
    with open(site.path("fifo-here"), "w", encoding="utf-8") as file:
        file.write("#!/usr/bin/python3 -Es\n" + text)
    os.chmod(site.path("fifo-here"), 0o755)


def places(tap, site):
    """Tests where a command is found and where it runs."""
    fifo_here(site)
    _, _, ours = site.run("fifo")
    os.mkdir(site.path("other"))
    with open(site.path("other/fifo-here"), "w", encoding="utf-8") as file:
        file.write("this one may not be executed\n")
    for about, policy, environment in (
            ("beside the run", "exec:./fifo-here", {}),
            ("by PATH, past folders without it", "exec:fifo-here",
             {"PATH": ":/nowhere:%s:%s:%s:/usr/bin:/bin" % (
                 4096 * "x", site.path("other"), site.dir)}),
            ("without PATH and TMPDIR", "exec:python3\t-Es fifo-here",
             {"PATH": None, "TMPDIR": None}),
            ("with words that name no file", "exec:./fifo-here /x /no/x /%s/x"
             % (4096 * "x"), {}),
            ("in a long TMPDIR", "exec:./fifo-here",
             {"TMPDIR": site.path("tmp") + 40 * "/."}),
            ("with blanks and quotes", "exec:'./fifo-here' \\x \"a b\"\t", {})):
        status, words, out = site.run(
            "%s,reads=+%s+%s" % (policy, 4096 * "x", site.dir),
            environment=environment)
        tap.result(status == 0
                   and read(out, "jobs.csv") == read(ours, "jobs.csv"),
                   "a program is started: " + about, words)
    status, words, _ = site.run("exec:./fifo-here",
                                environment={"TMPDIR": "/dev/null"})
    tap.result(status == 1 and "/dev/null/schedsim-exec-" in words
               and "Not a directory" in words, "no folder to run in", words)
    status, words, out = site.run(
        "exec:./fifo-here,reads=%s,record=/dev/null/x" % site.dir)
    tap.result(status == 1 and "/dev/null/x: cannot write" in words
               and not os.path.exists(out), "no place for a record", words)


ALWAYS = """
import sys
sys.path.insert(0, "%s")
import schedsim_policy


class Always(schedsim_policy.Policy):
    needs = ("preempt"%s)
    asks = "always"

    def begin(self, state):
        self.asked = 0

    def decide(self, state, plan):
        self.asked += 1
        for event in state.events:
            if event["event"] == "node-down":
                print("out:", event["node"], file=sys.stderr)
        for job in list(state.running(0)):
            if job.starts == 1 and job.id == 0 and state.now_us > 0:
                plan.stop(job)
                if job.gpus == 1:
                    plan.start(job)
        plan.fill(state.waiting(0))
        if any(event["event"] == "finished" for event in state.events):
            print(self.asked, [
                (job.id, job.gpu_util, job.gpu_memory_mib)
                for job in state.jobs.values()], file=sys.stderr)


schedsim_policy.run(Always())
"""


def always(tap, site):
    """Tests a program that is asked at each event, and beliefs on demand."""
    with open(site.path("demand.csv"), "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,gpu_util_percent,"
                   "gpu_mem_mib\n0,50,2,a,40,2000\n10,50,4,b,60,3000\n"
                   "20,50,4,c,,\n200,9,1,d,70,4000\n")
    spec = "exec:%s always.py,show_messages=true,reads=%s" % (PYTHON, EXAMPLES)
    for needs, want in ((",", "(0, None, None)"),
                        (', "demand"', "(0, 40, 2000)")):
        with open(site.path("always.py"), "w", encoding="utf-8") as file:
            file.write(ALWAYS % (EXAMPLES, needs))
        status, words, _ = site.run(spec, "--estimators", "oracle",
                                    trace=site.path("demand.csv"), cluster="1x4")
        tap.result(status == 0 and want in words and words[0] == "4",
                   "asked always, needs preempt" + needs,
                   "%s %s" % (status, words))
    where = [{"node": "0", "gpus": [0]}], [{"node": "0", "gpus": [1, 2]}]
    with open(site.path("down.json"), "w", encoding="utf-8") as file:
        json.dump({
            "state": 1, "at_unix_s": 10, "cluster": "2x4", "out": [{"node": "1"}],
            "jobs": [{"id": "ab"[i], "gpus": i + 1, "submitted_unix_s": 0,
                      "limit_s": 100, "started_unix_s": 5, "where": where[i]}
                     for i in (0, 1)]}, file)
    done = subprocess.run([PROGRAM, "run", "--state", "down.json", "--policy",
                           spec], cwd=site.dir, check=False, text=True,
                          capture_output=True)
    tap.result(done.returncode == 0 and "out: 1" in done.stderr,
               "a program is told which nodes are out of service", done.stderr)


def under_quotas(tap, site):
    """Tests that a program under the layer quota is told what quotas leave."""
    with open(site.path("two.csv"), "w", encoding="utf-8") as file:
        file.write("submitted_unix_s,duration_s,gpus,job_id,vc\n"
                   + "".join("%d,30,2,j%d,%s\n" % (i, i, "ab"[i % 2])
                             for i in range(40)))
    rows = []
    for name in (example("fifo.py").replace("exec:", "exec+quota:"),
                 "fifo+quota"):
        status, words, out = site.run(name, trace=site.path("two.csv"),
                                      cluster="a=1x4,b=1x4")
        rows.append(status == 0 and read(out, "jobs.csv"))
    tap.result(rows[0] and rows[0] == rows[1],
               "fifo.py under quotas is fifo under quotas", words)


def main():
    tap, site = Tap(), Site()
    try:
        same_results(tap, site)
        from_a_state(tap, site)
        other_worlds(tap, site)
        deadlines(tap, site)
        extras(tap, site)
        records(tap, site)
        lies(tap, site)
        starts(tap, site)
        mixed_queues(tap, site)
        lingers(tap, site)
        spies(tap, site)
        usage(tap, site)
        places(tap, site)
        always(tap, site)
        under_quotas(tap, site)
    finally:
        shutil.rmtree(site.dir)
    sys.exit(tap.exit_status())


if __name__ == "__main__":
    main()
