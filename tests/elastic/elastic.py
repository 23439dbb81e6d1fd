# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares Sia on its own workloads with the results of Sia's simulator, if
these are present. Ties and the fit of the models make single runs chaotic:
runs of the artifact that differ only in rounding are 2.7 % apart in mean JCT.
So pooled figures may be off by 3, 4 and 8 %, and each workload may be a little
outside the range of those runs."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench"))
from tap import PROGRAM, Tap  # noqa: E402
import measure  # noqa: E402
import sia  # noqa: E402

# Figure -> largest relative error of pooled results, and largest relative
# distance of the results of one workload from the range of equivalent runs.
BARS = {"avg_jct_h": (0.03, 0.03), "makespan_h": (0.04, 0.07),
        "p99_jct_h": (0.08, 0.17)}


def check_pooled(tap, name, mine, theirs):
    for figure, (bar, _) in BARS.items():
        a = sum(run[figure] for run in mine) / len(mine)
        b = sum(run[figure] for run in theirs) / len(theirs)
        tap.result(abs(a / b - 1) <= bar, "%s: %s" % (name, figure),
                   "%.4g, the artifact gives %.4g" % (a, b))


def check_single(tap, name, mine, equivalent):
    for figure, (_, bar) in BARS.items():
        low = min(run[figure] for run in equivalent) * (1 - bar)
        high = max(run[figure] for run in equivalent) * (1 + bar)
        tap.result(low <= mine[figure] <= high, "%s: %s" % (name, figure),
                   "%.4g is not in %.4g..%.4g" % (mine[figure], low, high))


def check_repeats(tap, name):
    """Checks that a second run writes equal bytes, and that `verify` accepts
    them."""
    def run(folder):
        out = os.path.join(folder, "out")
        family, number = name.split("-")
        measure.run([measure.SCHEDSIM, "run",
                     sia.trace(family, int(number)), "--quiet", "--out", out] +
                    sia.RULES)
        with open(os.path.join(out, "jobs.csv"), "rb") as file:
            return out, file.read()
    with sia.tempfile.TemporaryDirectory() as one, \
            sia.tempfile.TemporaryDirectory() as two:
        out, first = run(one)
        tap.result(first == run(two)[1], name + ": two runs, the same bytes")
        answer = subprocess.run([PROGRAM, "verify", out], capture_output=True,
                                text=True)
        tap.result(answer.returncode == 0, name + ": verified",
                   answer.stdout + answer.stderr)


def main():
    tap = Tap()
    measure.SCHEDSIM = PROGRAM
    if not os.path.isdir(measure.SHARED):
        tap.skip("elastic", "skipped: ../shared not present")
        return tap.exit_status()
    spread = sia.golden("variants.json")
    for variant in ("sia", "history"):
        theirs = sia.reference(variant)
        mine = {}
        for name in theirs:
            family, number = name.split("-")
            mine[name] = sia.simulate(family, int(number), variant).figures
            equivalent = [theirs[name]]
            if variant == "sia":
                equivalent += [spread[e][name] for e in sia.EQUIVALENT
                               if name in spread[e]]
                check_single(tap, name, mine[name], equivalent)
        names = [name for name in theirs if not name.startswith("newtrace")]
        check_pooled(tap, variant + " of " + ", ".join(names),
                     [mine[name] for name in names],
                     [theirs[name] for name in names])
    check_repeats(tap, "philly-1")
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
