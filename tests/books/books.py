# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the books of failures: one seed gives equal faults and delays under
each policy, the GPU time of a run adds up, and `verify` finds a changed byte
of failures.csv."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from spoil import rewrite, spoiled  # noqa: E402
from tap import PROGRAM, ROOT, Tap  # noqa: E402

FAULTS = ["--faults", "exponential:per_1000_node_days=100",
          "--recovery", "retry", "--overhead", "fixed"]


def run(folder, policy, *options, trace="native.csv", statuses=(0,)):
    """Runs a sample trace. Returns its result directory."""
    out = os.path.join(folder, "-".join([policy, *options]).replace("/", "_"))
    done = subprocess.run(
        [PROGRAM, os.path.join(ROOT, "traces", "samples", trace), "--policy",
         policy, *options, "--out", out, "--quiet"],
        capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        raise RuntimeError(done.stderr)
    return out


def rows_of(out, name="failures.csv"):
    with open(os.path.join(out, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def faults_of(rows):
    """Returns the faults in their order: the first row of each fault number."""
    first = {}
    for row in rows:
        if row["fault"]:
            first.setdefault(int(row["fault"]), row)
    return [tuple(first[n][key] for key in
                  ("time", "node", "cause", "scope", "repair"))
            for n in sorted(first)]


def delays_of(rows):
    return {(row["job_id"], row["failures"]): (row["detected"], row["delay"])
            for row in rows if row["job_id"] and row["verdict"] != "give-up"}


def same_draws(tap, folder):
    books = {}
    for policy in ("fifo", "srtf", "lucid"):
        books[policy] = rows_of(run(folder, policy, "--cluster", "16x8",
                                    *FAULTS, statuses=(0, 4)))
    base = books["fifo"]
    for policy in ("srtf", "lucid"):
        one, other = faults_of(base), faults_of(books[policy])
        n = min(len(one), len(other))
        tap.result(n > 10 and one[:n] == other[:n],
                   "fifo and %s have the same first faults" % policy,
                   "%d of %d and %d" % (n, len(one), len(other)))
        a, b = delays_of(base), delays_of(books[policy])
        both = a.keys() & b.keys()
        tap.result(len(both) > 3 and all(a[key] == b[key] for key in both),
                   "fifo and %s delay the same failures equally" % policy,
                   "%d in both" % len(both))


def summary_of(out):
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


IDENTITIES = [
    ("fifo", "native.csv", "--cluster", "16x8", *FAULTS),
    ("lucid", "native.csv", "--cluster", "16x8", *FAULTS),
    ("gandiva", "venus.csv", *FAULTS),
    ("srtf", "venus.csv", "--faults", "exponential:per_1000_node_days=100",
     "--recovery", "retry", "--overhead", "fixed:write_s=20,start_s=30"),
    ("gavel-las", "native.csv", "--cluster", "8x8:V100@1+8x8:A100@2.5", *FAULTS),
]


# The nodes of a small cluster leave for an hour in turn, so that jobs that
# share GPUs are stopped and start again elsewhere.
CHANGES = {"nodes": [{"count": 4, "gpus": 8, "type": "V100"},
                     {"count": 4, "gpus": 8, "type": "A100"}],
           "types": [{"name": "V100", "speed": 1},
                     {"name": "A100", "speed": 2.3}],
           "changes": [{"at_s": 7200 * n + 3600 * up, "node": n % 8,
                        "up": bool(up)} for n in range(24) for up in (0, 1)]}
WRITES = ["--faults", "exponential:per_1000_node_days=100", "--recovery",
          "retry", "--overhead", "fixed:write_s=30,start_s=20,stop_1_s=15"]
# so small that jobs share GPUs, whose demand is known
SMALL = ["--cluster", "9x8", "--estimators", "oracle,profiled,workload"]
# muri.csv has no demand, which is measured
MEASURED = ["--cluster", "9x8", "--estimators", "oracle,profiled"]
SHARING = [(policy, trace, *cluster, *WRITES)
           for policy in ("lucid", "gandiva", "horus", "random-pack")
           for trace in ("native.csv", "muri.csv", "lucid.csv")
           for cluster in (SMALL if trace != "muri.csv" else MEASURED,
                           ["--cluster", "CHANGES"])]
SHARING.append(("horus", "native.csv", *SMALL, *WRITES, "--time-law",
                "exact:lag_s=600"))
SHARING += [(policy, trace, *SMALL, *WRITES, "--monitor",
             "perfect:threshold=0.9")
            for policy in ("lucid", "gandiva", "horus", "random-pack")
            for trace in ("native.csv", "lucid.csv")]


def sharing(tap, folder):
    """Checks each run of SHARING: the GPU time that sharing took is an
    integral over the moves, and all other sums follow from the work and the
    times of attempts."""
    cluster = os.path.join(folder, "changes.json")
    with open(cluster, "w", encoding="utf-8") as file:
        json.dump(CHANGES, file)
    for policy, trace, *options in SHARING:
        options = [cluster if o == "CHANGES" else o for o in options]
        out = os.path.join(folder, "sharing")
        out = run(out, policy, *options, trace=trace, statuses=(0, 4))
        time = summary_of(out)["gpu_time"]
        held = sum(time[part + "_gpu_hours"] for part in
                   ("useful", "lost", "overhead", "slowed"))
        tap.result(abs(held / time["held_gpu_hours"] - 1) < 1e-9
                   and time["jobs_error"] < 1e-9
                   and time["slowed_gpu_hours"] > 1
                   and time["writing_gpu_hours"] > 1
                   and time["lost_gpu_hours"] > 0
                   and verify(out).returncode == 0,
                   "%s, %s, %s: what sharing took adds up" % (
                       policy, trace, "changes" if cluster in options
                       else options[-1]), time)


def a_pair(tap, folder):
    """Two jobs of 60 and 100 s share a GPU at half speed and write for 5 s
    after each 20 s of work. After 10 s of start-up both do 60 s of work in 135
    s and write for 15 s of these, so sharing takes 60 s of each job. The
    longer job then writes for 10 s more. Start-up (20 s) and writing (40 s)
    are overhead."""
    trace = os.path.join(folder, "pair.csv")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("job_id,submitted_unix_s,duration_s,gpus\n"
                   "a,0,100,1\nb,0,60,1\n")
    out = run(folder, "random-pack", "--cluster", "1x1", "--interference",
              "constant:slowdown=2", "--overhead",
              "fixed:start_s=10,checkpoint_s=20,write_s=5", "--faults",
              "once:at_s=1000000", trace=trace)
    time = summary_of(out)["gpu_time"]
    seconds = {part: round(time[part + "_gpu_hours"] * 3600, 5) for part in
               ("held", "useful", "lost", "overhead", "slowed", "writing")}
    tap.result(seconds == {"held": 145 + 195, "useful": 160, "lost": 0,
                           "overhead": 60, "slowed": 120, "writing": 40},
               "a pair: what sharing took", seconds)


def identities(tap, folder):
    for policy, trace, *options in IDENTITIES:
        out = run(folder, policy, *options, trace=trace, statuses=(0, 4))
        parts = summary_of(out)
        time = parts["gpu_time"]
        held = sum(time[part + "_gpu_hours"] for part in
                   ("useful", "lost", "overhead", "slowed"))
        cluster = sum(time[part + "_gpu_hours"] for part in
                      ("down", "idle", "busy"))
        tap.result(abs(held / time["held_gpu_hours"] - 1) < 1e-9
                   and abs(cluster / time["described_gpu_hours"] - 1) < 1e-9
                   and time["jobs_error"] < 1e-9
                   and time["machine_error"] < 1e-9,
                   "%s: GPU time adds up" % policy, time)
        lost = sum(cause["lost_gpu_hours"]
                   for cause in parts["failures"]["by_cause"].values())
        tap.result(abs(lost - parts["failures"]["lost_gpu_hours"])
                   <= 1e-9 * lost, "%s: causes add up" % policy, parts)


# Columns that `verify` computes from other files or adds up. It finds a change
# in them even if the digest in the manifest was made to fit.
CHECKED = ["time", "job_id", "attempt", "failures", "verdict", "detected",
           "delay", "lost", "lost_gpu_s", "restarted"]


def verify(out):
    return subprocess.run([PROGRAM, "verify", out], capture_output=True,
                          text=True, check=False)


def write_spoiled(out, lines, row, column, fit):
    cells = lines[row].split(",")
    cells[column] = spoiled(cells[column])
    data = "\n".join(lines[:row] + [",".join(cells)] + lines[row + 1:])
    rewrite(out, "failures.csv", data, fit)


def spoil(tap, folder):
    out = run(folder, "lucid", "--cluster", "16x8", *FAULTS, "--seed", "7",
              statuses=(0, 4))
    tap.result(verify(out).returncode == 0, "verify accepts the result",
               verify(out).stdout)
    with open(os.path.join(out, "failures.csv"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    names = lines[0].split(",")
    rows = [i for i, line in enumerate(lines) if i and
            line.split(",")[names.index("job_id"):][:1] not in ([], [""])]
    for fit in (False, True):
        for name in CHECKED if fit else names:
            column, missed = names.index(name), []
            used = [i for i in rows if lines[i].split(",")[column]][:4]
            for row in used:
                write_spoiled(out, lines, row, column, fit)
                done = verify(out)
                if done.returncode != 5:
                    missed.append((row, done.stdout, done.stderr))
            if used:
                tap.result(not missed, "verify catches a change of %s%s" % (
                    name, " with a new digest" if fit else ""), missed)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        same_draws(tap, folder)
        identities(tap, folder)
        sharing(tap, folder)
        a_pair(tap, folder)
        spoil(tap, folder)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
