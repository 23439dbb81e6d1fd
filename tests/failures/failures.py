# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests failures, checkpoints and restarts against closed forms, with fewer
jobs than bench/failures.py and with fixed seeds. Each mean must be within 4
standard errors of theory, each best interval within 10 % of Young's and
Daly's. The draws of failures must be equal under all policies."""
import csv
import filecmp
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..", "..", "bench")]
sys.dont_write_bytecode = True
from tap import PROGRAM, ROOT, Tap  # noqa: E402

os.environ.setdefault("SCHEDSIM", PROGRAM)
import closed_forms  # noqa: E402
import failures  # noqa: E402


def theory(tap, folder):
    lab = closed_forms.Lab(folder)
    for _, _, rows in failures.experiments(lab, quick=True):
        for row in rows:
            off = closed_forms.sigmas(row)
            tap.result(off <= failures.MOST_SIGMAS, row.what,
                       "%.9g, expected %.9g, off by %.1f standard errors\n%s" %
                       (row.measured, row.expected, off, row.command))
    for swept in failures.sweeps(lab, quick=True):
        tap.result(not failures.is_off(swept),
                   "best interval, writing takes %d s" % swept[0], swept)


def run(folder, name, policy):
    out = os.path.join(folder, name)
    done = subprocess.run(
        [PROGRAM, "run", os.path.join(ROOT, "traces", "samples", "venus.csv"),
         "--quiet", "--jobs", "1000", "--cluster", "24x8", "--policy",
         policy, "--seed", "7",
         "--faults", "exponential:per_1000_node_days=700,repair_mu=0",
         "--recovery", "retry", "--overhead", "fixed:interval=daly,write_s=60",
         "--out", out], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)
    return out


def drawn(out):
    """Returns the faults by number, and the delays by job and number of the
    job's failure."""
    faults, delays = {}, {}
    with open(os.path.join(out, "failures.csv"), encoding="utf-8",
              newline="") as file:
        for row in csv.DictReader(file):
            if row["fault"]: # each fault has a row at its time
                faults.setdefault(row["fault"], tuple(
                    row[name] for name in ("time", "scope", "node", "gpu",
                                           "cause", "repair")))
            if row["job_id"]:
                delays[row["job_id"], row["failures"]] = row["delay"]
    return faults, delays


def draws(tap, folder):
    first, again = run(folder, "a", "fifo"), run(folder, "b", "fifo")
    files = sorted(set(os.listdir(first)) - {"manifest.json"})
    same = filecmp.cmpfiles(first, again, files, shallow=False)[0]
    tap.result(sorted(same) == files, "one seed gives the same bytes",
               set(files) - set(same))
    fifo, lucid = drawn(first), drawn(run(folder, "c", "lucid"))
    for kind, a, b in zip(("faults", "delays"), fifo, lucid):
        both = set(a) & set(b)
        differ = [(key, a[key], b[key]) for key in both if a[key] != b[key]]
        tap.result(len(both) > 20 and not differ,
                   "%s are the same under fifo and lucid" % kind,
                   "%d in both; these differ: %s" % (len(both), differ[:5]))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        theory(tap, folder)
        draws(tap, folder)
    sys.exit(tap.exit_status())


main()
