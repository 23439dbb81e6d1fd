# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the fault trace again. The figures must be those that are compiled in.
`trace` must play the trace exactly; `hardware:profile=infinitehbd` must agree
with the trace within the range of 20 seeds and be near it in the mean;
independent faults must not agree.

faults.py PLAY_FAULTS"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import ROOT, Tap  # noqa: E402

# Figures that independent faults of the same rate cannot have.
ONLY_BOUND = ["hazard after 0 faults", "hazard after 2 faults",
              "hazard after 3 faults", "share of the top 10 % nodes",
              "nodes that never fail", "refaults within a day, share",
              "starts within an hour of the one before"]


def inside(tables, key, value):
    values = [table[key] for table in tables]
    return min(values) <= value <= max(values), values


def main(argv):
    tap = Tap()
    answer = subprocess.run(
        [sys.executable, os.path.join(ROOT, "bench", "fit_faults.py"), "--json"],
        env=dict(os.environ, PLAY_FAULTS=argv[1]), capture_output=True,
        check=True)
    if answer.stdout.startswith(b"skipped"):
        tap.skip("faults", "skipped: ../shared not present")
        return tap.exit_status()
    fit = json.loads(answer.stdout)
    tap.result(fit["exact"], "trace plays the trace exactly")
    for name, value in fit["fitted"].items():
        near = abs(value - fit["compiled"][name]) <= max(0.001, 1e-6 * value)
        tap.result(near, "figure " + name,
                   "%r, compiled in %r" % (value, fit["compiled"][name]))
    for name, value in fit["trace"].items():
        good, values = inside(fit["models"]["hardware"], name, value)
        mean = sum(values) / len(values)
        tap.result(good and abs(mean - value) <= 0.2 * value,
                   "hardware agrees: " + name, "%r in %r" % (value, values))
    for name in ONLY_BOUND:
        good, values = inside(fit["models"]["exponential"], name,
                              fit["trace"][name])
        tap.result(not good, "exponential differs: " + name, values)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
