# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decision costs if fifo is built in, a shared object, a program in C and
a program in Python: outside.py [TRACE [CLUSTER]]. The jobs.csv of all of them must
be that of the built-in policy. The cost of a decision is the time of the run
beyond that of the built-in policy, over the number of questions; the shared object
is asked at each instant of the run."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SCHEDSIM") or os.path.join(ROOT, "schedsim")
SHARED = os.environ.get("SCHEDSIM_SHARED",
                        os.path.join(os.path.dirname(ROOT), "shared"))
POLICIES = os.path.join(ROOT, "contrib", "policies")
ROUNDS = 5


def build(folder):
    """Builds the shared object and the program with the headers next to
    PROGRAM. Returns the (name, policy) of each variant."""
    headers = ["-I" + ROOT, "-I" + os.path.dirname(PROGRAM),
               "-I" + os.path.join(ROOT, "policies", "outside")]
    subprocess.run(["cc", "-O2", "-fPIC", *headers, "-shared", "-o",
                    os.path.join(folder, "fifo.so"),
                    os.path.join(POLICIES, "shared", "fifo.c")], check=True)
    subprocess.run(["cc", "-O2", "-o", os.path.join(folder, "fifo"),
                    os.path.join(POLICIES, "fifo.c"), "-ljansson"], check=True)
    return (("built in", "fifo"),
            ("shared object", os.path.join(folder, "fifo.so")),
            ("program in C", "exec:" + os.path.join(folder, "fifo")),
            ("program in Python", "exec:/usr/bin/python3 "
             + os.path.join(POLICIES, "fifo.py")),
            ("replay", "exec:replay=" + os.path.join(folder, "record")))


def measure(command):
    """Returns (wall time, user time) of the fastest of some runs, in seconds.
    """
    best = None
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        begin = time.monotonic()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        took = time.monotonic() - begin
        user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        best = min(best or (took, user), (took, user))
    return best


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def main():
    trace = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        SHARED, "traces", "helios", "venus_gpu_jobs.csv.gz")
    if not os.path.exists(trace):
        print("skipped: ../shared not present")
        return
    cluster = ["--cluster", sys.argv[2]] if len(sys.argv) > 2 else []
    with tempfile.TemporaryDirectory() as folder:
        base = expected = None
        print("%-18s %9s %9s %14s  %s" % ("fifo", "wall s", "decisions",
                                          "us a decision", "jobs.csv"))
        for number, (name, policy) in enumerate(build(folder)):
            out = os.path.join(folder, "out-%d" % number)
            record = ",record=" + os.path.join(folder, "record") \
                if name == "program in C" else ""
            subprocess.run([PROGRAM, "run", trace, *cluster, "--policy",
                            policy + record, "--out", out], check=False,
                           stdout=subprocess.DEVNULL)
            wall, _ = measure([PROGRAM, "run", trace, *cluster, "--policy",
                               policy])
            with open(os.path.join(out, "jobs.csv"), "rb") as file:
                jobs = file.read()
            asked = read(out, "summary.json").get("counts", {}).get("questions")
            decisions = read(out, "manifest.json")["decisions"]
            if base is None:
                base, expected = wall, jobs
                cost = ""
            else:
                cost = "%.2f" % ((wall - base) / asked * 1e6) \
                    if asked else "%.2f" % ((wall - base) / decisions * 1e6)
            print("%-18s %9.3f %9s %14s  %s" % (
                name, wall, asked or decisions, cost,
                "equal" if jobs == expected else "DIFFERS"), flush=True)


if __name__ == "__main__":
    main()
