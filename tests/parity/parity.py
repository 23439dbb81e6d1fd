# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares our results with results of other simulators, if these are
installed (../shared, or $SCHEDSIM_SHARED).

usage: parity.py lucid|tiresias|muri|itself

lucid, tiresias: tests/parity.py compares job by job. muri: our averages must
equal the published averages of HeliosArtifact for two of Philly's virtual
clusters. itself: tests/parity.py must find one altered job."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

SHARED = os.environ.get("SCHEDSIM_SHARED") or os.path.join(ROOT, "..", "shared")


def compare(kind, folder, *options):
    return subprocess.run(
        [sys.executable, os.path.join(ROOT, "tests", "parity.py"), kind, folder,
         "--program", PROGRAM, *options],
        capture_output=True, text=True, check=False)


def golden(tap, kind, at_least):
    done = compare(kind, os.path.join(SHARED, "golden", kind))
    last = (done.stdout.splitlines() or [""])[-1].split()
    n = int(last[0]) if last else 0
    print("# figure: parity with %s: %s" % (kind, " ".join(last)))
    tap.result(done.returncode == 0 and n >= at_least,
               "%s: every job of at least %d cases is equal" % (kind, at_least),
               done.stdout + done.stderr)


# One row: virtual cluster, its log, time zero of the log (Unix), and the shape
# of the cluster.
MURI = [("7f04ca", "trace1.csv", 1503091218, "32x8"),
        ("2869ce", "trace3.csv", 1505751839, "16x8")]
WITHIN_S = 2  # the published averages are rounded to whole seconds


def muri_run(log, epoch, shape, policy):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [PROGRAM, "run", log, "--format", "muri:epoch_s=%d" % epoch,
             "--cluster", shape, "--conventions", "helios", "--policy", policy,
             "--from", "2017-10-01", "--to", "2017-11-30 23:59:00",
             "--out", out + "/o", "--quiet"], check=True)
        with open(out + "/o/summary.json", encoding="utf-8") as file:
            metrics = json.load(file)["metrics"]
    return metrics["jct_s"]["mean"], metrics["queue_delay_s"]["mean"]


def muri(tap):
    folder = os.path.join(SHARED, "traces", "philly")
    with open(os.path.join(folder, "helios_artifact_vc_results.csv"),
              newline="", encoding="utf-8") as file:
        want = {(row["vc"], row["policy"].lower()): row
                for row in csv.DictReader(file)}
    for vc, log, epoch, shape in MURI:
        for policy in ("fifo", "sjf", "srtf"):
            row = want[vc, policy]
            pair = (float(row["avg_jct_s"]), float(row["avg_queue_s"]))
            ours = muri_run(os.path.join(folder, "muri", log), epoch, shape,
                            policy)
            tap.result(all(abs(a - b) <= WITHIN_S for a, b in zip(pair, ours)),
                       "philly %s: %s as published" % (vc, policy),
                       "published %s, ours %s" % (pair, ours))


# One node with 8 GPUs under first come, first served; the times were computed
# by hand. Jobs b and c wait for a and then run at the same time; d waits for c,
# because b leaves too few GPUs.
TRACE = """\
job_id,vc,user,gpu_num,submit_s,duration_s,model,dataset,batchsize,amp
a,v,u,8,0,10,m,d,32,0
b,v,u,4,1,5,m,d,32,0
c,v,u,4,2,20,m,d,32,0
d,v,u,5,3,7,m,d,32,0
"""
RESULT = """\
job_id,vc,gpu_num,submit_s,duration_s,start_s,end_s,queue_s,jct_s,preemptions,\
nodes
a,v,8,0,10,0,10,0,10,0,0:01234567
b,v,4,1,5,10,15,9,14,0,0:0123
c,v,4,2,20,10,30,8,28,0,0:4567
d,v,5,3,7,30,37,27,34,0,0:01234
"""


def write_case(folder, result):
    os.makedirs(os.path.join(folder, "results"))
    for name, text in (("meta.json", "{}\n"), ("trace.csv", TRACE),
                       ("vc_config.csv", ",num\nv,1\n"),
                       ("results/fifo.csv", result)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


# One row: what is altered, the cells of job c before, and after.
ALTERED = [
    ("its start", "c,v,4,2,20,10,30", "c,v,4,2,20,11,30"),
    ("its end", "c,v,4,2,20,10,30", "c,v,4,2,20,10,31"),
    ("its wait", "30,8,28", "30,9,28"),
    ("its preemptions", "28,0,0:4567", "28,1,0:4567"),
    ("its place", "0:4567", "0:3567"),
]


def itself(tap):
    folder = tempfile.mkdtemp()
    try:
        same = os.path.join(folder, "same")
        write_case(same, RESULT)
        done = compare("lucid", same, "--policy", "fifo")
        tap.result(done.returncode == 0 and "4 jobs, 0 differ" in done.stdout,
                   "equal jobs are equal", done.stdout + done.stderr)
        for number, (what, old, new) in enumerate(ALTERED):
            case = os.path.join(folder, "altered%d" % number)
            assert RESULT.count(old) == 1
            write_case(case, RESULT.replace(old, new))
            done = compare("lucid", case, "--policy", "fifo")
            named = [line for line in done.stdout.splitlines()
                     if line.startswith("  job ")]
            tap.result(done.returncode == 6 and len(named) == 1
                       and named[0].startswith("  job c:"),
                       "a job that differs in %s is named" % what,
                       done.stdout + done.stderr)
        done = compare("lucid", folder + "/same/results")
        tap.result(done.returncode not in (0, 6), "no case is no success",
                   done.stdout + done.stderr)
    finally:
        shutil.rmtree(folder)
    sys.exit(tap.exit_status())


def without_defect(tap):
    """Counts the jobs whose times change if the defect of pairs is repaired."""
    done = compare("lucid", os.path.join(SHARED, "golden", "lucid"),
                   "--policy", "lucid", "--restore")
    for case, jobs in (("small-philly", 3), ("mid-philly", 820)):
        line = re.search(case + r": lucid: .* (\d+) of them in start or end",
                         done.stdout)
        tap.result(line and int(line[1]) == jobs,
                   "without the defect %d jobs of %s differ" % (jobs, case),
                   done.stdout + done.stderr)


def lucid(tap):
    golden(tap, "lucid", 24)
    without_defect(tap)


KINDS = {"lucid": lucid,
         "tiresias": lambda tap: golden(tap, "tiresias", 29),
         "muri": muri}


def main():
    tap, kind = Tap(), sys.argv[1]
    if kind == "itself":
        itself(tap)
    elif not os.path.isdir(SHARED):
        print("# skipped: ../shared not present")
        tap.skip(kind, "../shared not present")
    else:
        KINDS[kind](tap)
    sys.exit(tap.exit_status())


main()
